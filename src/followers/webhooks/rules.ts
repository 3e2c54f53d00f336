// What becomes of a delivery, and of its webhook. 2xx is success. Anything else is tried again by a schedule that begins with
// each replay, for as long as it has times; 410 says that the receiver is gone, and ends it at once; so does 403 where a mail was
// received, which the receiver does not want: that says nothing about the webhook. A webhook that has
// failed for long without a success in between is disabled: what happens then is kept as failed, to be replayed. Pure.
import { createHash } from 'node:crypto';
import { isSuccess } from '#src/kernel/outbound/outbound.ts';
import { DAY, jitter, MINUTE } from '#src/kernel/time.ts';

export interface WebhookPolicy {
  /** The waits before the second, third, ... attempt, ms; a delivery has failed after the attempt that follows the last of them. */
  readonly waits: readonly number[];
  /** Share by which each wait is spread. */
  readonly jitter: number;
  /** ms from the first failure without a success since. */
  readonly disableAfter: number;
}

/** Kept with deliveries, for the practice. */
export const errorWords = {
  disabled: 'the webhook was disabled',
  eventRemoved: 'the event, or its mail, is no longer kept',
  unknownEnd: 'the service stopped before the answer came',
} as const;

/** A receiver may ask to be left alone; after that time it is tried all the same. */
const LONGEST_HOLD_MS = DAY;

/**
 * When an attempt whose end stays unknown, because the process died, counts as failed, where the schedule has no more times. Longer than any exchange.
 */
const UNKNOWN_END_MS = 5 * MINUTE;

/** No delivery waits longer; one whose time is further away got it from a clock that has been set back since. */
export const longestWait = ({ waits, jitter: share }: WebhookPolicy): number =>
  Math.max(LONGEST_HOLD_MS, UNKNOWN_END_MS, Math.ceil(Math.max(...waits) * (1 + share)));

/** When a test that was in flight when the process died counts as failed. */
export const testEndsAt = (now: number): number => now + UNKNOWN_END_MS;

/** Attempts since the last replay. */
export const attemptsOf = (row: { readonly attempts: number; readonly attempts_before: number }): number =>
  row.attempts - row.attempts_before;

/** Whether no attempt comes after that number. */
export const isLast = ({ waits }: WebhookPolicy, attempts: number): boolean => attempts > waits.length;

/**
 * Whether an attempt of that number is one too many. Where the end of the last one is unknown one more is made, so that a
 * crash loses nothing; a second crash ends it.
 */
export const isTooMany = ({ waits }: WebhookPolicy, attempts: number): boolean => attempts > waits.length + 2;

/** When the attempt after number `attempts` (from 1) is made. `random` in [0, 1). */
export const nextAttemptAt = (
  { waits, jitter: share }: WebhookPolicy,
  attempts: number,
  now: number,
  random: number,
): number => {
  // The delivery was replayed while it was in flight: it has had no attempt of the new schedule.
  if (attempts < 1) return now;
  const wait = waits[attempts - 1];
  return now + (wait === undefined ? UNKNOWN_END_MS : jitter(wait, share, random));
};

/** The outcome of one exchange, as `kernel/outbound` reports it. */
export type Outcome =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter: number | null }
  | { readonly kind: 'failed'; readonly error: string };

export type Verdict = 'delivered' | 'gone' | 'failed' | 'rejected' | { readonly retryAt: number };

/** The receiver is well and does not want the mail. */
export const isRejection = (event: string, outcome: Outcome): boolean =>
  event === 'inbound.received' && outcome.kind === 'answered' && outcome.status === 403;

/** `attempts` since the last replay, with this one. */
export const verdictOf = (
  outcome: Outcome,
  attempts: number,
  {
    event,
    policy,
    now,
    random,
  }: {
    readonly event: string;
    readonly policy: WebhookPolicy;
    readonly now: number;
    readonly random: number;
  },
): Verdict => {
  if (isSuccess(outcome)) return 'delivered';
  const answer = outcome.kind === 'answered' ? outcome : null;
  if (answer?.status === 410) return 'gone';
  if (isRejection(event, outcome)) return 'rejected';
  if (isLast(policy, attempts)) return 'failed';
  const hold = Math.min(answer?.retryAfter ?? 0, LONGEST_HOLD_MS);
  return { retryAt: Math.max(nextAttemptAt(policy, attempts, now, random), now + hold) };
};

/** Why a failure that comes now disables; null where it does not. `since`: of the first failure without a success since. */
export const disablingOf = (
  verdict: Verdict,
  since: number,
  now: number,
  { disableAfter }: WebhookPolicy,
): 'gone' | 'failing' | null => {
  if (verdict === 'gone') return 'gone';
  const isFailure = verdict !== 'delivered' && verdict !== 'rejected';
  return isFailure && now - since >= disableAfter ? 'failing' : null;
};

/** A test waits behind no other delivery. */
export const TEST_ORDER_KEY = 0;

/** Enough that addresses seldom share one by chance, and little enough for an exact number. */
const KEY_BYTES = 6;

/**
 * Deliveries with one key go one after the other: those of a message, whose numbers begin at 1, and those of suppressions of one
 * address, as a number below 0.
 */
export const orderKeyOf = ({
  message_seq,
  data_json,
  id,
}: {
  readonly message_seq: number;
  readonly data_json: string | null;
  readonly id: string;
}): number => {
  if (message_seq > 0) return message_seq;
  const { suppression } = JSON.parse(data_json ?? '{}');
  const about = suppression?.address ?? suppression?.id ?? id;
  return -1 - createHash('sha256').update(about).digest().readUIntBE(0, KEY_BYTES);
};
