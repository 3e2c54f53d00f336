// Notifies the owners of a tenant that it was paused or resumed: one mail per owner and occasion. The tenant's row says that
// they are not yet notified: this is written with the pause itself and cleared once the mails are in the outbox. A crash in
// between only delays the mails, and their ids, derived from their content, let each go out once. Callers: the operation
// that pauses or resumes, the relay when it finds waiting mail of a paused tenant, and the nightly round.

import { createOwnerNotifier, type OwnerNoticesDeps } from '#src/accounts/mails/outbox.ts';
import type { NoticeContent } from '#src/accounts/mails/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { dashboardLink } from '#src/kernel/dashboard-link.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { DAY } from '#src/kernel/time.ts';
import { pauseFacts } from './pause.ts';
import { bounceLimit, complaintLimit } from './rules.ts';

export interface PauseNotices {
  /**
   * Notifies the owners if they are not yet notified. May be called at any time, also within the transaction that pauses:
   * the state is read after that transaction is durable.
   */
  notify(tenantId: string): void;
  /** Resolves when the notifications in flight have ended. */
  stop(): Promise<void>;
}

type PauseNotice = Extract<NoticeContent, { kind: 'practice_paused' | 'practice_resumed' }>;

/** After a week the notice would describe a state that the owners have long seen. */
const NOTIFY_WITHIN_MS = 7 * DAY;

/** Null where the owners are notified. */
const pendingNotice = (db: TenantDb, origin: string): PauseNotice | null => {
  const row = tenantStore(db).practice();
  const facts = pauseFacts(row);
  const at = row.paused_at ?? row.resumed_at;
  if (row.pause_told === 1 || facts === null || at === null) return null;
  const link = dashboardLink(origin, { practice: row.id, page: 'overview' });
  const about = { practice: row.name, at, link };
  if (facts.by !== 'guardrail') {
    const by = { by: facts.by, name: facts.name };
    return row.paused_at === null
      ? { kind: 'practice_resumed', ...about, ...by }
      : { kind: 'practice_paused', ...about, cause: { ...by, reason: row.pause_reason ?? '' } };
  }
  const { route, from, measure, count, whole } = facts;
  const { part, whole: of } = measure === 'hard_bounces' ? bounceLimit : complaintLimit;
  const cause = {
    by: 'guardrail',
    route: route.slug,
    from,
    measure,
    count,
    whole,
    limit: part / of,
  } as const;
  return { kind: 'practice_paused', ...about, cause };
};

/** Does nothing if the tenant was paused or resumed again since `at`. */
const markNotified = (db: TenantDb, at: number): void => {
  const row = tenantStore(db).practice();
  if ((row.paused_at ?? row.resumed_at) === at) tenantStore(db).updatePause({ ...row, pause_told: 1 });
};

export const createPauseNotices = (deps: OwnerNoticesDeps): PauseNotices => {
  const { files, origin } = deps;
  const { run, stop } = createOwnerNotifier(deps, {
    // A write, although it changes nothing: it runs after the transaction of the caller and waits for its sync.
    find: (tenantId) =>
      files.write(tenantId, (db) => {
        const content = pendingNotice(db, origin);
        return content === null ? [] : [{ content, occasion: [content.at], expiresIn: NOTIFY_WITHIN_MS }];
      }),
    mark: (db, { content }) => markNotified(db, content.at),
    failure: 'owners could not be notified of a pause or resumption',
  });
  return { notify: run, stop };
};
