// UUIDv7 (RFC 9562 §5.7): ids of the service. Ids made in one process sort in the order they were made, also
// within a millisecond (§6.2 method 1: a counter in rand_a that starts at random with its top bit clear).
import { createHash, randomFillSync } from 'node:crypto';

const POOL_BYTES = 4_096;
const pool = Buffer.alloc(POOL_BYTES);
const bytes = Buffer.alloc(16);
let poolOffset = POOL_BYTES;
let lastMillisecond = 0;
let counter = 0;

const takeRandom = (length: number): number => {
  if (poolOffset + length > POOL_BYTES) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  poolOffset += length;
  return poolOffset - length;
};

/** Base64 of so many random bytes, as few as a salt has. */
export const randomBase64 = (length: number): string => {
  const offset = takeRandom(length);
  return pool.toString('base64', offset, offset + length);
};

const inGroups = (id: Buffer): string => {
  const hex = id.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

export const newId = (): string => {
  const now = Date.now();
  if (now > lastMillisecond) {
    lastMillisecond = now;
    counter = pool.readUInt16BE(takeRandom(2)) & 0x7ff;
  } else if (++counter > 0xfff) {
    lastMillisecond += 1;
    counter = 0;
  }
  bytes.writeUIntBE(lastMillisecond, 0, 6);
  bytes.writeUInt16BE(0x7000 | counter, 6);
  const offset = takeRandom(8);
  pool.copy(bytes, 8, offset, offset + 8);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return inGroups(bytes);
};

/** The next id is made like the first of a process: for a simulation, which is many processes in one. */
export const beginIds = (): void => {
  poolOffset = POOL_BYTES;
  lastMillisecond = 0;
  counter = 0;
};

/** The same id for the same parts: a UUIDv8 (RFC 9562 §5.8). */
export const idFrom = (...parts: readonly (string | number)[]): string => {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16);
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  return inGroups(hash);
};
