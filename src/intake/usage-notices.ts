// Tells the owners of a practice that a share of its plan's cap is used up: one mail for each share and UTC month, and only
// for the highest where several are passed at once. What is told is written down in the tenant's file after the mails
// stand in the outbox: a crash in between lets the next message tell it again, and the mails' ids, made of what they
// tell, let them go out once.
import { createHash } from 'node:crypto';
import { monthOf } from '#src/counters/rules.ts';
import { counterStore } from '#src/counters/store.ts';
import type { DurableFile } from '#src/db/durable-file.ts';
import type { PlatformDb } from '#src/db/sqlite.ts';
import type { TenantFiles } from '#src/db/tenant-files.ts';
import { createFollowUps } from '#src/kernel/follow-ups.ts';
import type { Language } from '#src/kernel/language.ts';
import type { Log } from '#src/kernel/log.ts';
import { type Clock, DAY } from '#src/kernel/time.ts';
import type { Notices } from '#src/notices/outbox.ts';
import type { NoticeContent } from '#src/notices/schema.ts';
import { tenantStore } from '#src/tenants/store.ts';
import { type FactsDeps, planOf } from './facts.ts';
import { reachedShare, type ToldShare } from './usage-rules.ts';

export interface UsageNoticesDeps extends Pick<FactsDeps, 'managedHostCap'> {
  readonly files: TenantFiles;
  readonly platform: DurableFile<PlatformDb>;
  readonly notices: Notices;
  /** Whom to tell about a practice. */
  readonly ownersOf: (
    tenantId: string,
  ) => Promise<readonly { readonly email: string; readonly language: Language }[]>;
  readonly clock: Clock;
  readonly log: Log;
  /** Where they see the state of things. */
  readonly origin: string;
}

export interface UsageNotices {
  /** A share has been reached that may not have been told of. However many calls there are, one look follows the last. */
  tell(tenantId: string): void;
  /** Resolves when what is under way has ended. */
  stop(): Promise<void>;
}

type UsageNotice = Extract<NoticeContent, { kind: 'plan_usage' }>;

/** The mail names its month, and so stays true after it; later nobody needs it. */
const TOLD_WITHIN_MS = 3 * DAY;

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
    await platform.write((db) => {
      for (const { email, language } of owners) {
        const told = JSON.stringify(['plan_usage', tenantId, month, share, email]);
        const id = createHash('sha256').update(told).digest('base64url');
        notices.enqueue(db, { ...content, to: email, language, expiresAfter: now + TOLD_WITHIN_MS }, now, id);
      }
    });
    notices.tell();
    await files.write(tenantId, (db) => counterStore(db).setTold(month, share));
  };

  const { run, stop } = createFollowUps(tellNow, (error, tenantId) =>
    log.warn({ err: error, tenant: tenantId }, 'owners could not be told of the use of their plan'),
  );
  return { tell: run, stop };
};
