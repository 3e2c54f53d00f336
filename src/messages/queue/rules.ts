// When a recipient is tried again (RFC 5321 §4.5.4.1). Two things are kept apart: the message's own deferrals (a 4xx
// to it), which follow this table until it gives up, and an upstream that cannot be reached, which is no fault of the
// message: that costs it no attempt and no patience.

import type { Lane } from '#src/kernel/stream.ts';
import { jitter } from '#src/kernel/time.ts';

export interface RetryPolicy {
  /** Waits after the first, second, ... attempt, ms; the last of all is `thenEvery`. */
  readonly waits: readonly number[];
  readonly thenEvery: number;
  /** Share by which each wait is spread, so that what failed together does not return together. */
  readonly jitter: number;
  /** How long after acceptance it is tried, ms, by lane. */
  readonly giveUpAfter: Readonly<Record<Lane, number>>;
}

/** Wait after attempt number `attempts` (from 1), ms. `random` in [0, 1). */
export const retryWait = (policy: RetryPolicy, attempts: number, random: number): number =>
  jitter(policy.waits[attempts - 1] ?? policy.thenEvery, policy.jitter, random);

/** Whether an attempt that was just deferred was the last: the next would come after the patience has ended. */
export const givesUp = (policy: RetryPolicy, lane: Lane, queuedAt: number, nextAttemptAt: number): boolean =>
  nextAttemptAt - queuedAt > policy.giveUpAfter[lane];
