// Writes down what came of an attempt, and all that follows from it, in one transaction: the delivery's end or its next time,
// who goes after it, and whether the webhook fails, or for so long that it is disabled.

import { auditStore } from '#src/events/audit-store.ts';
import { type DisabledReason, disabledFor } from '#src/followers/disabling.ts';
import { systemChange } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { failureOf, type OutboundOutcome } from '#src/kernel/outbound/outbound.ts';
import type { ClaimedDelivery } from './claim.ts';
import { type DeliveryRow, deliveryStore } from './delivery-store.ts';
import { type Answer, end } from './end.ts';
import { auditedWebhook } from './present.ts';
import { disablingOf, errorWords, type Verdict, verdictOf, type WebhookPolicy } from './rules.ts';
import { type WebhookRow, webhookStore } from './store.ts';

export interface Settling {
  /** ms since the epoch. */
  readonly now: number;
  readonly policy: WebhookPolicy;
  /** Derived for the purpose `webhooks`. */
  readonly key: Buffer;
  /** In [0, 1). */
  readonly random?: number;
}

type Attempt = Pick<ClaimedDelivery, 'seq' | 'attempt' | 'sealedUrl'>;

const answerOf = (outcome: OutboundOutcome): Answer => ({
  response_status: outcome.kind === 'answered' ? outcome.status : null,
  response_excerpt: outcome.kind === 'answered' ? outcome.excerpt : null,
  error: failureOf(outcome),
});

const settleDelivery = (
  db: TenantDb,
  row: DeliveryRow,
  verdict: Verdict,
  answer: Answer,
  now: number,
): void => {
  if (typeof verdict === 'object') {
    const again = { seq: row.seq, status: 'pending', next_attempt_at: verdict.retryAt } as const;
    deliveryStore(db).end({ ...answer, ...again, updated_at: now });
  } else {
    end(db, row, { ...answer, status: verdict === 'delivered' ? 'delivered' : 'failed' }, now);
  }
};

const disable = (
  db: TenantDb,
  before: WebhookRow,
  failing: Pick<WebhookRow, 'failing_since' | 'last_error'> & { readonly disabled_reason: DisabledReason },
  { now, key }: Settling,
): void => {
  const after: WebhookRow = { ...before, ...failing, ...disabledFor(failing.disabled_reason, now) };
  webhookStore(db).update(after);
  const entry = {
    target: { type: 'webhook', id: before.id },
    before: auditedWebhook(before, key, now),
    after: auditedWebhook(after, key, now),
  };
  auditStore(db).record(systemChange('webhook.disable'), entry, now);
};

/** What it says of the webhook; true where that is disabled now. */
const judgeWebhook = (
  db: TenantDb,
  webhook: WebhookRow,
  verdict: Verdict,
  last_error: string | null,
  settling: Settling,
): boolean => {
  const { now, policy } = settling;
  const { number, failing_since } = webhook;
  if (verdict === 'delivered') {
    if (failing_since !== null) webhookStore(db).setFailing(number, null, null);
    return false;
  }
  // At the latest now: the clock may have been set back.
  const since = Math.min(failing_since ?? now, now);
  const disabled_reason = disablingOf(verdict, since, now, policy);
  if (disabled_reason === null) webhookStore(db).setFailing(number, since, last_error);
  else disable(db, webhook, { disabled_reason, failing_since: since, last_error }, settling);
  return disabled_reason !== null;
};

/** A test says something of itself alone, and may have been ended as failed while it was under way. */
const settleTest = (db: TenantDb, { seq }: DeliveryRow, answer: Answer, now: number): void => {
  const status = answer.error === null ? 'delivered' : 'failed';
  deliveryStore(db).end({ ...answer, seq, status, next_attempt_at: null, updated_at: now });
};

/**
 * Of a claimed delivery, once. `disabled`: the webhook has been disabled by it. What has been removed meanwhile stays so;
 * what an address said to which the webhook's deliveries go no more counts for the delivery alone.
 */
export const settle = (
  db: TenantDb,
  { seq, attempt, sealedUrl }: Attempt,
  outcome: OutboundOutcome,
  settling: Settling,
): { readonly disabled: boolean } => {
  const { now, policy, random = Math.random() } = settling;
  const row = deliveryStore(db).bySeq(seq);
  if (!row) return { disabled: false };
  const answer = answerOf(outcome);
  if (row.event_seq === null) {
    settleTest(db, row, answer, now);
    return { disabled: false };
  }
  const verdict = verdictOf(outcome, attempt - row.attempts_before, { policy, now, random });
  // One that was ended while it was under way: that it arrived is true all the same.
  if (row.status === 'pending' || verdict === 'delivered') settleDelivery(db, row, verdict, answer, now);
  const webhook = webhookStore(db).byNumber(row.webhook);
  const isItsWord = webhook?.status === 'active' && webhook.sealed_url.equals(sealedUrl);
  return { disabled: isItsWord && judgeWebhook(db, webhook, verdict, answer.error, settling) };
};

/** Claimed deliveries of which no attempt was made: they are due at once, and have one attempt less. */
export const giveBack = (db: TenantDb, deliveries: readonly Attempt[], now: number): void => {
  for (const { seq, attempt } of deliveries) {
    const row = deliveryStore(db).bySeq(seq);
    if (row?.event_seq === null)
      settleTest(
        db,
        row,
        { response_status: null, response_excerpt: null, error: errorWords.unknownEnd },
        now,
      );
    else deliveryStore(db).giveBack(seq, attempt, now);
  }
};
