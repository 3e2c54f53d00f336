// Reads a part of the log for the activity, newest first or in its order. Each statement reads no more than the range of numbers
// that it is given, however few of them are wanted. For a page a time is found by its number, since events are numbered as they
// are written; a call that has looked for long enough ends, however little it has found.

import type { EventType } from '#src/events/catalogue.ts';
import { type FollowedEvent, followed, followStore } from '#src/events/follow-store.ts';
import { numbersOf } from '#src/kernel/db/numbers.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { MINUTE } from '#src/kernel/time.ts';

export interface ActivityFilter {
  /** Null: all. */
  readonly types: readonly EventType[] | null;
  /** Number of the message; null: all, and those about none. */
  readonly message: number | null;
  /** Times, ms; null: no bound. */
  readonly from: number | null;
  readonly before: number | null;
  /**
   * Ids of projects, to which it is limited: events of their messages, and of suppressions that apply there and nowhere
   * else. Null: all.
   */
  readonly projects: readonly string[] | null;
  /** Whether events of mail received are among them. */
  readonly withMail: boolean;
}

interface Range {
  readonly from: number;
  readonly before: number;
  readonly limit: number;
}

interface Bound extends Range {
  readonly types: string | null;
  readonly message: number | null;
  readonly since: number | null;
  readonly until: number | null;
  readonly projects: string | null;
  readonly withMail: 0 | 1;
}

const IN_RANGE = 'events.seq >= :from AND events.seq < :before';
const WANTED = `(:withMail OR events.inbound_seq IS NULL)
  AND (:types IS NULL OR events.type IN (SELECT value FROM json_each(:types)))
  AND (:since IS NULL OR events.at >= :since) AND (:until IS NULL OR events.at < :until)
  AND (:projects IS NULL OR CASE events.message_seq
    WHEN 0 THEN coalesce(
      (SELECT project_id FROM routes WHERE routes.id = events.data_json ->> '$.suppression.route_id'),
      events.data_json ->> '$.suppression.project_id')
    ELSE (SELECT project_id FROM messages WHERE messages.seq = events.message_seq)
  END IN (SELECT value FROM json_each(:projects)))`;

const json = (values: readonly string[] | null): string | null => values && JSON.stringify(values);

export const activityStore = perConnection((db: TenantDb) => {
  const oldest = db.prepare<[], number | null>('SELECT min(seq) FROM events').pluck();
  const next = db.prepare<[number], { seq: number; at: number }>(
    'SELECT seq, at FROM events WHERE seq >= ? ORDER BY seq LIMIT 1',
  );
  const prepare = (where: string, direction: 'ASC' | 'DESC') =>
    db.prepare<Bound, FollowedEvent>(
      followed(`${where} AND ${WANTED} ORDER BY events.seq ${direction} LIMIT :limit`),
    );
  const ofMessage = `${IN_RANGE} AND events.message_seq = :message`;
  const statements = {
    newest: { all: prepare(IN_RANGE, 'DESC'), message: prepare(ofMessage, 'DESC') },
    inOrder: { all: prepare(IN_RANGE, 'ASC'), message: prepare(ofMessage, 'ASC') },
  };
  const read = (order: keyof typeof statements, filter: ActivityFilter, range: Range): FollowedEvent[] =>
    statements[order][filter.message === null ? 'all' : 'message'].all({
      ...range,
      types: json(filter.types),
      message: filter.message,
      since: filter.from,
      until: filter.before,
      projects: json(filter.projects),
      withMail: filter.withMail ? 1 : 0,
    });
  return {
    ...numbersOf(db, 'events'),
    /** Number of the oldest event that is kept; null where none is. */
    oldest: (): number | null => oldest.get() ?? null,
    /** Number of the first event at `at` or later, among those with numbers in between; `before` where there is none. */
    firstSince: (at: number, from: number, before: number): number => {
      let older = from - 1;
      let found = before;
      while (older + 1 < found) {
        const middle = Math.floor((older + found) / 2);
        const row = next.get(middle);
        if (row === undefined || row.at >= at) found = middle;
        else older = row.seq;
      }
      return found;
    },
    newest: (filter: ActivityFilter, range: Range): FollowedEvent[] => read('newest', filter, range),
    inOrder: (filter: ActivityFilter, range: Range): FollowedEvent[] => read('inOrder', filter, range),
  };
});

export interface ActivityPage {
  readonly rows: FollowedEvent[];
  /** The place to go on from; null where nothing older is left. */
  readonly next: number | null;
  /** The place where the log ended. */
  readonly end: number;
}

/** No look but the first begins after so long. */
const BUDGET_MS = 10;
/** Numbers that a look spans: it takes some 2 ms where each row is looked at and nothing of it is wanted. */
const SPAN = 4_096;
/** The span where one message is wanted: the rows of others in between cost nothing. */
const SPAN_OF_MESSAGE = 32_768;
/** An open or click is written some time after it, and a clock may be set back. */
const OUT_OF_ORDER_MS = 10 * MINUTE;

/** Returns at most `limit` of those before the number `before` (null: the newest); maybe fewer, even none, though more are left. */
export const findActivity = (
  db: TenantDb,
  filter: ActivityFilter,
  before: number | null,
  limit: number,
  budgetMs = BUDGET_MS,
): ActivityPage => {
  const store = activityStore(db);
  const end = followStore(db).last();
  const oldest = store.oldest() ?? end + 1;
  const { from: since, before: until } = filter;
  const from = since === null ? oldest : store.firstSince(since - OUT_OF_ORDER_MS, oldest, end + 1);
  const top = until === null ? end + 1 : store.firstSince(until + OUT_OF_ORDER_MS, oldest, end + 1);
  const started = performance.now();
  const rows: FollowedEvent[] = [];
  let position = Math.min(before ?? top, top);
  const span = filter.message === null ? SPAN : SPAN_OF_MESSAGE;
  let isOver = false;
  while (position > from && rows.length < limit && !isOver) {
    const bottom = Math.max(from, position - span);
    const wanted = limit - rows.length;
    const found = store.newest(filter, { from: bottom, before: position, limit: wanted });
    rows.push(...found);
    position = found.length === wanted ? (found.at(-1)?.seq ?? bottom) : store.endBefore(bottom);
    isOver = performance.now() - started >= budgetMs;
  }
  return { rows, next: position > from ? position : null, end };
};
