// Days and months as counters and caps use them: UTC, whatever the zone of a practice; and the shares of a cap. Pure.
import { DAY, toIso } from '#src/kernel/time.ts';

export interface Month {
  /** `2026-11` */
  readonly name: string;
  readonly nextFirstDay: number;
}

/** Days since the epoch. */
export const utcDay = (milliseconds: number): number => Math.floor(milliseconds / DAY);

/** `2026-11-28` for a day as `utcDay` counts them. */
export const dayName = (day: number): string => toIso(day * DAY).slice(0, 10);

/** Every message asks, mostly for the same month. */
let last: { readonly firstDay: number; readonly month: Month } = {
  firstDay: 0,
  month: { name: '', nextFirstDay: 0 },
};

/** The month of that moment; its end as `utcDay` counts days. */
export const monthOf = (milliseconds: number): Month => {
  const day = utcDay(milliseconds);
  if (day >= last.firstDay && day < last.month.nextFirstDay) return last.month;
  const date = new Date(milliseconds);
  const firstOf = (month: number): number => utcDay(Date.UTC(date.getUTCFullYear(), month, 1));
  const month = { name: date.toISOString().slice(0, 7), nextFirstDay: firstOf(date.getUTCMonth() + 1) };
  last = { firstDay: firstOf(date.getUTCMonth()), month };
  return month;
};

/** Strangers cause these mails and decide what becomes of them: that must not be held against the practice. */
const CAUSED_BY_STRANGERS: ReadonlySet<string> = new Set(['automatic_reply', 'form']);
/** Confirmation mails of public forms are counted by their list: see audience/public/form-health.ts. */
export const isCounted = (source: string): boolean => !CAUSED_BY_STRANGERS.has(source);

/** Shares of the cap, in per cent, of which the owners are notified; rising. */
export const noticeShares = [70, 90, 100] as const;
export type NoticeShare = (typeof noticeShares)[number];

/** The highest of them that is reached; 0 where none is. */
export const reachedShare = (used: number, cap: number): NoticeShare | 0 =>
  noticeShares.findLast((share) => used * 100 >= cap * share) ?? 0;
