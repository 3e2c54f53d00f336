// Reads the directory of a ZIP file (APPNOTE 6.3.10) strictly: everything that two readers could understand differently is an
// error. Only requested entries are inflated, up to a bound. Pure.
//
// The package yauzl is asynchronous, while gates decide inside of a transaction, and it accepts overlapping entries, repeated
// names and local headers that differ from the directory. fflate accepts even more.
import { inflateRawSync } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly isEncrypted: boolean;
  /** 0: stored, 8: deflated. */
  readonly method: number;
  /** Octets. */
  readonly packed: number;
  readonly size: number;
  /** The index of its local header. */
  readonly offset: number;
}

export class ZipError extends Error {}

/** Enough for the largest presentations. */
const MAX_ENTRIES = 1_000;
const MAX_INFLATED = 200 * 1_024 * 1_024;
/** The ratio of all entries together. Files that inflate to less than `RATIO_FROM` are harmless. */
const MAX_RATIO = 100;
const RATIO_FROM = 10 * 1_024 * 1_024;

const END_SIGNATURE = Buffer.from('PK\x05\x06', 'latin1');
const END_LENGTH = 22;
const MAX_COMMENT = 65_535;
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_LENGTH = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_LENGTH = 30;
const ZIP64_FIELD = 0x0001;
const ZIP64_MARK = 0xffffffff;

const asBuffer = (content: Uint8Array): Buffer =>
  Buffer.from(content.buffer, content.byteOffset, content.byteLength);

/** The index of the directory's end record, whose comment must reach the end of the file; -1 if there is none. */
const findEnd = (file: Buffer): number => {
  const from = Math.max(0, file.length - END_LENGTH - MAX_COMMENT);
  const tail = file.subarray(from);
  for (let at = tail.length - END_LENGTH; at >= 0; at -= 1) {
    at = tail.lastIndexOf(END_SIGNATURE, at);
    if (at === -1) return -1;
    if (at + END_LENGTH <= tail.length && at + END_LENGTH + tail.readUInt16LE(at + 20) === tail.length)
      return from + at;
  }
  return -1;
};

/** Whether the file ends like a ZIP file, whatever its beginning is. */
export const endsAsZip = (content: Uint8Array): boolean =>
  content.length >= END_LENGTH && findEnd(asBuffer(content)) !== -1;

/** The sizes and the place of an entry whose fixed fields refer to the ZIP64 field (4.5.3). */
const readZip64 = (extra: Buffer, wanted: readonly boolean[]): (number | null)[] => {
  for (let at = 0; at + 4 <= extra.length; ) {
    const length = extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === ZIP64_FIELD) {
      const field = extra.subarray(at + 4, at + 4 + length);
      let read = 0;
      return wanted.map((isWanted) => {
        if (!isWanted) return null;
        if (read + 8 > field.length) throw new ZipError('the directory is damaged');
        const value = Number(field.readBigUInt64LE(read));
        read += 8;
        return value;
      });
    }
    at += 4 + length;
  }
  throw new ZipError('the directory is damaged');
};

const readEntry = (file: Buffer, at: number): { entry: ZipEntry; next: number } => {
  if (at + ENTRY_LENGTH > file.length || file.readUInt32LE(at) !== ENTRY_SIGNATURE)
    throw new ZipError('the directory is damaged');
  const nameLength = file.readUInt16LE(at + 28);
  const extraLength = file.readUInt16LE(at + 30);
  const next = at + ENTRY_LENGTH + nameLength + extraLength + file.readUInt16LE(at + 32);
  if (next > file.length) throw new ZipError('the directory is damaged');
  let packed = file.readUInt32LE(at + 20);
  let size = file.readUInt32LE(at + 24);
  let offset = file.readUInt32LE(at + 42);
  const large = [size, packed, offset].map((value) => value === ZIP64_MARK);
  if (large.includes(true)) {
    const extraStart = at + ENTRY_LENGTH + nameLength;
    const read = readZip64(file.subarray(extraStart, extraStart + extraLength), large);
    size = read[0] ?? size;
    packed = read[1] ?? packed;
    offset = read[2] ?? offset;
  }
  const entry = {
    name: file.toString('utf8', at + ENTRY_LENGTH, at + ENTRY_LENGTH + nameLength),
    isEncrypted: (file.readUInt16LE(at + 8) & 1) !== 0,
    method: file.readUInt16LE(at + 10),
    packed,
    size,
    offset,
  };
  return { entry, next };
};

