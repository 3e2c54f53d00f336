// Answers whose time must not tell what was done for them: they come a whole number of steps after the request.
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

/**
 * A write with its sync takes single milliseconds, a password some 50, and the mail goes to its upstream soon after: all
 * of it fits into one step, and people who sign in do not mind the wait.
 */
export const ANSWER_STEP_MS = 150;

/**
 * Does `work` and settles as it does, but only a whole number of steps after the start. On a slow disk work may take
 * longer than one step; then the time reveals only how many.
 */
export const atWholeSteps = async <T>(stepMs: number, work: () => Promise<T>): Promise<T> => {
  const started = performance.now();
  try {
    return await work();
  } finally {
    const elapsed = performance.now() - started;
    const due = started + Math.ceil(elapsed / stepMs) * stepMs;
    // Timers keep whole milliseconds: the rest of a millisecond would still reveal something.
    await sleep(Math.floor(due - performance.now()));
    while (performance.now() < due) await setImmediate();
  }
};
