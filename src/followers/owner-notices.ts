// Notifies the owners of a practice that a webhook or alert was disabled because its address fails: one mail each for each time.
// The row keeps that the owners are not notified: this is written with the disabling itself, and cleared after the mails are in
// the outbox. After a crash in between the mails are enqueued again, and their ids, made of their content, let them go out once.
// It is looked at right after a disabling, at the first look at a practice after a start, and in the nightly round.
import { createOwnerNotifier, type OwnerNoticesDeps } from '#src/accounts/mails/outbox.ts';
import type { NoticeContent } from '#src/accounts/mails/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { dashboardLink } from '#src/kernel/dashboard-link.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { createRateLimiter, type RateLimit } from '#src/kernel/rate-limit.ts';
import { DAY, SECOND } from '#src/kernel/time.ts';
import { alertStore } from './alerts/store.ts';
import { type FollowerState, isUnnotified } from './disabling.ts';
import { webhookStore } from './webhooks/store.ts';

type FollowerDisabled = Extract<NoticeContent, { kind: 'follower_disabled' }>;

/** A disabling of which the owners are not notified. `id`: of the webhook or alert. */
export interface UnnotifiedDisabling extends Omit<FollowerDisabled, 'kind' | 'link'> {
  readonly id: string;
}

type DisablingRow = FollowerState &
  Readonly<{ id: string; name: string; failing_since: number | null; last_error: string | null }>;

const unnotifiedAmong = (
  follower: UnnotifiedDisabling['follower'],
  rows: readonly DisablingRow[],
  practice: string,
): UnnotifiedDisabling[] =>
  rows.filter(isUnnotified).map((row) => ({
    id: row.id,
    practice,
    follower,
    name: row.name,
    at: row.disabled_at,
    reason: row.disabled_reason === 'gone' ? 'gone' : 'failing',
    since: row.failing_since ?? row.disabled_at,
    error: row.last_error,
  }));

const unnotifiedIn = (db: TenantDb): readonly UnnotifiedDisabling[] => {
  const { name } = tenantStore(db).practice();
  return [
    ...unnotifiedAmong('webhook', webhookStore(db).list(), name),
    ...unnotifiedAmong('alert', alertStore(db).all(), name),
  ];
};

/** Does nothing if the row has changed since. */
const markNotified = (db: TenantDb, { follower, id, at }: UnnotifiedDisabling): void =>
  (follower === 'webhook' ? webhookStore : alertStore)(db).markNotified(id, at);

export interface FollowerNotices {
  /** Owners may have to be notified, once the disabling is durable. Harmless at any time; writes only where there is a disabling. */
  wake(tenantId: string): void;
  /** Like `wake`, for the nightly round: resolves once it is known whether there is a disabling. Rejects as a read of the file. */
  look(tenantId: string): Promise<void>;
  /** Resolves when all that is in flight has ended. */
  stop(): Promise<void>;
}

/** The mail names its day; an owner who reads it later sees the state of then. */
const EXPIRES_IN_MS = 7 * DAY;
/**
 * The webhooks of a practice have so many, and its alerts again. So a member who enables one again and again, although its address
 * is gone, fills no mailbox: the row stays unnotified, and the nightly round notifies unless it has been enabled by then.
 */
const NOTICES_A_DAY = 20;
const limit: RateLimit = { perSecond: NOTICES_A_DAY / (DAY / SECOND), burst: NOTICES_A_DAY };

export const createFollowerNotices = (
  deps: OwnerNoticesDeps,
  /** What is in a practice's file; tests play their own. */
  { find, mark } = { find: unnotifiedIn, mark: markNotified },
): FollowerNotices => {
  const { files, clock, origin } = deps;
  const limiter = createRateLimiter();
  const { run, stop } = createOwnerNotifier(deps, {
    find: async (tenantId) =>
      (await files.read(tenantId, find)).map((disabling) => {
        const { id, ...rest } = disabling;
        const page = rest.follower === 'webhook' ? (`webhooks/${id}` as const) : 'alerts';
        const link = dashboardLink(origin, { practice: tenantId, page });
        const content = { kind: 'follower_disabled', ...rest, link } as const;
        return { disabling, content, occasion: [id, rest.at], expiresIn: EXPIRES_IN_MS };
      }),
    mayNotify: (tenantId, { disabling: { follower } }) =>
      limiter.take(`${follower} ${tenantId}`, clock.now(), limit).allowed,
    mark: (db, { disabling }) => mark(db, disabling),
    failure: 'owners could not be notified that a webhook or alert was disabled',
  });
  return {
    wake: run,
    look: async (tenantId) => {
      const { length } = await files.read(tenantId, find);
      if (length > 0) run(tenantId);
    },
    stop,
  };
};
