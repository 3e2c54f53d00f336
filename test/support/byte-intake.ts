// What a test server has received and not read yet: bytes in, pieces out up to a terminator, in the order of asking.

export interface ByteIntake {
  /** Ignored once ended. */
  add(chunk: Buffer): void;
  /** Nothing more will come; what is there can still be read. */
  end(): void;
  /** Nothing more will come, and what is there is thrown away. */
  discard(): void;
  /** Bytes received and not read. */
  waiting(): number;
  /** The bytes before `terminator`, which is taken off with them; null where the end came first. */
  readUntil(terminator: string): Promise<Buffer | null>;
  /** Whether the next bytes are `expected`, which are then taken off. False at the end, too. */
  takeIf(expected: string): Promise<boolean>;
  /** Reads and throws away until the end. */
  drain(): Promise<void>;
}

export const createByteIntake = (): ByteIntake => {
  let unread: Buffer = Buffer.alloc(0);
  /** What `unread` is the end of; grown by doubling, never overwritten, so that slices of it stay what they are. */
  let store = unread;
  let stored = 0;
  let ended = false;
  let wake = (): void => {};
  const more = async (): Promise<boolean> => {
    if (ended) return false;
    const before = unread.length;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
    return unread.length > before;
  };

  return {
    add: (chunk) => {
      if (ended) return;
      const before = unread.length;
      if (store.length - stored < chunk.length) {
        store = Buffer.allocUnsafe(2 * (before + chunk.length));
        unread.copy(store);
        stored = before;
      }
      chunk.copy(store, stored);
      stored += chunk.length;
      unread = store.subarray(stored - before - chunk.length, stored);
      wake();
    },
    end: () => {
      ended = true;
      wake();
    },
    discard: () => {
      ended = true;
      unread = Buffer.alloc(0);
      wake();
    },
    waiting: () => unread.length,
    readUntil: async (terminator) => {
      let from = 0;
      for (;;) {
        const position = unread.indexOf(terminator, from);
        if (position >= 0) {
          const bytes = unread.subarray(0, position);
          unread = unread.subarray(position + terminator.length);
          return bytes;
        }
        from = Math.max(0, unread.length - terminator.length);
        if (!(await more())) return null;
      }
    },
    takeIf: async (expected) => {
      while (unread.length < expected.length) if (!(await more())) return false;
      if (unread.subarray(0, expected.length).toString('latin1') !== expected) return false;
      unread = unread.subarray(expected.length);
      return true;
    },
    drain: async () => {
      do unread = Buffer.alloc(0);
      while (await more());
    },
  };
};
