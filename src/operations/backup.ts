// Makes a backup of the registry and of every tenant, beside a running or a stopped daemon, in a process of its own.
//
// First the tenants, then the registry: what a tenant's file refers to (accounts, its number) was in the registry before, so it is in
// a copy that was made later; and what the registry of later says of a tenant opens nothing that the tenant's file does not have.
// Which tenants there are is what the copy of the registry says: those made meanwhile are copied after it, and those erased
// meanwhile are left out.
import { existsSync } from 'node:fs';
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Keep } from '#src/kernel/config/keep.ts';
import { openBeside } from '#src/kernel/db/copy-database.ts';
import { DataError } from '#src/kernel/db/data-error.ts';
import { faultOf } from '#src/kernel/db/file-states.ts';
import { openReadOnly, type PlatformDb, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { PLATFORM_NAME } from '#src/kernel/db/storage.ts';
import { toIso } from '#src/kernel/time.ts';
import {
  type Backup,
  backupsIn,
  completeBackup,
  enterDirectory,
  freeId,
  partialIn,
  removeBackup,
} from './backup-directory.ts';
import { createCopier, type Former } from './copy-changed.ts';
import { rowsOf } from './file-store.ts';
import { type Made, toRemove } from './keep-rules.ts';
import { noteBackup } from './last-backup.ts';
import { type BackupTenant, FORMAT, MANIFEST_NAME, type Manifest, tenantFile } from './manifest.ts';
import { requireOwner } from './owner.ts';

export interface TenantName {
  readonly id: string;
  readonly slug: string;
}

/** What the rooms say of their tables. */
export interface Tables {
  /** All that the registry holds, but for those that are being made or erased. */
  readonly tenants: (db: PlatformDb) => readonly TenantName[];
  /** What a restore can be checked against, beside the numbers of rows. */
  readonly marks: (db: TenantDb) => Readonly<Record<string, string | number>>;
}

/** Before it everything is sealed under the former key, while it goes on some values are, and after it nothing is. */
type ChangeOfKey = 'not begun' | 'begun' | 'none';

export interface BackupOptions {
  readonly dataDirectory: string;
  /** Holds backups; it is made where it is absent. */
  readonly directory: string;
  readonly tables: Tables;
  /** The fingerprint of the master key. */
  readonly fingerprint: string;
  /** Null: no former master key is configured. */
  readonly former: {
    readonly fingerprint: string;
    /** How far the change of the key is, as a registry says. */
    readonly change: (db: PlatformDb) => ChangeOfKey;
  } | null;
  /** The version of this program. */
  readonly program: string;
  /** So many bytes stay free on the disk of the data. */
  readonly leastFree: number;
  /** Nothing is linked to the backup before, and nothing of it is read. */
  readonly whole: boolean;
  /** Null: all. */
  readonly keep: Keep | null;
  readonly now: () => number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress: (done: number, total: number) => void;
}

export interface BackupDone extends Pick<Manifest, 'master_key' | 'former_master_key'> {
  readonly id: string;
  readonly directory: string;
  readonly tenants: number;
  readonly bytes: number;
  /** The bytes of files that are no links to those of the backup before. */
  readonly new_bytes: number;
  readonly missing: Manifest['missing'];
  /** Files of the backup before that are not what they were; here they are copied. */
  readonly damaged: readonly string[];
  /** Ids of backups that were removed. */
  readonly removed: readonly string[];
  /** Why others could not be removed; null: they were. The backup itself is whole. */
  readonly not_removed: string | null;
}

/** So often the registry is copied, where tenants come and go at that moment. */
const ROUNDS = 5;

/** The tenant's own file is not as it must be: the others are copied all the same. */
const isOfTheFile = (error: unknown): boolean => {
  const fault = faultOf(error);
  return fault !== undefined && fault !== 'full';
};
const isGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

const writeSynced = async (path: string, text: string): Promise<void> => {
  const file = await open(path, 'wx', 0o400);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
};

/** Closes it. */
const read = <T>(db: PlatformDb, work: (db: PlatformDb) => T): T => {
  try {
    return work(db);
  } finally {
    db.close();
  }
};

/** The newest that can be read. */
const newestIn = async (directory: string): Promise<Backup | undefined> => {
  let newest: Backup | undefined;
  for await (const backup of backupsIn(directory)) if (backup.manifest) newest = backup;
  return newest;
};

/** Where the file of the backup before is, by the id of its tenant or the name of the registry's file. */
const formerFiles = ({ manifest, directory }: Partial<Backup> = {}): ReadonlyMap<string, Former> => {
  const files = new Map<string, Former>();
  if (!manifest || !directory) return files;
  files.set(PLATFORM_NAME, { path: join(directory, PLATFORM_NAME), file: manifest.platform });
  for (const { id, slug: _, ...file } of manifest.tenants)
    files.set(id, { path: join(directory, tenantFile(id)), file });
  return files;
};

/** Those under which the values are sealed. */
const keysOf = (
  { fingerprint, former }: BackupOptions,
  changes: ReadonlySet<ChangeOfKey>,
): Pick<Manifest, 'master_key' | 'former_master_key'> => {
  const [only] = changes.size === 1 ? changes : [];
  if (former === null || only === 'none') return { master_key: fingerprint, former_master_key: null };
  if (only === 'not begun') return { master_key: former.fingerprint, former_master_key: null };
  return { master_key: fingerprint, former_master_key: former.fingerprint };
};

/** Fills `partial`. Rejects with what the disk or the registry say; a tenant's file that cannot be read is `missing`. */
const fill = async (options: BackupOptions, partial: string) => {
  const { dataDirectory, directory, tables, onProgress } = options;
  const registry = join(dataDirectory, PLATFORM_NAME);
  const former = formerFiles(options.whole ? undefined : await newestIn(directory));
  const copier = createCopier({ ...options, partial });
  const copied = new Map<string, BackupTenant>();
  const missing = new Map<string, Manifest['missing'][number]>();

  // A change of the key may end while tenants are copied, and another may begin.
  const changes = new Set<ChangeOfKey>();
  const look = (db: PlatformDb): readonly TenantName[] => {
    changes.add(options.former?.change(db) ?? 'none');
    return tables.tenants(db);
  };
  const listed = read((await openBeside(registry)) as PlatformDb, look);
  const sizes = new Map<string, number>([[PLATFORM_NAME, await sizeOf(registry)]]);
  for (const { id } of listed) sizes.set(id, await sizeOf(join(dataDirectory, tenantFile(id))));
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  const unknown = [...sizes].filter(([name, size]) => former.get(name)?.file.bytes !== size);
  copier.requireSpace(unknown.reduce((sum, [, size]) => sum + size, 0));
  let done = 0;
  const progressed = (name: string): void => {
    done += sizes.get(name) ?? 0;
    onProgress(done, total);
  };

  /** False: there is no such file. */
  const copyTenant = async ({ id, slug }: TenantName): Promise<boolean> => {
    try {
      const count = (db: TenantDb) => ({ ...rowsOf(db), ...tables.marks(db) });
      copied.set(id, { ...(await copier.copy(tenantFile(id), former.get(id), count)), id, slug });
      return true;
    } catch (error) {
      await rm(dirname(join(partial, tenantFile(id))), { recursive: true, force: true });
      if (isGone(error)) return false;
      if (!isOfTheFile(error)) throw error;
      missing.set(id, { id, slug, reason: (error as Error).message });
      return true;
    } finally {
      progressed(id);
    }
  };

  for (const tenant of listed) await copyTenant(tenant);
  for (let round = 1; ; round++) {
    const platform = await copier.copy(PLATFORM_NAME, former.get(PLATFORM_NAME), rowsOf);
    const path = join(partial, PLATFORM_NAME);
    const known = read(openReadOnly<PlatformDb>(path), look);
    const gone: TenantName[] = [];
    for (const tenant of known)
      if (!copied.has(tenant.id) && !missing.has(tenant.id) && !(await copyTenant(tenant))) gone.push(tenant);
    if (gone.length > 0 && round < ROUNDS) {
      // The tenants were erased since the registry was copied, or their files are lost.
      await rm(path);
      continue;
    }
    for (const { id, slug } of gone) missing.set(id, { id, slug, reason: 'its file is not there' });
    const ids = new Map(known.map(({ id, slug }) => [id, slug]));
    for (const id of copied.keys())
      if (!ids.has(id)) await rm(dirname(join(partial, tenantFile(id))), { recursive: true });
    const tenants = [...copied.values()].filter(({ id }) => ids.has(id));
    progressed(PLATFORM_NAME);
    return {
      platform,
      // A slug may have changed since the tenant was copied.
      tenants: tenants.map((tenant) => ({ ...tenant, slug: ids.get(tenant.id) ?? tenant.slug })),
      missing: [...missing.values()].filter(({ id }) => ids.has(id)),
      keys: keysOf(options, changes),
      newBytes: copier.newBytes(),
      damaged: [...new Set(copier.damaged())],
    };
  }
};

/** Never rejects: the new backup is complete by then. */
const prune = async (
  directory: string,
  keep: Keep,
  present: ReadonlySet<string>,
): Promise<Pick<BackupDone, 'removed' | 'not_removed'>> => {
  const removed: string[] = [];
  try {
    const made: Made[] = [];
    // What cannot be read is left for a person.
    for await (const { id, madeAt, isWhole, manifest } of backupsIn(directory))
      if (manifest) {
        const lost = manifest.tenants.map((tenant) => tenant.id).filter((tenant) => !present.has(tenant));
        made.push({ id, madeAt, isWhole, lost });
      }
    for (const id of toRemove(made, keep)) {
      await removeBackup(directory, id);
      removed.push(id);
    }
    return { removed, not_removed: null };
  } catch (error) {
    return { removed, not_removed: (error as Error).message };
  }
};

/** The error in words, with what the disks and SQLite say. */
const explained = (error: unknown, directory: string): unknown => {
  const fault = faultOf(error);
  if (fault === undefined || error instanceof DataError) return error;
  const reason = fault === 'full' ? `the disk of ${directory} is full` : (error as Error).message;
  return new DataError(`${reason}: nothing of this backup was kept, those before are as they were`, {
    cause: error,
  });
};

/** Rejects with DataError where nothing can be backed up, or not to there; nothing of it is left then. */
export const makeBackup = async (options: BackupOptions): Promise<BackupDone> => {
  const { dataDirectory, directory, program, keep, now } = options;
  requireOwner(dataDirectory);
  if (!existsSync(join(dataDirectory, PLATFORM_NAME)))
    throw new DataError(`${join(dataDirectory, PLATFORM_NAME)} does not exist yet: start the daemon once`);
  const leave = await enterDirectory(directory, dataDirectory);
  try {
    const began = now();
    const id = freeId(directory, began);
    const partial = partialIn(directory, id);
    await mkdir(join(partial, 'tenants'), { recursive: true, mode: 0o700 });
    try {
      const filled = await fill(options, partial);
      const { platform, tenants, missing, newBytes, damaged, keys } = filled;
      const manifest: Manifest = {
        format: FORMAT,
        program,
        began_at: toIso(began),
        ended_at: toIso(now()),
        ...keys,
        platform,
        tenants,
        missing,
      };
      await writeSynced(join(partial, MANIFEST_NAME), `${JSON.stringify(manifest)}\n`);
      await completeBackup(directory, id, tenants);
      const bytes = tenants.reduce((sum, tenant) => sum + tenant.bytes, platform.bytes);
      // Where the disk of the data is full, the backup is as good.
      await noteBackup(dataDirectory, {
        madeAt: began,
        directory,
        missing: missing.map(({ slug }) => slug),
      }).catch(() => undefined);
      const present = new Set(tenants.map((tenant) => tenant.id));
      const pruned =
        keep === null ? { removed: [], not_removed: null } : await prune(directory, keep, present);
      const facts = { id, directory, tenants: tenants.length, bytes, new_bytes: newBytes };
      return { ...facts, ...keys, missing, damaged, ...pruned };
    } catch (error) {
      throw explained(error, directory);
    } finally {
      await rm(partial, { recursive: true, force: true });
    }
  } finally {
    leave();
  }
};
