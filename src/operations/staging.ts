// Files that are about to be restored lie in `restoring/` of the data directory until they are complete, and what they replace is kept
// in `replaced-<time>/` beside them. Files are moved by renaming, the registry goes first and comes last: where a restore is cut off,
// the registry is missing and a start refuses, and the same command restores again.
import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, open, readdir, rename, rm, rmdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { copyDatabase } from '#src/kernel/db/copy-database.ts';
import { DataError } from '#src/kernel/db/data-error.ts';
import { disk } from '#src/kernel/db/disk.ts';
import { leaveGap, numbersGivenIn } from '#src/kernel/db/leave-gap.ts';
import { foreignTables, type Migration, type Migrations, migrate } from '#src/kernel/db/migrate.ts';
import { openSqlite, type PlatformDb, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { PLATFORM_NAME, RESTORING_NAME } from '#src/kernel/db/storage.ts';
import { UUID } from '#src/kernel/fields.ts';
import type { HoldRestored } from '#src/kernel/held.ts';
import { SECOND, toIso } from '#src/kernel/time.ts';
import { faultsOf } from './file-store.ts';
import { tenantFile } from './manifest.ts';
import type { RestoreSource } from './restore-source.ts';

/** What rooms do to the files of a restore, before anyone else opens them. */
export interface Restoring {
  /** The schema of this version of the program: an older file is brought up to it, a newer one is refused. */
  readonly schema: Migrations;
  readonly holds: readonly HoldRestored[];
  /** Ends what a restored registry must not bring back, such as sessions. */
  readonly registry: (db: PlatformDb) => void;
  /** Seals the values of a tenant's file under the present master key; null: no former one is configured. */
  readonly sealAgain: ((db: TenantDb, id: string) => Promise<void>) | null;
}

export interface StagedPaths {
  readonly to: string;
  readonly replaced: string;
}

export const stagingOf = (dataDirectory: string): string => join(dataDirectory, RESTORING_NAME);

/** The file of one tenant whose copy is complete. */
export const stagedFile = (dataDirectory: string, id: string): string =>
  join(stagingOf(dataDirectory), id, 'tenant.db');

/** Says that the registry has yet to agree with the file of that tenant. */
const swapMark = (dataDirectory: string, id: string): string =>
  join(stagingOf(dataDirectory), `${SWAPPED}${id}`);
const SWAPPED = 'swapped-';

/** `replaced-20261124T020000Z`, or the next second that has none. */
export const replacedName = (dataDirectory: string, now: number): string => {
  const name = `replaced-${toIso(now).replace(/\.\d+|[-:]/g, '')}`;
  return existsSync(join(dataDirectory, name)) ? replacedName(dataDirectory, now + SECOND) : name;
};

/** Removes what a restore that was cut off has left, and makes the directory. */
export const beginStaging = async (dataDirectory: string): Promise<string> => {
  const staging = stagingOf(dataDirectory);
  await rm(staging, { recursive: true, force: true });
  await mkdir(staging, { mode: 0o700 });
  await disk.syncDirectory(dataDirectory);
  return staging;
};

/** Throws DataError where the disk of `directory` has less space than `bytes`. */
export const requireSpace = async (directory: string, bytes: number): Promise<void> => {
  const { bavail, bsize } = await statfs(directory);
  const MIB = 1_024 * 1_024;
  if (bavail * bsize < bytes)
    throw new DataError(
      `the restore needs ${Math.ceil(bytes / MIB)} MiB, and the disk of ${directory} has ${Math.floor((bavail * bsize) / MIB)} MiB left: make room, or restore --to another disk`,
    );
};

/** A file of a backup is whole and was verified; a bare one is copied as its database says, and looked through. */
const copy = async (source: RestoreSource, from: string, to: string): Promise<void> => {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  if (source.backup !== null) await copyFile(from, to);
  else await copyDatabase(from, to);
  await chmod(to, 0o600);
};

const requireSound = (path: string, db: PlatformDb | TenantDb): void => {
  const [fault] = faultsOf(db);
  if (fault !== undefined)
    throw new DataError(
      `${path} is damaged (${fault}): restore another backup, or what of this one is right`,
    );
};

const sync = async (path: string): Promise<void> => {
  const file = await open(path, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
};

const inFile = async <D extends PlatformDb | TenantDb, T>(
  path: string,
  migrations: readonly Migration[],
  work: (db: D) => T,
  isBare = false,
): Promise<T> => {
  const db = openSqlite(path, { create: false, busyTimeoutMs: 0 }) as unknown as D;
  let result: T;
  try {
    // Nothing says who made it.
    const foreign = isBare ? foreignTables(db, migrations) : undefined;
    if (foreign) throw foreign;
    migrate(db, migrations);
    result = db.transaction(() => work(db))();
  } catch (error) {
    // What SQLite and the schema say of the file is all that the operator needs.
    throw error instanceof DataError ? error : new DataError((error as Error).message, { cause: error });
  } finally {
    // The last connection to close brings the WAL into the file and removes it.
    db.close();
  }
  await sync(path);
  await disk.syncDirectory(dirname(path));
  return result;
};

/** How much each room holds of what was due by `now`. */
const holdAll = (db: TenantDb, holds: readonly HoldRestored[], now: number): number =>
  holds.reduce((sum, hold) => sum + hold(db, now), 0);

/** Resolves with how much is held; `now` null: nothing is. `replaced`: the file in whose place this one comes, which may be absent. */
export const stageTenant = async (
  source: RestoreSource,
  id: string,
  { to, replaced }: StagedPaths,
  { holds, schema }: Restoring,
  now: number | null,
): Promise<number> => {
  const from = join(source.directory, tenantFile(id));
  await copy(source, from, to);
  const isBare = source.backup === null;
  const given = numbersGivenIn(replaced);
  const work = (db: TenantDb): number => {
    if (isBare) requireSound(from, db);
    leaveGap(db, given);
    return now === null ? 0 : holdAll(db, holds, now);
  };
  return inFile<TenantDb, number>(to, schema.tenant, work, isBare);
};

/** A running daemon seals again only what was sealed under the former master key when its change began. */
export const sealStaged = async (path: string, id: string, { sealAgain }: Restoring): Promise<void> => {
  if (sealAgain === null) return;
  const db = openSqlite(path, { create: false, busyTimeoutMs: 0 }) as TenantDb;
  try {
    await sealAgain(db, id);
  } finally {
    db.close();
  }
  await sync(path);
};

/** Changes the staged registry, which no one uses. */
export const changeStagedRegistry = (
  dataDirectory: string,
  { schema }: Restoring,
  work: (db: PlatformDb) => void,
): Promise<void> =>
  inFile<PlatformDb, void>(join(stagingOf(dataDirectory), PLATFORM_NAME), schema.platform, work);

/** Holds also what became due since the file was staged. Resolves with how much is held. */
export const holdStaged = (
  dataDirectory: string,
  id: string,
  { holds, schema }: Restoring,
  now: number,
): Promise<number> =>
  inFile<TenantDb, number>(stagedFile(dataDirectory, id), schema.tenant, (db) => holdAll(db, holds, now));

export const stageRegistry = async (
  source: RestoreSource,
  { to, replaced }: StagedPaths,
  { registry, schema }: Restoring,
): Promise<void> => {
  const from = join(source.directory, PLATFORM_NAME);
  await copy(source, from, to);
  const isBare = source.backup === null;
  const given = numbersGivenIn(replaced);
  const work = (db: PlatformDb): void => {
    if (isBare) requireSound(from, db);
    leaveGap(db, given);
    registry(db);
  };
  await inFile<PlatformDb, void>(to, schema.platform, work, isBare);
};

const DATABASE = [PLATFORM_NAME, `${PLATFORM_NAME}-wal`, `${PLATFORM_NAME}-shm`];

const moveAside = async (
  dataDirectory: string,
  names: readonly string[],
  replaced: string,
): Promise<void> => {
  const aside = join(dataDirectory, replaced);
  for (const name of names) {
    if (!existsSync(join(dataDirectory, name))) continue;
    await mkdir(aside, { recursive: true, mode: 0o700 });
    await rename(join(dataDirectory, name), join(aside, name));
    await disk.syncDirectory(aside);
    await disk.syncDirectory(dataDirectory);
  }
};

const moveStaged = async (dataDirectory: string, names: readonly string[]): Promise<void> => {
  for (const name of names) {
    await rename(join(stagingOf(dataDirectory), name), join(dataDirectory, name));
    await disk.syncDirectory(dataDirectory);
  }
  await endStaging(dataDirectory);
};

/** Moves everything that the data directory holds out of the way, into `replaced`, and what was staged in its place. */
export const swapAll = async (dataDirectory: string, replaced: string): Promise<void> => {
  await moveAside(dataDirectory, [...DATABASE, 'tenants'], replaced);
  await moveStaged(dataDirectory, ['tenants', PLATFORM_NAME]);
};

/** Where the registry is lost: a WAL that it left would be played back into the one that was staged. */
export const swapRegistry = async (dataDirectory: string, replaced: string): Promise<void> => {
  await moveAside(dataDirectory, DATABASE, replaced);
  await moveStaged(dataDirectory, [PLATFORM_NAME]);
};

/** The copy of one tenant's file is complete. */
export const readyTenant = async (dataDirectory: string, id: string): Promise<void> => {
  const staging = stagingOf(dataDirectory);
  await rename(join(staging, 'partial'), join(staging, id));
  await disk.syncDirectory(staging);
};

/**
 * Moves the staged directory of one tenant into the place of the present one, which goes into `replaced`. Cut off between the two, the
 * tenant has no directory, and the next start moves the staged one. Where that cannot be moved, the present one is put back.
 */
export const swapTenant = async (dataDirectory: string, id: string, replaced: string): Promise<void> => {
  const tenants = join(dataDirectory, 'tenants');
  const present = join(tenants, id);
  const aside = join(dataDirectory, replaced, 'tenants');
  await mkdir(swapMark(dataDirectory, id), { recursive: true, mode: 0o700 });
  await disk.syncDirectory(stagingOf(dataDirectory));
  const isReplaced = existsSync(present);
  if (isReplaced) {
    await mkdir(aside, { recursive: true, mode: 0o700 });
    await disk.syncDirectory(dataDirectory);
    await rename(present, join(aside, id));
    await disk.syncDirectory(aside);
    await disk.syncDirectory(tenants);
  }
  try {
    await rename(join(stagingOf(dataDirectory), id), present);
  } catch (error) {
    if (isReplaced) await rename(join(aside, id), present);
    throw error;
  }
  await disk.syncDirectory(tenants);
};

export interface CutOff {
  /** Their copies are complete, and not in place. */
  readonly staged: readonly string[];
  /** The registry may not agree with what is in place. */
  readonly swapped: readonly string[];
}

/** What a restore of one tenant that was cut off has left. */
export const cutOff = async (dataDirectory: string): Promise<CutOff> => {
  const staging = stagingOf(dataDirectory);
  const names = existsSync(staging) ? await readdir(staging) : [];
  return {
    staged: names.filter((name) => UUID.test(name)),
    swapped: names.filter((name) => name.startsWith(SWAPPED)).map((name) => name.slice(SWAPPED.length)),
  };
};

/** Called after the registry agrees with the tenant's file. */
export const endStaging = async (dataDirectory: string): Promise<void> => {
  await rm(stagingOf(dataDirectory), { recursive: true, force: true });
};

/** Removes an empty directory of tenants, so that another can take its place. */
export const removeEmpty = (directory: string): Promise<void> => rmdir(directory);
