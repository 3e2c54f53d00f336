// Whether a WAL that a crash left has lost transactions in its middle. SQLite reads up to the first frame whose checksum is wrong
// and ignores the rest, because a torn end is normal: what was never synced was never answered. But each transaction is synced
// before the next one begins, so whole transactions behind such a frame were synced and answered, and are lost by damage.
// Format: https://www.sqlite.org/fileformat2.html#walformat
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { fileError } from './file-states.ts';

const HEADER = 32;
const FRAME_HEADER = 24;
const PAGE = 4_096;
const FRAME = FRAME_HEADER + PAGE;
const MAGIC = 0x377f0682;
const PIECE_FRAMES = 256;
const LOOK_AGAIN_MS = 50;

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

/** Null where there is none, be it that another process has just removed it. */
const openWal = (path: string): number | null => {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
};

/** What is wrong with the WAL; undefined: nothing. It is read in pieces, because a reader may have kept it growing. */
const damageOf = (path: string): string | undefined => {
  const file = openWal(path);
  if (file === null) return undefined;
  try {
    const count = Math.floor((fstatSync(file).size - HEADER) / FRAME);
    if (count <= 0) return undefined;
    const header = Buffer.alloc(HEADER);
    readSync(file, header, 0, HEADER, 0);
    const isBig = (header.readUInt32BE(0) & 1) === 1;
    let sums = checksum(header.subarray(0, 24), [0, 0], isBig);
    const isHeaderRight = (header.readUInt32BE(0) & ~1) === MAGIC && isAt(header, 24, sums);
    // Each start of the WAL has another salt; frames of an earlier one are of no use to anyone.
    const salt = Buffer.alloc(8);
    if (isHeaderRight) header.copy(salt, 0, 16, 24);
    else readSync(file, salt, 0, 8, HEADER + (count - 1) * FRAME + 8);

    const piece = Buffer.alloc(PIECE_FRAMES * FRAME);
    let isWhole = isHeaderRight;
    let read = 0;
    let lost = 0;
    for (let index = 0; index < count; index++) {
      const at = (index % PIECE_FRAMES) * FRAME;
      if (at === 0) readSync(file, piece, 0, piece.length, HEADER + index * FRAME);
      const frame = piece.subarray(at, at + FRAME);
      const isCurrent = frame.subarray(8, 16).equals(salt);
      if (isWhole && isCurrent) {
        sums = checksum(frame.subarray(0, 8), sums, isBig);
        sums = checksum(frame.subarray(FRAME_HEADER), sums, isBig);
      }
      isWhole &&= isCurrent && isAt(frame, 16, sums);
      if (isWhole) read += 1;
      else if (isCurrent && frame.readUInt32BE(4) !== 0) lost += 1;
    }
    // The one that starts a WAL is not synced before the next.
    const unsynced = read === 0 ? 2 : 1;
    return lost <= unsynced
      ? undefined
      : `${path} is damaged behind its frame ${read}: ${lost} later transactions cannot be read`;
  } finally {
    closeSync(file);
  }
};

/**
 * Throws where transactions are lost. To be called before SQLite opens the database, which removes what it cannot read. Another
 * process may write or begin the WAL again while it is read here: only what is found twice in the same place is damage.
 */
export const checkWal = (path: string): void => {
  let damage = damageOf(path);
  for (let former: string | undefined; damage !== undefined && damage !== former; ) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS);
    former = damage;
    damage = damageOf(path);
  }
  if (damage === undefined) return;
  throw fileError(
    'DAMAGED',
    `${damage}. Restore a backup, or give them up: sqlite3 DATABASE 'PRAGMA wal_checkpoint(TRUNCATE)'`,
  );
};
