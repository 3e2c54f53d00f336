// Deliveries of webhooks as a queue of the work engine: a target is a webhook, an attempt is one signed POST.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Following } from '#src/events/follow.ts';
import { limitConcurrency } from '#src/kernel/concurrency.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Log } from '#src/kernel/log.ts';
import { isSuccess, type Outbound, type OutboundOutcome } from '#src/kernel/outbound/outbound.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import { type Clock, SECOND } from '#src/kernel/time.ts';
import type { WorkLimits } from '#src/kernel/work/in-flight.ts';
import type { OpenQueue } from '#src/kernel/work/queue.ts';
import type { PracticeUrl } from '#src/messages/published-event.ts';
import { outcomeLabel, type WebhookDuration } from '../metrics.ts';
import { webhookOf } from './change.ts';
import { type ClaimedDelivery, claimTest, lookAhead, takeTurn } from './claim.ts';
import { type DeliveryRow, deliveryStore } from './delivery-store.ts';
import { errorWords, isRejection, type WebhookPolicy } from './rules.ts';
import { giveBack, settle } from './settle.ts';
import { signedHeaders } from './sign.ts';
import { webhookStore } from './store.ts';

const MIB = 1_024 * 1_024;

/**
 * A tenant has a quarter of what there is, receivers that are slow or not known yet have half of it. Of whole mails, one more
 * than fits may be claimed.
 */
export const limits: WorkLimits = {
  total: { running: 256, claimed: 2_048, bytes: 32 * MIB },
  tenant: { running: 64, claimed: 512, bytes: 8 * MIB },
  slow: { running: 128, claimed: 1_024, bytes: 16 * MIB },
  target: ({ good, slow }) => (good ? { running: 4, claimed: slow ? 4 : 32 } : { running: 1, claimed: 1 }),
  // Some 100 µs each.
  perTurn: 64,
  remembered: 50_000,
};
/** Read into memory and parsed at a time, of all practices. */
const MAILS_AT_ONCE = 2;
/** A backlog is not tried piece by piece at a receiver that is gone. */
const PAUSES_FROM_FAILURE = 10;

/** A mail received as JSON, read from the practice's file; null where it is no longer kept. */
export type WholeMail = (
  tenantId: string,
  inboundSeq: number,
) => Promise<Readonly<Record<string, unknown>> | null>;

export interface WebhookQueueDeps {
  readonly files: Pick<TenantFiles, 'read' | 'write'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly outbound: Pick<Outbound, 'post'>;
  /** Derived for the purpose `webhooks`. */
  readonly key: SealingKey;
  /** The policy as it is now. */
  readonly policy: () => WebhookPolicy;
  readonly practiceUrl: PracticeUrl;
  readonly wholeMail: WholeMail;
  readonly following: Pick<Following, 'open'>;
  /** A webhook of a tenant may have been disabled, and its owners not notified. */
  readonly notifyOwners: (tenantId: string) => void;
  readonly requests: WebhookDuration;
}

export interface WebhookDeliveries extends Pick<OpenQueue, 'endBackoff' | 'restart' | 'facts'> {
  /**
   * Sends a `webhook.test` at once, beside all that waits, also where the webhook is disabled; resolves with the ended delivery.
   * Rejects with `not_found`, with `unavailable` where the file takes nothing.
   */
  sendTest(tenantId: string, webhookId: string): Promise<DeliveryRow>;
}

