// How the confirmation mails of a list's public form fare. A stranger decides where they go, so they are counted for the form alone:
// many that bounce or are complained of slow the form, more of them close it for a while, and neither is held against the
// practice. It opens by itself when the days that were counted have passed. Pure.

export interface FormCounts {
  /** Confirmation mails that a relay took, or refused for good. */
  readonly mails: number;
  readonly hard_bounced: number;
  readonly complaints: number;
}

export type FormHealth = 'good' | 'slowed' | 'closed';

/** UTC days that count, today among them. */
export const FORM_DAYS = 2;
/** A slowed form takes this share of its usual rate. */
export const SLOWED_TO = 1 / 50;

/** People write their address wrong, too: a few, and a small share. */
const SLOWED = { from: 3, percent: 10 };
const CLOSED = { from: 10, percent: 25 };

const isReached = (failed: number, mails: number, { from, percent }: typeof SLOWED): boolean =>
  failed >= from && failed * 100 >= mails * percent;

export const formHealthOf = ({ mails, hard_bounced, complaints }: FormCounts): FormHealth => {
  const failed = hard_bounced + complaints;
  if (isReached(failed, mails, CLOSED)) return 'closed';
  return isReached(failed, mails, SLOWED) ? 'slowed' : 'good';
};

const SEVERITY: readonly FormHealth[] = ['good', 'slowed', 'closed'];
/** Whether the owners, who know of `known`, are to be notified. */
export const isWorse = (health: FormHealth, known: FormHealth): boolean =>
  SEVERITY.indexOf(health) > SEVERITY.indexOf(known);
