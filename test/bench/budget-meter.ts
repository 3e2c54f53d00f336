// What a daemon spends on a message, in things that can be counted: statements, write calls, bytes, frames of the WAL.
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { kill } from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { StatementCounts } from '#test/bench/statement-counter.ts';
import { type ConfigFile, type Daemon, startDaemon } from '#test/support/daemon.ts';
import { until } from '#test/support/process.ts';

/** How many messages share a commit depends on how long a sync takes: that of a disk is counted with. */
const DISK = '/var/tmp';
const COUNTER = new URL('./statement-counter.ts', import.meta.url).href;
/** Longer than the daemon puts off what it writes behind a message. */
const QUIET_MS = 300;
/** The most that the configuration takes: the WAL only grows, so its size tells its frames. */
const NO_CHECKPOINT = { checkpoint_pages: 100_000 };
/** Asked at most once a millisecond, so how often depends on the time: it is listed, and not part of the sum. */
const ASKED_BY_TIME = /^\S+ PRAGMA data_version$/;
const CREDENTIAL_LOOKUP = /^platform\.db SELECT .* FROM (?:credentials|sessions) /;

/** Of one message, on average. */
export interface Spending {
  /** Run by the event loop, BEGIN, COMMIT and savepoints among them; what triggers run is not. */
  readonly statements: number;
  readonly credentialLookups: number;
  /** write(2) and its kin by all threads: files, answers, SMTP commands, log lines, wake-ups of threads. */
  readonly writeCalls: number;
  /** Of 1,000 bytes, given to those calls. */
  readonly kilobytes: number;
  /** Of the practice's file and of the registry's. */
  readonly walFrames: number;
}

export interface Measured {
  readonly spending: Spending;
  /** How often each ran for a message, the most frequent first. */
  readonly statements: readonly (readonly [statement: string, count: number])[];
}

export interface Meter {
  readonly daemon: Daemon;
  /** Resolves once no copy of the practice waits. */
  settled(practiceId: string): Promise<void>;
  /** What `work`, which sends so many messages, costs until they are settled and nothing is written any more. */
  measure(practiceId: string, messages: number, work: () => Promise<unknown>): Promise<Measured>;
  stop(): Promise<void>;
}

/** Without `counting` the daemon runs as it is, and there is nothing to `measure`. */
export const startMeter = async (config: ConfigFile, counting: boolean): Promise<Meter> => {
  await using started = new AsyncDisposableStack();
  const directory = await mkdtemp(path.join(DISK, 'budget-'));
  started.defer(() => rm(directory, { recursive: true, force: true }));
  const file = path.join(directory, 'statements.json');
  const daemon = await startDaemon({
    config: { storage: NO_CHECKPOINT, ...config },
    dataDir: path.join(directory, 'data'),
    env: counting ? { NODE_OPTIONS: `--import=${COUNTER}`, STATEMENT_COUNTS: file } : {},
  });
  started.defer(() => daemon.remove());
  const tenantFile = (practiceId: string): string =>
    path.join(daemon.dataDir, 'tenants', practiceId, 'tenant.db');

  const statementCounts = async (): Promise<StatementCounts> => {
    await rm(file, { force: true });
    kill(daemon.pid, 'SIGUSR2');
    let counts = '';
    await until('the daemon has told its statements', async () => {
      counts = await readFile(file, 'utf8').catch(() => '');
      return counts !== '';
    });
    return JSON.parse(counts);
  };
  const quiet = async (): Promise<void> => {
    let calls: number;
    let now = (await writes(daemon.pid)).calls;
    do {
      calls = now;
      await pause(QUIET_MS);
      now = (await writes(daemon.pid)).calls;
    } while (calls !== now);
  };
  const settled = async (practiceId: string): Promise<void> => {
    using db = disposable(new Database(tenantFile(practiceId), { readonly: true }));
    const waiting = db.value.prepare<[], number>('SELECT count(*) FROM queue').pluck();
    await until('all copies are settled', () => waiting.get() === 0);
  };
  const frames = async (practiceId: string): Promise<number> =>
    (await walFrames(path.join(daemon.dataDir, 'platform.db'))) + (await walFrames(tenantFile(practiceId)));

  const measure: Meter['measure'] = async (practiceId, messages, work) => {
    await quiet();
    const ranBefore = await statementCounts();
    const [framesBefore, writesBefore] = [await frames(practiceId), await writes(daemon.pid)];
    await work();
    await settled(practiceId);
    await quiet();
    const [framesAfter, writesAfter] = [await frames(practiceId), await writes(daemon.pid)];
    const statements = Object.entries(await statementCounts())
      .map(([statement, count]) => [statement, (count - (ranBefore[statement] ?? 0)) / messages] as const)
      .filter(([, count]) => count > 0)
      .sort(([, a], [, b]) => b - a);
    const sumOf = (some: typeof statements): number => some.reduce((sum, [, count]) => sum + count, 0);
    return {
      spending: {
        statements: sumOf(statements.filter(([statement]) => !ASKED_BY_TIME.test(statement))),
        credentialLookups: sumOf(statements.filter(([statement]) => CREDENTIAL_LOOKUP.test(statement))),
        writeCalls: (writesAfter.calls - writesBefore.calls) / messages,
        kilobytes: (writesAfter.bytes - writesBefore.bytes) / 1_000 / messages,
        walFrames: (framesAfter - framesBefore) / messages,
      },
      statements,
    };
  };
  const owned = started.move();
  return { daemon, settled, measure, stop: () => owned.disposeAsync() };
};

const disposable = (value: Database.Database) => ({ value, [Symbol.dispose]: () => void value.close() });

/**
 * proc(5): calls and bytes that the process gave to write(2), whatever became of them. `write_bytes` would count pages as the
 * kernel makes them dirty: one that is written twice before it goes to the disk counts once, so it depends on the time.
 */
const writes = async (pid: number): Promise<{ readonly calls: number; readonly bytes: number }> => {
  const text = await readFile(`/proc/${pid}/io`, 'utf8');
  const of = (name: string): number => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(text)?.[1]);
  return { calls: of('syscw'), bytes: of('wchar') };
};

// https://www.sqlite.org/fileformat2.html#walformat
const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const PAGE_SIZE_AT = 8;

/** Frames in the WAL of the database `file`, which has not been checkpointed since it was opened. */
const walFrames = async (file: string): Promise<number> => {
  const wal = await open(`${file}-wal`);
  try {
    const { buffer } = await wal.read(Buffer.alloc(WAL_HEADER_BYTES), 0, WAL_HEADER_BYTES, 0);
    const { size } = await wal.stat();
    return (size - WAL_HEADER_BYTES) / (FRAME_HEADER_BYTES + buffer.readUInt32BE(PAGE_SIZE_AT));
  } finally {
    await wal.close();
  }
};
