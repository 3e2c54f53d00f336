// Tells the owners of a practice that it has been paused or resumed: one mail each for each time. That they are still to be
// told stands in the practice's row, written with the pause itself, and is cleared after the mails stand in the outbox.
// A crash in between tells it later, and the mails' ids, made of what they tell, let them go out once. Who is due to tell:
// whoever pauses or resumes, at once; the dispatcher, whenever it looks at a practice with waiting mail; the nightly round.

import { notifyOwners, type OwnerNoticesDeps } from '#src/accounts/mails/outbox.ts';
import type { NoticeContent } from '#src/accounts/mails/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { createFollowUps } from '#src/kernel/follow-ups.ts';
import { DAY } from '#src/kernel/time.ts';
import { pauseFacts } from './pause.ts';
import { bounceLimit, complaintLimit } from './rules.ts';

export interface PauseNotices {
  /**
   * The owners may still have to be told. Harmless at any time, also within the transaction that pauses: what is told is
   * looked up behind it, and only once it is durable.
   */
  tell(tenantId: string): void;
  /** Resolves when what is under way has ended. */
  stop(): Promise<void>;
}

type PauseNotice = Extract<NoticeContent, { kind: 'practice_paused' | 'practice_resumed' }>;

/** The mail names its day; who reads it so late sees by then what became of it. */
const TOLD_WITHIN_MS = 7 * DAY;

/** Null where all has been told. */
const untoldOf = (db: TenantDb, origin: string): PauseNotice | null => {
  const row = tenantStore(db).practice();
  const facts = pauseFacts(row);
  const at = row.paused_at ?? row.resumed_at;
  if (row.pause_told === 1 || facts === null || at === null) return null;
  const about = { practice: row.name, at, origin };
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

/** Unless something else has happened since. */
const markTold = (db: TenantDb, at: number): void => {
  const row = tenantStore(db).practice();
  if ((row.paused_at ?? row.resumed_at) === at) tenantStore(db).updatePause({ ...row, pause_told: 1 });
};

export const createPauseNotices = (deps: OwnerNoticesDeps): PauseNotices => {
  const { files, platform, notices, ownersOf, clock, log, origin } = deps;

  const tellNow = async (tenantId: string): Promise<void> => {
    // A write, though it changes nothing: it stands behind the transaction that called, and waits for its sync.
    const content = await files.write(tenantId, (db) => untoldOf(db, origin));
    if (content === null) return;
    const owners = await ownersOf(tenantId);
    const telling = { tenantId, owners, content, occasion: [content.at], expiresIn: TOLD_WITHIN_MS };
    await platform.write((db) => notifyOwners(notices, db, telling, clock.now()));
    notices.wake();
    await files.write(tenantId, (db) => markTold(db, content.at));
  };

  const { run, stop } = createFollowUps(tellNow, (error, tenantId) =>
    log.warn({ err: error, tenant: tenantId }, 'owners could not be told of a pause or resumption'),
  );
  return { tell: run, stop };
};
