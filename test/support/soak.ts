// Long tests have two lengths: `npm test` runs the short one, `npm run soak` the full one of the tests with the tag `soak`.
// What they do by chance follows from one seed; `SEED=… npm run soak` repeats a run.
import { randomInt } from 'node:crypto';
import process from 'node:process';
import { test } from 'vitest';

const isFull = process.env.SOAK === 'full';

/** What a test takes of two: counts, rows, times. */
export const soak = <T>(short: T, full: T): T => (isFull ? full : short);

/** Part of the full length only. */
export const testInFull = isFull
  ? test
  : (Object.assign(() => {}, { each: () => () => {} }) as unknown as typeof test);

/** Printed by the test that uses it. */
export const seed = Number(process.env.SEED ?? randomInt(2 ** 32));

/** mulberry32: in [0, 1), the same row for the same seed. */
export const randomFrom = (start: number): (() => number) => {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};
