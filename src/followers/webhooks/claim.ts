// One turn for the webhooks of a tenant, in one transaction of some milliseconds: events become deliveries, those of disabled
// webhooks fail, those of removed ones go, and what is due is claimed. What is left is the next turn's. Where there is nothing
// to do nothing is written: `lookAhead` says so before. With a claim the attempt and the time of the next one are written, so
// that a crash repeats nothing at once.

import { TEST_EVENT } from '#src/events/catalogue.ts';
import { type FollowedEvent, type FollowedMail, followStore } from '#src/events/follow-store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import type { WorkItem } from '#src/kernel/work/in-flight.ts';
import type { Claim } from '#src/kernel/work/queue.ts';
import { publishedEvent } from '#src/messages/published-event.ts';
import { WHOLE_MAIL_CONTENT_BYTES } from '#src/messages/published-mail.ts';
import { type DeliveryRow, deliveryStore } from './delivery-store.ts';
import { fanOut, lookAheadInLog, subscribersOf } from './fan-out.ts';
import { deliverableEvent } from './present.ts';
import {
  attemptsOf,
  errorWords,
  isTooMany,
  longestWait,
  nextAttemptAt,
  TEST_ORDER_KEY,
  testEndsAt,
  type WebhookPolicy,
} from './rules.ts';
import { envelopeOf, testEnvelope } from './schema.ts';
import { openFor, openSecrets, type SigningSecrets } from './sign.ts';
import { type WebhookRow, webhookStore } from './store.ts';

/** An attempt that is to be made now. Its key is the seq of the delivery, its target the id of the webhook. */
export interface ClaimedDelivery extends WorkItem {
  readonly key: number;
  /** The first is 1, and replays count on. */
  readonly attempt: number;
  /** The UUID of the delivery. */
  readonly id: string;
  readonly event: string;
  readonly url: string;
  /** The address as it is in the file, to see whether the webhook's deliveries still go there. */
  readonly sealedUrl: Buffer;
  readonly secrets: SigningSecrets;
  /** The bytes to be sent, as text; but for the mail, where that is sent whole. */
  readonly body: string;
  /** Number of the mail received that is sent whole; null: none. */
  readonly mail: number | null;
}

export interface Looking {
  /** ms since the epoch. */
  readonly now: number;
  readonly policy: WebhookPolicy;
  readonly claim: Pick<Claim<ClaimedDelivery>, 'room' | 'isInFlight'>;
  /** The place that `lookAhead` said last; 0 before the first look. */
  readonly seen?: number;
}

export interface Claiming extends Looking {
  readonly claim: Pick<Claim<ClaimedDelivery>, 'room' | 'isInFlight' | 'take'>;
  /** Derived for the purpose `webhooks`. */
  readonly key: SealingKey;
  /** See `publishedEvent`. */
  readonly practiceUrl: string;
  /** Returns a number in [0, 1). */
  readonly random?: () => number;
}

export interface Turn {
  /** When something is due next that has room; null: never, unless something happens. */
  readonly next: number | null;
  /** There is something to do at once. */
  readonly more: boolean;
  /** The tenant has no webhook any more. */
  readonly unfollowed: boolean;
}

/** Deliveries that are ended or removed at a turn, some 60 or 90 µs each. */
const ENDED_PER_TURN = 80;

const earlier = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

const isActive = ({ removed_at, status }: WebhookRow): boolean => removed_at === null && status === 'active';
const isDisabled = ({ removed_at, status }: WebhookRow): boolean =>
  removed_at === null && status === 'disabled';
const isRemoved = ({ removed_at }: WebhookRow): boolean => removed_at !== null;

/**
 * What is due and has room, in the order it became due. `next`: when the first that is left is due; null where there is none,
 * or no room: then an end makes some.
 */
