// All files of an installation under one data directory: `platform.db` and the tenants' files.
import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DataError } from './data-error.ts';
import type { Disk } from './disk.ts';
import { type DurableFile, openDurableFile } from './durable-file.ts';
import { createHealingFile } from './healing-file.ts';
import { createMaintenance, type Maintenance } from './maintenance.ts';
import { loadMigrations } from './migrate.ts';
import type { PlatformDb } from './sqlite.ts';
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
  close(): Promise<void>;
}

export interface StorageOptions {
  readonly dataDirectory: string;
  readonly maxOpenTenants: number;
  readonly checkpointBytes: number;
  readonly disk: Disk;
  /** Shared with other installations of the process, and not stopped with this one; its own where absent. */
  readonly maintenance?: Maintenance;
  readonly onFault: (error: unknown, what: string) => void;
  /** See DurableFileOptions. */
  readonly runsTwice?: boolean | undefined;
}

/** Without it nothing is found, and an empty one in its place would hide every practice. */
const refusePlatform = (path: string, reason: string, cause?: unknown): DataError =>
  new DataError(
    `${path} cannot be used: ${reason}\n` +
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
  const shared = { disk, maintenance, checkpointBytes, onFault, runsTwice };
  try {
    const path = join(dataDirectory, 'platform.db');
    if ((await isEmpty(path)) && (await readdir(tenantsDirectory)).length > 0)
      throw refusePlatform(path, 'it is empty or missing, though there are practices');
    const platform = await createHealingFile(
      () => openDurableFile({ path, kind: 'platform', create: true, ...shared }),
      onFault,
    ).catch((error) => {
      throw refusePlatform(path, error instanceof Error ? error.message : String(error), error);
    });
    const tenants = createTenantFiles({
      directory: tenantsDirectory,
      maxOpen: options.maxOpenTenants,
      disk,
      openFile: (path, create, onCommitted) =>
        openDurableFile({ path, kind: 'tenant', create, onCommitted, ...shared }),
      onFault,
    });
    return {
      platform,
      tenants,
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
