// The directory that holds backups: which of its entries are ours, and how one comes and goes as a whole. What is being made or
// removed has a name that begins with `.partial-`; a run that was killed leaves it, and the next one removes it.
import { accessSync, constants, existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { DataError } from '#src/kernel/db/data-error.ts';
import { disk } from '#src/kernel/db/disk.ts';
import { lockDirectory, PLATFORM_NAME } from '#src/kernel/db/storage.ts';
import { SECOND, toIso } from '#src/kernel/time.ts';
import { type Manifest, readManifest, tenantFile } from './manifest.ts';

const ID = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
const PARTIAL = '.partial-';
/** What may be beside backups: the lock with what SQLite makes of it, and what a file system has of its own. */
const OTHER_NAMES = /^(?:lock(?:-journal)?|lost\+found|\.snapshots?)$/;

/** Whole seconds: `20261124T020000Z`. */
const idOf = (time: number): string => toIso(time).replace(/\.\d+|[-:]/g, '');
const timeOf = (id: string): number => Date.parse(id.replace(ID, '$1-$2-$3T$4:$5:$6Z'));

export interface Backup {
  readonly id: string;
  /** When it was begun. */
  readonly madeAt: number;
  readonly directory: string;
  readonly manifest: Manifest | null;
  /** The backup has a manifest, and nothing was left out when it was made. */
  readonly isWhole: boolean;
  /** Null: none. */
  readonly fault: string | null;
}

const readBackup = async (id: string, directory: string): Promise<Backup> => {
  const facts = { id, madeAt: timeOf(id), directory };
  try {
    const manifest = await readManifest(directory);
    const [first, ...more] = manifest.missing;
    if (first === undefined) return { ...facts, manifest, isWhole: true, fault: null };
    const others = more.length === 0 ? '' : `, and ${more.length} more`;
    return { ...facts, manifest, isWhole: false, fault: `without ${first.slug}${others}: ${first.reason}` };
  } catch (error) {
    return { ...facts, manifest: null, isWhole: false, fault: (error as Error).message };
  }
};

const namesIn = (directory: string): string[] => {
  try {
    return readdirSync(directory);
  } catch (error) {
    throw new DataError(`${directory} cannot be read (${(error as Error).message})`, { cause: error });
  }
};

/** The oldest first. */
const idsIn = (directory: string): string[] =>
  namesIn(directory)
    .filter((name) => ID.test(name))
    .sort();

/** The oldest first. Their manifests are read one by one, because each names every tenant. */
export async function* backupsIn(directory: string): AsyncGenerator<Backup> {
  for (const id of idsIn(directory)) yield await readBackup(id, join(directory, id));
}

/** One of them; the newest where `id` is absent. Throws DataError where it is not there. */
export const backupAt = (directory: string, id: string | undefined): Promise<Backup> => {
  const ids = idsIn(directory);
  const found = id ?? ids.at(-1);
  if (found === undefined) throw new DataError(`${directory} holds no backup`);
  if (!ids.includes(found))
    throw new DataError(
      `${directory} holds no backup ${found}; the newest is ${ids.at(-1) ?? 'missing too'}`,
    );
  return readBackup(found, join(directory, found));
};

/** The id of a backup that begins at `time`: its second, or the next one that no other backup has. */
export const freeId = (directory: string, time: number): string => {
  const taken = new Set(idsIn(directory));
  let free = time;
  while (taken.has(idOf(free))) free += SECOND;
  return idOf(free);
};

const isInside = (directory: string, other: string): boolean =>
  `${directory}${sep}`.startsWith(`${other}${sep}`);

/** Throws DataError, with what to do, where backups of `dataDirectory` cannot be kept in `directory`. Makes it where it is absent. */
const prepare = (directory: string, dataDirectory: string): void => {
  try {
    // Its parents are not made: where the other disk is not mounted, they would be made on this one.
    const above = dirname(resolve(directory));
    if (!existsSync(above))
      throw new DataError(
        `${above} does not exist, so ${directory} is not made: mount its disk, or make it, or name another directory`,
      );
    const parent = realpathSync(above);
    const place = existsSync(directory) ? realpathSync(directory) : join(parent, basename(directory));
    if (isInside(place, realpathSync(dataDirectory)))
      throw new DataError(
        `${directory} is in the data directory, and would be lost with it: name one on another disk`,
      );
    if (!existsSync(place)) mkdirSync(place, { mode: 0o700 });
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof DataError) throw error;
    throw new DataError(
      `${directory} cannot be written (${(error as Error).message}): it has to belong to the user that runs this, and the directory above it has to be there`,
      { cause: error },
    );
  }
  const foreign = namesIn(directory).find(
    (name) => !ID.test(name) && !name.startsWith(PARTIAL) && !OTHER_NAMES.test(name),
  );
  if (foreign !== undefined)
    throw new DataError(`${directory} holds other files (${foreign}): name an empty or a new directory`);
};

/**
 * Keeps others from writing there until the result is called. What killed runs have left is removed. Throws DataError where that
 * cannot be.
 */
export const enterDirectory = async (directory: string, dataDirectory: string): Promise<() => void> => {
  prepare(directory, dataDirectory);
  const leave = lockDirectory(directory);
  try {
    for (const name of namesIn(directory))
      if (name.startsWith(PARTIAL)) await rm(join(directory, name), { recursive: true, force: true });
    return leave;
  } catch (error) {
    leave();
    throw error;
  }
};

export const partialIn = (directory: string, id: string): string => join(directory, `${PARTIAL}${id}`);

/** Each file in it has been synced. The directories are here: the first sync writes what all of them changed. */
export const completeBackup = async (
  directory: string,
  id: string,
  tenants: readonly { readonly id: string }[],
): Promise<void> => {
  const partial = partialIn(directory, id);
  for (const tenant of tenants) await disk.syncDirectory(dirname(join(partial, tenantFile(tenant.id))));
  await disk.syncDirectory(join(partial, 'tenants'));
  await disk.syncDirectory(partial);
  await rename(partial, join(directory, id));
  await disk.syncDirectory(directory);
};

/** The backup is gone as a whole at once, also where the removal of its files is cut off. */
export const removeBackup = async (directory: string, id: string): Promise<void> => {
  await rename(join(directory, id), partialIn(directory, id));
  await disk.syncDirectory(directory);
  await rm(partialIn(directory, id), { recursive: true, force: true });
};

/** Bytes of all files of a backup, and of those that no other backup has. */
export const sizesOf = async ({
  directory,
  manifest,
}: Backup): Promise<{ bytes: number; ownBytes: number }> => {
  const sizes = { bytes: 0, ownBytes: 0 };
  for (const name of [PLATFORM_NAME, ...(manifest?.tenants ?? []).map(({ id }) => tenantFile(id))]) {
    const found = await stat(join(directory, name)).catch(() => undefined);
    sizes.bytes += found?.size ?? 0;
    if (found?.nlink === 1) sizes.ownBytes += found.size;
  }
  return sizes;
};
