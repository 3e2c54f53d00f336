// The case `backup`: a backup of many practices of 2 MB beside a daemon, the next one of which nothing changed, and the check of it,
// each beside `cp -r` of the same bytes; and how much slower one practice sends meanwhile. Messages are practices here.
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { type CaseOptions, table } from '#test/bench/harness.ts';
import { makeInstallation, tenantFile } from '#test/bench/installation.ts';
import { newTally, sendTo } from '#test/flows/fixture.ts';
import type { Daemon } from '#test/support/daemon.ts';
import { spawnMortal } from '#test/support/process.ts';

const ENTRY = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const FILLER_BYTES = 1_300_000;
const CLIENTS = 8;
const SENDING_MS = 10_000;
const LOOK_MS = 20;

interface Cost {
  readonly seconds: number;
  /** At its peak, MiB. */
  readonly memory: number;
}

const measured = async (program: string, args: readonly string[]): Promise<Cost> => {
  const start = performance.now();
  const child = spawnMortal(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  let memory = 0;
  const look = setInterval(() => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      memory = Math.max(memory, Number(/^VmHWM:\s*(\d+)/m.exec(status)?.[1] ?? 0) / 1_024);
    } catch {
      // It has ended.
    }
  }, LOOK_MS);
  const code = await new Promise((resolve) => child.once('exit', resolve));
  clearInterval(look);
  if (code !== 0) throw new Error(`${program} ${args.join(' ')}: ${code}`);
  return { seconds: (performance.now() - start) / 1_000, memory };
};

/** Messages a second that one practice is answered for, until `ends`. */
const rateUntil = async (daemon: Daemon, practiceId: string, ends: Promise<unknown>): Promise<number> => {
  const [tally, token, start] = [newTally(), await daemon.createToken(practiceId), performance.now()];
  let running = true;
  void ends.then(() => {
    running = false;
  });
  const recipients = function* () {
    for (let index = 0; running; index++) yield `${index}@example.org`;
  };
  await sendTo({ daemon, practiceId, token }, recipients(), CLIENTS, tally);
  return (tally.accepted.size * 1_000) / (performance.now() - start);
};

export async function benchBackup({ messages: practices, print }: CaseOptions): Promise<void> {
  await using started = new AsyncDisposableStack();
  const installation = await makeInstallation(practices);
  started.defer(installation.remove);
  for (const { id } of installation.practices) {
    const db = new Database(tenantFile(installation, id));
    db.exec(
      `CREATE TABLE filler (bytes BLOB) STRICT; INSERT INTO filler VALUES (randomblob(${FILLER_BYTES}))`,
    );
    db.close();
  }
  const home = await mkdtemp(path.join(tmpdir(), 'backups-'));
  started.defer(() => rm(home, { recursive: true }));
  const daemon = await installation.start();
  started.defer(daemon.remove);
  const directory = path.join(home, 'backups');
  const sendwerk = (...args: readonly string[]) =>
    measured(execPath, [ENTRY, ...args, '--config', daemon.configFile]);

  const copy = await measured('cp', ['-r', daemon.dataDir, path.join(home, 'copy')]);
  await rm(path.join(home, 'copy'), { recursive: true });
  const first = await sendwerk('backup', directory);
  const second = await sendwerk('backup', directory);
  const check = await sendwerk('backup', 'verify', directory);
  const row = (name: string, { seconds, memory }: Cost): string[] => [
    name,
    seconds.toFixed(1),
    (seconds / copy.seconds).toFixed(2),
    memory.toFixed(0),
  ];
  print(
    table(
      ['what', 's', 'of cp -r', 'MiB'],
      [row('cp -r', copy), row('backup', first), row('nothing changed', second), row('verify', check)],
    ),
  );
  const one = installation.practices[0]?.id ?? '';
  const pause = () => new Promise((resolve) => setTimeout(resolve, SENDING_MS));
  const alone = await rateUntil(daemon, one, pause());
  await rm(directory, { recursive: true });
  const beside = await rateUntil(daemon, one, sendwerk('backup', directory));
  const after = await rateUntil(daemon, one, pause());
  const share = beside / ((alone + after) / 2);
  print(
    `Accepted messages a second of one practice: ${alone.toFixed(0)} before, ${beside.toFixed(0)} beside a whole backup, ${after.toFixed(0)} after: ${(100 * share).toFixed(0)} %. ${(await readdir(path.join(daemon.dataDir, 'tenants'))).length} practices.`,
  );
}