const dueOf = (
  db: TenantDb,
  { number }: WebhookRow,
  { now, policy, claim: { isInFlight } }: Looking,
  room: number,
): { readonly rows: readonly DeliveryRow[]; readonly next: number | null } => {
  const rows: DeliveryRow[] = [];
  if (room <= 0) return { rows, next: null };
  let next: number | null = null;
  let isFull = false;
  deliveryStore(db).heads(number)((row) => {
    if (isInFlight(row.seq)) return true;
    if (row.next_attempt_at !== null && row.next_attempt_at > now) {
      next = row.next_attempt_at;
      return false;
    }
    isFull = rows.length === room;
    if (!isFull) rows.push(row);
    return !isFull;
  });
  if (isFull) return { rows, next: null };
  const beyond = deliveryStore(db).headsBeyond(number, now + longestWait(policy));
  beyond((row) => {
    if (rows.length < room && !isInFlight(row.seq)) rows.push(row);
    return rows.length < room;
  });
  return { rows, next };
};

type Composed = Pick<ClaimedDelivery, 'body' | 'mail' | 'bytes'>;

/** Text and HTML of a mail and its attachments in base64, about: its source has them in a like size. */
const bytesOfWhole = ({ inbound_json }: FollowedEvent): number => {
  const { size_bytes }: FollowedMail = JSON.parse(inbound_json ?? '{}');
  return 2 * Math.min(size_bytes, WHOLE_MAIL_CONTENT_BYTES);
};

/** The body, or why there will be no further attempt. */
const composed = (
  db: TenantDb,
  row: DeliveryRow,
  { inbound_mail }: WebhookRow,
  { policy, practiceUrl }: Pick<Claiming, 'policy' | 'practiceUrl'>,
): Composed | { readonly error: string } => {
  // Also where the schedule has become shorter: then the outcome of the last attempt is known.
  if (row.event_seq === null || isTooMany(policy, attemptsOf(row) + 1))
    return { error: row.error ?? errorWords.unknownEnd };
  const event = deliverableEvent(db, row);
  if (event === undefined) return { error: errorWords.eventRemoved };
  const body = envelopeOf(row.id, publishedEvent(event, practiceUrl));
  const mail = inbound_mail === 'whole' ? event.inbound_seq : null;
  return { body, mail, bytes: body.length + (mail === null ? 0 : bytesOfWhole(event)) };
};

/** Opened once for all deliveries of a webhook. */
const addressee = (key: SealingKey, webhook: WebhookRow, now: number) => ({
  target: webhook.id,
  url: openFor(key, 'url', webhook.id, webhook.sealed_url),
  sealedUrl: webhook.sealed_url,
  secrets: openSecrets(key, webhook, now),
});

/** `more`: some ended instead, and what waited behind them may be due. */
const claimDue = (db: TenantDb, webhook: WebhookRow, claiming: Claiming): Omit<Turn, 'unfollowed'> => {
  const { now, policy, key, claim, random = Math.random } = claiming;
  const { rows, next } = dueOf(db, webhook, claiming, claim.room(webhook.id));
  if (rows.length === 0) return { next, more: false };
  const to = addressee(key, webhook, now);
  let more = false;
  for (const row of rows) {
    // Whole mails may have filled it: each end makes some.
    if (claim.room(webhook.id) <= 0) return { next: null, more };
    const result = composed(db, row, webhook, claiming);
    if ('error' in result) {
      deliveryStore(db).fail(row, result.error, now);
      more = true;
      continue;
    }
    const attempt = row.attempts + 1;
    deliveryStore(db).claim({
      seq: row.seq,
      attempts: attempt,
      next_attempt_at: nextAttemptAt(policy, attemptsOf(row) + 1, now, random()),
      updated_at: now,
    });
    claim.take({ ...to, ...result, key: row.seq, attempt, id: row.id, event: row.event });
  }
  return { next, more };
};

/** Fails at most `limit`; the result is how many. What is in flight has its own end. */
const failPending = (
  db: TenantDb,
  { number }: WebhookRow,
  limit: number,
  { now, claim }: Claiming,
): number => {
  const store = deliveryStore(db);
  const seqs = store.pendingBut(number, limit, claim.isInFlight);
  for (const seq of seqs) {
    // The end of the one before may have given it a time.
    const row = store.bySeq(seq);
    if (row) store.fail(row, errorWords.disabled, now);
  }
  return seqs.length;
};

