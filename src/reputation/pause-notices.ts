// Tells the owners of a practice that it has been paused or resumed: one mail each for each time. That they are still to be
// told stands in the practice's row, written with the pause itself, and is cleared after the mails stand in the outbox.
// A crash in between tells it later, and the mails' ids, made of what they tell, let them go out once. Who is due to tell:
// whoever pauses or resumes, at once; the dispatcher, whenever it looks at a practice with waiting mail; the nightly round.
import { createHash } from 'node:crypto';
import type { DurableFile } from '#src/db/durable-file.ts';
import type { PlatformDb, TenantDb } from '#src/db/sqlite.ts';
import type { TenantFiles } from '#src/db/tenant-files.ts';
import { createFollowUps } from '#src/kernel/follow-ups.ts';
import type { Language } from '#src/kernel/language.ts';
import type { Log } from '#src/kernel/log.ts';
import { type Clock, DAY } from '#src/kernel/time.ts';
import type { Notices } from '#src/notices/outbox.ts';
import type { NoticeContent } from '#src/notices/schema.ts';
import { tenantStore } from '#src/tenants/store.ts';
import { pauseFacts } from './pause.ts';
import { bounceLimit, complaintLimit } from './rules.ts';

export interface PauseNoticesDeps {
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

export const createPauseNotices = (deps: PauseNoticesDeps): PauseNotices => {
  const { files, platform, notices, ownersOf, clock, log, origin } = deps;

  const tellNow = async (tenantId: string): Promise<void> => {
    // A write, though it changes nothing: it stands behind the transaction that called, and waits for its sync.
    const content = await files.write(tenantId, (db) => untoldOf(db, origin));
    if (content === null) return;
    const owners = await ownersOf(tenantId);
    const now = clock.now();
    await platform.write((db) => {
      for (const { email, language } of owners) {
        const told = JSON.stringify([content.kind, tenantId, content.at, email]);
        const id = createHash('sha256').update(told).digest('base64url');
        notices.enqueue(db, { ...content, to: email, language, expiresAfter: now + TOLD_WITHIN_MS }, now, id);
      }
    });
    notices.tell();
    await files.write(tenantId, (db) => markTold(db, content.at));
  };

  const { run, stop } = createFollowUps(tellNow, (error, tenantId) =>
    log.warn({ err: error, tenant: tenantId }, 'owners could not be told of a pause or resumption'),
  );
  return { tell: run, stop };
};
