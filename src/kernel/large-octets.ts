// Memory for large octets: bodies, files, messages on their way. What was freed is used again, because V8 goes through its whole
// heap whenever some megabytes outside of it have come to what there was: with mails of 1 MB that was 40 % of all CPU.

/** Smaller ones may be parts of memory that others have parts of, and are collected soon enough. */
export const LARGE_BYTES = 32_768;
/** There are so many sizes between two powers of two, so that at most a fifth of the memory is not used. */
const SIZES_IN_OCTAVE = 4;
/** What is kept for the next ones, all together. */
const KEPT_BYTES = 33_554_432;

const kept = new Map<number, ArrayBuffer[]>();
/** The length of the octets that are used of the memory, which is the only name that frees it. */
const lent = new WeakMap<ArrayBufferLike, number>();
let keptBytes = 0;
/** The sizes of what was taken since the last look. */
const taken = new Set<number>();

const roomFor = (bytes: number): number => {
  const step = 2 ** Math.floor(Math.log2(bytes)) / SIZES_IN_OCTAVE;
  return Math.ceil(bytes / step) * step;
};

const take = (room: number): ArrayBuffer => {
  taken.add(room);
  const memory = kept.get(room)?.pop();
  if (memory === undefined) return Buffer.allocUnsafeSlow(room).buffer;
  keptBytes -= room;
  return memory;
};

const keep = (memory: ArrayBuffer): void => {
  const room = memory.byteLength;
  if (keptBytes + room > KEPT_BYTES) {
    memory.transfer(0);
    return;
  }
  const same = kept.get(room);
  if (same) same.push(memory);
  else kept.set(room, [memory]);
  keptBytes += room;
};

/** Called again and again: lets go of memory of sizes that were not taken since the call before. */
export const letGoUnused = (): void => {
  for (const [room, same] of kept)
    if (!taken.has(room)) {
      for (const memory of same) memory.transfer(0);
      keptBytes -= room * same.length;
      kept.delete(room);
    }
  taken.clear();
};

/** Memory of their own, with what others have left in it. Their last user calls `freeNow`; else the garbage collector finds them. */
export const largeOctets = (bytes: number): Buffer<ArrayBuffer> => {
  if (bytes < LARGE_BYTES) return Buffer.allocUnsafeSlow(bytes);
  return lend(take(roomFor(bytes)), bytes);
};

/** Large octets that were on another thread meanwhile: so many at the beginning of `memory`. */
export const lend = (memory: ArrayBuffer, bytes: number): Buffer<ArrayBuffer> => {
  lent.set(memory, bytes);
  return Buffer.from(memory, 0, bytes);
};

/** The part of large octets that alone is used from now on: `freeNow` of it frees all of them. */
export const usedOf = (octets: Buffer<ArrayBuffer>, start: number, end: number): Buffer<ArrayBuffer> => {
  if (lent.has(octets.buffer)) lent.set(octets.buffer, end - start);
  return octets.subarray(start, end);
};

/**
 * Frees the memory of large octets at once, and leaves them empty, with all views of them: none may be in use. Does nothing where they
 * are small or a part of something.
 */
export const freeNow = ({ buffer, byteLength }: Uint8Array): void => {
  if (byteLength < LARGE_BYTES || !(buffer instanceof ArrayBuffer)) return;
  if (byteLength === lent.get(buffer)) keep(buffer.transfer());
  else if (byteLength === buffer.byteLength && !lent.has(buffer)) buffer.transfer(0);
};
