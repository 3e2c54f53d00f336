// Deliveries from the tenant's file to the receivers. A turn looks, writes what is to be done in one transaction, and hands
// what it claimed to the sender, which asks here for each attempt and for what comes of it to be written down.
//
// At a crash: what was claimed is pending in the file, with the attempt counted and the time of the next one, and goes out
// then. At a stop: what was not sent is due at once, without the attempt. At a fault of the tenant's disk: an outcome is tried
// until it is stored, its place given to others meanwhile, and nothing more of that tenant is claimed.

import type { Follower } from '#src/followers/following.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Log } from '#src/kernel/log.ts';
import type { Outbound, OutboundOutcome } from '#src/kernel/outbound/outbound.ts';
import { type Clock, MINUTE, SECOND, sleep } from '#src/kernel/time.ts';
import { webhookOf } from './change.ts';
import { type ClaimedDelivery, claimTest } from './claim.ts';
import { type DeliveryRow, deliveryStore } from './delivery-store.ts';
import type { WebhookPolicy } from './rules.ts';
import { createSender } from './sender.ts';
import { giveBack, settle } from './settle.ts';
import { signedHeaders } from './sign.ts';
import { lookAhead, takeTurn } from './take-turn.ts';

export interface WebhookDispatcherDeps {
  readonly files: Pick<TenantFiles, 'read' | 'write'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly outbound: Pick<Outbound, 'post'>;
  /** Derived for the purpose `webhooks`. */
  readonly key: Buffer;
  /** As it is now. */
  readonly policy: () => WebhookPolicy;
  /** Has a tenant's turn come. */
  readonly wake: (tenantId: string) => void;
  /** A webhook of a tenant may have been disabled without its owners having been told. */
  readonly tell: (tenantId: string) => void;
}

export interface WebhookDispatcher {
  readonly follower: Follower;
  /**
   * Sends a `webhook.test` at once, beside all that waits, also where the webhook is disabled; resolves with what became of
   * it. Rejects with `not_found`, with `unavailable` where the file takes nothing.
   */
  sendTest(tenantId: string, webhookId: string): Promise<DeliveryRow>;
  /** A member wants deliveries of a webhook made now: its receiver is spared no longer. */
  spareNoLonger(tenantId: string, webhookId: string): void;
  /** A webhook has been changed or removed: what was claimed of it and is not under way is given back, for the file to say. */
  beginAnew(tenantId: string, webhookId: string): void;
  /** For health. */
  facts(): { in_flight: number; waiting: number; unsettled: number };
  /** Sends nothing more; resolves when what is under way has ended and is stored, or after `patience` ms. */
  stop(patience: number): Promise<void>;
}

const SETTLE_RETRY_MS = SECOND;

const earlier = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

