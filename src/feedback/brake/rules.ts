// The outbreak brake: an API token that leaves its own usual range is slowed, because it may be in a stranger's hands. Pure.
//
// Usual is the second-highest UTC day and hour of the last 28 days: one odd day does not widen it, and a slow climb takes two days
// for each step. Days on which the token was slowed say nothing, unless a person said that they were right. A token without a
// history of its own, such as a new one, is judged as the practice: what all tokens send, against what all usually send. So whoever
// has a token that may make others gains nothing by making some. A practice in its first week is not judged by volume: the plan and
// the warm-up limit it.
//
// What goes beyond is accepted and waits in a line, from which so many mails leave an hour as a busy hour usually has. When the line
// is three days long, no more is accepted. Bounces and complaints slow a token at half of what makes the guardrail pause the practice.
import type { SlowedReason } from '#src/accounts/entry/slowed-token.ts';
import { DAY, HOUR } from '#src/kernel/time.ts';

/** What the configuration says: see `limits.token_brake`. */
export interface BrakeLimits {
  readonly factor: number;
  readonly least_per_hour: number;
  readonly least_per_day: number;
}

export interface TokenDay {
  /** The UTC day, counted from the epoch. */
  readonly day: number;
  readonly mails: number;
  readonly busiest_hour: number;
  readonly is_slowed: 0 | 1;
  readonly is_approved: 0 | 1;
}

/** Mails of a busy day and hour, and the most that a person has approved. */
export interface UsualRange {
  readonly perDay: number;
  readonly perHour: number;
  readonly approvedPerDay: number;
  readonly approvedPerHour: number;
}

export const WINDOW_DAYS = 28;
/** A yearly mailing that was right last year is known again. */
export const APPROVED_KEPT_DAYS = 400;
/** For so long after its first mail nothing is usual. */
const LEARNING_DAYS = 7;
const LEAST_DAYS = 3;
/** What was approved may come again, and grow. */
const APPROVED_GROWTH = 1.5;
/** Its part of the floor is the least pace: nothing waits for ever. */
const SLOWEST = 5;
/** How long a token stays slowed after it left its range. */
export const SLOWED_FOR_MS = DAY;
/** The line takes no more than leaves in that time. */
export const LONGEST_LINE_MS = 3 * DAY;

const secondOf = (values: readonly number[]): number => values.toSorted((a, b) => b - a)[1] ?? 0;
const most = (values: readonly number[]): number =>
  values.reduce((least, value) => Math.max(least, value), 0);

/** `days` before today, in any order; null: too little is known. */
export const usualOf = (days: readonly TokenDay[], today: number): UsualRange | null => {
  const past = days.filter(({ day, mails }) => day < today && mails > 0);
  const approved = past.filter(({ is_approved }) => is_approved === 1);
  const ordinary = past.filter(
    ({ day, is_slowed, is_approved }) => day >= today - WINDOW_DAYS && (is_slowed === 0 || is_approved === 1),
  );
  const isKnown = ordinary.length >= LEAST_DAYS && past.some(({ day }) => day <= today - LEARNING_DAYS);
  if (!isKnown) return null;
  return {
    perDay: secondOf(ordinary.map(({ mails }) => mails)),
    perHour: secondOf(ordinary.map(({ busiest_hour }) => busiest_hour)),
    approvedPerDay: most(approved.map(({ mails }) => mails)),
    approvedPerHour: most(approved.map(({ busiest_hour }) => busiest_hour)),
  };
};

/** What slows the token now. Times in ms. */
export interface Slowed {
  readonly perHour: number;
  /** When the next mail of its line may leave. */
  readonly nextAt: number;
}

export interface BrakeFacts {
  readonly tokenId: string;
  /** What was accepted in this UTC hour and day before. */
  readonly counted: { readonly hour: number; readonly day: number };
  readonly usual: UsualRange | null;
  readonly limits: BrakeLimits;
  readonly slowed: Slowed | null;
  /** A person has said that what it sends is right. */
  readonly isLifted: boolean;
  /** Where it becomes slowed: when the next mail of the line that it comes into may leave. */
  readonly lineNextAt: number;
}

