// Sums up the events of the log for each alert, and claims the messages that are due. A thousand bounces are one row with a number.
// The cursor moves in the transaction that sums up. Where nothing of what was read concerns an alert nothing is written: the
// reader keeps the position in memory, and a restart reads one batch again. A claim takes all that was gathered as one message,
// also where an earlier attempt at a part of it failed. It writes the attempt and the time of the next one, so that a crash sends
// the message again at that time, and not at once.

import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { AlertEvent } from '#src/events/catalogue.ts';
import { type FollowedEvent, followStore } from '#src/events/follow-store.ts';
import type { EventData } from '#src/events/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { MemberLanguage } from '#src/kernel/language.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import type { WorkItem } from '#src/kernel/work/in-flight.ts';
import type { Claim } from '#src/kernel/work/queue.ts';
import { isPublished } from '#src/messages/published-event.ts';
import {
  type AlertKind,
  type AlertPolicy,
  add,
  type Count,
  countOf,
  isAlertEvent,
  isCountedAsBlocked,
  longestWait,
  nextAttemptAt,
  type ReportedEvent,
} from './rules.ts';
import { openUrl } from './schema.ts';
import { type AlertRow, alertStore, type Counts } from './store.ts';

/** Events read at once: some 10 ms where twenty alerts report half of them. */
const BATCH = 500;

export interface LogBatch {
  /** Up to here the log has been read. */
  readonly read: number;
  /** There may be more behind it. */
  readonly more: boolean;
}

/** What alerts report of an event; null where that is nothing. */
const reportedOf = (row: FollowedEvent): ReportedEvent | null => {
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

const wants = ({ row, events }: Listener, { seq, type }: Pick<FollowedEvent, 'seq' | 'type'>): boolean =>
  seq > row.after_seq && events.has(type);

/** `seen`: up to there an earlier look found nothing to report. */
const startOf = (db: TenantDb, listeners: readonly Listener[], seen: number): number => {
  const { cursor, last } = followStore(db);
  const since = Math.min(last(), ...listeners.map(({ row }) => row.after_seq));
  return listeners.length === 0 ? last() : Math.max(cursor('alerts') ?? 0, seen, since);
};

const batchAfter = (start: number, events: readonly Pick<FollowedEvent, 'seq'>[]): LogBatch => ({
  read: events.at(-1)?.seq ?? start,
  more: events.length === BATCH,
});

/** Whether `gather` has to write: there may be events to report, or the cursor in the file is far behind. */
export const findNewEvents = (
  db: TenantDb,
  rows: readonly AlertRow[],
  seen: number,
): LogBatch & { readonly hasNew: boolean } => {
  const listeners = listenersAmong(rows);
  const start = startOf(db, listeners, seen);
  const events = followStore(db).typesAfter(start, BATCH);
  const batch = batchAfter(start, events);
  const isFar = batch.read - (followStore(db).cursor('alerts') ?? 0) >= BATCH;
  const isWanted = events.some((event) => listeners.some((listener) => wants(listener, event)));
  return { ...batch, hasNew: isFar || isWanted };
};

/** Reads one batch of the log after `seen`, or after what has been read. `wait`: ms from the first event to its message. */
export const gather = (db: TenantDb, seen: number, wait: number): LogBatch => {
  const store = alertStore(db);
  const listeners = listenersAmong(store.all());
  const start = startOf(db, listeners, seen);
  const events = followStore(db).after(start, BATCH);
  const sums = new Map<Listener, Map<AlertEvent, Count>>();
  for (const event of events) {
    const wanting = listeners.filter((listener) => wants(listener, event));
    const reported = wanting.length === 0 ? null : reportedOf(event);
    if (reported === null) continue;
    const counted = countOf(reported);
    for (const listener of wanting) {
      if (isCountedAsBlocked(reported, listener.events)) continue;
      const sum = sums.get(listener) ?? new Map<AlertEvent, Count>();
      sums.set(listener, sum.set(reported.type, add(sum.get(reported.type), counted)));
    }
  }
  for (const [{ row }, sum] of sums) {
    const gathered = store.counts(row.number, 'gathered');
    for (const [event, count] of sum)
      store.putCount(row.number, 'gathered', event, add(gathered.get(event), count));
    const first = Math.min(...[...sum.values()].map(({ firstAt }) => firstAt));
    if (row.due_at === null) store.update({ ...row, due_at: first + wait });
  }
  const batch = batchAfter(start, events);
  followStore(db).moveCursor('alerts', batch.read);
  return batch;
};

/** A message to be sent. Its key is the number of the alert, its target the id. */
export interface ClaimedAlert extends WorkItem {
  readonly key: number;
  readonly kind: AlertKind;
  readonly language: MemberLanguage;
  readonly url: string;
  /** The first is 1. */
  readonly attempt: number;
  /** Name of the practice. */
  readonly practice: string;
  readonly counts: Counts;
}

export interface ClaimDeps {
  readonly now: number;
  readonly policy: AlertPolicy;
  /** 32 bytes, derived for alerts alone. */
  readonly key: SealingKey;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
}

/** What is due later than its kind of wait sets it got its time from a clock that has been set back since. */
export const isDue = (
  { status, due_at, attempts }: AlertRow,
  { now, policy }: Pick<ClaimDeps, 'now' | 'policy'>,
): boolean => {
  if (status !== 'active' || due_at === null) return false;
  return due_at <= now || due_at > now + (attempts === 0 ? policy.gather : longestWait(policy));
};

const mergedCounts = (db: TenantDb, number: number): Counts => {
  const store = alertStore(db);
  const sending = store.counts(number, 'sending');
  for (const [event, count] of store.counts(number, 'gathered'))
    store.putCount(number, 'sending', event, add(sending.get(event), count));
  store.removeCounts(number, 'gathered');
  return store.counts(number, 'sending');
};

const claimOne = (db: TenantDb, row: AlertRow, practice: string, deps: ClaimDeps): ClaimedAlert => {
  const { now, policy, key, random } = deps;
  const { number, id, kind, language } = row;
  const attempt = row.attempts + 1;
  const counts = mergedCounts(db, number);
  alertStore(db).update({
    ...row,
    attempts: attempt,
    due_at: nextAttemptAt(attempt, now, policy, random()),
  });
  const url = openUrl(key, row);
  return { key: number, target: id, bytes: 0, kind, language, url, attempt, practice, counts };
};

/** Takes those that are due and have room, those due longest first. */
export const claimDue = (
  db: TenantDb,
  { room, isInFlight, take }: Claim<ClaimedAlert>,
  deps: ClaimDeps,
): void => {
  const due = alertStore(db)
    .all()
    .filter((row) => isDue(row, deps) && !isInFlight(row.number))
    .toSorted((a, b) => (a.due_at ?? 0) - (b.due_at ?? 0));
  for (const row of due) if (room(row.id) > 0) take(claimOne(db, row, tenantStore(db).practice().name, deps));
};
