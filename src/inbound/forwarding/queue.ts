// What follows from mail received, as two followers of the log and queues of the work engine: copies, of which few are in flight at
// a time because the relay's places are for the mail that practices send, and automatic replies, which wait for no relay.

import type { Following } from '#src/events/follow.ts';
import type { FollowerName } from '#src/events/follow-store.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Log } from '#src/kernel/log.ts';
import type { WorkLimits } from '#src/kernel/work/in-flight.ts';
import type { RetryPolicy } from '#src/messages/queue/rules.ts';
import { type ClaimDeps, type ClaimedForward, claimDue, lookAtDue } from './claim.ts';
import { type FanOutDeps, fanOut, type LogAhead, lookAhead } from './fan-out.ts';
import { NO_UPSTREAM_WAIT_MS, type Result } from './rules.ts';
import { type SendDeps, send } from './send.ts';
import { giveBack, settle } from './settle.ts';
import type { Kind } from './store.ts';
import { isFollowed } from './targets.ts';

const one = { running: 1, claimed: 1 };
const MIB = 1_024 * 1_024;
export const followers: Readonly<Record<Kind, { readonly name: FollowerName; readonly limits: WorkLimits }>> =
  {
    forward: {
      name: 'forwards',
      limits: {
        // A copy is in memory while it is sent. Each bound of bytes may be exceeded by one of them.
        total: { running: 8, claimed: 8, bytes: 32 * MIB },
        // A relay may keep an attempt waiting for minutes.
        slow: { running: 4, claimed: 4, bytes: 16 * MIB },
        tenant: { running: 2, claimed: 2 },
        target: () => one,
        remembered: 10_000,
      },
    },
    reply: {
      name: 'replies',
      limits: { total: { running: 4, claimed: 4 }, tenant: one, target: () => one },
    },
  };
/** One reads the log for both. */
const NOTHING_AHEAD: LogAhead = { work: false, seen: 0, more: false };

export interface ForwardQueueDeps extends ClaimDeps, FanOutDeps, SendDeps {
  readonly files: TenantFiles;
  readonly log: Log;
  readonly policy: () => RetryPolicy;
  readonly following: Pick<Following, 'open'>;
  /** A forwarding of the tenant has ended, and its owners are not notified. */
  readonly notifyOwners: (tenantId: string) => void;
}

export const openForwardQueues = (deps: ForwardQueueDeps): void => {
  openQueueOf('forward', deps);
  openQueueOf('reply', deps);
};

const openQueueOf = (kind: Kind, deps: ForwardQueueDeps): void => {
  const { files, clock, log, policy, notifyOwners } = deps;
  /** Up to where nothing of a tenant's log is to be followed; lost at a stop, and then read again. */
  const seenOf = new Map<string, number>();

  deps.following.open<ClaimedForward, Result>({
    ...followers[kind],
    isFollowed,
    forget: (tenantId) => seenOf.delete(tenantId),
    claimDue: async (tenantId, claim) => {
      const seen = seenOf.get(tenantId) ?? 0;
      const now = clock.now();
      const looking = { kind, policy: policy(), now };
      const ahead = await files.read(tenantId, (db) => {
        if (!isFollowed(db)) return null;
        const log = kind === 'forward' ? lookAhead(db, seen) : NOTHING_AHEAD;
        return { log, due: lookAtDue(db, claim, looking) };
      });
      if (ahead === null) {
        seenOf.delete(tenantId);
        return 'unfollowed';
      }
      seenOf.set(tenantId, ahead.log.seen);
      if (!ahead.log.work && ahead.due.rows.length === 0) return ahead.log.more ? now : ahead.due.next;
      const { more, next } = await files.write(tenantId, (db) => {
        claim.startOver();
        const unread = ahead.log.work && fanOut(db, ahead.log.seen, deps, now);
        const due = claimDue(db, claim, looking, deps);
        return { more: unread || due.more, next: due.next };
      });
      return more ? now : next;
    },
    attempt: async (tenantId, { row }) => {
      const result = await send(deps, tenantId, row);
      log.debug({ tenant: tenantId, forward: row.seq, attempt: row.attempts, ...result }, kind);
      return result;
    },
    resultOf: (result) => ({
      isSuccess: result.kind !== 'later',
      // While no relay takes anything, one copy finds that out for all that go to the same address.
      retryAfter: result.kind === 'later' && !result.isOwn ? NO_UPSTREAM_WAIT_MS : 0,
    }),
    settle: async (tenantId, { row }, result) => {
      const isEnded = await files.write(tenantId, (db) => settle(db, row, result, policy(), clock.now()));
      if (isEnded) notifyOwners(tenantId);
    },
    giveBack: (tenantId, items) =>
      files.write(tenantId, (db) =>
        giveBack(
          db,
          items.map(({ row }) => row),
          clock.now(),
        ),
      ),
  });
};
