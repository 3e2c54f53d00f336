// A consistent copy of one database while others read and write it: SQLite's online backup, from a connection that holds one
// read transaction. A writer does not make it begin again, and waits for nothing; only the WAL cannot begin again meanwhile.
//
// The copy is one file in rollback mode: it opens without a WAL and a -shm beside it, also where nothing can be written. The counters
// by which SQLite notices that a file was changed are as in a new file, so that two copies of the same content are the same bytes.
// Format: https://www.sqlite.org/fileformat2.html#the_database_header
import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { DataError } from './data-error.ts';

export interface CopyOptions {
  /** Rejects with its reason; nothing is left of the copy then. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each MiB. */
  readonly onProgress?:
    | ((progress: { readonly bytes: number; readonly totalBytes: number }) => void)
    | undefined;
}

/** What the first page of a database says of its tables: see `schemaFault` of migrate.ts. */
export interface SchemaNumbers {
  readonly version: number;
  readonly hash: number;
}

export interface Copied {
  readonly bytes: number;
  readonly schema: SchemaNumbers;
}

/** A MiB: less costs turns of the event loop, more keeps it longer than a few milliseconds. */
const PAGES_PER_STEP = 256;
/** Only the daemon's opening or closing of the file holds a lock that a reader must wait for. */
const BUSY_TIMEOUT_MS = 5_000;
/** The place in the header of the versions of the format for writing and reading; 2 is with a WAL, 1 without. */
const FORMAT_AT = 18;
const WITHOUT_WAL = Buffer.of(1, 1);
/**
 * The places of three counters in the header: the changes of the file, those of its tables, and those of the file at the time
 * when its size was noted. Opening a file changes them, and so does SQLite's online backup.
 */
const COUNTERS_AT = [24, 40, 92];
const FIRST = Buffer.of(0, 0, 0, 1);
const FIXED: readonly (readonly [at: number, bytes: Buffer])[] = [
  [FORMAT_AT, WITHOUT_WAL],
  ...COUNTERS_AT.map((at) => [at, FIRST] as const),
];
const BYTES_AT_ONCE = 1_024 * 1_024;

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

/**
 * A connection for reading that leaves nothing behind. Where there is no WAL, it makes one, and a read-only one could not
 * remove it. Where there is one, a connection that may write could bring it into the database at its close, before the daemon has looked whether it is damaged.
 */
export const openBeside = async (path: string): Promise<Database.Database> =>
  new Database(path, {
    readonly: (await sizeOf(`${path}-wal`)) > 0,
    fileMustExist: true,
    timeout: BUSY_TIMEOUT_MS,
  });

const notOurs = (path: string): DataError =>
  Object.assign(new DataError(`${path} is no database of this service`), { code: 'DAMAGED' });

const beginSnapshot = (source: Database.Database, path: string): SchemaNumbers => {
  try {
    source.exec('BEGIN');
    const schema = {
      version: Number(source.pragma('user_version', { simple: true })),
      hash: Number(source.pragma('application_id', { simple: true })),
    };
    if (schema.version > 0 && schema.hash !== 0) return schema;
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'SQLITE_NOTADB') throw error;
  }
  throw notOurs(path);
};

const MAGIC = Buffer.from('SQLite format 3\0');
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;

/** Reads the schema's numbers from the first bytes of a file. */
const schemaIn = (head: Buffer, path: string): SchemaNumbers => {
  const isDatabase = head.length > APPLICATION_ID_AT + 4 && head.subarray(0, MAGIC.length).equals(MAGIC);
  const [version, hash] = isDatabase
    ? [head.readUInt32BE(USER_VERSION_AT), head.readInt32BE(APPLICATION_ID_AT)]
    : [0, 0];
  if (version > 0 && hash !== 0) return { version, hash };
  throw notOurs(path);
};

/** Gives the file the header of one without a WAL, and syncs it; its place in the directory is still to be synced. */
const makeOneFile = async (path: string): Promise<number> => {
  const file = await open(path, 'r+');
  try {
    for (const [at, bytes] of FIXED) await file.write(bytes, 0, bytes.length, at);
    await file.sync();
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
};

/** The bytes of a database that no one writes, as those of a copy are. */
async function* piecesOf(path: string, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  let isFirst = true;
  const options = { highWaterMark: BYTES_AT_ONCE, ...(signal ? { signal } : {}) };
  for await (const piece of createReadStream(path, options) as AsyncIterable<Buffer>) {
    if (isFirst) for (const [at, bytes] of FIXED) bytes.copy(piece, at);
    isFirst = false;
    yield piece;
  }
}

/**
 * SHA-256, in hexadecimal digits, of what a copy of the database at `path` holds; of a copy that is the hash of the file. What is in a
 * WAL does not count, and no one may write the file meanwhile.
 */
export const hashDatabase = async (path: string, signal?: AbortSignal): Promise<string> => {
  const hash = createHash('sha256');
  for await (const piece of piecesOf(path, signal)) hash.update(piece);
  return hash.digest('hex');
};

/**
 * The same copy, by reading the file: with one sync in place of several. It is right only where no WAL is beside it and no one has
 * written it when this has ended, which the caller finds out. The daemon must not call it: closing a file gives up the locks of its
 * process. Rejects as `copyDatabase`.
 */
export const copyUnopened = async (
  from: string,
  to: string,
  signal?: AbortSignal,
): Promise<Copied & { readonly sha256: string }> => {
  const hash = createHash('sha256');
  let schema: SchemaNumbers | undefined;
  let bytes = 0;
  const file = await open(to, 'wx', 0o600);
  try {
    for await (const piece of piecesOf(from, signal)) {
      schema ??= schemaIn(piece, from);
      hash.update(piece);
      await file.writeFile(piece);
      bytes += piece.length;
    }
    await file.sync();
  } catch (error) {
    await rm(to, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  return { bytes, schema: schema ?? schemaIn(Buffer.alloc(0), from), sha256: hash.digest('hex') };
};

/**
 * `to` must not exist; its directory is synced by the caller, who may copy more into it. Memory does not grow with the size.
 * Rejects with DataError where `from` is no database of this service, else with what SQLite and the disk say.
 */
export const copyDatabase = async (
  from: string,
  to: string,
  { signal, onProgress }: CopyOptions = {},
): Promise<Copied> => {
  signal?.throwIfAborted();
  const source = await openBeside(from);
  try {
    const schema = beginSnapshot(source, from);
    const pageBytes = Number(source.pragma('page_size', { simple: true }));
    // SQLite would make it readable for all, and would take one that is there.
    const made = await open(to, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);
    await made.close();
    try {
      await source.backup(to, {
        progress: ({ totalPages, remainingPages }) => {
          signal?.throwIfAborted();
          onProgress?.({
            bytes: (totalPages - remainingPages) * pageBytes,
            totalBytes: totalPages * pageBytes,
          });
          return PAGES_PER_STEP;
        },
      });
      return { bytes: await makeOneFile(to), schema };
    } catch (error) {
      await rm(to, { force: true });
      await rm(`${to}-journal`, { force: true });
      throw error;
    }
  } finally {
    source.close();
  }
};
