// Notifies the owners of a practice that a share of its plan's cap is used up: one mail for each share and UTC month, and
// only for the highest share where several are passed at once. The tenant's file records it after the mails are in the
// outbox. After a crash in between, the next message notifies them again, and the mails' ids, which derive from their
// content, let them go out once.
import { monthOf, reachedShare } from '#src/accounts/counters/rules.ts';
import { counterStore } from '#src/accounts/counters/store.ts';
import { createOwnerNotifier, type OwnerNoticesDeps } from '#src/accounts/mails/outbox.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { dashboardLink } from '#src/kernel/dashboard-link.ts';
import type { Limits } from '#src/kernel/limits.ts';
import { planOf } from './facts.ts';

export interface UsageNotices {
  /** Called when a share may have been reached. However many calls there are, one look follows the last of them. */
  wake(tenantId: string): void;
  /** Resolves when what is in flight has ended. */
  stop(): Promise<void>;
}

export const createUsageNotices = (deps: OwnerNoticesDeps, limits: () => Limits): UsageNotices => {
  const { files, clock, origin } = deps;
  const { run, stop } = createOwnerNotifier(deps, {
    find: (tenantId) =>
      files.read(tenantId, (db) => {
        const now = clock.now();
        const practice = tenantStore(db).practice();
        const plan = planOf(db, practice, limits(), now);
        const share = reachedShare(plan.used, plan.cap);
        if (share <= plan.notified || share === 0) return [];
        const month = monthOf(now).name;
        const { name, used, cap, resetsAt, refuses, managedHost } = plan;
        const about = { practice: practice.name, plan: name, month, share, used, cap, resetsAt };
        const link = dashboardLink(origin, { practice: tenantId, page: 'billing' });
        const content = { kind: 'plan_usage', ...about, refuses, managedHost, link } as const;
        return [{ month, share, content, occasion: [month, share] }];
      }),
    mark: (db, { month, share }) => counterStore(db).setNotified(month, share),
    failure: 'the owners could not be notified of the use of their plan',
  });
  return { wake: run, stop };
};
