// Sends the messages of chat alerts: the follower `alerts` of the log. A turn reads first, and writes only where something is
// to be told or due; what it claims is sent beside it, one message of an alert at a time. A tenant whose chat tool is slow
// takes no more than its share of the places.

import { isUntold } from '#src/accounts/mails/follower-notices.ts';
import type { Follower } from '#src/followers/following.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Log } from '#src/kernel/log.ts';
import type { Outbound, OutboundOutcome } from '#src/kernel/outbound/outbound.ts';
import { type Clock, MINUTE, SECOND, sleep } from '#src/kernel/time.ts';
import { type ClaimDeps, type ClaimedAlert, claim, isDue } from './claim.ts';
import { findNews, gather } from './gather.ts';
import type { AlertKind, AlertPolicy } from './rules.ts';
import { settle } from './settle.ts';
import { slackBody } from './slack.ts';
import { type AlertRow, alertStore } from './store.ts';
import { teamsBody } from './teams.ts';
import { type AlertMessage, alertMessage } from './words.ts';

const MAX_PLACES = 32;
const MAX_PLACES_OF_TENANT = 8;

const bodies: Readonly<Record<AlertKind, (message: AlertMessage) => string>> = {
  slack: slackBody,
  teams: teamsBody,
};

/** Posts a message to a chat tool. */
export const post = (
  outbound: Pick<Outbound, 'post'>,
  { id, kind, url }: { readonly id: string; readonly kind: AlertKind; readonly url: string },
  message: AlertMessage,
): Promise<OutboundOutcome> =>
  outbound.post({
    url,
    headers: { 'Content-Type': 'application/json' },
    body: bodies[kind](message),
    owner: `alert ${id}`,
  });

export interface AlertDispatcherDeps {
  readonly files: TenantFiles;
  readonly clock: Clock;
  readonly log: Log;
  readonly outbound: Pick<Outbound, 'post'>;
  /** As it is now. */
  readonly policy: () => AlertPolicy;
  /** 32 bytes, derived for alerts alone. */
  readonly key: Buffer;
  readonly random: () => number;
  readonly service: { readonly name: string; readonly origin: string };
  /** Something is to be done for the tenant. */
  readonly wake: (tenantId: string) => void;
  /** The owners are to be told that an alert has been disabled. */
  readonly tell: (tenantId: string) => void;
}

export interface AlertDispatcher {
  readonly follower: Follower;
  /** For health. */
  facts(): { in_flight: number; waiting_tenants: number };
  /** Begins nothing more; resolves when what is under way has ended, at the latest after `patience` ms. */
  stop(patience: number): Promise<void>;
}

