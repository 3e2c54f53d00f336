// All files of an installation under one data directory: `platform.db` and the tenants' files.

import { existsSync } from 'node:fs';
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Metric } from '#src/kernel/metrics.ts';
import { SECOND, sleep, systemClock } from '#src/kernel/time.ts';
import { COMMITTED, createCommitMetrics } from './commit-metrics.ts';
import { DataError } from './data-error.ts';
import type { Disk } from './disk.ts';
import { createDiskSpace, type FreeSpace, type LeastFree } from './disk-space.ts';
import { type DurableFile, type DurableFileOptions, openDurableFile } from './durable-file.ts';
import {
  createFileStates,
  DISK,
  type FaultKind,
  type FaultState,
  type FileFault,
  type FileStates,
  faultOf,
  isLock,
  PLATFORM_FILE,
} from './file-states.ts';
import { createHeldLogs, type HeldLog } from './held-logs.ts';
import { createMaintenance, type Maintenance } from './maintenance.ts';
import type { Migrations } from './migrate.ts';
import { type AnyDb, type FileKind, type PlatformDb, type TenantDb, useSmallCache } from './sqlite.ts';
import { createTenantFiles, type TenantFiles } from './tenant-files.ts';

/** A process that only looks whether the directory is in use gives the lock back long before. */
const LOOK_MS = SECOND;

/** Held here, because a connection without a reference is garbage-collected, and its lock with it. */
const locks = new Set<Database.Database>();

/**
 * One process at a time may work in a data directory: a second daemon would claim and send what the first is sending. The lock is
 * SQLite's own (fcntl) on a file beside the databases, so that it ends with the process, however that dies. Another `name` is
 * another lock, for what is done beside the daemon. Returns the function that gives it back. Throws DataError where another
 * process holds it, or it cannot be made.
 */
export const lockDirectory = (directory: string, name = 'lock'): (() => void) => {
  const path = join(directory, name);
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { timeout: LOOK_MS });
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db?.close();
    const isHeld = error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY';
    throw new DataError(
      isHeld
        ? `${directory} is in use by another process: stop that one first`
        : `${path} cannot be used (${error instanceof Error ? error.message : error}): it has to belong to the user that runs this`,
      { cause: error },
    );
  }
  locks.add(db);
  return () => {
    locks.delete(db);
    db.close();
  };
};

/** Whether another process works in the data directory. */
export const isInUse = (directory: string): boolean => {
  const db = new Database(join(directory, 'lock'), { timeout: 0 });
  try {
    // Reading takes the lock for an instant, beside others that look as well; who begins to work then tries again.
    db.pragma('user_version');
    return false;
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code === 'SQLITE_BUSY') return true;
    throw error;
  } finally {
    db.close();
  }
};

