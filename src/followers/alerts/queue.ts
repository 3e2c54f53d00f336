// The messages of chat alerts as a queue of the work engine: a target is an alert, an attempt posts all that it has gathered.

import type { Following } from '#src/events/follow.ts';
import { isUnnotified } from '#src/followers/disabling.ts';
import { dashboardLink } from '#src/kernel/dashboard-link.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Log } from '#src/kernel/log.ts';
import type { Outbound, OutboundOutcome } from '#src/kernel/outbound/outbound.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import type { Clock } from '#src/kernel/time.ts';
import type { WorkLimits } from '#src/kernel/work/in-flight.ts';
import type { Claim, OpenQueue } from '#src/kernel/work/queue.ts';
import { type ClaimDeps, type ClaimedAlert, claimDue, findNewEvents, gather, isDue } from './claim.ts';
import { post } from './forms.ts';
import { type AlertPolicy, verdictOf } from './rules.ts';
import { giveBack, settle } from './settle.ts';
import { type AlertRow, alertStore } from './store.ts';
import { alertMessage } from './words.ts';

/** A tenant whose chat tool is slow takes no more than its part of the places; an alert sends one message at a time. */
const limits: WorkLimits = {
  total: { running: 32, claimed: 32 },
  tenant: { running: 8, claimed: 8 },
  target: () => ({ running: 1, claimed: 1 }),
};

export interface AlertQueueDeps {
  readonly files: TenantFiles;
  readonly clock: Clock;
  readonly log: Log;
  readonly outbound: Pick<Outbound, 'post'>;
  /** The policy as it is now. */
  readonly policy: () => AlertPolicy;
  /** 32 bytes, derived for alerts alone. */
  readonly key: SealingKey;
  readonly random: () => number;
  readonly service: { readonly name: string; readonly origin: string };
  readonly following: Pick<Following, 'open'>;
  /** An alert of a tenant may have been disabled, and its owners not notified. */
  readonly notifyOwners: (tenantId: string) => void;
}

export const openAlertQueue = (deps: AlertQueueDeps): Pick<OpenQueue, 'facts'> => {
  const { files, clock, log, outbound, policy, key, random, service, notifyOwners } = deps;
  /** Up to where a tenant's log has been read and holds nothing to send; lost at a stop, and then read again. */
  const seenOf = new Map<string, number>();

  const claimDeps = (): ClaimDeps => ({ now: clock.now(), policy: policy(), key, random });

  const look = (db: TenantDb, tenantId: string, { isInFlight, room }: Claim<ClaimedAlert>) => {
    const rows = alertStore(db).all();
    const found = findNewEvents(db, rows, seenOf.get(tenantId) ?? 0);
    const isWork = rows.some((row) => isDue(row, claimDeps()) && !isInFlight(row.number) && room(row.id) > 0);
    return { rows, ...found, isWork: found.hasNew || isWork };
  };

  /** When the first is due that is not in flight and has room: where it has none, an end wakes the tenant. */
  const nextOf = (rows: readonly AlertRow[], more: boolean, claim: Claim<ClaimedAlert>): number | null => {
    const deps = claimDeps();
    const times = rows.flatMap((row) => {
      if (row.status !== 'active' || row.due_at === null || claim.isInFlight(row.number)) return [];
      return isDue(row, deps) && claim.room(row.id) === 0 ? [] : row.due_at;
    });
    if (more) times.push(deps.now);
    return times.length === 0 ? null : Math.min(...times);
  };

  return deps.following.open<ClaimedAlert, OutboundOutcome>({
    name: 'alerts',
    limits,
    isFollowed: (db) => alertStore(db).all().length > 0,
    forget: (tenantId) => seenOf.delete(tenantId),
    claimDue: async (tenantId, claim) => {
      const { rows, read, more, hasNew, isWork } = await files.read(tenantId, (db) =>
        look(db, tenantId, claim),
      );
      if (rows.length === 0) {
        seenOf.delete(tenantId);
        return 'unfollowed';
      }
      if (rows.some(isUnnotified)) notifyOwners(tenantId);
      if (!hasNew) seenOf.set(tenantId, read);
      if (!isWork) return nextOf(rows, more, claim);
      const done = await files.write(tenantId, (db) => {
        claim.startOver();
        const batch = hasNew ? gather(db, seenOf.get(tenantId) ?? 0, policy().gather) : null;
        claimDue(db, claim, claimDeps());
        return { batch, rows: alertStore(db).all() };
      });
      if (done.batch !== null) seenOf.set(tenantId, done.batch.read);
      return nextOf(done.rows, done.batch?.more ?? more, claim);
    },
    attempt: async (tenantId, claimed) => {
      const { practice, language, counts, target: id, kind, url, attempt } = claimed;
      const link = dashboardLink(service.origin, { practice: tenantId, page: 'overview' });
      const setting = { practice, language, service: service.name, link };
      const outcome = await post(outbound, { id, kind, url }, alertMessage(counts, setting));
      log.debug({ tenant: tenantId, alert: id, attempt, outcome: outcome.kind }, 'an alert was sent');
      return outcome;
    },
    resultOf: (outcome) => ({ isSuccess: verdictOf(outcome).kind === 'delivered' }),
    settle: async (tenantId, claimed, outcome) => {
      const { disabled } = await files.write(tenantId, (db) => settle(db, claimed, outcome, claimDeps()));
      if (!disabled) return;
      log.warn(
        { tenant: tenantId, alert: claimed.target },
        'an alert was disabled: its chat tool takes nothing',
      );
      notifyOwners(tenantId);
    },
    giveBack: (tenantId, claimed) => files.write(tenantId, (db) => giveBack(db, claimed, clock.now())),
  });
};
