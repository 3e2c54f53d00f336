// The case `backup`: a backup of many practices of 2 MB beside a daemon, the next one of which nothing changed, the check of it and its
// restore into another directory, each beside `cp -r` of the same bytes. A backup and a restore are on the disk when they end, so
// `cp -r` with `sync` is the fair measure of these; the other one only fills the cache. And how much slower one practice sends meanwhile. Messages are practices here.
import { readdirSync, readFileSync, statSync } from 'node:fs';
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
const MIB = 1_024 * 1_024;

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

/** What is linked several times counts once. */
const bytesIn = (directory: string): number => {
  const files = new Map<number, number>();
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const { ino, size } = statSync(path.join(entry.parentPath, entry.name));
    files.set(ino, size);
  }
  return [...files.values()].reduce((sum, size) => sum + size, 0);
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

  const copyTo = path.join(home, 'copy');
  const copy = await measured('cp', ['-r', daemon.dataDir, copyTo]);
  await rm(copyTo, { recursive: true });
  const synced = await measured('sh', ['-c', 'cp -r "$0" "$1" && sync', daemon.dataDir, copyTo]);
  const copied = bytesIn(copyTo);
  await rm(copyTo, { recursive: true });
  const first = await sendwerk('backup', directory);
  const whole = bytesIn(directory);
  const second = await sendwerk('backup', directory);
  const added = bytesIn(directory) - whole;
  const check = await sendwerk('backup', 'verify', directory);
  const restoredTo = path.join(home, 'restored');
  const restore = await sendwerk('restore', directory, '--to', restoredTo);
  const restored = bytesIn(restoredTo);
  await rm(restoredTo, { recursive: true });
  const row = (name: string, { seconds, memory }: Cost, bytes: number): string[] => [
    name,
    seconds.toFixed(1),
    (seconds / copy.seconds).toFixed(2),
    (seconds / synced.seconds).toFixed(2),
    memory.toFixed(0),
    (bytes / MIB).toFixed(0),
  ];
  print(
    table(
      ['what', 's', 'of cp -r', 'of cp -r and sync', 'memory, MiB', 'written, MiB'],
      [
        row('cp -r', copy, copied),
        row('cp -r and sync', synced, copied),
        row('backup', first, whole),
        row('nothing changed', second, added),
        row('verify', check, 0),
        row('restore', restore, restored),
      ],
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
