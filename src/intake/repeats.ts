// Requests under one idempotency key go one after the other: the first does the work, those that came meanwhile answer
// with what it left. Who has waited too long is told that the first is still running, and does nothing.

import { createKeyedQueue } from '#src/kernel/concurrency.ts';
import { AppError } from '#src/kernel/errors.ts';
import { SECOND } from '#src/kernel/time.ts';

const PATIENCE_MS = 30 * SECOND;

export interface Repeats {
  /** `scope` is the tenant; a null key waits for nobody. Rejects with `idempotency_in_progress`. */
  inTurn<T>(scope: string, key: string | null, work: () => Promise<T>): Promise<T>;
}

const inProgress = (): AppError =>
  new AppError('idempotency_in_progress', 'The first request with this idempotency key is still running.');

export const createRepeats = (patienceMs: number = PATIENCE_MS): Repeats => {
  const turns = createKeyedQueue();
  return {
    inTurn: async (scope, key, work) => {
      if (key === null) return work();
      const { promise: begun, resolve: begin } = Promise.withResolvers<boolean>();
      let gaveUp = false;
      const patience = setTimeout(() => begin(false), patienceMs);
      const turn = turns(`${scope} ${key}`, async () => {
        if (gaveUp) throw inProgress();
        begin(true);
        return work();
      });
      turn.catch(() => undefined);
      const hasBegun = await begun;
      clearTimeout(patience);
      if (hasBegun) return turn;
      gaveUp = true;
      throw inProgress();
    },
  };
};
