// The guardrail and the rates that people see, with one arithmetic: too many hard bounces or complaints on one
// route pause its tenant. Pure, and in integers: reaching the limit is over it.
//
// A message counts once the upstream took it or refused it for good. Hard bounces are measured against all of these, complaints
// against those that have not bounced. Whether receivers report deliveries changes neither, so no rate jumps with the first
// report.
import { dayName, utcDay } from '#src/accounts/counters/rules.ts';
import type { CountedOutcome } from '#src/accounts/counters/store.ts';
import { DAY } from '#src/kernel/time.ts';

/** The counters that the guardrail reads. */
export const windowCounters = [
  'sent',
  'refused',
  'hard_bounced',
  'soft_bounced',
  'complaints',
] as const satisfies CountedOutcome[];
export type Counts = Readonly<Record<(typeof windowCounters)[number], number>>;

/** UTC days, today among them. */
export const WINDOW_DAYS = 30;
/** With fewer messages a share says nothing. */
export const MIN_MESSAGES = 20;

/** `part` of `whole` is too many. */
export interface Limit {
  readonly part: number;
  readonly whole: number;
}
export const bounceLimit: Limit = { part: 5, whole: 100 };
export const complaintLimit: Limit = { part: 1, whole: 1_000 };

export const messagesOf = ({ sent, refused }: Pick<Counts, 'sent' | 'refused'>): number => sent + refused;

/** The messages that have not bounced. */
export const deliveriesOf = (counts: Omit<Counts, 'complaints'>): number =>
  Math.max(0, messagesOf(counts) - counts.hard_bounced - counts.soft_bounced);

/** The first UTC day of the window, which is shorter after a recent resumption. */
export const windowDay = (now: number, resumedAt: number | null): number => {
  const first = utcDay(now) - WINDOW_DAYS + 1;
  return resumedAt === null ? first : Math.max(first, utcDay(resumedAt));
};
export const windowFrom = (now: number, resumedAt: number | null): number =>
  Math.max(windowDay(now, resumedAt) * DAY, resumedAt ?? 0);

/** The counts without `earlier`, which is part of them. */
export const since = (counts: Counts, earlier: Counts | undefined): Counts => ({
  sent: counts.sent - (earlier?.sent ?? 0),
  refused: counts.refused - (earlier?.refused ?? 0),
  hard_bounced: counts.hard_bounced - (earlier?.hard_bounced ?? 0),
  soft_bounced: counts.soft_bounced - (earlier?.soft_bounced ?? 0),
  complaints: counts.complaints - (earlier?.complaints ?? 0),
});

/** A limit that is reached: `count` of `whole`. */
export interface Finding {
  readonly measure: 'hard_bounces' | 'complaints';
  readonly count: number;
  readonly whole: number;
}

const isOver = (count: number, whole: number, limit: Limit): boolean =>
  count > 0 && whole > 0 && count * limit.whole >= whole * limit.part;

/** Null where no limit is reached, or too little was sent. */
export const findingOf = (counts: Counts): Finding | null => {
  const messages = messagesOf(counts);
  const { hard_bounced, complaints } = counts;
  if (messages < MIN_MESSAGES) return null;
  if (isOver(hard_bounced, messages, bounceLimit))
    return { measure: 'hard_bounces', count: hard_bounced, whole: messages };
  const deliveries = deliveriesOf(counts);
  if (isOver(complaints, deliveries, complaintLimit))
    return { measure: 'complaints', count: complaints, whole: deliveries };
  return null;
};

/**
 * The UTC day from which on a counted mail makes the guardrail look again; null: not before the next hard bounce or
 * complaint. Each further mail only lowers the shares, except the one that reaches `MIN_MESSAGES` and the first one of a
 * day, when an older day leaves the window. Soft bounces raise the share of complaints: on a watched route each is looked at.
 */
export const lookAgainOn = (counts: Counts, today: number): number | null => {
  if (counts.hard_bounced <= 0 && counts.complaints <= 0) return null;
  return messagesOf(counts) < MIN_MESSAGES || deliveriesOf(counts) <= 0 ? today : today + 1;
};

/** The share, at most 1: bounces and complaints in the window may be about mail from before it. */
export const rate = (part: number, whole: number): number | null =>
  whole <= 0 ? null : Math.min(1, part / whole);

/** How many more make the guardrail pause if nothing else is sent; 0 where the limit is reached. */
const left = (count: number, whole: number, { part, whole: of }: Limit): number =>
  Math.max(0, Math.max(1, Math.ceil((whole * part) / of)) - count);

/** `watch`: half of a limit is reached, or will be by the first mails. */
export type Nearness = 'ok' | 'watch';

const isHalfWay = (count: number, whole: number, limit: Limit): boolean => isOver(2 * count, whole, limit);

export const nearnessOf = (
  counts: Counts,
): { readonly nearness: Nearness; readonly hardBouncesLeft: number; readonly complaintsLeft: number } => {
  const messages = Math.max(messagesOf(counts), MIN_MESSAGES);
  const deliveries = Math.max(deliveriesOf(counts), MIN_MESSAGES);
  const { hard_bounced, complaints } = counts;
  const near =
    isHalfWay(hard_bounced, messages, bounceLimit) || isHalfWay(complaints, deliveries, complaintLimit);
  return {
    nearness: near ? 'watch' : 'ok',
    hardBouncesLeft: left(hard_bounced, messages, bounceLimit),
    complaintsLeft: left(complaints, deliveries, complaintLimit),
  };
};

/** `5%`, `5.08%`, `0.1%` */
export const percent = (count: number, whole: number): string =>
  `${Number(((count / whole) * 100).toFixed(2))}%`;

const counted = (count: number): string => count.toLocaleString('en-GB');

/** The reason of the pause, for people. `from`: start of the counted time, ms. */
export const reasonOf = ({ measure, count, whole }: Finding, routeSlug: string, from: number): string => {
  const { part, whole: of } = measure === 'hard_bounces' ? bounceLimit : complaintLimit;
  const what = measure === 'hard_bounces' ? 'Hard bounces' : 'Complaints';
  const mails = measure === 'hard_bounces' ? 'messages' : 'messages that did not bounce';
  const day = dayName(utcDay(from));
  return `${what} on the route ${routeSlug}: ${counted(count)} of ${counted(whole)} ${mails} since ${day} (${percent(count, whole)}). The limit is ${percent(part, of)}.`;
};