export type Verdict =
  | { readonly is: 'free' }
  /** `begins`: it becomes slowed by this mail. `dueAt`: when that may leave; `nextAt`: the one after it. */
  | {
      readonly is: 'slowed';
      readonly begins: SlowedReason | null;
      readonly perHour: number;
      readonly dueAt: number;
      readonly nextAt: number;
    }
  | { readonly is: 'full'; readonly perHour: number; readonly retryAt: number };

export const limitsFor = (usual: UsualRange, { factor, least_per_hour, least_per_day }: BrakeLimits) => ({
  perHour: Math.floor(
    Math.max(least_per_hour, usual.perHour * factor, usual.approvedPerHour * APPROVED_GROWTH),
  ),
  perDay: Math.floor(Math.max(least_per_day, usual.perDay * factor, usual.approvedPerDay * APPROVED_GROWTH)),
});

/** Mails that leave in an hour while it is slowed. */
export const paceFor = (usual: UsualRange | null, { least_per_hour }: BrakeLimits): number =>
  Math.max(usual?.perHour ?? 0, Math.ceil(least_per_hour / SLOWEST));

/** Null: this many mails more are in the usual range. */
export const beyondUsual = (
  { counted, usual, limits }: Pick<BrakeFacts, 'counted' | 'usual' | 'limits'>,
  mails: number,
): SlowedReason | null => {
  if (usual === null) return null;
  const { perHour, perDay } = limitsFor(usual, limits);
  const rest = { whole: null, note: null };
  if (counted.hour + mails > perHour)
    return {
      measure: 'mails_per_hour',
      count: counted.hour + mails,
      usual: usual.perHour,
      limit: perHour,
      ...rest,
    };
  if (counted.day + mails > perDay)
    return {
      measure: 'mails_per_day',
      count: counted.day + mails,
      usual: usual.perDay,
      limit: perDay,
      ...rest,
    };
  return null;
};

/** `mails`: one a recipient; none of them wait where there are none. */
export const judge = (facts: BrakeFacts, mails: number, now: number): Verdict => {
  if (facts.isLifted || mails === 0) return { is: 'free' };
  const begins = facts.slowed === null ? beyondUsual(facts, mails) : null;
  if (facts.slowed === null && begins === null) return { is: 'free' };
  const perHour = facts.slowed?.perHour ?? paceFor(facts.usual, facts.limits);
  const dueAt = Math.max(facts.slowed?.nextAt ?? facts.lineNextAt, now);
  if (dueAt - now >= LONGEST_LINE_MS) return { is: 'full', perHour, retryAt: dueAt - LONGEST_LINE_MS + HOUR };
  return { is: 'slowed', begins, perHour, dueAt, nextAt: dueAt + Math.ceil((mails * HOUR) / perHour) };
};

/** Hard bounces and complaints of a token, among the mails accepted of it. */
export interface Outcomes {
  readonly mails: number;
  readonly hard_bounced: number;
  readonly complaints: number;
}

/** `least`: so many; `share`: half of the guardrail's limit (feedback/reputation/rules.ts). */
export const outcomeLimits = {
  hard_bounces: { least: 5, share: 0.025 },
  complaints: { least: 2, share: 0.0005 },
} as const;
/** A share of so many times the usual one is beyond it. */
const SHARE_FACTOR = 2;
/** Yesterday and today. */
export const RECENT_DAYS = 2;

/** Null: bounces and complaints are as usual. `before`: the window without the recent days. */
export const beyondUsualOutcomes = (recent: Outcomes, before: Outcomes): SlowedReason | null => {
  for (const [measure, column] of [
    ['hard_bounces', 'hard_bounced'],
    ['complaints', 'complaints'],
  ] as const) {
    const { least, share } = outcomeLimits[measure];
    const count = recent[column];
    const whole = Math.max(recent.mails, count);
    const usual = before.mails > 0 ? Math.min(1, before[column] / before.mails) : 0;
    const limit = Math.max(share, usual * SHARE_FACTOR);
    if (count >= least && count >= limit * whole) return { measure, count, whole, usual, limit, note: null };
  }
  return null;
};
