// What became of the mail of some days, beside that of as many days before. Pure.

export interface DayCounts {
  readonly sent: number;
  readonly refused: number;
  readonly delivered: number;
  readonly hard_bounced: number;
  readonly soft_bounced: number;
  readonly complaints: number;
  readonly opens: number;
}

export interface Sum {
  /** What left, and what was refused at the door. */
  readonly sent: number;
  /** Never more than were sent: a report of today may be of a mail of before. */
  readonly delivered: number;
  readonly hard: number;
  readonly bounced: number;
  readonly complaints: number;
  readonly opens: number;
}

const sumOf = (days: readonly DayCounts[]): Sum => {
  const total = (of: (day: DayCounts) => number): number => days.reduce((sum, day) => sum + of(day), 0);
  const sent = total((day) => day.sent + day.refused);
  return {
    sent,
    delivered: Math.min(
      total((day) => day.delivered),
      sent,
    ),
    hard: total((day) => day.hard_bounced),
    bounced: total((day) => day.hard_bounced + day.soft_bounced),
    complaints: total((day) => day.complaints),
    opens: total((day) => day.opens),
  };
};

/** `days`: all of both times, oldest first. */
export const compared = (
  days: readonly DayCounts[],
  length: number,
): { readonly now: Sum; readonly before: Sum } => ({
  now: sumOf(days.slice(-length)),
  before: sumOf(days.slice(-2 * length, -length)),
});

export interface Part {
  readonly part: number;
  readonly whole: number;
}

/** Like the guardrail: of fewer mails a single one is five points. */
export const MIN_MAILS = 20;
/** Differences that chance alone makes are smaller in 95 of 100 cases: so many standard errors of two shares. */
const STANDARD_ERRORS = 1.96;

/** `unknown`: too few mails to say. `same`: no more than chance would make, or less than half a point. */
export interface Trend {
  readonly kind: 'unknown' | 'same' | 'more' | 'less';
  /** Percentage points, whole ones. */
  readonly points: number;
}

export const trendOf = (now: Part, before: Part): Trend => {
  if (now.whole < MIN_MAILS || before.whole < MIN_MAILS) return { kind: 'unknown', points: 0 };
  const difference = now.part / now.whole - before.part / before.whole;
  const common = (now.part + before.part) / (now.whole + before.whole);
  const error = Math.sqrt(common * (1 - common) * (1 / now.whole + 1 / before.whole));
  const points = Math.round(Math.abs(difference) * 100);
  if (points === 0 || Math.abs(difference) <= STANDARD_ERRORS * error) return { kind: 'same', points: 0 };
  return { kind: difference > 0 ? 'more' : 'less', points };
};
