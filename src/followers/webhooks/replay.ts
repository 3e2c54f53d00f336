// Delivers again what was delivered or failed, when someone asks for it: one, or all that failed since a time. The same id and
// the same body go out, so that the receiver knows them again, and the schedule starts from its beginning. Order is kept with
// what is pending of the same key: what is replayed goes first.
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { createPace } from '#src/kernel/pace.ts';
import { say } from '#src/kernel/say.ts';
import type { Clock } from '#src/kernel/time.ts';
import { webhookOf } from './change.ts';
import { type DeliveryRow, deliveryStore } from './delivery-store.ts';
import { deliverableEvent } from './present.ts';
import type { WebhookRow } from './store.ts';

/** The rows share a transaction and take some 70 µs each. */
const ROWS_PER_BATCH = 100;

/** A test, and an event that is no longer kept, cannot be delivered again. */
export const canBePutBack = (db: TenantDb, row: DeliveryRow): boolean =>
  deliverableEvent(db, row) !== undefined;

/** A delivery that `canBePutBack`. Where it is pending, the first one of its key is due now. */
export const putBack = (
  db: TenantDb,
  { seq, webhook, order_key, status }: DeliveryRow,
  now: number,
): void => {
  const store = deliveryStore(db);
  if (status === 'pending') store.hasten(webhook, order_key, now);
  else store.putBack(seq, store.hasPending(webhook, order_key) ? null : now, now);
};

/** The failures of that time, ms. */
export interface Failures {
  readonly since: number;
  /** Exclusive; no end where absent. */
  readonly until?: number | undefined;
}

export interface PutBack {
  readonly count: number;
  /** What to go on after; null where all have been looked at. */
  readonly after: number | null;
}

/**
 * Puts back those that failed at `since` or later, and before `until`: one batch after `after` (0: from the first on). `before`: those that fail
 * again in the meantime are left alone.
 */
export const putBackFailed = (
  db: TenantDb,
  webhook: number,
  {
    since,
    until = Number.POSITIVE_INFINITY,
    before,
    after,
  }: Failures & { readonly before: number; readonly after: number },
  now: number,
  rowsPerBatch = ROWS_PER_BATCH,
): PutBack => {
  const rows = deliveryStore(db).failedAfter(webhook, after, rowsPerBatch);
  const wanted = rows.filter(
    (row) =>
      row.updated_at >= since &&
      row.updated_at < until &&
      // A time after the present is from when the clock was wrong.
      (row.updated_at <= before || row.updated_at > now) &&
      canBePutBack(db, row),
  );
  for (const row of wanted) putBack(db, row, now);
  return {
    count: wanted.length,
    after: rows.length === rowsPerBatch ? (rows.at(-1)?.seq ?? null) : null,
  };
};

/** The bound for one call, give or take a batch: it has to be answered within seconds. */
const MAX_ROWS = 50_000;

/** The deliveries of a disabled webhook would fail at once. */
const activeWebhookOf = (db: TenantDb, id: string): WebhookRow => {
  const row = webhookOf(db, id);
  if (row.status === 'active') return row;
  throw new AppError('conflict', say`The webhook is disabled.`, {
    hint: say`Enable it first: PATCH it with \`status: "active"\`.`,
  });
};

/** Throws `not_found`. */
export const deliveryOf = (db: TenantDb, { number }: WebhookRow, id: string): DeliveryRow => {
  const row = deliveryStore(db).byId(number, id);
  if (!row) throw new AppError('not_found', say`There is no such delivery.`);
  return row;
};

const refuseUnpublished = (db: TenantDb, row: DeliveryRow): void => {
  if (row.event_seq === null)
    throw new AppError('conflict', say`A test is not delivered twice.`, { hint: say`Send another test.` });
  if (canBePutBack(db, row)) return;
  throw new AppError('conflict', say`The event, or its mail, is no longer kept.`, {
    hint: say`A delivery can be replayed as long as its data is kept: by the retention of events, and of mail received.`,
  });
};

/**
 * Called in a transaction. A delivery that is pending already is due at once, or the one that it waits for is. Throws
 * `not_found`, and `conflict` of a test, of an event that is no longer kept, and while the webhook is disabled.
 */
export const replayOne = (db: TenantDb, webhookId: string, deliveryId: string, now: number): DeliveryRow => {
  const row = deliveryOf(db, webhookOf(db, webhookId), deliveryId);
  const webhook = activeWebhookOf(db, webhookId);
  refuseUnpublished(db, row);
  putBack(db, row, now);
  return deliveryOf(db, webhook, deliveryId);
};

/**
 * All `failures`, oldest first, in transactions with rests in between. A call that is repeated after
 * a crash goes on where it ended: what has been put back is no longer failed. Throws `not_found`, and `conflict` while the
 * webhook is disabled.
 */
export const replayFailed = async (
  { files, clock }: { readonly files: TenantFiles; readonly clock: Clock },
  tenantId: string,
  webhookId: string,
  failures: Failures,
): Promise<{ replayed: number; more: boolean }> => {
  const pace = createPace(new AbortController().signal);
  const before = clock.now();
  let replayed = 0;
  let after: number | null = 0;
  while (after !== null && replayed < MAX_ROWS) {
    const place: number = after;
    const batch: PutBack = await pace(() =>
      files.write(tenantId, (db) => {
        const { number } = activeWebhookOf(db, webhookId);
        return putBackFailed(db, number, { ...failures, before, after: place }, clock.now());
      }),
    );
    replayed += batch.count;
    after = batch.after;
  }
  return { replayed, more: after !== null };
};
