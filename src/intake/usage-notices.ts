// Notifies the owners of a practice that a share of its plan's cap is used up: one mail for each share and UTC month, and
// only for the highest share where several are passed at once. The tenant's file records it after the mails are in the
// outbox. After a crash in between, the next message notifies them again, and the mails' ids, which derive from their
// content, let them go out once.
import { monthOf } from '#src/accounts/counters/rules.ts';
import { counterStore } from '#src/accounts/counters/store.ts';
import { createOwnerNotifier, type OwnerNoticesDeps } from '#src/accounts/mails/outbox.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { Limits } from '#src/kernel/limits.ts';
import { planOf } from './facts.ts';

/** Shares of the cap, in per cent, of which the owners are notified; rising. */
export const noticeShares = [70, 90, 100] as const;
type NoticeShare = (typeof noticeShares)[number];

/** The highest of them that is reached; 0 where none is. */
export const reachedShare = (used: number, cap: number): NoticeShare | 0 =>
  noticeShares.findLast((share) => used * 100 >= cap * share) ?? 0;

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
        const content = { kind: 'plan_usage', ...about, refuses, managedHost, origin } as const;
        return [{ month, share, content, occasion: [month, share] }];
      }),
    mark: (db, { month, share }) => counterStore(db).setNotified(month, share),
    failure: 'the owners could not be notified of the use of their plan',
  });
  return { wake: run, stop };
};
