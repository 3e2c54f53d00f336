// What the attempts at a target say about it, and for how long it is left alone. It is kept in memory only: after a start each
// target has its first attempt to show how it is. Pure.
import { HOUR, MINUTE, SECOND } from '#src/kernel/time.ts';

/** What an attempt says about its target. */
export interface AttemptResult {
  readonly isSuccess: boolean;
  /** The time for the attempt ran out. */
  readonly timedOut?: boolean;
  /** ms that the target asks to be left alone. */
  readonly retryAfter?: number;
}

export interface TargetHealth {
  /** The last attempt succeeded. */
  readonly good: boolean;
  /** The target keeps attempts waiting, or nothing is known about it yet: all slow targets share a part of the places. */
  readonly slow: boolean;
  /** The failures came in a row. */
  readonly failures: number;
  /** No attempt is made before then, ms since the epoch. */
  readonly heldUntil: number;
}

export const unknownHealth: TargetHealth = { good: false, slow: true, failures: 0, heldUntil: 0 };

/** An attempt that takes longer costs the others their places. */
const SLOW_MS = 2 * SECOND;
/** A target may ask for a longer time, but it may also change its mind. */
const MAX_HOLD_MS = HOUR;
const FIRST_PAUSE_MS = SECOND;
const LAST_PAUSE_MS = MINUTE;
const FAILURES_BEFORE_GIVING_BACK = 3;

const pauseAfter = (failures: number, pausesFrom: number): number =>
  failures < pausesFrom ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - pausesFrom), LAST_PAUSE_MS);

/** `took`: ms. `pausesFrom`: from that failure in a row on the target pauses after each, for 1 s at first and 1 min at most. */
export const healthAfter = (
  { failures: before }: TargetHealth,
  { isSuccess, timedOut = false, retryAfter = 0 }: AttemptResult,
  took: number,
  now: number,
  pausesFrom: number,
): TargetHealth => {
  const slow = took >= SLOW_MS || timedOut;
  if (isSuccess) return { good: true, slow, failures: 0, heldUntil: 0 };
  const failures = before + 1;
  const hold = Math.max(Math.min(retryAfter, MAX_HOLD_MS), pauseAfter(failures, pausesFrom));
  return { good: false, slow, failures, heldUntil: hold === 0 ? 0 : now + hold };
};

/** A clock that was set back does not hold the target for longer. */
export const isHeld = ({ heldUntil }: TargetHealth, now: number): boolean =>
  now < heldUntil && heldUntil - now <= MAX_HOLD_MS;

/** Whether what was claimed for the target and is not sent yet would only meet the same fault. */
export const isFailing = (health: TargetHealth, now: number): boolean =>
  isHeld(health, now) || health.failures >= FAILURES_BEFORE_GIVING_BACK;
