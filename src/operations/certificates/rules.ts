// When a certificate is asked for, and how long is waited after a failure, so that no limit of an authority is met. Pure.
import { DAY, HOUR, MINUTE } from '#src/kernel/time.ts';

/** Times of validity, ms. */
export interface Validity {
  readonly from: number;
  readonly to: number;
}

/** A third of the time is left for failures. */
const RENEWED = 2 / 3;
/** Renewals of certificates that were made together are spread over so much of their time: three days of ninety. */
const SPREAD = 1 / 30;

/** `random` is at least 0 and less than 1. */
export const renewAtOf = ({ from, to }: Validity, random: number): number =>
  Math.round(from + (to - from) * (RENEWED - random * SPREAD));

const WARNED_MS = 21 * DAY;
/** Certificates of a few days would be warned of all the time. */
const WARNED_SHARE = 1 / 4;

/** From then on it should have been renewed long ago. */
export const warnAtOf = ({ from, to }: Validity): number =>
  to - Math.min(WARNED_MS, (to - from) * WARNED_SHARE);

/**
 * What failed: our own look at the DNS; the way to the authority; what the authority found wrong; its limits.
 */
export type FailureKind = 'pointing' | 'unreachable' | 'refused' | 'limited';

const waits: Readonly<Record<FailureKind, { readonly first: number; readonly longest: number }>> = {
  // Nobody else is asked.
  pointing: { first: 5 * MINUTE, longest: HOUR },
  unreachable: { first: 15 * MINUTE, longest: 6 * HOUR },
  // Let's Encrypt takes five failed checks of a name an hour.
  refused: { first: HOUR, longest: DAY },
  limited: { first: HOUR, longest: DAY },
};
const JITTER = 0.2;

/** ms until the next attempt after so many failures in a row, at least what the authority asks for (Retry-After). */
export const waitAfter = (
  kind: FailureKind,
  failures: number,
  retryAfterMs: number,
  random: number,
): number => {
  const { first, longest } = waits[kind];
  const wait = Math.min(longest, first * 2 ** Math.min(failures - 1, 20));
  return Math.round(Math.max(wait, retryAfterMs) * (1 + JITTER * random));
};

/** A reload asks again at once what was not asked for so long: the operator has mended something. */
export const RELOAD_PAUSE_MS = 15 * MINUTE;

export interface PastOrder {
  readonly at: number;
  readonly name: string;
  /** The registered domain of a name that had no certificate before and is not the service's own; null for others. */
  readonly first: string | null;
}

/** Orders are remembered so long. */
export const REMEMBERED_MS = 7 * DAY;
/** Let's Encrypt gives the same names five certificates a week. */
const ORDERS_OF_A_NAME_A_DAY = 4;
/** Let's Encrypt takes 300 orders of an account in three hours. */
const ORDERS_A_DAY = 200;

/** When the name may be ordered: `now`, or later where a bound is reached. */
export const mayOrderAt = (
  orders: readonly PastOrder[],
  next: Omit<PastOrder, 'at'>,
  firstsPerWeek: number,
  now: number,
): number => {
  /** The bound is free again when the oldest of the last `most` orders is older than `within`. */
  const freeAt = (counted: readonly PastOrder[], most: number, within: number): number => {
    const recent = counted.filter(({ at }) => at > now - within).sort((a, b) => a.at - b.at);
    const oldest = recent[recent.length - most];
    return oldest === undefined ? now : oldest.at + within;
  };
  return Math.max(
    freeAt(orders, ORDERS_A_DAY, DAY),
    freeAt(
      orders.filter(({ name }) => name === next.name),
      ORDERS_OF_A_NAME_A_DAY,
      DAY,
    ),
    next.first === null
      ? now
      : freeAt(
          orders.filter(({ first }) => first === next.first),
          firstsPerWeek,
          REMEMBERED_MS,
        ),
  );
};