const checkEntries = (entries: readonly ZipEntry[], directory: number): void => {
  const names = new Set(entries.map(({ name }) => name.toLowerCase()));
  if (names.size !== entries.length) throw new ZipError('two entries have the same name');
  const size = entries.reduce((sum, entry) => sum + entry.size, 0);
  const packed = entries.reduce((sum, entry) => sum + entry.packed, 0);
  // Entries that share their octets could inflate to far more than the file's size allows.
  if (packed > directory) throw new ZipError('its entries overlap');
  if (size > MAX_INFLATED || (size > RATIO_FROM && size > packed * MAX_RATIO))
    throw new ZipError('it unpacks to far more than it is');
  for (const { name, method, packed: length, offset } of entries) {
    if (/^[/\\]|\\|(?:^|\/)\.\.(?:\/|$)|\0/.test(name))
      throw new ZipError('an entry has a path that leaves it');
    if (method !== 0 && method !== 8) throw new ZipError('an entry is packed in an unusual way');
    if (offset + LOCAL_LENGTH + length > directory) throw new ZipError('the directory is damaged');
  }
};

/** @throws ZipError with words for the sender */
export const readDirectory = (content: Uint8Array): ZipEntry[] => {
  const file = asBuffer(content);
  const end = file.length < END_LENGTH ? -1 : findEnd(file);
  if (end === -1) throw new ZipError('its end is missing');
  const count = file.readUInt16LE(end + 10);
  if (count > MAX_ENTRIES) throw new ZipError(`it has more than ${MAX_ENTRIES} entries`);
  const start = file.readUInt32LE(end + 16);
  const entries: ZipEntry[] = [];
  let at = start;
  for (let index = 0; index < count; index += 1) {
    const { entry, next } = readEntry(file, at);
    entries.push(entry);
    at = next;
  }
  if (at > end) throw new ZipError('the directory is damaged');
  checkEntries(entries, start);
  return entries;
};

/** The content of an entry. @throws ZipError also if it has more than `maxBytes` */
export const readEntryContent = (content: Uint8Array, entry: ZipEntry, maxBytes: number): Buffer => {
  const file = asBuffer(content);
  const { offset, packed, method, size, name } = entry;
  if (file.readUInt32LE(offset) !== LOCAL_SIGNATURE) throw new ZipError('the directory is damaged');
  const nameLength = file.readUInt16LE(offset + 26);
  const nameStart = offset + LOCAL_LENGTH;
  if (file.toString('utf8', nameStart, nameStart + nameLength) !== name)
    throw new ZipError('its directory and its entries disagree');
  const start = nameStart + nameLength + file.readUInt16LE(offset + 28);
  if (start + packed > file.length) throw new ZipError('the directory is damaged');
  if (size > maxBytes) throw new ZipError('an entry is too large');
  const data = file.subarray(start, start + packed);
  if (method === 0) {
    if (packed !== size) throw new ZipError('its directory and its entries disagree');
    return data;
  }
  try {
    const inflated = inflateRawSync(data, { maxOutputLength: size + 1, chunkSize: Math.max(64, size + 1) });
    if (inflated.length !== size) throw new ZipError('it unpacks to far more than it is');
    return inflated;
  } catch (error) {
    if (error instanceof ZipError) throw error;
    throw new ZipError('an entry cannot be unpacked');
  }
};
