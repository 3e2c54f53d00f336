// When a recipient is tried again (RFC 5321 §4.5.4.1). Two cases are kept apart: the message's own deferrals (a 4xx), which
// follow this table until the message is given up; and an upstream that cannot be reached, which is not the message's fault and
// costs it no attempt.

import type { Lane } from '#src/kernel/stream.ts';
import { jitter } from '#src/kernel/time.ts';

export interface RetryPolicy {
  /** Waits after the first, second, ... attempt, ms; the last of all is `thenEvery`. */
  readonly waits: readonly number[];
  readonly thenEvery: number;
  /** Share by which each wait is spread, so that messages that failed together do not return together. */
  readonly jitter: number;
  /** How long after acceptance it is tried, ms, by lane. */
  readonly giveUpAfter: Readonly<Record<Lane, number>>;
}

/** Wait after attempt number `attempts` (from 1), ms. `random` in [0, 1). */
export const retryWait = (policy: RetryPolicy, attempts: number, random: number): number =>
  jitter(policy.waits[attempts - 1] ?? policy.thenEvery, policy.jitter, random);

/** Whether a deferred attempt was the last one, because the next would come after `giveUpAfter`. */
export const givesUp = (policy: RetryPolicy, lane: Lane, queuedAt: number, nextAttemptAt: number): boolean =>
  nextAttemptAt - queuedAt > policy.giveUpAfter[lane];
