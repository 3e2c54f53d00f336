// What follows from mail received, as a follower of the log and a queue of the work engine. One or two attempts are in flight at a
// time: the relay's places are for the mail that practices send.
import type { Following } from '#src/followers/follow.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Log } from '#src/kernel/log.ts';
import type { WorkLimits } from '#src/work/in-flight.ts';
import { type ClaimDeps, type ClaimedForward, claimDue, lookAtDue } from './claim.ts';
import { type FanOutDeps, fanOut, lookAhead } from './fan-out.ts';
import { NO_UPSTREAM_WAIT_MS, type Result } from './rules.ts';
import { type SendDeps, send } from './send.ts';
import { giveBack, settle } from './settle.ts';
import { isFollowed } from './targets.ts';

const limits: WorkLimits = {
  total: { running: 2, claimed: 2 },
  tenant: { running: 1, claimed: 1 },
  target: () => ({ running: 1, claimed: 1 }),
  // Those that wait for a relay.
  remembered: 10_000,
};

export interface ForwardQueueDeps extends ClaimDeps, FanOutDeps, SendDeps {
  readonly files: TenantFiles;
  readonly log: Log;
  readonly following: Pick<Following, 'open'>;
  /** A forwarding of the tenant has ended, and its owners are not notified. */
  readonly notifyOwners: (tenantId: string) => void;
}

export const openForwardQueue = (deps: ForwardQueueDeps): void => {
  const { files, clock, log, policy, notifyOwners } = deps;
  /** Up to where nothing of a tenant's log is to be followed; lost at a stop, and then read again. */
  const seenOf = new Map<string, number>();

  deps.following.open<ClaimedForward, Result>({
    name: 'forwards',
    limits,
    isFollowed,
    claimDue: async (tenantId, claim) => {
      const seen = seenOf.get(tenantId) ?? 0;
      const now = clock.now();
      const ahead = await files.read(tenantId, (db) =>
        isFollowed(db) ? { log: lookAhead(db, seen), due: lookAtDue(db, claim, now) } : null,
      );
      if (ahead === null) {
        seenOf.delete(tenantId);
        return 'unfollowed';
      }
      seenOf.set(tenantId, ahead.log.seen);
      if (!ahead.log.work && ahead.due.rows.length === 0) return ahead.log.more ? now : ahead.due.next;
      const { more, next } = await files.write(tenantId, (db) => {
        claim.startOver();
        const unread = ahead.log.work && fanOut(db, ahead.log.seen, deps, now);
        const due = claimDue(db, claim, deps, now);
        return { more: unread || due.more, next: due.next };
      });
      return more ? now : next;
    },
    attempt: async (tenantId, { row }) => {
      const result = await send(deps, tenantId, row);
      const { kind, diagnostic } = result;
      log.debug({ tenant: tenantId, forward: row.seq, attempt: row.attempts, kind, diagnostic }, row.kind);
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
