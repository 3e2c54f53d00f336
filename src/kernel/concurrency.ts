// How much work runs at the same time. One process holds the data, so memory is enough for these bounds.
import type { Text } from '#src/kernel/say.ts';
import { AppError } from './errors.ts';

/** Runs `work` after all work that was given under that key before; resolves and rejects as `work` does. */
export type KeyedQueue = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/**
 * One at a time for each key. Changes that are written to two files must not mix with each other, because the two
 * files do not commit together: a removal would undo the invitation that follows it.
 */
export const createKeyedQueue = (): KeyedQueue => {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key);
    const running = before === undefined ? work() : before.then(work);
    const settled = running.then(
      () => undefined,
      () => undefined,
    );
    last.set(key, settled);
    try {
      return await running;
    } finally {
      if (last.get(key) === settled) last.delete(key);
    }
  };
};

/** Runs at most `most` works at once; the others wait in their order. */
export const limitConcurrency = (most: number): (<T>(work: () => Promise<T>) => Promise<T>) => {
  const waiting: (() => void)[] = [];
  let free = most;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
};

/** Running work ends by itself within seconds. */
const RETRY_AFTER_SECONDS = 5;

/** Runs `work`, or throws `rate_limited` where the key has as much work running as it may. */
export type KeyedConcurrency = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** At most `most` works at once for each key, which does not wait. `refusal` says what was asked for too often. */
export const limitKeyedConcurrency = (most: number, refusal: Text): KeyedConcurrency => {
  const running = new Map<string, number>();
  return async (key, work) => {
    const before = running.get(key) ?? 0;
    if (before >= most)
      throw new AppError('rate_limited', refusal, { extra: { retry_after: RETRY_AFTER_SECONDS } });
    running.set(key, before + 1);
    try {
      return await work();
    } finally {
      const left = (running.get(key) ?? 1) - 1;
      if (left === 0) running.delete(key);
      else running.set(key, left);
    }
  };
};
