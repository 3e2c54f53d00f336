// One at a time for each key: what is written to two files that do not commit together must not interleave with the like
// of it (a removal would undo the invitation that follows it). One process holds the data, so memory is enough.

/** Runs `work` after all that was handed in under that key before; resolves and rejects as it does. */
export type Turns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export const createTurns = (): Turns => {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key);
    const turn = before === undefined ? work() : before.then(work);
    const settled = turn.then(
      () => undefined,
      () => undefined,
    );
    last.set(key, settled);
    try {
      return await turn;
    } finally {
      if (last.get(key) === settled) last.delete(key);
    }
  };
};
