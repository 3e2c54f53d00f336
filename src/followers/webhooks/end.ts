// Ends a delivery, and lets go what waited behind it.
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { type DeliveryRow, deliveryStore } from './delivery-store.ts';

export interface Answer {
  readonly response_status: number | null;
  readonly response_excerpt: string | null;
  readonly error: string | null;
}

/** Of one that is pending. */
export const end = (
  db: TenantDb,
  { seq, webhook, order_key, event_seq, next_attempt_at }: DeliveryRow,
  ended: Answer & { readonly status: 'delivered' | 'failed' },
  now: number,
): void => {
  deliveryStore(db).end({ ...ended, seq, next_attempt_at: null, updated_at: now });
  // Behind one that itself waits, or behind a test, nothing waits.
  if (next_attempt_at !== null && event_seq !== null) deliveryStore(db).letNextGo(webhook, order_key, now);
};

/** Of one that is pending, without another attempt: what was answered last stands beside it. */
export const endFailed = (db: TenantDb, row: DeliveryRow, error: string, now: number): void => {
  const { response_status, response_excerpt } = row;
  end(db, row, { status: 'failed', response_status, response_excerpt, error }, now);
};
