// Writes a delivery of each event, once, for each webhook that wants it, in the transaction that moves the cursor in the log.
// An unfinished turn has written nothing, and its events are read again.

import type { EventType } from '#src/events/catalogue.ts';
import { type FollowedEvent, followStore } from '#src/events/follow-store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import { isPublished } from '#src/messages/published-event.ts';
import { deliveryStore } from './delivery-store.ts';
import { errorWords, orderKeyOf } from './rules.ts';
import { type WebhookRow, webhookStore } from './store.ts';

/** The bound for one turn, over all webhooks: some milliseconds, beside those of the claims. */
const DELIVERIES_PER_TURN = 200;
const EVENTS_PER_TURN = 200;
/** Looked at for their names alone, in about a millisecond. */
const NAMES_PER_LOOK = 1_000;
/** Events that no webhook wants. After so many the cursor moves, so that a start does not read them all again. */
const EVENTS_UNNOTED = 10_000;

export interface Subscriber {
  readonly row: WebhookRow;
  readonly events: ReadonlySet<string>;
}

/** Those that have not been removed. */
export const subscribersOf = (webhooks: readonly WebhookRow[]): Subscriber[] =>
  webhooks
    .filter(({ removed_at }) => removed_at === null)
    .map((row) => ({ row, events: new Set<string>(JSON.parse(row.events_json)) }));

const noted = (db: TenantDb): number => followStore(db).cursor('webhooks') ?? 0;

/** Events before the first webhook concern none. `seen`: up to there no webhook wanted an event. */
const startOf = (db: TenantDb, subscribers: readonly Subscriber[], seen: number): number =>
  Math.max(noted(db), seen, Math.min(...subscribers.map(({ row }) => row.after_seq)));

const wants = ({ row, events }: Subscriber, event: { seq: number; type: EventType }): boolean =>
  row.after_seq < event.seq && events.has(event.type);

const deliver = (
  db: TenantDb,
  event: FollowedEvent,
  subscribers: readonly Subscriber[],
  now: number,
): void => {
  const order_key = orderKeyOf(event);
  const store = deliveryStore(db);
  for (const { row } of subscribers) {
    const delivery = {
      id: newId(),
      webhook: row.number,
      event: event.type,
      event_seq: event.seq,
      order_key,
      created_at: now,
    };
    if (row.status === 'active') store.insert(delivery);
    else store.insertFailed(delivery, errorWords.disabled);
  }
};

/** True where there may be more to read. */
export const fanOut = (
  db: TenantDb,
  subscribers: readonly Subscriber[],
  { seen, now }: { readonly seen: number; readonly now: number },
): boolean => {
  if (subscribers.length === 0) return false;
  const limit = Math.min(EVENTS_PER_TURN, Math.ceil(DELIVERIES_PER_TURN / subscribers.length));
  const start = startOf(db, subscribers, seen);
  const events = followStore(db).after(start, limit);
  for (const event of events) {
    const wanting = subscribers.filter((one) => wants(one, event));
    if (wanting.length > 0 && isPublished(event)) deliver(db, event, wanting, now);
  }
  const place = events.at(-1)?.seq ?? start;
  if (place > noted(db)) followStore(db).moveCursor('webhooks', place);
  return events.length === limit;
};

/** One batch of the log, for what is wanted before a change. True where there may be more to read. */
export const catchUp = (db: TenantDb, now: number): boolean =>
  fanOut(db, subscribersOf(webhookStore(db).all()), { seen: 0, now });

export interface LogAhead {
  /** Something is to be written. */
  readonly work: boolean;
  /** Up to there no webhook wants an event. */
  readonly seen: number;
  /** There is more to look at. */
  readonly more: boolean;
}

/** What `fanOut` would find. */
export const lookAheadInLog = (db: TenantDb, subscribers: readonly Subscriber[], seen: number): LogAhead => {
  if (subscribers.length === 0) return { work: false, seen, more: false };
  const start = startOf(db, subscribers, seen);
  const events = followStore(db).typesAfter(start, NAMES_PER_LOOK);
  const first = events.find((event) => subscribers.some((one) => wants(one, event)));
  const reached = first ? first.seq - 1 : (events.at(-1)?.seq ?? start);
  return {
    work: first !== undefined || reached - noted(db) >= EVENTS_UNNOTED,
    seen: reached,
    more: first === undefined && events.length === NAMES_PER_LOOK,
  };
};
