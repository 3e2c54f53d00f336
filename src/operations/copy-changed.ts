// One file of a backup: a copy, or a link to that of the backup before where the file did not change. Whether it did is found
// out in three steps, the cheapest first: it is the same file, of the same size and time, and no WAL is beside it; else, with
// no WAL, its content has the same hash (opening a file and closing it again changes only counters); else the copy has the same
// hash. A file that is not open is copied by reading it, and one that is by SQLite's online backup.
//
// What is linked to is read before: its hash must be what it was when it was made. Otherwise one page that the disk of the backups
// has lost would be in every backup from then on, and the last one that has it would be removed in time.
//
// It reads databases past SQLite, so it must not run in the process of the daemon: closing a file gives up the locks of its process.
import { statfsSync, statSync } from 'node:fs';
import { chmod, copyFile, link, mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { copyDatabase, copyUnopened, hashDatabase } from '#src/kernel/db/copy-database.ts';
import { DataError } from '#src/kernel/db/data-error.ts';
import { type AnyDb, openReadOnly } from '#src/kernel/db/sqlite.ts';
import type { BackupFile } from './manifest.ts';

export interface CopierOptions {
  readonly dataDirectory: string;
  /** The directory to which the copies go. */
  readonly partial: string;
  /** So many bytes stay free on the disk of the data. */
  readonly leastFree: number;
  readonly signal?: AbortSignal | undefined;
}

/** A file of the backup before. */
export interface Former {
  readonly path: string;
  readonly file: BackupFile;
}

type Source = NonNullable<BackupFile['source']>;

/** The kernel's clock for times of files moves in steps; a change within one could leave the time as it was. */
const STEP_MS = 20;
const READ_ONLY = 0o400;
const MIB = 1_024 * 1_024;
/** The file system has no links, or no more of this file. */
const CANNOT_LINK = /^(?:EPERM|ENOTSUP|EOPNOTSUPP|EMLINK|EXDEV|ENOSYS)$/;

/** Null where the file may be other than it looks. */
const sourceAt = async (path: string): Promise<Source | null> => {
  const wal = await stat(`${path}-wal`).catch(() => undefined);
  const { ino, size, ctimeNs, ctimeMs } = await stat(path, { bigint: true });
  if ((wal?.size ?? 0) > 0 || Date.now() - Number(ctimeMs) < STEP_MS) return null;
  return { inode: String(ino), bytes: Number(size), changed_ns: String(ctimeNs) };
};

const isSame = (a: Source | null, b: Source | null): boolean =>
  a !== null && a.inode === b?.inode && a.bytes === b.bytes && a.changed_ns === b.changed_ns;

const countIn = <D extends AnyDb>(
  path: string,
  count: (db: D) => BackupFile['counts'],
): BackupFile['counts'] => {
  const db = openReadOnly<D>(path);
  try {
    return count(db);
  } finally {
    db.close();
  }
};

export const createCopier = ({ dataDirectory, partial, leastFree, signal }: CopierOptions) => {
  let newBytes = 0;
  const damaged: string[] = [];

  /** Throws DataError. */
  const requireSpace = (bytes: number): void => {
    const { bavail, bsize } = statfsSync(partial);
    const kept = statSync(partial).dev === statSync(dataDirectory).dev ? leastFree : 0;
    const free = Math.max(0, bavail * bsize - kept);
    if (free >= bytes) return;
    throw new DataError(
      `${dirname(partial)} has no room for the backup: ${Math.ceil(bytes / MIB)} MiB are needed, ${Math.floor(free / MIB)} MiB are free` +
        (kept > 0 ? ' beside what storage.min_free_mib keeps for the data on the same disk' : ''),
    );
  };

  const linkTo = async ({ path, file }: Former, to: string): Promise<void> => {
    try {
      await link(path, to);
    } catch (error) {
      if (!CANNOT_LINK.test(String((error as NodeJS.ErrnoException).code))) throw error;
      requireSpace(file.bytes);
      await copyFile(path, to);
      const copy = await open(to, 'r');
      await copy.sync().finally(() => copy.close());
      newBytes += file.bytes;
    }
  };

  /** What cannot be read is as damaged as what has other bytes. */
  const isSound = async (name: string, { path, file }: Former): Promise<boolean> => {
    const found = await hashDatabase(path, signal).catch(() => null);
    signal?.throwIfAborted();
    if (found === file.sha256) return true;
    damaged.push(name);
    return false;
  };

  const isUnchanged = async (former: BackupFile, from: string, now: Source): Promise<boolean> => {
    if (isSame(former.source, now)) return true;
    if (former.bytes !== now.bytes) return false;
    return (await hashDatabase(from, signal)) === former.sha256 && isSame(now, await sourceAt(from));
  };

  /** Null where the file has been opened meanwhile. */
  const copyStill = async (from: string, to: string, source: Source) => {
    const copied = await copyUnopened(from, to, signal);
    if (isSame(source, await sourceAt(from))) return { ...copied, source };
    await rm(to);
    return null;
  };

  const copySnapshot = async (from: string, to: string) => {
    const copied = await copyDatabase(from, to, { signal });
    return { ...copied, sha256: await hashDatabase(to, signal), source: null };
  };

  /** `count` is asked of a copy that is new. Rejects with what the file or the disk says; nothing is there then. */
  const copy = async <D extends AnyDb>(
    name: string,
    before: Former | undefined,
    count: (db: D) => BackupFile['counts'],
  ): Promise<BackupFile> => {
    signal?.throwIfAborted();
    const [from, to] = [join(dataDirectory, name), join(partial, name)];
    const formerSize = before && (await stat(before.path).catch(() => undefined))?.size;
    let former = formerSize === before?.file.bytes ? before : undefined;
    if (before && !former) damaged.push(name);
    const found = await sourceAt(from);
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    if (former && found && (await isUnchanged(former.file, from, found))) {
      if (await isSound(name, former)) {
        await linkTo(former, to);
        return { ...former.file, source: found };
      }
      former = undefined;
    }
    requireSpace((await stat(from)).size);
    try {
      const { bytes, schema, sha256, source } =
        (found && (await copyStill(from, to, found))) ?? (await copySnapshot(from, to));
      if (former?.file.sha256 === sha256 && (await isSound(name, former))) {
        await rm(to);
        await linkTo(former, to);
        return { ...former.file, source };
      }
      const counts = countIn(to, count);
      await chmod(to, READ_ONLY);
      newBytes += bytes;
      return { bytes, sha256, schema, counts, source };
    } catch (error) {
      await rm(to, { force: true });
      throw error;
    }
  };

  return {
    copy,
    requireSpace,
    newBytes: () => newBytes,
    /** Names of files that are not what they were in the backup before; they were copied. */
    damaged: () => damaged,
  };
};
