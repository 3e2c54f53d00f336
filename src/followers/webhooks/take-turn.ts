// What is to be done for the webhooks of a tenant, in one transaction of some milliseconds: events become deliveries, those of
// webhooks that have been disabled fail, those of removed ones go, and what is due is claimed. What is left is the next
// turn's. Where there is nothing to do nothing is written: `lookAhead` says so before.

import { followStore } from '#src/events/follow-store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { type ClaimedDelivery, type Claiming, claimDue, dueOf } from './claim.ts';
import { deliveryStore } from './delivery-store.ts';
import { endFailed } from './end.ts';
import { fanOut, lookAheadInLog, type Subscriber, subscribersOf } from './fan-out.ts';
import { errorWords } from './rules.ts';
import { type WebhookRow, webhookStore } from './store.ts';

export interface TurnOptions extends Omit<Claiming, 'random'> {
  /** As `lookAhead` said last; 0 where nobody looked. */
  readonly seen?: number;
  readonly random?: () => number;
}

export interface Turn {
  /** They are under way from now on: to be settled, or given back. */
  readonly claimed: readonly ClaimedDelivery[];
  /** When something is due next that has room; null: never, unless something happens. */
  readonly next: number | null;
  /** There is something to do at once. */
  readonly more: boolean;
  /** The tenant has no webhook any more. */
  readonly nobody: boolean;
}

/** Deliveries that are ended or removed at a turn, some 60 or 90 µs each. */
const ENDED_PER_TURN = 80;

const earlier = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

/** Fails at most `limit`; the result is how many. What is under way has its own end. */
const failPending = (
  db: TenantDb,
  { number }: WebhookRow,
  limit: number,
  { now, isInFlight }: Pick<Claiming, 'now' | 'isInFlight'>,
): number => {
  const seqs = deliveryStore(db).pendingBut(number, limit, isInFlight);
  for (const seq of seqs) {
    // The end of the one before may have given it a time.
    const row = deliveryStore(db).bySeq(seq);
    if (row) endFailed(db, row, errorWords.disabled, now);
  }
  return seqs.length;
};

/** Removes at most `limit` deliveries, and the webhook after the last of them; the result is how many. */
const removeWebhook = (db: TenantDb, { number }: WebhookRow, limit: number): number => {
  const removed = deliveryStore(db).removeSome(number, limit);
  if (removed < limit) webhookStore(db).remove(number);
  return removed;
};

const isRemoved = ({ removed_at }: WebhookRow): boolean => removed_at !== null;
const isDisabled = ({ removed_at, status }: WebhookRow): boolean =>
  removed_at === null && status === 'disabled';
const isActive = ({ removed_at, status }: WebhookRow): boolean => removed_at === null && status === 'active';

/** True where something of it may be left. */
const clearAway = (db: TenantDb, webhooks: readonly WebhookRow[], options: TurnOptions): boolean => {
  let left = ENDED_PER_TURN;
  for (const row of webhooks.filter(isDisabled)) left -= failPending(db, row, left, options);
  for (const row of webhooks.filter(isRemoved)) if (left > 0) left -= removeWebhook(db, row, left);
  return left === 0;
};

export const takeTurn = (db: TenantDb, options: TurnOptions): Turn => {
  const { now, seen = 0 } = options;
  const webhooks = webhookStore(db).all();
  const unread = fanOut(db, subscribersOf(webhooks), { seen, now });
  const uncleared = clearAway(db, webhooks, options);
  const claimed: ClaimedDelivery[] = [];
  let next: number | null = null;
  let more = unread || uncleared;
  for (const row of webhooks.filter(isActive)) {
    const taken = claimDue(db, row, { random: Math.random, ...options });
    claimed.push(...taken.claimed);
    next = earlier(next, taken.next);
    more ||= taken.more;
  }
  const nobody = webhookStore(db).all().length === 0;
  if (nobody) followStore(db).removeCursor('webhooks');
  return { claimed, next, more, nobody };
};

export interface LookAhead {
  /** Whether a turn has anything to write. */
  readonly work: boolean;
  readonly next: number | null;
  /** Nothing to write so far, but there is more to look at. */
  readonly more: boolean;
  readonly nobody: boolean;
  /** Up to there nobody wants an event. Later looks and turns may begin there: what is wanted changes for events to come only. */
  readonly seen: number;
}

const hasToClear = (
  db: TenantDb,
  webhooks: readonly WebhookRow[],
  isInFlight: Claiming['isInFlight'],
): boolean =>
  webhooks.some(isRemoved) ||
  webhooks
    .filter(isDisabled)
    .some(({ number }) => deliveryStore(db).pendingBut(number, 1, isInFlight).length > 0);

/** What a turn would find now. Reads only. */
export const lookAhead = (
  db: TenantDb,
  options: Pick<TurnOptions, 'now' | 'roomFor' | 'policy' | 'isInFlight' | 'seen'>,
): LookAhead => {
  const { seen = 0, roomFor, isInFlight } = options;
  /** The first tells enough. */
  const looking = { ...options, roomFor: (webhookId: string) => Math.min(1, roomFor(webhookId)) };
  const webhooks = webhookStore(db).all();
  if (webhooks.length === 0) {
    const isNoted = followStore(db).cursor('webhooks') !== undefined;
    return { work: isNoted, next: null, more: false, nobody: true, seen };
  }
  const subscribers: readonly Subscriber[] = subscribersOf(webhooks);
  const log = lookAheadInLog(db, subscribers, seen);
  const dues = webhooks.filter(isActive).map((row) => dueOf(db, row, looking));
  return {
    work: log.work || hasToClear(db, webhooks, isInFlight) || dues.some(({ rows }) => rows.length > 0),
    next: dues.map((due) => due.next).reduce(earlier, null),
    more: log.more,
    nobody: false,
    seen: log.seen,
  };
};
