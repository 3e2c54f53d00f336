// Bytes that come in pieces, joined as they come: a piece may hold one byte, a hundred times less than its buffer takes, and to
// join all at the end takes twice their size.

export interface Gathered {
  add(piece: Buffer): void;
  bytes(): Buffer<ArrayBuffer>;
  /** Frees the memory at once: the garbage collector is late for what is outside of its heap. No view of it may be in use. */
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
