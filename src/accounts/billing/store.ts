// The practice's customer and subscription at the payment provider, in the tenant's file.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { SubscriptionStatus } from './provider.ts';

export interface BillingRow {
  customer_id: string;
  checkout_at: number | null;
  subscription_id: string | null;
  status: SubscriptionStatus | null;
  since: number | null;
  current_period_end: number | null;
  cancels_at: number | null;
  grace_until: number | null;
  confirmed_at: number | null;
  notice: 'payment_failed' | 'plan_ended' | null;
  notice_at: number | null;
}

export const billingStore = perConnection((db: TenantDb) => {
  const get = db.prepare<[], BillingRow>(
    `SELECT customer_id, checkout_at, subscription_id, status, since, current_period_end, cancels_at, grace_until,
            confirmed_at, notice, notice_at FROM billing`,
  );
  const put = db.prepare<BillingRow>(
    `INSERT OR REPLACE INTO billing
       (only, customer_id, checkout_at, subscription_id, status, since, current_period_end, cancels_at, grace_until,
        confirmed_at, notice, notice_at)
     VALUES (1, :customer_id, :checkout_at, :subscription_id, :status, :since, :current_period_end, :cancels_at,
             :grace_until, :confirmed_at, :notice, :notice_at)`,
  );
  return {
    get: (): BillingRow | undefined => get.get(),
    put: (row: BillingRow): void => {
      put.run(row);
    },
  };
});

/** A customer without a subscription. */
export const newCustomer = (customer_id: string): BillingRow => ({
  customer_id,
  checkout_at: null,
  subscription_id: null,
  status: null,
  since: null,
  current_period_end: null,
  cancels_at: null,
  grace_until: null,
  confirmed_at: null,
  notice: null,
  notice_at: null,
});
