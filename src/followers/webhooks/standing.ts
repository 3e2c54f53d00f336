// What an attempt says of the receiver behind a webhook, and what that receiver is trusted with from then on. Nothing of it
// stands in a file: after a start each receiver has its first attempt to show what it is. Pure.
import { isSuccess, type OutboundOutcome } from '#src/kernel/outbound/outbound.ts';
import { HOUR, MINUTE, SECOND } from '#src/kernel/time.ts';

export interface Standing {
  /** The last attempt succeeded. */
  readonly good: boolean;
  /** Keeps a request waiting for long, or nobody knows: all of these together have a share of the places. */
  readonly slow: boolean;
  /** In a row. */
  readonly failures: number;
  /** Nothing is sent before then, ms since the epoch. */
  readonly heldUntil: number;
}

export const unknownStanding: Standing = { good: false, slow: true, failures: 0, heldUntil: 0 };

/** Answers that come later cost others their places. */
const SLOW_MS = 2 * SECOND;
/** However long a receiver asks to be spared: it may have thought better of it. */
const MAX_HOLD_MS = HOUR;
/** From so many failures in a row on the webhook pauses: a backlog is not tried piece by piece at a receiver that is gone. */
const FAILURES_BEFORE_PAUSE = 10;
const FIRST_PAUSE_MS = SECOND;
const LAST_PAUSE_MS = MINUTE;

const pauseAfter = (failures: number): number =>
  failures < FAILURES_BEFORE_PAUSE
    ? 0
    : Math.min(FIRST_PAUSE_MS * 2 ** (failures - FAILURES_BEFORE_PAUSE), LAST_PAUSE_MS);

/** `took`: ms. */
export const standingAfter = (
  before: Standing,
  outcome: OutboundOutcome,
  took: number,
  now: number,
): Standing => {
  const slow = took >= SLOW_MS || (outcome.kind === 'failed' && outcome.timedOut);
  if (isSuccess(outcome)) return { good: true, slow, failures: 0, heldUntil: 0 };
  const asked = outcome.kind === 'answered' ? (outcome.retryAfter ?? 0) : 0;
  const failures = before.failures + 1;
  const hold = Math.max(Math.min(asked, MAX_HOLD_MS), pauseAfter(failures));
  return { good: false, slow, failures, heldUntil: hold === 0 ? 0 : now + hold };
};

/** A clock that was set back does not hold it for longer. */
export const isHeld = ({ heldUntil }: Standing, now: number): boolean =>
  now < heldUntil && heldUntil - now <= MAX_HOLD_MS;

/** Requests at a time. */
export const placesOf = ({ good }: Standing): number => (good ? 4 : 1);

/** Deliveries claimed at a time, those under way included: what is claimed and then not sent has to be given back. */
export const claimsOf = ({ good, slow }: Standing): number => {
  if (!good) return 1;
  return slow ? 4 : 32;
};

/** Whether what has been claimed for it is given back, but for the next: the receiver is gone, or asked to be spared. */
const FAILURES_BEFORE_GIVING_BACK = 3;
export const givesBack = (standing: Standing, now: number): boolean =>
  isHeld(standing, now) || standing.failures >= FAILURES_BEFORE_GIVING_BACK;