/** Removes at most `limit` deliveries, and the webhook after the last of them; the result is how many. */
const removeWebhook = (db: TenantDb, { number }: WebhookRow, limit: number): number => {
  const removed = deliveryStore(db).removeSome(number, limit);
  if (removed < limit) webhookStore(db).remove(number);
  return removed;
};

/** True where something may be left. */
const clearAway = (db: TenantDb, webhooks: readonly WebhookRow[], claiming: Claiming): boolean => {
  let left = ENDED_PER_TURN;
  for (const row of webhooks.filter(isDisabled)) left -= failPending(db, row, left, claiming);
  for (const row of webhooks.filter(isRemoved)) if (left > 0) left -= removeWebhook(db, row, left);
  return left === 0;
};

export const takeTurn = (db: TenantDb, claiming: Claiming): Turn => {
  const { now, seen = 0 } = claiming;
  const webhooks = webhookStore(db).all();
  const unread = fanOut(db, subscribersOf(webhooks), { seen, now });
  const uncleared = clearAway(db, webhooks, claiming);
  const dues = webhooks.filter(isActive).map((row) => claimDue(db, row, claiming));
  const unfollowed = webhookStore(db).all().length === 0;
  if (unfollowed) followStore(db).removeCursor('webhooks');
  return {
    next: dues.map(({ next }) => next).reduce(earlier, null),
    more: unread || uncleared || dues.some(({ more }) => more),
    unfollowed,
  };
};

const hasToClear = (db: TenantDb, webhooks: readonly WebhookRow[], { claim }: Looking): boolean =>
  webhooks.some(isRemoved) ||
  webhooks
    .filter(isDisabled)
    .some(({ number }) => deliveryStore(db).pendingBut(number, 1, claim.isInFlight).length > 0);

export interface LookAhead extends Turn {
  /** Whether a turn has anything to write; `more`: it has not so far, but there is more to look at. */
  readonly work: boolean;
  /** Up to there no webhook wants an event. Later looks and turns may begin there: a change is for events to come only. */
  readonly seen: number;
}

/** What a turn would find now. Reads only. */
export const lookAhead = (db: TenantDb, looking: Looking): LookAhead => {
  const { seen = 0, claim } = looking;
  const webhooks = webhookStore(db).all();
  if (webhooks.length === 0) {
    const isNoted = followStore(db).cursor('webhooks') !== undefined;
    return { work: isNoted, next: null, more: false, unfollowed: true, seen };
  }
  // The first that is due says enough.
  const dues = webhooks
    .filter(isActive)
    .map((row) => dueOf(db, row, looking, Math.min(1, claim.room(row.id))));
  if (dues.some(({ rows }) => rows.length > 0))
    return { work: true, next: null, more: false, unfollowed: false, seen };
  const log = lookAheadInLog(db, subscribersOf(webhooks), seen);
  return {
    work: log.work || hasToClear(db, webhooks, looking),
    next: dues.map((due) => due.next).reduce(earlier, null),
    more: log.more,
    unfollowed: false,
    seen: log.seen,
  };
};

/** A delivery of `webhook.test`, to be sent at once, whether the webhook is disabled or not: one attempt. */
export const claimTest = (
  db: TenantDb,
  webhook: WebhookRow,
  { now, key }: { readonly now: number; readonly key: SealingKey },
): ClaimedDelivery => {
  const id = newId();
  const seq = deliveryStore(db).insertTest(
    {
      id,
      webhook: webhook.number,
      event: TEST_EVENT,
      event_seq: null,
      order_key: TEST_ORDER_KEY,
      created_at: now,
    },
    testEndsAt(now),
  );
  const body = testEnvelope(id, webhook, now);
  const delivery = { key: seq, bytes: body.length, attempt: 1, id, event: TEST_EVENT, body, mail: null };
  return { ...addressee(key, webhook, now), ...delivery };
};
