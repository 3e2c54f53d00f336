// The drill: the host is lost while mail is sent, and what Litestream has written elsewhere is restored by the documented commands.
// @module-tag debian/postfix
// @module-tag soak
import { execFile } from 'node:child_process';
import { readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import process, { execPath } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import {
  arrivals,
  openPractice,
  PATIENCE_MS,
  relayAt,
  repeated,
  startKeepingSink,
  type Target,
  temporaryDirectory,
  untilTestEnds,
} from '#test/flows/fixture.ts';
import { type ConfigFile, startDaemon } from '#test/support/daemon.ts';
import { endProcess, freePort, processTree, spawnMortal, until } from '#test/support/process.ts';

const run = promisify(execFile);
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
/** Its binary comes by npm for this platform and three others. */
const LITESTREAM = fileURLToPath(
  new URL('../../node_modules/@flydotio/litestream-linux-x64/litestream', import.meta.url),
);
const RATE = 200;
const SECONDS = 60;
const PRACTICES = 3;
/** So long ago at most was accepted what the replica lacks. */
const GOAL_MS = 10_000;
/** Litestream begins a log again from 16 MiB on, and looks each second. */
const MOST_WAL_BYTES = 64 * 1_024 * 1_024;
const ERROR_LEVEL = /"level":(?:"error"|50)|level=ERROR/;

interface Accepted {
  readonly practice: string;
  readonly id: string;
  readonly to: string;
  readonly at: number;
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

test('a lost host loses seconds of what was accepted, and nothing older', {
  timeout: 2 * PATIENCE_MS,
}, async () => {
  const started = untilTestEnds();
  const sink = await startKeepingSink(started);
  const elsewhere = await temporaryDirectory(started);
  const metrics = await freePort();
  const config: ConfigFile = {
    replica: { to: `file://${elsewhere}/replica`, metrics: `127.0.0.1:${metrics}` },
    upstreams: [relayAt(sink.port)],
    log: { level: 'info' },
  };
  let daemon = await startDaemon({ config });
  started.defer(() => daemon.remove());
  const { dataDir, configFile } = daemon;
  const targets: Target[] = [];
  for (let n = 0; n < PRACTICES; n++) targets.push(await openPractice(daemon));

  const litestream = spawnMortal(
    execPath,
    [
      ...[MAIN, 'litestream-config', '--config', configFile],
      ...['--out', path.join(elsewhere, 'litestream.yml'), '--run', LITESTREAM],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  started.defer(async () => void (await endProcess(litestream)));
  let said = '';
  for (const stream of [litestream.stdout, litestream.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  await until('the replica has begun', () => said.split('snapshot written').length > PRACTICES + 1);

  const accepted: Accepted[] = [];
  const refused: number[] = [];
  const sendOne = async (n: number): Promise<void> => {
    const { practiceId, token } = targets[n % PRACTICES] as Target;
    const to = `patient-${n}@example.org`;
    const body = { to, subject: 'Termin', text: 'Wir freuen uns auf Sie. '.repeat(50) };
    const answer = await daemon
      .request<{ id: string }>('POST', `/api/practices/${practiceId}/send`, body, token)
      .catch(() => undefined);
    if (answer?.status === 202)
      accepted.push({ practice: practiceId, id: answer.body.id, to, at: Date.now() });
    else if (answer !== undefined) refused.push(answer.status);
  };
  const files = [
    'platform.db',
    ...readdirSync(path.join(dataDir, 'tenants')).map((id) => `tenants/${id}/tenant.db`),
  ];
  const begun = performance.now();
  let mostWal = 0;
  for (let sent = 0; performance.now() - begun < SECONDS * 1_000; await pause(20)) {
    const due = ((performance.now() - begun) / 1_000) * RATE;
    for (; sent < due; sent++) void sendOne(sent);
    mostWal = Math.max(mostWal, ...files.map((file) => sizeOf(path.join(dataDir, `${file}-wal`))));
  }
  const tree = processTree(litestream.pid ?? 0);
  for (const pid of tree) process.kill(pid, 'SIGKILL');
  await daemon.kill();
  const lostAt = Date.now();
  expect(refused).toEqual([]);
  expect(daemon.output()).not.toMatch(ERROR_LEVEL);
  expect(said).not.toMatch(ERROR_LEVEL);
  expect(said.match(/msg="sync: new generation"/g)).toHaveLength(files.length);
  expect(mostWal).toBeLessThan(MOST_WAL_BYTES);
  rmSync(dataDir, { recursive: true });

  const restored = path.join(elsewhere, 'restored');
  const command = (...args: string[]) => run(execPath, [MAIN, ...args, '--config', configFile]);
  await command('litestream-restore', restored, '--litestream', LITESTREAM);
  await command('restore', restored);
  const lost: Accepted[] = [];
  for (const { practiceId } of targets) {
    const db = new Database(path.join(dataDir, 'tenants', practiceId, 'tenant.db'), { readonly: true });
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    const ids = new Set(db.prepare('SELECT id FROM messages').pluck().all());
    lost.push(...accepted.filter(({ practice, id }) => practice === practiceId && !ids.has(id)));
    db.close();
  }
  const window = lost.length === 0 ? 0 : lostAt - Math.min(...lost.map(({ at }) => at));
  process.stdout.write(
    `${accepted.length} accepted at ${RATE}/s, ${lost.length} lost, all within the last ${window} ms; the largest write-ahead log had ${(mostWal / 1_048_576).toFixed(1)} MiB\n`,
  );
  // It checks pages, references and the chain of each consent ledger; it fails where one is wrong.
  await command('backup', path.join(elsewhere, 'backups'));
  await command('backup', 'verify', path.join(elsewhere, 'backups'));

  daemon = await startDaemon({ config, dataDir });
  // What was due when the host was lost may have left: it waits for a person, and this one sends it.
  for (const { practiceId } of targets) {
    const address = `/api/practices/${practiceId}/held-mail/release`;
    const { status } = await daemon.request('POST', address, {}, daemon.adminToken);
    expect(status).toBeLessThan(300);
  }
  await until(
    'what was held has left',
    async () => {
      const { body } = await daemon.request<{ queue: { waiting_tenants: number; in_flight: number } }>(
        ...(['GET', '/api/admin/health', undefined, daemon.adminToken] as const),
      );
      return body.queue.waiting_tenants === 0 && body.queue.in_flight === 0;
    },
    PATIENCE_MS,
  );
  const came = await arrivals(sink);
  const twice = repeated(came);
  // What had left and is not known to have: the replica lacks its outcome. When it was accepted says nothing, as it may have waited.
  const left = came.filter(({ recipient, at }) => twice.has(recipient) && at < lostAt);
  const oldest = Math.max(0, ...left.map(({ at }) => lostAt - at));
  process.stdout.write(
    `${twice.size} came twice once a person released what was held; the first time within the last ${oldest.toFixed(0)} ms\n`,
  );
  expect(window).toBeLessThan(GOAL_MS);
  expect(oldest).toBeLessThan(GOAL_MS);
  // Each of them once before and once after.
  expect(left).toHaveLength(twice.size);
  expect(came).toHaveLength(new Set(came.map(({ recipient }) => recipient)).size + twice.size);
});

test('a practice that is restored beside Litestream is whole in the replica afterwards', {
  timeout: PATIENCE_MS,
}, async () => {
  const started = untilTestEnds();
  const sink = await startKeepingSink(started);
  const elsewhere = await temporaryDirectory(started);
  const replica = { to: `file://${elsewhere}/replica`, metrics: `127.0.0.1:${await freePort()}` };
  const daemon = await startDaemon({ config: { replica, upstreams: [relayAt(sink.port)] } });
  started.defer(() => daemon.remove());
  const { practiceId, token } = await openPractice(daemon);
  const command = (...args: string[]) => run(execPath, [MAIN, ...args, '--config', daemon.configFile]);
  const send = async (subject: string, bytes: number): Promise<void> => {
    const body = { to: 'erika@example.org', subject, text: 'x'.repeat(bytes) };
    await daemon.request('POST', `/api/practices/${practiceId}/send`, body, token);
  };
  const litestream = spawnMortal(
    execPath,
    [
      ...[MAIN, 'litestream-config', '--config', daemon.configFile],
      ...['--out', path.join(elsewhere, 'litestream.yml'), '--run', LITESTREAM],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  started.defer(async () => void (await endProcess(litestream)));
  let said = '';
  for (const stream of [litestream.stdout, litestream.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  /** Since Litestream was started last: it also writes one of the former file before it is ended. */
  const snapshots = (): number =>
    (said.split('msg=litestream ').at(-1) ?? '').split('snapshot written').length - 1;
  const starts = (): number => said.split('msg=litestream ').length - 1;
  await until('the replica has begun', () => snapshots() >= 2);
  for (let n = 0; n < 200; n++) await send(`before ${n}`, 3_000);
  await command('backup', path.join(elsewhere, 'backups'));
  for (let n = 0; n < 100; n++) await send(`lost ${n}`, 50_000);
  const before = starts();
  await command('restore', path.join(elsewhere, 'backups'), '--tenant', practiceId, '--replace');
  for (let n = 0; n < 3; n++) await send(`after ${n}`, 500);
  await until('its new generation has a whole copy', () => starts() > before && snapshots() > 0);
  await send('last', 500);
  // It ends once it has written everything.
  await endProcess(litestream);
  const restored = path.join(elsewhere, 'restored');
  await command('litestream-restore', restored, '--litestream', LITESTREAM);
  const db = new Database(path.join(restored, 'tenants', practiceId, 'tenant.db'), { readonly: true });
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  const subjects = db.prepare('SELECT subject FROM messages ORDER BY seq DESC LIMIT 4').pluck().all();
  expect(subjects).toEqual(['last', 'after 2', 'after 1', 'after 0']);
  expect(db.prepare("SELECT count(*) FROM messages WHERE subject LIKE 'lost%'").pluck().get()).toBe(0);
  db.close();
});
