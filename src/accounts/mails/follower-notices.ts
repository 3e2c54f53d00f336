// Tells the owners of a practice that a webhook or alert of theirs has been disabled because its address fails: one mail each
// for each time. That they are still to be told stands in its row, written with the disabling itself, and is cleared after
// the mails stand in the outbox. A crash in between tells it later, and the mails' ids, made of what they tell, let them go
// out once. Who is due to tell: whoever disables, at once; the first look at a practice after a start; the nightly round.
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { createFollowUps } from '#src/kernel/follow-ups.ts';
import { createRateLimiter, type RateLimit } from '#src/kernel/rate-limit.ts';
import { DAY, SECOND } from '#src/kernel/time.ts';
import type { NoticeContent } from './schema.ts';
import { type OwnerNoticesDeps, tellOwners } from './tell-owners.ts';

type FollowerDisabled = Extract<NoticeContent, { kind: 'follower_disabled' }>;

/** A disabling that the owners are still to be told of. */
export interface UntoldDisabling extends Omit<FollowerDisabled, 'kind' | 'origin'> {
  /** Of the webhook or alert. */
  readonly id: string;
}

/** What a webhook's or an alert's row says of it. */
export interface DisablingRow {
  readonly id: string;
  readonly name: string;
  readonly disabled_at: number | null;
  readonly disabled_reason: 'gone' | 'failing' | 'manual' | null;
  /** 0: the owners are still to be told. */
  readonly disabled_told: 0 | 1;
  readonly failing_since: number | null;
  readonly last_error: string | null;
}

export const isUntold = <Row extends Pick<DisablingRow, 'disabled_told' | 'disabled_at'>>(
  row: Row,
): row is Row & { disabled_at: number } => row.disabled_told === 0 && row.disabled_at !== null;

/** `practice`: its name. */
export const untoldAmong = (
  follower: UntoldDisabling['follower'],
  rows: readonly DisablingRow[],
  practice: string,
): UntoldDisabling[] =>
  rows.filter(isUntold).map(({ id, name, disabled_at, disabled_reason, failing_since, last_error }) => ({
    id,
    practice,
    follower,
    name,
    at: disabled_at,
    reason: disabled_reason === 'gone' ? 'gone' : 'failing',
    since: failing_since ?? disabled_at,
    error: last_error,
  }));

export interface FollowerNoticesDeps extends OwnerNoticesDeps {
  /** Those that stand in the practice's file. */
  readonly untold: (db: TenantDb) => readonly UntoldDisabling[];
  /** In a transaction: notes that it has been told, unless something else has become of it since. */
  readonly markTold: (db: TenantDb, told: UntoldDisabling) => void;
}

export interface FollowerNotices {
  /** The owners may have to be told, once what disabled is durable. Harmless at any time; writes only where there is something. */
  tell(tenantId: string): void;
  /** As `tell`, for the nightly round: resolves once it is known whether there is something. Rejects as a read of the file. */
  look(tenantId: string): Promise<void>;
  /** Resolves when what is under way has ended. */
  stop(): Promise<void>;
}

/** The mail names its day; who reads it so late sees by then what became of it. */
const TOLD_WITHIN_MS = 7 * DAY;
/**
 * Of a practice. Whoever enables one again and again whose address is gone fills nobody's mailbox by it: what is not told stands
 * untold, and the nightly round tells it unless it has been enabled by then.
 */
const TOLD_A_DAY = 20;
const limit: RateLimit = { perSecond: TOLD_A_DAY / (DAY / SECOND), burst: TOLD_A_DAY };

export const createFollowerNotices = (deps: FollowerNoticesDeps): FollowerNotices => {
  const { files, platform, notices, ownersOf, clock, log, origin, untold, markTold } = deps;
  const limiter = createRateLimiter();

  const tellNow = async (tenantId: string): Promise<void> => {
    const present = await files.read(tenantId, untold);
    if (present.length === 0) return;
    const owners = await ownersOf(tenantId);
    const disablings = present.filter(() => limiter.take(tenantId, clock.now(), limit).allowed);
    if (disablings.length === 0) return;
    await platform.write((db) => {
      for (const { id, ...told } of disablings) {
        const content = { kind: 'follower_disabled', ...told, origin } as const;
        const telling = { tenantId, owners, content, occasion: [id, told.at], toldWithin: TOLD_WITHIN_MS };
        tellOwners(notices, db, telling, clock.now());
      }
    });
    notices.tell();
    await files.write(tenantId, (db) => {
      for (const told of disablings) markTold(db, told);
    });
  };

  const { run, stop } = createFollowUps(tellNow, (error, tenantId) =>
    log.warn(
      { err: error, tenant: tenantId },
      'owners could not be told that a webhook or alert was disabled',
    ),
  );
  return {
    tell: run,
    look: async (tenantId) => {
      const { length } = await files.read(tenantId, untold);
      if (length > 0) run(tenantId);
    },
    stop,
  };
};
