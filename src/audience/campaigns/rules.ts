// When a campaign may change, how fast it goes, when it waits, and when it stops by itself. Pure.
//
// Slow start: while few of its mails have an outcome, few more wait in the queue; so what a bad list would do to the sender's
// reputation shows before most of it has left, and a pause acts within seconds however many people are left. Mails that were tried
// and wait for another attempt have a bound of their own: some that their receiver defers for a day hold up no other, and many
// are a relay that takes nothing, or that has not said yet who does not exist.
import { monthOf, utcDay } from '#src/accounts/counters/rules.ts';
import { type Counts, nearnessOf } from '#src/feedback/reputation/rules.ts';
import type { ErrorCode } from '#src/kernel/errors.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#src/kernel/time.ts';
import type { CampaignRow, CampaignStatus } from './store.ts';

export const campaignVerbs = ['send', 'schedule', 'pause', 'resume', 'cancel'] as const;
export type CampaignVerb = (typeof campaignVerbs)[number];

const transitions: Readonly<Record<CampaignVerb, Partial<Record<CampaignStatus, CampaignStatus>>>> = {
  send: { draft: 'sending', scheduled: 'sending' },
  schedule: { draft: 'scheduled', scheduled: 'scheduled' },
  pause: { sending: 'paused' },
  resume: { paused: 'sending' },
  // One that is sent only while mails of it are queued: see `change-status.ts`.
  cancel: { scheduled: 'cancelled', sending: 'cancelled', paused: 'cancelled', sent: 'cancelled' },
};

/** Null: it cannot be done in this status. */
export const statusAfter = (status: CampaignStatus, verb: CampaignVerb): CampaignStatus | null =>
  transitions[verb][status] ?? null;

/** People in one transaction: it blocks the event loop for some milliseconds. */
const MAX_PAGE = 25;
const LEAST_WAITING = 2;
/** The relay takes this many in some tenths of a second. */
export const MAX_WAITING = 300;
/** Fewer than the guardrail judges by, with those that wait: if they all bounce at their next attempt, the practice is not paused. */
const LEAST_DEFERRED = 15;
/** Another one for each five that have an outcome. */
const TRIED_FOR_ONE = 5;

/** No one more is handed over while so many mails are to be tried again. */
export const mayBeDeferred = (tried: number): number =>
  Math.max(LEAST_DEFERRED, Math.floor(tried / TRIED_FOR_ONE));

/** How many people may be handed over now. `tried`: mails with an outcome. `waiting`: those that were never tried to the end. */
export const roomFor = (tried: number, waiting: number): number => {
  const mayWait = Math.min(MAX_WAITING, Math.max(LEAST_WAITING, Math.floor(tried / TRIED_FOR_ONE)));
  return Math.max(0, mayWait - waiting);
};

/** The most that one transaction takes; with a limit an hour no more than falls on a second. */
export const pageSize = (maxPerHour: number | null): number =>
  maxPerHour === null ? MAX_PAGE : Math.min(MAX_PAGE, Math.ceil((maxPerHour * SECOND) / HOUR));

/**
 * When the next ones may be handed over after `count` were. A short delay is made up for, so that the number an hour is
 * reached; a long one, as after a pause, is not, so that what was missed does not go out at once.
 */
export const nextHandOver = (
  maxPerHour: number | null,
  { dueAt, count, now }: { readonly dueAt: number; readonly count: number; readonly now: number },
): number =>
  maxPerHour === null
    ? now
    : Math.ceil(
        Math.max(dueAt, now - pageSize(maxPerHour) * (HOUR / maxPerHour)) + (count * HOUR) / maxPerHour,
      );

/** How long to wait for what ends by itself or by someone who completes the practice's settings. */
const LOOK_AGAIN_MS = MINUTE;
/** Mails that are tried again may have an outcome by then. */
const DEFERRED_LOOK_MS = 10 * SECOND;
/** Someone may choose a larger plan. */
const PLAN_LOOK_MS = 15 * MINUTE;

const nextDay = (now: number): number => (utcDay(now) + 1) * DAY;

const nextMonth = (now: number): number => monthOf(now).nextFirstDay * DAY;

/** What people see as the time at which a campaign that is due then goes on by itself. */
export const waitsUntil = (reason: string, dueAt: number): number =>
  reason === 'plan_cap_reached' ? nextMonth(dueAt - 1) : dueAt;

