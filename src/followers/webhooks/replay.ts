// Delivers once more what has been delivered or has failed, where somebody asks for it: one, or all that failed since a time.
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { createPace } from '#src/kernel/pace.ts';
import type { Clock } from '#src/kernel/time.ts';
import { webhookOf } from './change.ts';
import { type DeliveryRow, deliveryStore } from './delivery-store.ts';
import { canBePutBack, type PutBack, putBack, putBackFailed } from './put-back.ts';
import type { WebhookRow } from './store.ts';

/** Of one call, but for the last portion of it: it is to be answered within seconds. */
const MAX_ROWS = 50_000;

/** An active webhook: what one that is disabled has to deliver fails at once. */
const activeWebhookOf = (db: TenantDb, id: string): WebhookRow => {
  const row = webhookOf(db, id);
  if (row.status === 'active') return row;
  throw new AppError('conflict', 'The webhook is disabled.', {
    hint: 'Enable it first: PATCH it with `status: "active"`.',
  });
};

/** Throws `not_found`. */
export const deliveryOf = (db: TenantDb, { number }: WebhookRow, id: string): DeliveryRow => {
  const row = deliveryStore(db).byId(number, id);
  if (!row) throw new AppError('not_found', 'There is no such delivery.');
  return row;
};

const refuseUntold = (db: TenantDb, row: DeliveryRow): void => {
  if (row.event_seq === null)
    throw new AppError('conflict', 'A test is not delivered twice.', { hint: 'Send another test.' });
  if (canBePutBack(db, row)) return;
  throw new AppError('conflict', 'The event is kept no more.', {
    hint: 'A delivery can be replayed as long as the retention of events keeps what it tells of.',
  });
};

/**
 * In a transaction. What is pending already is due at once, or what it waits for is. Throws `not_found`, and `conflict` of a
 * test, of an event that is kept no more, and while the webhook is disabled.
 */
export const replayOne = (db: TenantDb, webhookId: string, deliveryId: string, now: number): DeliveryRow => {
  const row = deliveryOf(db, webhookOf(db, webhookId), deliveryId);
  const webhook = activeWebhookOf(db, webhookId);
  refuseUntold(db, row);
  putBack(db, row, now);
  return deliveryOf(db, webhook, deliveryId);
};

/**
 * All that failed at `since` (ms) or later, oldest first, in transactions with rests in between. Whoever repeats it after a
 * crash goes on where it ended: what has been put back is no longer failed. Throws `not_found`, and `conflict` while the
 * webhook is disabled.
 */
export const replayFailed = async (
  { files, clock }: { readonly files: TenantFiles; readonly clock: Clock },
  tenantId: string,
  webhookId: string,
  since: number,
): Promise<{ replayed: number; more: boolean }> => {
  const pace = createPace(new AbortController().signal);
  const before = clock.now();
  let replayed = 0;
  let after: number | null = 0;
  while (after !== null && replayed < MAX_ROWS) {
    const place: number = after;
    const portion: PutBack = await pace(() =>
      files.write(tenantId, (db) => {
        const { number } = activeWebhookOf(db, webhookId);
        return putBackFailed(db, number, { since, before, after: place }, clock.now());
      }),
    );
    replayed += portion.count;
    after = portion.after;
  }
  return { replayed, more: after !== null };
};
