// Whether a WAL that a crash left has lost transactions in its middle. SQLite reads up to the first frame whose checksum is wrong
// and ignores the rest, because a torn end is normal: what was never synced was never answered. But each transaction is synced
// before the next one begins, so whole transactions behind such a frame were synced and answered, and are lost by damage.
// Format: https://www.sqlite.org/fileformat2.html#walformat
import { readFileSync } from 'node:fs';
import { fileError } from './file-states.ts';

const HEADER = 32;
const FRAME_HEADER = 24;
const PAGE = 4_096;
const FRAME = FRAME_HEADER + PAGE;
const MAGIC = 0x377f0682;

type Sums = readonly [number, number];

/** The words are read big-endian where the magic number is odd. */
const checksum = (bytes: Buffer, [first, second]: Sums, isBig: boolean): Sums => {
  let [a, b] = [first, second];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = 0; at < bytes.length; at += 8) {
    a = (a + view.getUint32(at, !isBig) + b) | 0;
    b = (b + view.getUint32(at + 4, !isBig) + a) | 0;
  }
  return [a, b];
};

const isAt = (bytes: Buffer, at: number, [a, b]: Sums): boolean =>
  bytes.readInt32BE(at) === a && bytes.readInt32BE(at + 4) === b;

const readWal = (path: string): Buffer | null => {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
};

/** Throws where transactions are lost. To be called before SQLite opens the database, which removes what it cannot read. */
export const checkWal = (path: string): void => {
  const wal = readWal(path);
  const count = wal === null ? 0 : Math.floor((wal.length - HEADER) / FRAME);
  if (wal === null || count <= 0) return;
  const frame = (index: number): Buffer => wal.subarray(HEADER + index * FRAME, HEADER + (index + 1) * FRAME);
  const isBig = (wal.readUInt32BE(0) & 1) === 1;
  let sums = checksum(wal.subarray(0, 24), [0, 0], isBig);
  const isHeaderRight = (wal.readUInt32BE(0) & ~1) === MAGIC && isAt(wal, 24, sums);
  // Each start of the WAL has another salt; frames of an earlier one are of no use to anyone.
  const salt = isHeaderRight ? wal.subarray(16, 24) : frame(count - 1).subarray(8, 16);
  const isCurrent = (index: number): boolean => frame(index).subarray(8, 16).equals(salt);

  let read = 0;
  if (isHeaderRight) {
    for (; read < count && isCurrent(read); read++) {
      sums = checksum(frame(read).subarray(0, 8), sums, isBig);
      sums = checksum(frame(read).subarray(FRAME_HEADER), sums, isBig);
      if (!isAt(frame(read), 16, sums)) break;
    }
  }
  let lost = 0;
  for (let index = read; index < count; index++)
    if (isCurrent(index) && frame(index).readUInt32BE(4) !== 0) lost += 1;
  // The one that starts a WAL is not synced before the next.
  const unsynced = read === 0 ? 2 : 1;
  if (lost <= unsynced) return;
  throw fileError(
    'DAMAGED',
    `${path} is damaged behind its frame ${read}: ${lost} later transactions cannot be read. Restore a backup, or give them up: sqlite3 DATABASE 'PRAGMA wal_checkpoint(TRUNCATE)'`,
  );
};