export const openWebhookQueue = (deps: WebhookQueueDeps): WebhookDeliveries => {
  const { files, clock, log, outbound, key, policy, practiceUrl, wholeMail, notifyOwners, requests } = deps;
  const withPlace = limitConcurrency(MAILS_AT_ONCE);
  /** Up to where no webhook of a tenant wants an event of its log; known of those looked at since the start. */
  const seenOf = new Map<string, number>();

  /** The body, with the mail where it is sent whole; null where that has been removed since the claim. */
  const bodyOf = async (
    tenantId: string,
    { body, mail }: ClaimedDelivery,
  ): Promise<Buffer | string | null> => {
    // Text goes out in one write with the headers.
    if (mail === null) return body;
    const whole = await withPlace(() => wholeMail(tenantId, mail));
    if (whole === null) return null;
    const envelope = JSON.parse(body);
    const bytes = Buffer.from(JSON.stringify({ ...envelope, data: { ...envelope.data, mail: whole } }));
    // The largest mail takes 25 ms, and its signatures as long again.
    await nextTurn();
    return bytes;
  };

  /** Rejects only where a mail cannot be read. */
  const post = async (tenantId: string, delivery: ClaimedDelivery): Promise<OutboundOutcome> => {
    const { id, event, url, secrets, target, attempt } = delivery;
    const body = await bodyOf(tenantId, delivery);
    if (body === null) return { kind: 'failed', error: errorWords.eventRemoved, timedOut: false };
    const started = performance.now();
    const headers = signedHeaders({ id, event, body, now: clock.now() }, secrets);
    const outcome = await outbound.post({ url, headers, body, owner: target });
    requests.note?.({ outcome: outcomeLabel(outcome) }, (performance.now() - started) / SECOND);
    if (log.isLevelEnabled('debug')) {
      const result = outcome.kind === 'answered' ? { status: outcome.status } : { error: outcome.error };
      const ms = Math.round(performance.now() - started);
      log.debug(
        { tenant: tenantId, webhook: target, delivery: id, event, attempt, ms, ...result },
        'delivery',
      );
    }
    return outcome;
  };

  const queue = deps.following.open<ClaimedDelivery, OutboundOutcome>({
    name: 'webhooks',
    limits,
    pausesFrom: PAUSES_FROM_FAILURE,
    isFollowed: (db) => webhookStore(db).all().length > 0,
    forget: (tenantId) => seenOf.delete(tenantId),
    claimDue: async (tenantId, claim) => {
      const looking = () => ({ now: clock.now(), policy: policy(), claim, seen: seenOf.get(tenantId) ?? 0 });
      const ahead = await files.read(tenantId, (db) => lookAhead(db, looking()));
      // A crash may have come before they were notified.
      if (!seenOf.has(tenantId)) notifyOwners(tenantId);
      seenOf.set(tenantId, ahead.seen);
      const { next, more, unfollowed } = ahead.work
        ? await files.write(tenantId, (db) => {
            claim.startOver();
            return takeTurn(db, { ...looking(), claim, key, practiceUrl: practiceUrl(tenantId) });
          })
        : ahead;
      if (unfollowed) {
        seenOf.delete(tenantId);
        return 'unfollowed';
      }
      return more ? clock.now() : next;
    },
    attempt: post,
    resultOf: (outcome, { event }) => ({
      isSuccess: isSuccess(outcome) || isRejection(event, outcome),
      timedOut: outcome.kind === 'failed' && outcome.timedOut,
      retryAfter: outcome.kind === 'answered' ? (outcome.retryAfter ?? 0) : 0,
    }),
    settle: async (tenantId, delivery, outcome) => {
      const { disabled } = await files.write(tenantId, (db) =>
        settle(db, delivery, outcome, { now: clock.now(), policy: policy(), key }),
      );
      if (!disabled) return;
      log.warn({ tenant: tenantId, webhook: delivery.target }, 'a webhook that fails has been disabled');
      notifyOwners(tenantId);
    },
    giveBack: (tenantId, deliveries) => files.write(tenantId, (db) => giveBack(db, deliveries, clock.now())),
  });

  const sendTest = async (tenantId: string, webhookId: string): Promise<DeliveryRow> => {
    let release = (): void => undefined;
    try {
      const delivery = await files.write(tenantId, (db) => {
        const claimed = claimTest(db, webhookOf(db, webhookId), { now: clock.now(), key });
        release();
        release = queue.keep(tenantId, claimed.key);
        return claimed;
      });
      const outcome = await post(tenantId, delivery);
      const row = await files.write(tenantId, (db) => {
        settle(db, delivery, outcome, { now: clock.now(), policy: policy(), key });
        webhookOf(db, webhookId);
        return deliveryStore(db).bySeq(delivery.key) as DeliveryRow;
      });
      if (row.status === 'delivered') queue.endBackoff(tenantId, webhookId);
      return row;
    } finally {
      release();
    }
  };

  return { sendTest, endBackoff: queue.endBackoff, restart: queue.restart, facts: queue.facts };
};