/** Refusals of gates that pass. */
const waits: Partial<Record<ErrorCode, (now: number) => number>> = {
  warmup_not_ready: nextDay,
  warmup_cap_reached: nextDay,
  plan_cap_reached: (now) => Math.min(now + PLAN_LOOK_MS, nextMonth(now)),
  tenant_paused: (now) => now + LOOK_AGAIN_MS,
  safe_mode_recipient: (now) => now + LOOK_AGAIN_MS,
  impressum_incomplete: (now) => now + LOOK_AGAIN_MS,
  dkim_not_verified: (now) => now + LOOK_AGAIN_MS,
  unavailable: (now) => now + LOOK_AGAIN_MS,
};

/** What is refused for each recipient alike, for as long as the campaign is as it is. */
const ends: ReadonlySet<ErrorCode> = new Set([
  'not_found',
  'conflict',
  'kind_not_allowed_on_route',
  'from_not_allowed',
]);

/** What a refusal means for the campaign: it waits until then, has failed, or the recipient is left out. */
export type RefusalEffect =
  | { readonly kind: 'wait'; readonly until: number }
  | { readonly kind: 'fail' }
  | { readonly kind: 'leave_out' };

export interface RefusalFacts {
  /** The codes that are about the content, of which each recipient has nearly the same. */
  readonly ofContent: ReadonlySet<ErrorCode>;
  /** No one has got the content yet. */
  readonly isFirst: boolean;
  readonly now: number;
}

export const effectOf = (code: ErrorCode, { ofContent, isFirst, now }: RefusalFacts): RefusalEffect => {
  const until = waits[code]?.(now);
  if (until !== undefined) return { kind: 'wait', until };
  return { kind: ends.has(code) || (isFirst && ofContent.has(code)) ? 'fail' : 'leave_out' };
};

/** Its own counts since it began or was last resumed. */
export interface OwnCounts {
  readonly tried: number;
  readonly hardBounced: number;
  readonly complained: number;
}

export interface StopAt {
  readonly bounce_percent: number;
  readonly complaint_percent: number;
}

/** The first address that does not exist says nothing of a list, however near the guardrail is on a small one. */
const LEAST_HARD_BOUNCES = 2;
/** A share of fewer mails says little. */
const LEAST_FOR_BOUNCES = 100;
const LEAST_FOR_COMPLAINTS = 2_500;

/**
 * Why it stops by itself: too large a share of its own mails, or it has brought the guardrail so near on its route (`window`) that one
 * more would pause the whole practice.
 */
export const stopReason = (
  own: OwnCounts,
  window: Counts,
  { bounce_percent, complaint_percent }: StopAt,
): 'bounces' | 'complaints' | null => {
  const share = (count: number, least: number): number => (count * 100) / Math.max(own.tried, least);
  const { hardBouncesLeft, complaintsLeft } = nearnessOf(window);
  if (
    own.hardBounced >= LEAST_HARD_BOUNCES &&
    (hardBouncesLeft <= 1 || share(own.hardBounced, LEAST_FOR_BOUNCES) >= bounce_percent)
  )
    return 'bounces';
  if (
    own.complained > 0 &&
    (complaintsLeft <= 1 || share(own.complained, LEAST_FOR_COMPLAINTS) >= complaint_percent)
  )
    return 'complaints';
  return null;
};

/** A campaign that goes on by itself after a start was worked on, or had its time, at most this long before. */
const MAX_ABSENCE_MS = HOUR;

export const STALLED = 'stalled';
/** Too many of its mails are to be tried again. */
const DEFERRED = 'deferred';

/** All that decides what is done for a campaign that is due. */
export interface Look {
  readonly campaign: Pick<
    CampaignRow,
    | 'status'
    | 'reason'
    | 'due_at'
    | 'progress_at'
    | 'looked_at'
    | 'alarmed_at'
    | 'file_identity'
    | 'notice_json'
    | 'finished_at'
  >;
  /** Which file it is in. */
  readonly identity: string;
  /** Whether this process has not looked at it before. */
  readonly isFirst: boolean;
  readonly isPracticePaused: boolean;
  /** Its mails without an outcome that is counted. */
  readonly queued: number;
  /** Its mails with an outcome, since its beginning. */
  readonly tried: number;
  /** How many were never tried to the end. */
  readonly waiting: number;
  /** How many were tried and are to be tried again. */
  readonly deferred: number;
  /** Those since it was last resumed. */
  readonly own: OwnCounts;
  readonly window: Counts;
  readonly stopAt: StopAt;
  readonly stallAfter: number;
  readonly now: number;
}

