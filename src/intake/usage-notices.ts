// Tells the owners of a practice that a share of its plan's cap is used up: one mail for each share and UTC month, and only
// for the highest where several are passed at once. What is told is written down in the tenant's file after the mails
// stand in the outbox: a crash in between lets the next message tell it again, and the mails' ids, made of what they
// tell, let them go out once.
import { monthOf } from '#src/accounts/counters/rules.ts';
import { counterStore } from '#src/accounts/counters/store.ts';
import type { NoticeContent } from '#src/accounts/mails/schema.ts';
import { type OwnerNoticesDeps, tellOwners } from '#src/accounts/mails/tell-owners.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { createFollowUps } from '#src/kernel/follow-ups.ts';
import { type FactsDeps, planOf } from './facts.ts';
import { reachedShare, type ToldShare } from './usage-rules.ts';

export interface UsageNoticesDeps extends OwnerNoticesDeps, Pick<FactsDeps, 'managedHostCap'> {}

export interface UsageNotices {
  /** A share has been reached that may not have been told of. However many calls there are, one look follows the last. */
  tell(tenantId: string): void;
  /** Resolves when what is under way has ended. */
  stop(): Promise<void>;
}

type UsageNotice = Extract<NoticeContent, { kind: 'plan_usage' }>;

interface Untold {
  readonly month: string;
  readonly share: ToldShare;
  readonly content: UsageNotice;
}

export const createUsageNotices = (deps: UsageNoticesDeps): UsageNotices => {
  const { files, platform, notices, ownersOf, clock, log, origin } = deps;
  const untold = (tenantId: string, now: number): Promise<Untold | null> =>
    files.read(tenantId, (db) => {
      const practice = tenantStore(db).practice();
      const plan = planOf(db, practice, deps, now);
      const share = reachedShare(plan.used, plan.cap);
      if (share <= plan.told || share === 0) return null;
      const month = monthOf(now).name;
      const { name, used, cap, resetsAt, refuses, managedHost } = plan;
      const about = { practice: practice.name, plan: name, month, share, used, cap, resetsAt };
      return { month, share, content: { kind: 'plan_usage', ...about, refuses, managedHost, origin } };
    });

  const tellNow = async (tenantId: string): Promise<void> => {
    const now = clock.now();
    const found = await untold(tenantId, now);
    if (found === null) return;
    const { month, share, content } = found;
    const owners = await ownersOf(tenantId);
    const telling = { tenantId, owners, content, occasion: [month, share] };
    await platform.write((db) => tellOwners(notices, db, telling, now));
    notices.tell();
    await files.write(tenantId, (db) => counterStore(db).setTold(month, share));
  };

  const { run, stop } = createFollowUps(tellNow, (error, tenantId) =>
    log.warn({ err: error, tenant: tenantId }, 'owners could not be told of the use of their plan'),
  );
  return { tell: run, stop };
};
