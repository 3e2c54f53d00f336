// One at a time for each tenant: who joins and who leaves is written to two files that do not commit together, and two
// such changes must not interleave (a removal would undo the invitation that follows it). One process holds the data,
// so memory is enough.

/** Runs `work` after all that was handed in under that key before; resolves and rejects as it does. */
export type Turns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export const createTurns = (): Turns => {
  const last = new Map<string, Promise<unknown>>();
  return async (tenantId, work) => {
    const before = last.get(tenantId);
    const turn = before === undefined ? work() : before.then(work);
    const settled = turn.then(
      () => undefined,
      () => undefined,
    );
    last.set(tenantId, settled);
    try {
      return await turn;
    } finally {
      if (last.get(tenantId) === settled) last.delete(tenantId);
    }
  };
};
