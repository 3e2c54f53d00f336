// Adds up what the log tells, event by event, for each alert: a thousand bounces are one row with a number. The place in the
// log moves in the same transaction. Where nothing of what has been read is to be told, nothing is written: the place is kept
// in memory by whoever reads, and a restart reads a portion once more.

import type { AlertEvent } from '#src/events/catalogue.ts';
import { type FollowedEvent, followStore } from '#src/events/follow-store.ts';
import type { EventData } from '#src/events/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { isPublished } from '#src/messages/published-event.ts';
import { add, type Count, countOf, isAlertEvent, isToldAsBlocked, type Told } from './rules.ts';
import { type AlertRow, alertStore } from './store.ts';

/** Events read at once: some 10 ms where twenty alerts tell of half of them. */
const PORTION = 500;

export interface Portion {
  /** Up to here the log has been read. */
  readonly read: number;
  /** There may be more behind it. */
  readonly more: boolean;
}

/** What is to be told of an event; null where that is nothing. */
const toldOf = (row: FollowedEvent): Told | null => {
  if (!isAlertEvent(row.type) || !isPublished(row)) return null;
  const data: EventData = row.data_json === null ? {} : JSON.parse(row.data_json);
  const recipient = row.recipient ?? data.suppression?.address ?? null;
  return { type: row.type, at: row.at, recipient, data };
};

interface Listener {
  readonly row: AlertRow;
  readonly events: ReadonlySet<string>;
}

const listenersAmong = (rows: readonly AlertRow[]): readonly Listener[] =>
  rows
    .filter(({ status }) => status === 'active')
    .map((row) => ({ row, events: new Set<string>(JSON.parse(row.events_json)) }));

const hears = ({ row, events }: Listener, { seq, type }: Pick<FollowedEvent, 'seq' | 'type'>): boolean =>
  seq > row.after_seq && events.has(type);

/** `seen`: the place up to which somebody has looked and found nothing to tell. */
const startOf = (db: TenantDb, listeners: readonly Listener[], seen: number): number => {
  const { cursor, last } = followStore(db);
  const since = Math.min(last(), ...listeners.map(({ row }) => row.after_seq));
  return listeners.length === 0 ? last() : Math.max(cursor('alerts') ?? 0, seen, since);
};

const portionAfter = (start: number, events: readonly Pick<FollowedEvent, 'seq'>[]): Portion => ({
  read: events.at(-1)?.seq ?? start,
  more: events.length === PORTION,
});

/** Whether `gather` is to write: there may be something to tell, or the place in the file has fallen far behind. */
export const findNews = (
  db: TenantDb,
  rows: readonly AlertRow[],
  seen: number,
): Portion & { readonly isNews: boolean } => {
  const listeners = listenersAmong(rows);
  const start = startOf(db, listeners, seen);
  const events = followStore(db).typesAfter(start, PORTION);
  const portion = portionAfter(start, events);
  const isFar = portion.read - (followStore(db).cursor('alerts') ?? 0) >= PORTION;
  const isHeard = events.some((event) => listeners.some((listener) => hears(listener, event)));
  return { ...portion, isNews: isFar || isHeard };
};

/** Reads one portion of the log after `seen`, or after what has been read. `wait`: ms from the first event to its message. */
export const gather = (db: TenantDb, seen: number, wait: number): Portion => {
  const store = alertStore(db);
  const listeners = listenersAmong(store.all());
  const start = startOf(db, listeners, seen);
  const events = followStore(db).after(start, PORTION);
  const sums = new Map<Listener, Map<AlertEvent, Count>>();
  for (const event of events) {
    const hearing = listeners.filter((listener) => hears(listener, event));
    const told = hearing.length === 0 ? null : toldOf(event);
    if (told === null) continue;
    const counted = countOf(told);
    for (const listener of hearing) {
      if (isToldAsBlocked(told, listener.events)) continue;
      const sum = sums.get(listener) ?? new Map<AlertEvent, Count>();
      sums.set(listener, sum.set(told.type, add(sum.get(told.type), counted)));
    }
  }
  for (const [{ row }, sum] of sums) {
    const gathered = store.counts(row.number, 'gathered');
    for (const [event, count] of sum)
      store.putCount(row.number, 'gathered', event, add(gathered.get(event), count));
    const first = Math.min(...[...sum.values()].map(({ firstAt }) => firstAt));
    if (row.due_at === null) store.update({ ...row, due_at: first + wait });
  }
  const portion = portionAfter(start, events);
  followStore(db).moveCursor('alerts', portion.read);
  return portion;
};
