// Bytes that come in pieces, joined as they come: a piece may hold one byte, a hundred times less than its buffer takes, and to
// join all at the end takes twice their size.

/** Smaller ones may be parts of memory that others have parts of, and are collected soon enough. */
const LARGE_BYTES = 32_768;

/**
 * Frees the memory of large octets at once, and leaves them empty: the garbage collector is late for what is outside of its heap, and
 * looks through all of that heap whenever 64 MB of it have come together. No view of them may be in use.
 */
export const freeNow = ({ buffer, byteLength }: Uint8Array): void => {
  if (byteLength >= LARGE_BYTES && byteLength === buffer.byteLength && buffer instanceof ArrayBuffer)
    buffer.transfer(0);
};

export interface Gathered {
  add(piece: Buffer): void;
  bytes(): Buffer<ArrayBuffer>;
  /** Frees the memory at once. No view of it may be in use. */
  free(): void;
}

/** `room`: how many bytes are expected. What is not filled of it takes no memory. */
export const gather = (room: number): Gathered => {
  let memory = Buffer.allocUnsafeSlow(room);
  let length = 0;
  return {
    add: (piece) => {
      if (length + piece.length > memory.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(length + piece.length, 2 * memory.length));
        memory.copy(larger);
        freeNow(memory);
        memory = larger;
      }
      piece.copy(memory, length);
      length += piece.length;
    },
    bytes: () => memory.subarray(0, length),
    free: () => {
      memory.buffer.transfer(0);
      memory = Buffer.alloc(0);
      length = 0;
    },
  };
};