export const createWebhookDispatcher = (deps: WebhookDispatcherDeps): WebhookDispatcher => {
  const { files, clock, log, outbound, key, policy, wake, tell } = deps;
  /** Up to where nobody wants an event of a tenant's log; known of those looked at since the start. */
  const seen = new Map<string, number>();
  /** When a fault of a tenant's file was told of last, ms of a clock that never goes back. */
  const toldOfFault = new Map<string, number>();
  const testing = new Set<string>();
  const testsUnderWay = new Set<Promise<unknown>>();
  const stopping = new AbortController();
  /** What is under way then has outlasted the stop: the file is no longer ours. */
  let abandoned = false;

  const keyOf = (tenantId: string, seq: number): string => `${tenantId} ${seq}`;

  /** A disk that is full fails each outcome each second: it is told of once a minute. */
  const tellOfFault = (tenantId: string, error: unknown, message: string): void => {
    const now = performance.now();
    if (now - (toldOfFault.get(tenantId) ?? Number.NEGATIVE_INFINITY) < MINUTE) return;
    toldOfFault.set(tenantId, now);
    log.error({ err: error, tenant: tenantId }, message);
  };

  /** Never rejects. */
  const post = async (tenantId: string, delivery: ClaimedDelivery): Promise<OutboundOutcome> => {
    const { id, event, url, body, secrets, webhookId } = delivery;
    const started = performance.now();
    const headers = signedHeaders({ id, event, body, now: clock.now() }, secrets);
    const outcome = await outbound.post({ url, headers, body, owner: webhookId });
    if (log.isLevelEnabled('debug')) {
      const { attempt } = delivery;
      const result = outcome.kind === 'answered' ? { status: outcome.status } : { error: outcome.error };
      const ms = Math.round(performance.now() - started);
      log.debug(
        { tenant: tenantId, webhook: webhookId, delivery: id, event, attempt, ms, ...result },
        'delivery',
      );
    }
    return outcome;
  };

  const settleUntilStored = async (
    tenantId: string,
    delivery: ClaimedDelivery,
    outcome: OutboundOutcome,
    onFailed: () => void,
  ): Promise<void> => {
    while (!abandoned) {
      try {
        const { disabled } = await files.write(tenantId, (db) =>
          settle(db, delivery, outcome, { now: clock.now(), policy: policy(), key }),
        );
        if (disabled) {
          log.warn(
            { tenant: tenantId, webhook: delivery.webhookId },
            'a webhook that fails has been disabled',
          );
          tell(tenantId);
        }
        return;
      } catch (error) {
        tellOfFault(tenantId, error, 'what came of deliveries cannot be stored at the moment');
        onFailed();
        if (stopping.signal.aborted) return;
        await sleep(SETTLE_RETRY_MS, stopping.signal);
      }
    }
  };

  const sender = createSender<ClaimedDelivery>({
    clock,
    post,
    settle: settleUntilStored,
    giveBack: async (tenantId, deliveries) => {
      try {
        await files.write(tenantId, (db) => giveBack(db, deliveries, clock.now()));
      } catch (error) {
        // They go out at the times that stand with them.
        tellOfFault(tenantId, error, 'deliveries could not be given back');
      }
    },
    wake,
  });

  const optionsFor = (tenantId: string) => ({
    now: clock.now(),
    seen: seen.get(tenantId) ?? 0,
    policy: policy(),
    roomFor: (webhookId: string) => sender.room(tenantId, webhookId),
    isInFlight: (seq: number) => sender.isInFlight(tenantId, seq) || testing.has(keyOf(tenantId, seq)),
  });

  /** What is to be done stands in the file, and so does that it is being done once this resolves. */
  const claim = async (tenantId: string) => {
    let claimed: readonly ClaimedDelivery[] = [];
    try {
      const turn = await files.write(tenantId, (db) => {
        const turn = takeTurn(db, { ...optionsFor(tenantId), key });
        claimed = turn.claimed;
        // At once: other tenants claim before this one is on the disk.
        sender.reserve(tenantId, claimed);
        return turn;
      });
      sender.send(tenantId, claimed);
      return turn;
    } catch (error) {
      sender.drop(tenantId, claimed);
      throw error;
    }
  };

  const turn = async (tenantId: string): Promise<number | null | 'nobody'> => {
    if (stopping.signal.aborted) return null;
    const ahead = await files.read(tenantId, (db) => lookAhead(db, optionsFor(tenantId)));
    // A crash may have left them untold.
    if (!seen.has(tenantId)) tell(tenantId);
    seen.set(tenantId, ahead.seen);
    const { next, more, nobody } = ahead.work ? await claim(tenantId) : ahead;
    if (nobody) seen.delete(tenantId);
    if (nobody) return 'nobody';
    return more ? clock.now() : earlier(next, sender.spareUntil(tenantId));
  };

  const test = async (tenantId: string, webhookId: string): Promise<DeliveryRow> => {
    let seq: number | null = null;
    try {
      const delivery = await files.write(tenantId, (db) => {
        const claimed = claimTest(db, webhookOf(db, webhookId), { now: clock.now(), key });
        seq = claimed.seq;
        testing.add(keyOf(tenantId, seq));
        return claimed;
      });
      const outcome = await post(tenantId, delivery);
      const row = await files.write(tenantId, (db) => {
        settle(db, delivery, outcome, { now: clock.now(), policy: policy(), key });
        webhookOf(db, webhookId);
        return deliveryStore(db).bySeq(delivery.seq) as DeliveryRow;
      });
      if (row.status === 'delivered') sender.spareNoLonger(tenantId, webhookId);
      return row;
    } finally {
      if (seq !== null) testing.delete(keyOf(tenantId, seq));
    }
  };

  return {
    follower: { name: 'webhooks', turn },
    sendTest: async (tenantId, webhookId) => {
      const tested = test(tenantId, webhookId);
      const ended: Promise<unknown> = tested
        .catch(() => undefined)
        .finally(() => testsUnderWay.delete(ended));
      testsUnderWay.add(ended);
      return await tested;
    },
    spareNoLonger: sender.spareNoLonger,
    beginAnew: sender.beginAnew,
    facts: () => sender.facts(),
    stop: async (patience) => {
      stopping.abort();
      const waited = new AbortController();
      await Promise.race([Promise.all([sender.stop(), ...testsUnderWay]), sleep(patience, waited.signal)]);
      waited.abort();
      abandoned = true;
    },
  };
};