export interface Storage {
  readonly platform: DurableFile<PlatformDb>;
  readonly tenants: TenantFiles;
  /** The states of both kinds of files, and of the disk. */
  readonly states: Pick<FileStates, 'of' | 'all' | 'counts' | 'watch' | 'end'>;
  /** Measures it, and reports where there is little. */
  readonly space: () => FreeSpace;
  /** Files whose write-ahead log another process keeps from being emptied, so that it has grown far beyond its bound. */
  readonly held: () => ReturnType<ReturnType<typeof createHeldLogs>['facts']>;
  readonly metrics: readonly Metric[];
  /** Tries to write each file with a fault, and to empty each held log: where that succeeds, it has ended. */
  retry(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface StorageOptions {
  readonly dataDirectory: string;
  readonly schema: Migrations;
  readonly maxOpenTenants: number;
  readonly checkpointBytes: number;
  readonly disk: Disk;
  /** Shared with other installations of the process, and not stopped with this one; its own where absent. */
  readonly maintenance?: Maintenance;
  /** See `createMaintenance`. */
  readonly keepsWal?: boolean;
  /** Whether the file of a tenant holds what each of them must. */
  readonly isWhole: (db: TenantDb) => boolean;
  /** With less than this left the disk counts as nearly full. */
  readonly leastFree: LeastFree;
  /** Reports a fault that delays no answer; `states` has the others. */
  readonly onFault: (error: unknown, what: FaultKind) => void;
  /** A held log has grown far beyond its bound, or much since; undefined: it has been emptied. */
  readonly onHeld?: (id: string, log: HeldLog | undefined) => void;
  /** See DurableFileOptions. */
  readonly runsTwice?: boolean | undefined;
}

/** The state after an error whose code says nothing. */
const FAULT_BY_KIND: Partial<Record<FaultKind, FaultState>> = {
  'opening failed': 'unreadable',
  'sync failed': 'failing',
};
/** What callers do not wait for: it is tried again, and what was answered is safe. */
const IS_TIDYING: ReadonlySet<FaultKind> = new Set([
  'checkpoint failed',
  'size of the WAL unknown',
  'closing failed',
]);

/** So many files have a page cache of full size; with all of 256 it would take 256 MiB. */
const FULL_CACHES = 16;

/** Writes a page that stays as it is. */
const touch = (db: AnyDb): void => {
  db.pragma(`user_version = ${db.pragma('user_version', { simple: true })}`);
};

export const PLATFORM_NAME = 'platform.db';
/** Holds the files of a restore until they are complete. */
export const RESTORING_NAME = 'restoring';
/** The lock of the command that restores, from its beginning to its end, beside the daemon too. */
export const RESTORING_LOCK = 'restoring.lock';

/** Only these say that the content is gone: a lock, missing rights or a newer program have left it as it is. */
const IS_LOSS: ReadonlySet<FaultState> = new Set(['unreadable', 'empty']);

/** The end of a start. Without `platform.db` nothing is found, and an empty one in its place would hide every practice. */
export const refusePlatform = (
  dataDirectory: string,
  { state, reason }: Pick<FileFault, 'state' | 'reason'>,
  cause?: unknown,
): DataError =>
  new DataError(
    `${join(dataDirectory, PLATFORM_NAME)} cannot be used: ${reason}${
      IS_LOSS.has(state)
        ? '\nWhere it is damaged or lost, put a backup of it in its place, without the platform.db-wal and platform.db-shm of now. ' +
          'The files of the practices, under tenants/, are not affected.'
        : ''
    }`,
    { cause },
  );

const isEmpty = (path: string): Promise<boolean> =>
  stat(path).then(
    ({ size }) => size === 0,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );

/** Rejects with DataError where the directory or `platform.db` cannot be used. */
export const openStorage = async (options: StorageOptions): Promise<Storage> => {
  const { dataDirectory, schema, checkpointBytes, disk, onFault, runsTwice } = options;
  const tenantsDirectory = join(dataDirectory, 'tenants');
  await mkdir(tenantsDirectory, { recursive: true, mode: 0o700 });
  const unlock = lockDirectory(dataDirectory);
  await disk.syncDirectory(dataDirectory);
  const maintenance = options.maintenance ?? createMaintenance(schema, options.keepsWal);
  const stopMaintenance = async (): Promise<void> => {
    if (options.maintenance === undefined) await maintenance.stop();
  };
  const states = createFileStates(systemClock);
  const commits = createCommitMetrics();
  const heldLogs = createHeldLogs(systemClock, checkpointBytes, options.onHeld);
  const report = (id: string, error: unknown, what: FaultKind): void => {
    const state = faultOf(error) ?? FAULT_BY_KIND[what];
    // A lock of another process delays the tidying, and ends with it.
    if (IS_TIDYING.has(what) && isLock(error)) return;
    if (state === undefined || IS_TIDYING.has(what)) onFault(error, what);
    else states.fail(id, state, error);
  };
  const open = async <K extends FileKind>(
    id: string,
    options: Pick<DurableFileOptions<K>, 'path' | 'kind' | 'create' | 'isWhole'>,
    onCommitted?: () => void,
  ) => {
    try {
      const file = await openDurableFile<K>({
        ...options,
        disk,
        maintenance,
        checkpointBytes,
        runsTwice,
        onFault: (error, what) => report(id, error, what),
        onWal: (bytes) => heldLogs.note(id, bytes),
        onCommitted: (writers, seconds) => {
          states.end(id);
          commits.duration.note?.(COMMITTED[options.kind], seconds);
          commits.writers.note?.(COMMITTED[options.kind], writers);
          onCommitted?.();
        },
      });
      states.end(id);
      return file;
    } catch (error) {
      report(id, error, 'opening failed');
      throw error;
    }
  };
  try {
    const path = join(dataDirectory, PLATFORM_NAME);
    if ((await isEmpty(path)) && existsSync(join(dataDirectory, RESTORING_NAME)))
      throw new DataError(
        `a restore into ${dataDirectory} was cut off: run the same command again; what it replaced is in ${dataDirectory}/replaced-*`,
      );
    if ((await isEmpty(path)) && (await readdir(tenantsDirectory)).length > 0)
      throw refusePlatform(dataDirectory, {
        state: 'empty',
        reason: 'it is empty or missing, though there are practices',
      });
    const platform = await createHealingFile(
      (create) => open(PLATFORM_FILE, { path, kind: 'platform', create, isWhole: () => true }),
      (error, what) => report(PLATFORM_FILE, error, what),
    ).catch((error) => {
      const fault = states.of(PLATFORM_FILE);
      throw fault === undefined ? error : refusePlatform(dataDirectory, fault, error);
    });
    const tenants = createTenantFiles({
      directory: tenantsDirectory,
      maxOpen: options.maxOpenTenants,
      migrations: schema.tenant,
      disk,
      openFile: async (id, path, create, onCommitted) => {
        const file = await open(id, { path, kind: 'tenant', create, isWhole: options.isWhole }, onCommitted);
        // One that is broken by now says so to who uses it.
        if (tenants.stats().open > FULL_CACHES) await file.read(useSmallCache).catch(() => undefined);
        return file;
      },
      onFault: report,
      onRemoved: (id) => {
        states.end(id);
        heldLogs.note(id, 0);
      },
    });
    return {
      platform,
      tenants,
      states,
      held: heldLogs.facts,
      metrics: [commits.duration.metric, commits.writers.metric],
      space: createDiskSpace(dataDirectory, options.leastFree, states),
      retry: async (signal) => {
        for (const id of [...states.all().keys()]) {
          if (signal.aborted || id === DISK) continue;
          const written = id === PLATFORM_FILE ? platform.write(touch) : tenants.write(id, touch);
          // The states have what it answers.
          await written.catch(() => undefined);
        }
        for (const id of heldLogs.ids()) {
          if (signal.aborted) return;
          const tried = id === PLATFORM_FILE ? platform.checkpoint() : tenants.checkpoint(id);
          await tried.catch(() => undefined);
        }
      },
      close: async () => {
        try {
          await tenants.close();
          await platform.close();
        } finally {
          await stopMaintenance();
          unlock();
        }
      },
    };
  } catch (error) {
    await stopMaintenance();
    unlock();
    throw error;
  }
};

// A file that is opened again by itself after a failed sync, or where it was replaced: it is closed with a checkpoint, which
// brings everything to the disk or fails, then opened again. Meanwhile it refuses like the broken file.

const RETRY_MS = SECOND;

/**
 * Rejects where the file cannot be opened the first time. Only then it may be made: later an absent one was taken away. `open`
 * itself reports what fails.
 */
export const createHealingFile = async <D>(
  open: (create: boolean) => Promise<DurableFile<D>>,
  onFault: (error: unknown, what: 'closing failed') => void,
): Promise<DurableFile<D>> => {
  let file = await open(true);
  let healing: Promise<void> | null = null;
  const stopped = new AbortController();

  const heal = async (): Promise<void> => {
    await file.close().catch((error) => onFault(error, 'closing failed'));
    while (!stopped.signal.aborted) {
      try {
        file = await open(false);
        return;
      } catch {
        await sleep(RETRY_MS, stopped.signal);
      }
    }
  };

  const healWhereBroken = (): void => {
    if (!file.broken()) return;
    healing ??= heal().finally(() => {
      healing = null;
    });
  };

  const watch = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } finally {
      healWhereBroken();
    }
  };

  return {
    read: (work) => watch(file.read(work)),
    peek: (work) => {
      try {
        return file.peek(work);
      } finally {
        healWhereBroken();
      }
    },
    checkpoint: (rewrites) => file.checkpoint(rewrites),
    write: (work, within) => watch(file.write(work, within)),
    broken: () => file.broken(),
    close: async () => {
      stopped.abort();
      await healing;
      // A broken file that is not being healed any more is closed already.
      if (!file.broken()) await file.close();
    },
  };
};
