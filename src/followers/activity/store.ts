// Reads a part of the log for the activity, newest first or in its order. Each statement reads no more than the range of numbers
// that it is given, however few of them are wanted.

import type { EventType } from '#src/events/catalogue.ts';
import { type FollowedEvent, followed } from '#src/events/follow-store.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

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
}

/** Of numbers. */
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
}

const IN_RANGE = 'events.seq >= :from AND events.seq < :before';
const WANTED = `(:types IS NULL OR events.type IN (SELECT value FROM json_each(:types)))
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
    });
  return {
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
