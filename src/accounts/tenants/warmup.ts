// The warm-up of a sending domain (decisions 7): how many mails a day each stream may send while receivers get to know
// it. Pure.
import { utcDay } from '#src/accounts/counters/rules.ts';

/** Mails per stream on day 1, day 2, ...; no cap after the last. */
export const warmupCaps: readonly number[] = [
  150, 250, 400, 700, 1_000, 1_500, 2_000, 3_500, 5_000, 7_500, 10_000, 20_000, 40_000, 70_000, 100_000,
];

/** UTC days since the first verification, which was on day 1. */
export const warmupDay = (startedAt: number, now: number): number =>
  Math.max(1, utcDay(now) - utcDay(startedAt) + 1);
