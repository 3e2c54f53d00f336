// Answers whose time tells nothing about the work behind them.
import { setImmediate } from 'node:timers/promises';
import { sleep } from '#src/kernel/time.ts';

/**
 * A write with its sync takes single milliseconds, a password some 50, and the mail is on its way to its upstream soon
 * after: all of it lies inside, and nobody who signs in minds the wait.
 */
export const ANSWER_STEP_MS = 150;

/**
 * Does `work` and settles as it does, but only a whole number of steps after the start: work that takes longer than
 * one on a slow disk still tells no more than how many.
 */
export const atWholeSteps = async <T>(stepMs: number, work: () => Promise<T>): Promise<T> => {
  const started = performance.now();
  try {
    return await work();
  } finally {
    const elapsed = performance.now() - started;
    const due = started + Math.ceil(elapsed / stepMs) * stepMs;
    // Timers keep whole milliseconds: the rest would still tell.
    await sleep(Math.floor(due - performance.now()));
    while (performance.now() < due) await setImmediate();
  }
};
