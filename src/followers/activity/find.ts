// Pages of the log, newest first. A time is found by its number, since events are numbered as they are written; each look spans
// a bounded part of the numbers, and when a call has looked for long enough it ends, however little it has found.

import { type FollowedEvent, followStore } from '#src/events/follow-store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { MINUTE } from '#src/kernel/time.ts';
import { type ActivityFilter, activityStore } from './store.ts';

export interface Found {
  readonly rows: FollowedEvent[];
  /** Where to go on; null where nothing older is left. */
  readonly next: number | null;
  /** Where the log ended. */
  readonly end: number;
}

/** No look but the first begins after so long. */
const BUDGET_MS = 10;
/** Numbers that a look spans: it takes some 2 ms where each row is looked at and nothing of it is wanted. */
const SPAN = 4_096;
/** Of one message: the rows of others in between cost nothing. */
const SPAN_OF_MESSAGE = 32_768;
/** An open or click is written some time after it, and a clock may be set back. */
const OUT_OF_ORDER_MS = 10 * MINUTE;

/** At most `limit` of those before the number `before` (null: the newest); maybe fewer, even none, though more are left. */
export const findActivity = (
  db: TenantDb,
  filter: ActivityFilter,
  before: number | null,
  limit: number,
  budgetMs = BUDGET_MS,
): Found => {
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
    position = found.length === wanted ? (found.at(-1)?.seq ?? bottom) : bottom;
    isOver = performance.now() - started >= budgetMs;
  }
  return { rows, next: position > from ? position : null, end };
};
