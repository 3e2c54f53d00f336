// Bytes that come in pieces, joined as they come: a piece may hold one byte, a hundred times less than its buffer takes, and to
// join all at the end takes twice their size.

import { freeNow, largeOctets, usedOf } from './large-octets.ts';

export interface Gathered {
  add(piece: Buffer): void;
  /** All of them; `freeNow` of it frees the memory. */
  bytes(): Buffer<ArrayBuffer>;
  /** Frees the memory at once. No view of it may be in use. */
  free(): void;
}

/** `room`: how many bytes are expected. What is not filled of it takes no memory, unless others had it before. */
export const gather = (room: number): Gathered => {
  let memory = largeOctets(room);
  let length = 0;
  return {
    add: (piece) => {
      if (length + piece.length > memory.length) {
        const larger = largeOctets(Math.max(length + piece.length, 2 * memory.length));
        memory.copy(larger);
        freeNow(memory);
        memory = larger;
      }
      piece.copy(memory, length);
      length += piece.length;
    },
    bytes: () => usedOf(memory, 0, length),
    free: () => {
      freeNow(usedOf(memory, 0, memory.length));
      memory = Buffer.alloc(0);
      length = 0;
    },
  };
};