export const createAlertDispatcher = (deps: AlertDispatcherDeps): AlertDispatcher => {
  const { files, clock, log, outbound, policy, key, random, service, wake, tell } = deps;
  /** Up to where a tenant's log has been read and held nothing to tell; lost at a stop, and then read once more. */
  const seen = new Map<string, number>();
  /** By an alert's id, until what became of its message is written down. */
  const underWay = new Map<string, Promise<void>>();
  /** Exchanges under way, by tenant. */
  const places = new Map<string, number>();
  /** Tenants for which something is due and there was no place. */
  const waiting = new Set<string>();
  const ending = new AbortController();
  let taken = 0;
  let stopping = false;

  const roomFor = (tenantId: string): number =>
    stopping ? 0 : Math.min(MAX_PLACES - taken, MAX_PLACES_OF_TENANT - (places.get(tenantId) ?? 0));
  /** At most `wanted`; the result is how many. */
  const take = (tenantId: string, wanted: number): number => {
    const room = Math.min(roomFor(tenantId), wanted);
    taken += room;
    if (room > 0) places.set(tenantId, (places.get(tenantId) ?? 0) + room);
    return room;
  };
  const giveBack = (tenantId: string, count: number): void => {
    if (count === 0) return;
    taken -= count;
    const left = (places.get(tenantId) ?? count) - count;
    if (left === 0) places.delete(tenantId);
    else places.set(tenantId, left);
    let free = MAX_PLACES - taken;
    for (const next of waiting) {
      if (free === 0) break;
      if (roomFor(next) === 0) continue;
      free -= 1;
      waiting.delete(next);
      wake(next);
    }
  };

  const claimDeps = (): ClaimDeps => ({ now: clock.now(), policy: policy(), key, random });

  /** An outcome that is not written down is a message that is sent again: it waits for the disk. */
  const settleUntilStored = async (
    tenantId: string,
    claimed: ClaimedAlert,
    outcome: OutboundOutcome,
  ): Promise<void> => {
    for (let pause = SECOND; !ending.signal.aborted; pause = Math.min(2 * pause, MINUTE)) {
      try {
        const { disabled } = await files.write(tenantId, (db) => settle(db, claimed, outcome, claimDeps()));
        if (!disabled) return;
        log.warn(
          { tenant: tenantId, alert: claimed.id },
          'an alert was disabled: its chat tool takes nothing',
        );
        tell(tenantId);
        return;
      } catch (error) {
        log.warn({ err: error, tenant: tenantId }, 'what became of an alert could not be written down');
        await sleep(pause, ending.signal);
      }
    }
  };

  const exchange = async (claimed: ClaimedAlert): Promise<OutboundOutcome> => {
    const { practice, language, counts } = claimed;
    const setting = { practice, language, service: service.name, origin: service.origin };
    return post(outbound, claimed, alertMessage(counts, setting));
  };

  const send = async (tenantId: string, claimed: ClaimedAlert): Promise<void> => {
    const { id, attempt } = claimed;
    const outcome = await exchange(claimed).finally(() => giveBack(tenantId, 1));
    log.debug({ tenant: tenantId, alert: id, attempt, outcome: outcome.kind }, 'an alert was sent');
    await settleUntilStored(tenantId, claimed, outcome);
  };

  const start = (tenantId: string, claimed: ClaimedAlert): void => {
    const sent = send(tenantId, claimed)
      .catch((error) => log.error({ err: error, tenant: tenantId }, 'an alert could not be sent'))
      .then(() => {
        underWay.delete(claimed.id);
        wake(tenantId);
      });
    underWay.set(claimed.id, sent);
  };

  /** When the first of those is due that are not under way and need not wait for a place. */
  const nextOf = (tenantId: string, rows: readonly AlertRow[], more: boolean): number | null => {
    const now = clock.now();
    const idle = rows.filter((row) => row.status === 'active' && !underWay.has(row.id));
    const hasNoPlace = idle.some((row) => isDue(row, claimDeps())) && roomFor(tenantId) === 0;
    if (hasNoPlace) waiting.add(tenantId);
    const times = idle.flatMap(({ due_at }) => due_at ?? []).filter((at) => !hasNoPlace || at > now);
    if (more) times.push(now);
    return times.length === 0 ? null : Math.min(...times);
  };

  const look = (db: TenantDb, tenantId: string) => {
    const rows = alertStore(db).all();
    const found = findNews(db, rows, seen.get(tenantId) ?? 0);
    const due = rows.filter((row) => isDue(row, claimDeps()) && !underWay.has(row.id)).length;
    return { rows, ...found, due };
  };

  const act = (db: TenantDb, tenantId: string, isNews: boolean, room: number) => {
    const portion = isNews ? gather(db, seen.get(tenantId) ?? 0, policy().gather) : null;
    const claimed = claim(db, room, new Set(underWay.keys()), claimDeps());
    return { portion, claimed, rows: alertStore(db).all() };
  };

  /** Takes places before it claims: turns of other tenants are under way at the same time. */
  const gatherAndClaim = async (tenantId: string, isNews: boolean, due: number) => {
    const room = take(tenantId, due);
    let used = 0;
    try {
      const done = await files.write(tenantId, (db) => act(db, tenantId, isNews, room));
      used = done.claimed.length;
      return done;
    } finally {
      giveBack(tenantId, room - used);
    }
  };

  const turn: Follower['turn'] = async (tenantId) => {
    waiting.delete(tenantId);
    const found = await files.read(tenantId, (db) => look(db, tenantId));
    if (found.rows.length === 0) {
      seen.delete(tenantId);
      return 'nobody';
    }
    if (found.rows.some(isUntold)) tell(tenantId);
    if (!found.isNews) seen.set(tenantId, found.read);
    if (!found.isNews && (found.due === 0 || roomFor(tenantId) === 0))
      return nextOf(tenantId, found.rows, found.more);
    const { portion, claimed, rows } = await gatherAndClaim(tenantId, found.isNews, found.due);
    if (portion !== null) seen.set(tenantId, portion.read);
    for (const one of claimed) start(tenantId, one);
    return nextOf(tenantId, rows, portion?.more ?? found.more);
  };

  return {
    follower: { name: 'alerts', turn },
    facts: () => ({ in_flight: taken, waiting_tenants: waiting.size }),
    stop: async (patience) => {
      stopping = true;
      const ended = new AbortController();
      const all = Promise.all(underWay.values()).then(() => ended.abort());
      await Promise.race([all, sleep(patience, ended.signal)]);
      ending.abort();
    },
  };
};
