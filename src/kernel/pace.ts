// The pace of work in the background: after each piece it rests. Work that has the whole night rests for longer than the piece took,
// so requests have the disk and the event loop for most of the time, and for more of it the busier both are.
import { SECOND, sleep } from './time.ts';

/** Resolves with what the work resolves with, after the rest. */
export type Pace = <T>(work: () => Promise<T>) => Promise<T>;

interface Rests {
  /** The rest is this many times as long as the work. */
  readonly times: number;
  readonly longestMs: number;
}
/** A quarter of the time. */
const NIGHTLY: Rests = { times: 3, longestMs: SECOND };
/**
 * For work that someone waits for, in pieces of some milliseconds: others have their turns in between. Rests are short, because a
 * piece counts as long where it was others that it waited for.
 */
export const WATCHED: Rests = { times: 0.25, longestMs: 5 };
/** A timer takes no less; shorter ones add up until then. */
const SHORTEST_REST_MS = 2;

/** Rests end at once when `signal` aborts. Work may be made of works at the same pace: no part of it is rested after twice. */
export const createPace = (
  signal: AbortSignal,
  { times, longestMs }: Rests = NIGHTLY,
  { now, rest }: { readonly now: () => number; readonly rest: typeof sleep } = {
    now: () => performance.now(),
    rest: sleep,
  },
): Pace => {
  /** How much has been worked that no rest has followed yet. */
  let unrested = 0;
  /** Until when it is counted. */
  let counted = 0;
  let depth = 0;
  const count = (): void => {
    const present = now();
    if (depth > 0) unrested += present - counted;
    counted = present;
  };
  return async (work) => {
    count();
    depth += 1;
    try {
      return await work();
    } finally {
      count();
      depth -= 1;
      const due = times * unrested;
      if (due >= SHORTEST_REST_MS) {
        unrested = 0;
        await rest(Math.min(due, longestMs), signal);
        counted = now();
      }
    }
  };
};
