// All files of an installation under one data directory: `platform.db` and the tenants' files.
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { systemClock } from '#src/kernel/time.ts';
import { DataError } from './data-error.ts';
import type { Disk } from './disk.ts';
import { createDiskSpace, type FreeSpace, type LeastFree } from './disk-space.ts';
import { type DurableFile, type DurableFileOptions, openDurableFile } from './durable-file.ts';
import {
  createFileStates,
  DISK,
  type FaultKind,
  type FaultState,
  type FileStates,
  faultOf,
  PLATFORM_FILE,
} from './file-states.ts';
import { createHealingFile } from './healing-file.ts';
import { createMaintenance, type Maintenance } from './maintenance.ts';
import { loadMigrations } from './migrate.ts';
import type { AnyDb, FileKind, PlatformDb, TenantDb } from './sqlite.ts';
import { createTenantFiles, type TenantFiles } from './tenant-files.ts';

/** Held here, because a connection without a reference is garbage-collected, and its lock with it. */
const locks = new Set<Database.Database>();

/**
 * One process at a time may work in a data directory: a second daemon would claim and send what the first is sending. The lock is
 * SQLite's own (fcntl) on a file beside the databases, so that it ends with the process, however that dies. Returns the function
 * that gives it back. Throws DataError where another process holds it, or it cannot be made.
 */
export const lockDirectory = (directory: string): (() => void) => {
  const path = join(directory, 'lock');
  let db: Database.Database | undefined;
  try {
    db = new Database(path, { timeout: 0 });
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

export interface Storage {
  readonly platform: DurableFile<PlatformDb>;
  readonly tenants: TenantFiles;
  /** Of the files of both, and of the disk. */
  readonly states: Pick<FileStates, 'of' | 'all' | 'counts' | 'watch' | 'end'>;
  /** Measures it, and reports where there is little. */
  readonly space: () => FreeSpace;
  /** Tries to write each file with a fault: where that succeeds, the fault has ended. */
  retry(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface StorageOptions {
  readonly dataDirectory: string;
  readonly maxOpenTenants: number;
  readonly checkpointBytes: number;
  readonly disk: Disk;
  /** Shared with other installations of the process, and not stopped with this one; its own where absent. */
  readonly maintenance?: Maintenance;
  /** Whether the file of a tenant holds what each of them must. */
  readonly isWhole: (db: TenantDb) => boolean;
  /** With less than this left the disk counts as nearly full. */
  readonly leastFree: LeastFree;
  /** Of what delays no answer; `states` has the others. */
  readonly onFault: (error: unknown, what: FaultKind) => void;
  /** See DurableFileOptions. */
  readonly runsTwice?: boolean | undefined;
}

/** Of errors whose code says nothing. */
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

/** Writes a page that stays as it is. */
const touch = (db: AnyDb): void => {
  db.pragma(`user_version = ${db.pragma('user_version', { simple: true })}`);
};

const PLATFORM_NAME = 'platform.db';

/** The end of a start. Without `platform.db` nothing is found, and an empty one in its place would hide every practice. */
export const refusePlatform = (dataDirectory: string, reason: string, cause?: unknown): DataError =>
  new DataError(
    `${join(dataDirectory, PLATFORM_NAME)} cannot be used: ${reason}\n` +
      'Where it is damaged or lost, put a backup of it in its place, without the platform.db-wal and platform.db-shm of now. ' +
      'The files of the practices, under tenants/, are not affected.',
    { cause },
  );

const isEmpty = (path: string): Promise<boolean> =>
  stat(path).then(
    ({ size }) => size === 0,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );

/** Rejects with DataError where the directory or `platform.db` cannot be used. */
export const openStorage = async (options: StorageOptions): Promise<Storage> => {
  const { dataDirectory, checkpointBytes, disk, onFault, runsTwice } = options;
  const tenantsDirectory = join(dataDirectory, 'tenants');
  await mkdir(tenantsDirectory, { recursive: true, mode: 0o700 });
  const unlock = lockDirectory(dataDirectory);
  await disk.syncDirectory(dataDirectory);
  const maintenance = options.maintenance ?? createMaintenance(loadMigrations());
  const stopMaintenance = async (): Promise<void> => {
    if (options.maintenance === undefined) await maintenance.stop();
  };
  const states = createFileStates(systemClock);
  const report = (id: string, error: unknown, what: FaultKind): void => {
    const state = faultOf(error) ?? FAULT_BY_KIND[what];
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
        onCommitted: () => {
          states.end(id);
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
    if ((await isEmpty(path)) && (await readdir(tenantsDirectory)).length > 0)
      throw refusePlatform(dataDirectory, 'it is empty or missing, though there are practices');
    const platform = await createHealingFile(
      (create) => open(PLATFORM_FILE, { path, kind: 'platform', create, isWhole: () => true }),
      (error, what) => report(PLATFORM_FILE, error, what),
    ).catch((error) => {
      throw refusePlatform(dataDirectory, error instanceof Error ? error.message : String(error), error);
    });
    const tenants = createTenantFiles({
      directory: tenantsDirectory,
      maxOpen: options.maxOpenTenants,
      disk,
      openFile: (id, path, create, onCommitted) =>
        open(id, { path, kind: 'tenant', create, isWhole: options.isWhole }, onCommitted),
      onFault: report,
      onRemoved: states.end,
    });
    return {
      platform,
      tenants,
      states,
      space: createDiskSpace(dataDirectory, options.leastFree, states),
      retry: async (signal) => {
        for (const id of [...states.all().keys()]) {
          if (signal.aborted || id === DISK) continue;
          const written = id === PLATFORM_FILE ? platform.write(touch) : tenants.write(id, touch);
          // The states have what it answers.
          await written.catch(() => undefined);
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