export type NextStep =
  | { readonly kind: 'notify' }
  | { readonly kind: 'begin' }
  | { readonly kind: 'pause'; readonly reason: 'restored' | 'bounces' | 'complaints' }
  | { readonly kind: 'wait'; readonly reason: ErrorCode | typeof DEFERRED; readonly until: number }
  /** What is queued of it no longer leaves. */
  | { readonly kind: 'take_out' }
  | { readonly kind: 'hand_over'; readonly room: number }
  | { readonly kind: 'report_stall' }
  /** The relay is to try some first. */
  | { readonly kind: 'rest' }
  | { readonly kind: 'nothing' };

/**
 * Whether it may be an old copy of a campaign that went on in another file: those who have not got it here may have got it there.
 */
const isRestored = ({ campaign, identity, isFirst, now }: Look): boolean =>
  (campaign.file_identity !== null && campaign.file_identity !== identity) ||
  (isFirst && now - Math.max(lastMoved(campaign), campaign.looked_at ?? 0) > MAX_ABSENCE_MS);

/** When it went on, or was to go on. */
const lastMoved = ({ progress_at, due_at }: Look['campaign']): number =>
  Math.max(progress_at ?? 0, due_at ?? 0);

/** What to do where no one may be handed over now. */
export const restOrReport = ({ campaign, stallAfter, now }: Look): NextStep =>
  campaign.reason === null && campaign.alarmed_at === null && now - lastMoved(campaign) >= stallAfter
    ? { kind: 'report_stall' }
    : { kind: 'rest' };

/** Why it waits for what people must do, or for what may last. */
const needsPeople: ReadonlySet<string> = new Set([
  DEFERRED,
  'impressum_incomplete',
  'dkim_not_verified',
  'safe_mode_recipient',
]);

const waitsForPeople = ({ campaign, stallAfter, now }: Look): boolean =>
  needsPeople.has(campaign.reason ?? '') &&
  campaign.alarmed_at === null &&
  now - (campaign.progress_at ?? now) >= stallAfter;

const LOOKED_AT_MS = 5 * MINUTE;

/** What a look without a hand-over changes in the row: a reason is gone once its time has passed. Null: nothing. */
export const lookedAt = (
  { status, reason, progress_at, looked_at }: Look['campaign'],
  now: number,
): Pick<CampaignRow, 'reason' | 'looked_at'> | null => {
  const left = status === 'sending' && reason !== STALLED ? null : reason;
  const isRecent = now - Math.max(progress_at ?? 0, looked_at ?? 0) < LOOKED_AT_MS;
  return isRecent && left === reason ? null : { reason: left, looked_at: now };
};

/** The mail that it is sent waits so long for its last outcomes. */
const LAST_OUTCOMES_MS = 10 * MINUTE;

export const nextStep = (look: Look): NextStep => {
  const { campaign, now } = look;
  if (campaign.notice_json !== null) {
    const isEarly =
      campaign.status === 'sent' && look.queued > 0 && now - (campaign.finished_at ?? 0) < LAST_OUTCOMES_MS;
    return { kind: isEarly ? 'rest' : 'notify' };
  }
  if (campaign.due_at === null || campaign.due_at > now) return { kind: 'nothing' };
  if (campaign.status === 'cancelled') return { kind: 'take_out' };
  if (campaign.status !== 'sending' && campaign.status !== 'scheduled') return { kind: 'nothing' };
  if (isRestored(look)) return { kind: 'pause', reason: 'restored' };
  if (campaign.status === 'scheduled') return { kind: 'begin' };
  const stop = stopReason(look.own, look.window, look.stopAt);
  if (stop !== null) return { kind: 'pause', reason: stop };
  if (look.isPracticePaused) return { kind: 'wait', reason: 'tenant_paused', until: now + LOOK_AGAIN_MS };
  if (waitsForPeople(look)) return { kind: 'report_stall' };
  if (look.deferred >= mayBeDeferred(look.tried))
    return { kind: 'wait', reason: DEFERRED, until: now + DEFERRED_LOOK_MS };
  const room = roomFor(look.tried, look.waiting);
  return room > 0 ? { kind: 'hand_over', room } : restOrReport(look);
};
