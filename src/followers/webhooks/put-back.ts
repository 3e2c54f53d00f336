// Replays deliveries: the same id and the same body go out once more, so that who has had them knows them again, and the
// schedule begins anew. In order with what is pending of the same key: those that are put back go first.

import { followStore } from '#src/events/follow-store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { type DeliveryRow, deliveryStore } from './delivery-store.ts';

/** In one transaction, some 70 µs each. */
const ROWS_PER_PORTION = 100;

/** What there is to be told: a test, and an event that is no longer kept, cannot be told again. */
export const canBePutBack = (db: TenantDb, { event_seq }: DeliveryRow): boolean =>
  event_seq !== null && followStore(db).event(event_seq) !== undefined;

/** One that `canBePutBack`. Where it is pending, whichever of its key goes first is due now. */
export const putBack = (
  db: TenantDb,
  { seq, webhook, order_key, status }: DeliveryRow,
  now: number,
): void => {
  const store = deliveryStore(db);
  if (status === 'pending') store.hasten(webhook, order_key, now);
  else store.putBack(seq, store.hasPending(webhook, order_key) ? null : now, now);
};

export interface PutBack {
  readonly count: number;
  /** What to go on after; null where all have been looked at. */
  readonly after: number | null;
}

/**
 * Those that failed at `since` or later, a portion after `after` (0: from the first on). `before`: those that fail again
 * meanwhile are left alone.
 */
export const putBackFailed = (
  db: TenantDb,
  webhook: number,
  { since, before, after }: { readonly since: number; readonly before: number; readonly after: number },
  now: number,
  rowsPerPortion = ROWS_PER_PORTION,
): PutBack => {
  const rows = deliveryStore(db).failedAfter(webhook, after, rowsPerPortion);
  const wanted = rows.filter(
    (row) =>
      row.updated_at >= since &&
      // What stands after the present is from when the clock was wrong.
      (row.updated_at <= before || row.updated_at > now) &&
      canBePutBack(db, row),
  );
  for (const row of wanted) putBack(db, row, now);
  return {
    count: wanted.length,
    after: rows.length === rowsPerPortion ? (rows.at(-1)?.seq ?? null) : null,
  };
};
