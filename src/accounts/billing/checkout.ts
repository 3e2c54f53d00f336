// Leads an owner to the provider's own pages: to pay for the plan Supporter, and to change or cancel the subscription. What is
// entered there never passes through this service.

import type { Plan } from '#src/accounts/tenants/rules.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Change } from '#src/kernel/change.ts';
import { createKeyedQueue } from '#src/kernel/concurrency.ts';
import { dashboardLink } from '#src/kernel/dashboard-link.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import { MINUTE } from '#src/kernel/time.ts';
import type { Confirm, ConfirmDeps } from './confirm.ts';
import { isSubscribed } from './rules.ts';
import { billingStore, newCustomer } from './store.ts';

/**
 * How long a page can be paid on: the least that the provider takes, and 5 minutes for clocks that differ. Until then every
 * checkout of the practice leads to it, because two pages would be two subscriptions.
 */
const PAGE_MS = 35 * MINUTE;

const refuse = (db: TenantDb): void => {
  const { plan } = tenantStore(db).practice();
  if (plan !== 'test' && plan !== 'supporter')
    throw new AppError('conflict', say`The operator has given this practice the plan ${plan}.`, {
      hint: say`Ask the operator for another plan.`,
    });
  const row = billingStore(db).get();
  if (row && isSubscribed(row))
    throw new AppError('conflict', say`The practice has a subscription.`, {
      hint: say`POST /api/practices/{id}/billing/portal leads to the page where it is changed, paid or cancelled.`,
    });
};

const record = (db: TenantDb, tenantId: string, after: object, change: Change, now: number): void =>
  auditStore(db).record(change, { target: { type: 'practice', id: tenantId }, before: null, after }, now);

export const createPages = (
  { files, clock, provider, origin }: ConfirmDeps,
  { confirm }: Pick<Confirm, 'confirm'>,
) => {
  const queue = createKeyedQueue();
  const returnUrlOf = (practice: string): string => dashboardLink(origin, { practice, page: 'billing' });

  return {
    /** The page's address. Rejects with `conflict`, and as the provider does; then nothing is stored. */
    checkout: (tenantId: string, plan: Plan, change: Change): Promise<string> =>
      queue(tenantId, async () => {
        const known = await files.read(tenantId, (db) => billingStore(db).get());
        // The event of a payment just made may still be on its way.
        if (known) await confirm(known.customer_id, tenantId);
        const { row, slug } = await files.read(tenantId, (db) => {
          refuse(db);
          return { row: billingStore(db).get(), slug: tenantStore(db).practice().slug };
        });
        const asked = clock.now();
        // A page whose address was not stored was not shown either.
        const last = row?.checkout_at ?? null;
        const begunAt = last !== null && asked < last + PAGE_MS ? last : asked;
        const pageOf = async (customerId: string) => {
          const key = `checkout-${customerId}-${row?.subscription_id ?? 'first'}-${begunAt}`;
          const expiresAt = begunAt + PAGE_MS;
          const url = await provider.checkout({
            customerId,
            practiceId: tenantId,
            returnUrl: returnUrlOf(tenantId),
            key,
            expiresAt,
          });
          return url === null ? null : { customerId, url };
        };
        const pageOfNew = async () =>
          pageOf(await provider.createCustomer({ id: tenantId, slug }, row?.customer_id));
        const page = (row && (await pageOf(row.customer_id))) ?? (await pageOfNew());
        if (page === null) throw new Error('the provider does not have the customer that it made');
        await files.write(tenantId, (db) => {
          const present = billingStore(db).get() ?? newCustomer(page.customerId);
          billingStore(db).put({ ...present, customer_id: page.customerId, checkout_at: begunAt });
          record(db, tenantId, { plan }, change, clock.now());
        });
        return page.url;
      }),
    /** The errors are those of `checkout`. */
    portal: async (tenantId: string, change: Change): Promise<string> => {
      const row = await files.read(tenantId, (db) => billingStore(db).get());
      const url = row ? await provider.portal(row.customer_id, returnUrlOf(tenantId)) : null;
      if (url === null)
        throw new AppError('conflict', say`The practice has no subscription at the payment provider.`, {
          hint: say`POST /api/practices/{id}/billing/checkout begins one.`,
        });
      await files.write(tenantId, (db) => record(db, tenantId, { page: 'portal' }, change, clock.now()));
      return url;
    },
  };
};
