// `kill -9` of the command, of the old host or of the new one, at any moment of a move under load: the same command, run again,
// ends it. What was answered 202 has come, and what came twice was under way when a daemon died. Then a practice of 300 MB moves: how
// long requests were refused is printed.
// @module-tag soak
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { inFlightAtMost, openPractice, relayAt, type Target, untilTestEnds } from '#test/flows/fixture.ts';
import { hostConfig } from '#test/flows/move-scene.ts';
import { type ConfigFile, type Daemon, startDaemon } from '#test/support/daemon.ts';
import { spawnMortal, until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { randomFrom, seed } from '#test/support/soak.ts';

const CLIENTS = 4;
const POOL = 4;
const ROUNDS_EACH = 3;
const LATEST_KILL_MS = 2_500;
const PATIENCE_MS = 120_000;
const MAIN = path.join(import.meta.dirname, '..', '..', 'src', 'main.ts');

interface Host {
  daemon: Daemon;
  readonly config: ConfigFile;
  readonly receiver: SmtpReceiver;
}

const startHost = async (started: AsyncDisposableStack, name: string): Promise<Host> => {
  const receiver = await createSmtpReceiver();
  started.defer(() => receiver.stop());
  const { http: _, ...rest } = await hostConfig(name);
  const config = {
    ...rest,
    upstreams: [relayAt(receiver.port, { pool: POOL })],
    queue: { retry: ['1s'], then_every: '1s', jitter: 0 },
    safe_mode: { default: false },
  };
  const host: Host = { daemon: await startDaemon({ config }), config, receiver };
  started.defer(() => host.daemon.remove());
  return host;
};

/** At the same port: the other host knows it by that. */
const startAgain = async (host: Host): Promise<void> => {
  const { origin, dataDir } = host.daemon;
  host.daemon = await startDaemon({ config: host.config, dataDir, port: Number(new URL(origin).port) });
};

const command = (old: Host, next: Host, practiceId: string) => {
  const tokenFile = path.join(path.dirname(next.daemon.dataDir), 'admin.token');
  const child = spawnMortal(
    process.execPath,
    [
      ...[MAIN, 'tenant', 'move', practiceId, '--to', next.daemon.origin, '--token-file', tokenFile],
      ...['--config', old.daemon.configFile],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, ended, said: () => said };
};

const arrived = (...hosts: readonly Host[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const { receiver } of hosts)
    for (const { recipients } of receiver.messages)
      for (const { address } of recipients) counts.set(address, (counts.get(address) ?? 0) + 1);
  return counts;
};

/** Sends to the old host's address until it is told to end; an answer that never came is sent again to another recipient. */
const load = (old: Host, { practiceId, token }: Target) => {
  const accepted = new Set<string>();
  const statuses = new Map<number, number>();
  let isLoading = true;
  const client = async (number: number): Promise<void> => {
    for (let index = 0; isLoading; index += 1) {
      const to = `p${number}-${index}@example.org`;
      const body = { to, subject: 'Termin', text: 'Bis Montag.' };
      const answer = await old.daemon
        .request('POST', `/api/practices/${practiceId}/send`, body, token)
        .catch(() => ({ status: 0 }));
      if (answer.status === 202) accepted.add(to);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status === 0) await pause(50);
    }
  };
  const clients = Array.from({ length: CLIENTS }, (_, number) => client(number));
  return {
    accepted,
    statuses,
    end: async () => {
      isLoading = false;
      await Promise.all(clients);
    },
  };
};

const rounds = (['command', 'old', 'next'] as const).flatMap((victim) =>
  Array.from({ length: ROUNDS_EACH }, (_, round) => ({ victim, round })),
);

test.each(rounds)(
  'kill -9 of $victim, round $round',
  { timeout: 3 * PATIENCE_MS },
  async ({ victim, round }) => {
    const random = randomFrom(seed + rounds.findIndex((one) => one.victim === victim && one.round === round));
    const started = untilTestEnds();
    const [old, next] = [await startHost(started, 'alt.example'), await startHost(started, 'neu.example')];
    const target = await openPractice(old.daemon);
    const loading = load(old, target);
    await until('there is load', () => loading.accepted.size > 50);
    const first = command(old, next, target.practiceId);
    const killAfter = Math.round(random() * LATEST_KILL_MS);
    await pause(killAfter);
    const wasRunning = first.child.exitCode === null;
    if (victim === 'command') first.child.kill('SIGKILL');
    else {
      const host = victim === 'old' ? old : next;
      await host.daemon.kill();
      await first.ended;
      await startAgain(host);
    }
    await first.ended;
    let last = first;
    for (let tries = 0; tries < 5; tries += 1) {
      last = command(old, next, target.practiceId);
      if ((await last.ended) === 0) break;
    }
    expect(last.child.exitCode, last.said()).toBe(0);
    const before = loading.accepted.size;
    await until('what comes to the old host is accepted', () => loading.accepted.size > before + 50);
    await loading.end();
    await until(
      'all have come',
      () => {
        const came = arrived(old, next);
        return [...loading.accepted].every((address) => came.has(address));
      },
      PATIENCE_MS,
    );
    const twice = [...arrived(old, next).values()].filter((count) => count > 1).length;
    process.stdout.write(
      `${victim} killed after ${killAfter} ms (the command was ${wasRunning ? 'running' : 'over'}): ` +
        `${loading.accepted.size} answered 202, ${twice} twice, other answers ${JSON.stringify([...loading.statuses])}\n`,
    );
    // A daemon that is killed may repeat what was between the relay's 250 and its own commit; a command sends nothing.
    expect(twice).toBeLessThanOrEqual(victim === 'command' ? 0 : inFlightAtMost(POOL));
  },
);

test('a practice of 300 MB is refused for seconds', { timeout: 3 * PATIENCE_MS }, async () => {
  const started = untilTestEnds();
  const [old, next] = [await startHost(started, 'alt.example'), await startHost(started, 'neu.example')];
  const target = await openPractice(old.daemon);
  await old.daemon.stop();
  const db = new Database(path.join(old.daemon.dataDir, 'tenants', target.practiceId, 'tenant.db'));
  // A file with other tables than the program makes is not taken.
  const insert = db.prepare('INSERT INTO import_pieces (import_seq, position, content) VALUES (0, ?, ?)');
  for (let index = 0; index < 300; index += 1) insert.run(index, randomBytes(1_024 * 1_024));
  db.close();
  await startAgain(old);
  const loading = load(old, target);
  await until('there is load', () => loading.accepted.size > 50);
  const { ended, said } = command(old, next, target.practiceId);
  expect(await ended, said()).toBe(0);
  const before = loading.accepted.size;
  await until('what comes to the old host is accepted', () => loading.accepted.size > before + 50);
  await loading.end();
  process.stdout.write(`${said()}\nanswers ${JSON.stringify([...loading.statuses])}\n`);
  await until('all have come', () => {
    const came = arrived(old, next);
    return [...loading.accepted].every((address) => came.get(address) === 1);
  });
  expect([...loading.statuses.keys()].filter((status) => status !== 202 && status !== 503)).toEqual([]);
});
