// Reads the names in an OLE compound file ([MS-CFB]) and the beginning of one stream. They show whether the file is a
// document of the older Office programs, an installer or a mail, and whether it has macros. The work is bounded by the size
// of the file. Pure.
//
// The package cfb copies all streams of a file at once (118 ms for 9 MB) and accepts damaged chains of sectors.

export interface CompoundEntry {
  readonly name: string;
  /** 1: storage, 2: stream, 5: root. */
  readonly type: number;
  readonly start: number;
  /** Octets. */
  readonly size: number;
}

export interface CompoundFile {
  readonly entries: readonly CompoundEntry[];
  /** The beginning of a stream. */
  readonly read: (entry: CompoundEntry, maxBytes: number) => Buffer;
}

export class CompoundFileError extends Error {}

const HEADER_LENGTH = 512;
const ENTRY_LENGTH = 128;
/** The entries of the sector table that the header has (2.2). */
const HEADER_FAT_SECTORS = 109;
const LAST_SECTOR = 0xfffffffa;
const MINI_STREAM_CUTOFF = 4_096;
const MINI_SECTOR = 64;
/** Far more entries than documents have. */
const MAX_ENTRIES = 10_000;

const damaged = (): CompoundFileError => new CompoundFileError('it is damaged');

export const readCompoundFile = (content: Uint8Array): CompoundFile => {
  const file = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (file.length < HEADER_LENGTH) throw damaged();
  const shift = file.readUInt16LE(30);
  if (shift !== 9 && shift !== 12) throw damaged();
  const sectorSize = 2 ** shift;
  const sectors = Math.ceil(file.length / sectorSize);

  const sectorAt = (sector: number): Buffer => {
    const from = (sector + 1) * sectorSize;
    if (from >= file.length) throw damaged();
    return file.subarray(from, from + sectorSize);
  };
  const word = (buffer: Buffer, index: number): number => {
    if (index * 4 + 4 > buffer.length) throw damaged();
    return buffer.readUInt32LE(index * 4);
  };

  /** The sectors of the table that chains sectors. The header has the first 109; the others are in a chain of their own. */
  const readFatSectors = (): number[] => {
    const found: number[] = [];
    for (let index = 0; index < HEADER_FAT_SECTORS; index += 1) {
      const sector = file.readUInt32LE(76 + index * 4);
      if (sector < LAST_SECTOR) found.push(sector);
    }
    const perSector = sectorSize / 4 - 1;
    let next = file.readUInt32LE(68);
    for (let read = 0; next < LAST_SECTOR; read += 1) {
      if (read > sectors) throw damaged();
      const sector = sectorAt(next);
      for (let index = 0; index < perSector; index += 1) {
        const fatSector = word(sector, index);
        if (fatSector < LAST_SECTOR) found.push(fatSector);
      }
      next = word(sector, perSector);
    }
    return found;
  };
  const fat = readFatSectors();
  const nextOf = (sector: number): number => {
    const perSector = sectorSize / 4;
    const fatSector = fat[Math.floor(sector / perSector)];
    if (fatSector === undefined) throw damaged();
    return word(sectorAt(fatSector), sector % perSector);
  };
  const readChain = (first: number, maxBytes: number): Buffer => {
    const parts: Buffer[] = [];
    let length = 0;
    for (let sector = first; sector < LAST_SECTOR && length < maxBytes; sector = nextOf(sector)) {
      if (parts.length > sectors) throw damaged();
      const part = sectorAt(sector);
      parts.push(part);
      length += part.length;
    }
    return Buffer.concat(parts).subarray(0, maxBytes);
  };

  const directory = readChain(file.readUInt32LE(48), MAX_ENTRIES * ENTRY_LENGTH + 1);
  if (directory.length > MAX_ENTRIES * ENTRY_LENGTH) throw damaged();
  const entries: CompoundEntry[] = [];
  for (let at = 0; at + ENTRY_LENGTH <= directory.length; at += ENTRY_LENGTH) {
    const type = directory.readUInt8(at + 66);
    if (type === 0) continue;
    const nameBytes = Math.min(64, Math.max(2, directory.readUInt16LE(at + 64)));
    entries.push({
      name: directory.toString('utf16le', at, at + nameBytes - 2),
      type,
      start: directory.readUInt32LE(at + 116),
      size: directory.readUInt32LE(at + 120),
    });
  }
  const root = entries[0];
  if (root?.type !== 5) throw damaged();

  const readMini = (entry: CompoundEntry, maxBytes: number): Buffer => {
    const stream = readChain(root.start, root.size);
    const table = readChain(file.readUInt32LE(60), file.length);
    const parts: Buffer[] = [];
    for (let sector = entry.start; sector < LAST_SECTOR; sector = word(table, sector)) {
      if (parts.length > MINI_STREAM_CUTOFF / MINI_SECTOR) break;
      parts.push(stream.subarray(sector * MINI_SECTOR, (sector + 1) * MINI_SECTOR));
    }
    return Buffer.concat(parts).subarray(0, Math.min(maxBytes, entry.size));
  };
  return {
    entries,
    read: (entry, maxBytes) =>
      entry.size < MINI_STREAM_CUTOFF
        ? readMini(entry, maxBytes)
        : readChain(entry.start, Math.min(maxBytes, entry.size)),
  };
};
