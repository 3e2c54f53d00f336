// Whether a database file that is not open is there and begins as it must: for files that may not be opened for months. Damage
// further in is found when it is opened.
// Format: https://www.sqlite.org/fileformat2.html#the_database_header
import { open, stat } from 'node:fs/promises';
import { fileError } from './file-states.ts';
import { type Migration, schemaFault } from './migrate.ts';

const HEADER_BYTES = 100;
const MAGIC = Buffer.from('SQLite format 3\0');
const PAGE_SIZE_AT = 16;
const PAGES_AT = 28;
const USER_VERSION_AT = 60;
const APPLICATION_ID_AT = 68;

const hasContent = (path: string): Promise<boolean> =>
  stat(path).then(
    ({ size }) => size > 0,
    () => false,
  );

/** Resolves with when it was changed last; nothing is read where that is `known`. Throws what is wrong. */
export const inspectFile = async (
  path: string,
  known: number | undefined,
  migrations: readonly Migration[],
): Promise<number> => {
  const { ctimeMs, size } = await stat(path);
  if (ctimeMs === known) return ctimeMs;
  const file = await open(path, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    const { bytesRead } = await file.read(header, 0, HEADER_BYTES, 0);
    if (size === 0) throw fileError('EMPTY', `${path} is empty`);
    if (bytesRead < HEADER_BYTES || !header.subarray(0, MAGIC.length).equals(MAGIC))
      throw fileError('DAMAGED', `${path} is no database`);
    // A crash in the middle of a checkpoint leaves the number of pages before the pages, which are in the WAL.
    const isShort = size < header.readUInt32BE(PAGES_AT) * header.readUInt16BE(PAGE_SIZE_AT);
    if (isShort && !(await hasContent(`${path}-wal`))) throw fileError('DAMAGED', `${path} is cut off`);
    const version = header.readUInt32BE(USER_VERSION_AT);
    if (version === 0) throw fileError('EMPTY', `${path} holds no tables`);
    const fault = schemaFault(path, { version, hash: header.readInt32BE(APPLICATION_ID_AT) }, migrations);
    if (fault) throw fault;
    return ctimeMs;
  } finally {
    await file.close();
  }
};
