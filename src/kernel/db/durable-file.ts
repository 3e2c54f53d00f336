// One SQLite file, written by group commit and durable at the answer.
//
// Callers hand in synchronous functions. Those that arrive during a commit or its sync wait together and become the next
// transaction. It goes into the WAL without a sync (`synchronous = NORMAL`), then `fdatasync` of the WAL runs on the thread
// pool, and only then are the callers answered: the event loop waits for no disk, and nothing is answered that a crash could
// undo. Recovery replays every whole transaction of the WAL.
//
// One caller may fail alone. Savepoints would cost each of the others, and hardly any fails: so the transaction runs without,
// and where a function throws, all is rolled back and run again, each function in a savepoint of its own. A function may
// therefore run twice, and what it does outside of the file must be right the second time too.
//
// A failed sync leaves it unknown what is on the disk, and the kernel may report the next one as successful without
// having written the same pages again. So the file refuses everything from then on, until it has been closed with a
// checkpoint (which writes all of it to the database file and syncs that) and opened again. So does a file whose path leads
// elsewhere (disk.ts).
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import type { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import { SECOND, sleep } from '#src/kernel/time.ts';
import { createCheckpoints } from './checkpoints.ts';
import { type Disk, type FilePlace, placeOf } from './disk.ts';
import { type FaultKind, fileError, isLock } from './file-states.ts';
import { LOCK_PATIENCE_MS, type Maintenance } from './maintenance.ts';
import { forgetMemory, writeMemory } from './memory.ts';
import { type FileKind, openSqlite, type PlatformDb, type TenantDb } from './sqlite.ts';
import { isOfTheFile, perhapsStored, unavailable } from './unavailable.ts';

/** The longest time for which a transaction keeps the event loop; further callers become the next one. */
const BATCH_BUDGET_MS = 8;
/** A change by another process may go unnoticed for this time: each request reads, and asking takes as long as such a read. */
const OTHERS_MS = 1;
/** A replacement of the file may go unnoticed for this time: each look costs two calls of `stat`. */
const PLACE_MS = 100;
/** Only a foreign process can hold a lock, because the maintenance thread writes when no one else does. The event loop waits so long. */
const BUSY_TIMEOUT_MS = 10;
/** Those who write wait for it as an opening does. Once that is over, they are refused at once until it has ended. */
const LOCK_RETRY_MS = 10;

interface DbOf {
  platform: PlatformDb;
  tenant: TenantDb;
}

export interface DurableFile<D> {
  /** Runs `work` at once; resolves when all that it can have seen is on the disk. */
  read<T>(work: (db: D) => T): Promise<T>;
  /** Runs `work` at once and does not wait: for reads whose result may still be undone by a crash. */
  peek<T>(work: (db: D) => T): T;
  /**
   * Runs `work` inside the next shared transaction, perhaps twice; resolves with its result when that is on the disk. What
   * `work` throws undoes its own changes only and rejects. Rejects with `unavailable` where the file cannot be written.
   * With `within`, ms, it does not begin a transaction before that time, and goes with one that others begin sooner.
   */
  write<T>(work: (db: D) => T, within?: number): Promise<T>;
  /** True from a failed sync on, and where the file has been replaced. */
  broken(): boolean;
  /**
   * Brings what was written into the database file, and resolves when that has been tried. `rewrites`: the file is made of its rows
   * alone then (VACUUM), while writers wait; rejects where one in progress or a lock kept it from that.
   */
  checkpoint(rewrites?: boolean): Promise<void>;
  /** Waits for writes in progress, checkpoints, closes. Rejects where the checkpoint failed. */
  close(): Promise<void>;
}

interface Waiter<D> {
  readonly work: (db: D) => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  value: unknown;
}

export interface DurableFileOptions<K extends FileKind> {
  readonly path: string;
  readonly kind: K;
  readonly create: boolean;
  /** Whether a file that is not new holds what each of its kind must. */
  readonly isWhole: (db: DbOf[K]) => boolean;
  readonly disk: Disk;
  readonly maintenance: Maintenance;
  /** The WAL is checkpointed when it has grown to this. */
  readonly checkpointBytes: number;
  readonly onFault: (error: unknown, what: FaultKind) => void;
  /** Called after each try to empty the WAL, with its bytes where a transaction of another process holds it, else with 0. */
  readonly onWal: (bytes: number) => void;
  /** After what has been written is on the disk and its writers have their answers. `seconds`: from the beginning of the transaction. */
  readonly onCommitted?: (writers: number, seconds: number) => void;
  /** Tests set it: each transaction is undone before its commit, and runs again as after a throw. */
  readonly runsTwice?: boolean | undefined;
}

export const openDurableFile = async <K extends FileKind>(
  options: DurableFileOptions<K>,
): Promise<DurableFile<DbOf[K]>> => {
  const { path, disk, maintenance } = options;
  const held = await maintenance.run({ verb: 'open', path, kind: options.kind, create: options.create });
  let db: Database.Database | null = null;
  let wal: number | null = null;
  try {
    db = openSqlite(path, { create: false, busyTimeoutMs: BUSY_TIMEOUT_MS });
    db.pragma('user_version');
    wal = await disk.open(`${path}-wal`);
    await disk.syncData(wal);
    await disk.syncDirectory(dirname(path));
    options.onWal(held);
    if (!options.create && !options.isWhole(db as DbOf[K] & Database.Database))
      throw fileError('EMPTY', `${path} does not hold what it must`);
  } catch (error) {
    // Repeated tries on a broken disk must not use up the descriptors.
    db?.close();
    if (wal !== null) await disk.close(wal).catch(() => undefined);
    throw error;
  } finally {
    await maintenance.run({ verb: 'opened', path });
  }
  return durableFile(db as DbOf[K] & Database.Database, wal, placeOf(disk, path), options);
};

const durableFile = <K extends FileKind>(
  db: DbOf[K] & Database.Database,
  wal: number,
  place: FilePlace,
  { path, disk, maintenance, checkpointBytes, onFault, onWal, onCommitted, runsTwice }: DurableFileOptions<K>,
): DurableFile<DbOf[K]> => {
  type D = DbOf[K];
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const savepoint = db.prepare('SAVEPOINT caller');
  const releaseSavepoint = db.prepare('RELEASE caller');
  const undo = db.prepare('ROLLBACK TO caller');
  const dataVersion = db.prepare<[], number>('PRAGMA data_version').pluck();

  let pending: Waiter<D>[] = [];
  /** One of those that wait has waited long enough, or came without patience. */
  let isDue = false;
  let patience: NodeJS.Timeout | undefined;
  let cycle: Promise<void> | null = null;
  let fault: AppError<'unavailable'> | null = null;
  let closing = false;
  let syncing: Promise<void> | null = null;
  const checkpoints = createCheckpoints({
    ...{ path, files: place.files, wal, disk, maintenance, checkpointBytes, onFault, onWal },
    onCopied: () => schedule(),
  });

  let seenVersion = dataVersion.get();
  let lookedAt = 0;
  /** Someone may have changed the file from outside, as an operator with a tool of SQLite's: memory must not hide that. */
  const noticeOthers = (): void => {
    lookedAt = performance.now();
    const version = dataVersion.get();
    if (version === seenVersion) return;
    seenVersion = version;
    forgetMemory(db);
  };

  let placedAt = performance.now();
  let isReplaced = false;
  /** Refuses everything from now on where the paths lead to other files. */
  const noticeReplacement = (): void => {
    placedAt = performance.now();
    if (isReplaced || place.isOurs()) return;
    const error = fileError('REPLACED', `${path} was moved, removed or replaced while it was in use`);
    isReplaced = true;
    fault = unavailable(say`The data were replaced; they are being opened again.`, error);
    onFault(error, 'replaced');
    refuse(takePending(pending.length));
  };
  const noticeReplacementSoon = (): void => {
    if (fault === null && performance.now() - placedAt >= PLACE_MS) noticeReplacement();
  };

  const storageError = (error: unknown, what: FaultKind): unknown => {
    if (!isOfTheFile(error)) return error;
    onFault(error, what);
    return unavailable(say`The data cannot be stored at the moment.`, error);
  };

  const rollBack = (): void => {
    if (db.inTransaction) rollback.run();
    forgetMemory(db);
  };

  /**
   * A full or failing disk can end the whole transaction, and `work` may have caught the error: what runs after that would be
   * stored by itself.
   */
  const runWork = (waiter: Waiter<D>): void => {
    waiter.value = waiter.work(db);
    if (!db.inTransaction) throw unavailable(say`The data cannot be stored at the moment.`, undefined);
  };

  /** False where it failed alone. Throws where the whole transaction is lost. */
  const runAlone = (waiter: Waiter<D>): boolean => {
    savepoint.run();
    try {
      runWork(waiter);
      writeMemory(db);
      releaseSavepoint.run();
      return true;
    } catch (error) {
      if (!db.inTransaction) throw error;
      undo.run();
      releaseSavepoint.run();
      forgetMemory(db);
      waiter.reject(storageError(error, 'transaction failed'));
      return false;
    }
  };

  const fail = (error: unknown, batch: readonly Waiter<D>[]): [] => {
    rollBack();
    const reason = storageError(error, 'transaction failed');
    if (reason === error) onFault(error, 'transaction failed');
    for (const waiter of batch) waiter.reject(reason);
    return [];
  };

  const commitAlone = (batch: readonly Waiter<D>[]): Waiter<D>[] => {
    try {
      begin.run();
      const done = batch.filter(runAlone);
      commit.run();
      return done;
    } catch (error) {
      return fail(error, batch);
    }
  };

  /** Since when another process has kept the next transaction from beginning. */
  let lockedSince: number | null = null;
  const mayWait = (error: unknown): boolean => {
    if (!isLock(error)) return false;
    lockedSince ??= performance.now();
    return performance.now() - lockedSince < LOCK_PATIENCE_MS;
  };

  /** One transaction; returns those whose answers now wait for the sync. */
  const commitBatch = (): Waiter<D>[] => {
    const started = performance.now();
    let taken = 0;
    try {
      begin.run();
      lockedSince = null;
      noticeOthers();
      while (taken < pending.length && (taken === 0 || performance.now() - started < BATCH_BUDGET_MS)) {
        runWork(pending[taken++] as Waiter<D>);
      }
      writeMemory(db);
      if (runsTwice) throw new Error('undone by a test, to run again');
      commit.run();
      return takePending(taken);
    } catch (error) {
      // Where it could not even begin, the same would happen to all that wait, and each try blocks the event loop.
      if (!db.inTransaction && taken === 0 && mayWait(error)) return [];
      if (!db.inTransaction) return fail(error, takePending(taken === 0 ? pending.length : taken));
      rollBack();
      return commitAlone(takePending(taken));
    }
  };

  const takePending = (count: number): Waiter<D>[] => {
    const batch = pending.slice(0, count);
    pending = pending.slice(count);
    if (pending.length === 0) {
      isDue = false;
      clearTimeout(patience);
      patience = undefined;
    }
    return batch;
  };

  const breakDown = (error: unknown): void => {
    onFault(error, 'sync failed');
    fault = unavailable(
      say`The disk failed; this practice takes no writes until its data have been opened again.`,
      error,
    );
    refuse(takePending(pending.length));
  };

  const refuseCommitted = (waiters: readonly Waiter<D>[], { cause }: Error): void => {
    for (const waiter of waiters) waiter.reject(perhapsStored(isReplaced, cause));
  };

  const refuse = (waiters: readonly Waiter<D>[]): void => {
    for (const waiter of waiters) waiter.reject(fault);
  };

  const runCycle = async (): Promise<void> => {
    while (isDue || checkpoints.hasCopied()) {
      // The answers of the last transaction go out, and who has come meanwhile goes into the next.
      await new Promise((resolve) => setImmediate(resolve));
      // The maintenance thread opens what the path leads to.
      if (checkpoints.hasCopied()) noticeReplacement();
      else noticeReplacementSoon();
      if (fault !== null) return;
      await checkpoints.restart();
      const [started, done] = [performance.now(), isDue ? commitBatch() : []];
      if (lockedSince !== null && isDue) await sleep(LOCK_RETRY_MS);
      if (done.length === 0) continue;
      syncing = disk.syncData(wal);
      await syncing.catch(breakDown);
      syncing = null;
      // Nothing is answered that went into a file which was replaced by now.
      noticeReplacement();
      if (fault !== null) return refuseCommitted(done, fault);
      for (const waiter of done) waiter.resolve(waiter.value);
      onCommitted?.(done.length, (performance.now() - started) / SECOND);
      checkpoints.startWhenLarge();
    }
  };

  const schedule = (): void => {
    if (cycle !== null || fault !== null) return;
    cycle = runCycle().finally(() => {
      cycle = null;
      if (isDue || checkpoints.hasCopied()) schedule();
    });
  };

  const beDue = (): void => {
    isDue = true;
    schedule();
  };

  const look = <T>(work: (db: D) => T): T => {
    noticeReplacementSoon();
    if (fault !== null) throw fault;
    try {
      if (performance.now() - lookedAt > OTHERS_MS) noticeOthers();
      return work(db);
    } catch (error) {
      throw storageError(error, 'read failed');
    }
  };

  return {
    read: async (work) => {
      const result = look(work);
      // What was just read may be part of a transaction whose sync is in progress.
      if (syncing !== null) {
        await syncing.catch(() => undefined);
        if (fault !== null) throw fault;
      }
      return result;
    },
    peek: look,
    write,
    broken: () => fault !== null,
    checkpoint: async (rewrites = false) => {
      checkpoints.emptyNext(rewrites);
      noticeReplacement();
      if (fault === null) checkpoints.start();
      await checkpoints.current();
      await cycle;
      if (rewrites && checkpoints.willRewrite()) throw new Error(`${path} was not rewritten`);
    },
    close: async () => {
      closing = true;
      if (pending.length > 0) beDue();
      // After a fault there is no further cycle that would end the checkpoint.
      while (cycle !== null || (checkpoints.current() !== null && fault === null)) {
        await cycle;
        await checkpoints.current();
      }
      await checkpoints.current();
      noticeReplacement();
      try {
        // A connection that the maintenance thread opened now would be one to other files.
        await maintenance.run(
          isReplaced ? { verb: 'opened', path } : { verb: 'close', path, files: place.files },
        );
      } finally {
        try {
          // The file may have been replaced meanwhile.
          noticeReplacement();
          forgetMemory(db);
          if (isReplaced) place.close(db);
          else db.close();
          await disk.close(wal);
        } finally {
          onWal(await maintenance.run({ verb: 'closed', path }));
        }
      }
    },
  };

  function write<T>(work: (db: D) => T, within = 0): Promise<T> {
    if (fault !== null) return Promise.reject(fault);
    if (closing) return Promise.reject(unavailable(say`The data are being closed.`, undefined));
    return new Promise<T>((resolve, reject) => {
      pending.push({ work, resolve: resolve as (value: unknown) => void, reject, value: undefined });
      if (within > 0) patience ??= setTimeout(beDue, within);
      else beDue();
    });
  }
};
