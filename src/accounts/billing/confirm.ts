// The state of a subscription is asked of the provider, never taken from an event: an event only says about which customer to ask.
// So it makes no difference in what order events come, how late, and how often. For one customer the questions go one after the
// other, each with the write that follows, so that an older answer never replaces a newer one.
//
// Row, plan and audit are one transaction of the practice's file. The practice is the one that our checkout noted at the
// subscription; where the file knows another customer, it is not its.

import { utcDay } from '#src/accounts/counters/rules.ts';
import { createOwnerNotifier, type OwnerNoticesDeps } from '#src/accounts/mails/outbox.ts';
import { writePractice } from '#src/accounts/tenants/change-practice.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { plans } from '#src/accounts/tenants/rules.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { NightlyTask } from '#src/kernel/base.ts';
import { systemChange } from '#src/kernel/change.ts';
import { createKeyedQueue } from '#src/kernel/concurrency.ts';
import { dashboardLink } from '#src/kernel/dashboard-link.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { DAY } from '#src/kernel/time.ts';
import type { BillingProvider, ProviderSubscription } from './provider.ts';
import { followSubscription, isDue, isSubscribed, subscriptionOf } from './rules.ts';
import { type BillingRow, billingStore, newCustomer } from './store.ts';

export interface ConfirmDeps extends OwnerNoticesDeps {
  readonly provider: BillingProvider;
  /** How long the plan is kept after a failed payment, ms. */
  readonly grace: number;
}

/** What has happened to the plan may be of interest for so long. */
const NOTIFY_WITHIN_MS = 7 * DAY;
/** A night asks no more where the provider fails so often in a row. What it refuses about one customer is no failure. */
const FAILURES_A_NIGHT = 3;

const createBillingNotices = (deps: OwnerNoticesDeps) =>
  createOwnerNotifier(deps, {
    find: (tenantId) =>
      deps.files.read(tenantId, (db) => {
        const row = billingStore(db).get();
        if (!row?.notice || row.notice_at === null) return [];
        const what =
          row.notice === 'payment_failed'
            ? ({ is: row.notice, planKeptUntil: row.grace_until ?? row.notice_at } as const)
            : ({ is: row.notice, isUnpaid: row.grace_until !== null || row.status !== 'canceled' } as const);
        const content = {
          kind: 'billing',
          practice: tenantStore(db).practice().name,
          what,
          at: row.notice_at,
          testCap: plans.test.monthlyCap,
          link: dashboardLink(deps.origin, { practice: tenantId, page: 'billing' }),
        } as const;
        return [{ content, occasion: [row.notice, row.notice_at], expiresIn: NOTIFY_WITHIN_MS }];
      }),
    mark: (db, { content }) => {
      const row = billingStore(db).get();
      if (row?.notice === content.what.is && row.notice_at === content.at)
        billingStore(db).put({ ...row, notice: null, notice_at: null });
    },
    failure: 'the owners could not be notified of their subscription',
  });

export type Confirm = ReturnType<typeof createConfirm>;

export const createConfirm = (deps: ConfirmDeps) => {
  const { files, platform, clock, log, provider, grace } = deps;
  const notices = createBillingNotices(deps);
  const queue = createKeyedQueue();

  /** False where the practice is another customer. */
  const write = (
    db: TenantDb,
    tenantId: string,
    customerId: string,
    all: readonly ProviderSubscription[],
  ): boolean => {
    const before = billingStore(db).get() ?? newCustomer(customerId);
    if (before.customer_id !== customerId) return false;
    const now = clock.now();
    const practice = tenantStore(db).practice();
    const found = subscriptionOf(tenantId, before, all);
    if (!found) {
      billingStore(db).put({ ...before, confirmed_at: now });
      return true;
    }
    const { row, plan } = followSubscription(before, found, practice.plan, now, grace);
    billingStore(db).put(row);
    if (plan !== practice.plan) writePractice(db, { plan }, systemChange('practice.plan'), now);
    return true;
  };

  const follow = async (
    tenantId: string,
    customerId: string,
    all: readonly ProviderSubscription[],
  ): Promise<void> => {
    const isPractice = await platform.read((db) => registryStore(db).get(tenantId) !== undefined);
    const about = { practice_id: tenantId, customer: customerId };
    if (!isPractice) log.warn(about, 'a subscription at the payment provider is of no practice here');
    else if (await files.write(tenantId, (db) => write(db, tenantId, customerId, all))) notices.run(tenantId);
    else log.warn(about, 'a subscription at the payment provider names a practice that is another customer');
  };

  /**
   * `tenantId`: whose customer it is, where that is known; then a subscription that the provider no longer lists has ended.
   * Rejects as the provider and the practice's file do; then nothing is stored.
   */
  const confirm = (customerId: string, tenantId?: string): Promise<void> =>
    queue(customerId, async () => {
      const all = await provider.subscriptions(customerId);
      const named = all.flatMap(({ practiceId }) => practiceId ?? []);
      for (const practiceId of new Set(tenantId === undefined ? named : [...named, tenantId])) {
        if (all.filter((one) => one.practiceId === practiceId && isSubscribed(one)).length > 1)
          log.warn(
            { practice_id: practiceId },
            'a practice has several subscriptions at the payment provider',
          );
        await follow(practiceId, customerId, all);
      }
    });

  let night = { day: 0, failures: 0 };

  /** Finds what events that were lost would have said, and ends the grace time. */
  const nightly: NightlyTask = {
    what: 'subscriptions',
    run: async (tenantId) => {
      const row: BillingRow | undefined = await files.read(tenantId, (db) => billingStore(db).get());
      if (row === undefined) return;
      if (row.notice !== null) notices.run(tenantId);
      const now = clock.now();
      if (night.day !== utcDay(now)) night = { day: utcDay(now), failures: 0 };
      if (!isDue(row, now) || night.failures >= FAILURES_A_NIGHT) return;
      try {
        await confirm(row.customer_id, tenantId);
        night.failures = 0;
      } catch (error) {
        night.failures = error instanceof AppError && error.code === 'unavailable' ? night.failures + 1 : 0;
        log.warn({ err: error, practice_id: tenantId }, 'a subscription could not be confirmed');
      }
    },
  };

  return { confirm, nightly, stop: notices.stop };
};
