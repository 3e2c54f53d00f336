// Token bucket for a rate of messages a second, kept as the time at which the bucket will be full again. No timers;
// `now` is passed in.
import { SECOND } from '#src/kernel/time.ts';

/** Share of a second's messages that may go at once after a pause: providers count by the second. */
const BURST_SHARE = 0.1;

export interface TokenBucket {
  /** Whether one may go now; takes its token then. */
  take(now: number): boolean;
  /** Milliseconds until one may go. */
  wait(now: number): number;
}

export const createTokenBucket = (perSecond: number): TokenBucket => {
  const interval = SECOND / perSecond;
  const tolerance = (Math.max(1, perSecond * BURST_SHARE) - 1) * interval;
  let fullAt = Number.NEGATIVE_INFINITY;
  const wait = (now: number): number => Math.max(0, Math.ceil(fullAt - tolerance - now));
  return {
    wait,
    take: (now) => {
      if (now < fullAt - tolerance) return false;
      fullAt = Math.max(fullAt, now) + interval;
      return true;
    },
  };
};
