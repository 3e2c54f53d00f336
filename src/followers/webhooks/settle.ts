// Stores the outcome of an attempt and all that follows from it in one transaction: the end of the delivery or its next time, the
// delivery that goes next, and whether the webhook fails, or has failed for so long that it is disabled.

import { auditStore } from '#src/events/audit-store.ts';
import { type DisabledReason, disabledFor } from '#src/followers/disabling.ts';
import { systemChange } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { failureOf, type OutboundOutcome } from '#src/kernel/outbound/outbound.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import type { ClaimedDelivery } from './claim.ts';
import { type Answer, deliveryStore } from './delivery-store.ts';
import { auditedWebhook } from './present.ts';
import { disablingOf, type Verdict, verdictOf, type WebhookPolicy } from './rules.ts';
import { type WebhookRow, webhookStore } from './store.ts';

export interface Settling {
  /** ms since the epoch. */
  readonly now: number;
  readonly policy: WebhookPolicy;
  /** Derived for the purpose `webhooks`. */
  readonly key: SealingKey;
  /** A number in [0, 1). */
  readonly random?: number;
}

type Attempt = Pick<ClaimedDelivery, 'key' | 'attempt' | 'sealedUrl'>;

const answerOf = (outcome: OutboundOutcome): Answer => ({
  response_status: outcome.kind === 'answered' ? outcome.status : null,
  response_excerpt: outcome.kind === 'answered' ? outcome.excerpt : null,
  error: failureOf(outcome),
});

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

/** What the outcome means for the webhook; true where that is disabled now. */
const judgeWebhook = (
  db: TenantDb,
  webhook: WebhookRow,
  verdict: Verdict,
  last_error: string | null,
  settling: Settling,
): boolean => {
  const { now, policy } = settling;
  const { number, failing_since } = webhook;
  if (verdict === 'rejected') return false;
  if (verdict === 'delivered') {
    if (failing_since !== null) webhookStore(db).setFailing(number, null, null);
    return false;
  }
  // The time is not after now: the clock may have been set back.
  const since = Math.min(failing_since ?? now, now);
  const disabled_reason = disablingOf(verdict, since, now, policy);
  if (disabled_reason === null) webhookStore(db).setFailing(number, since, last_error);
  else disable(db, webhook, { disabled_reason, failing_since: since, last_error }, settling);
  return disabled_reason !== null;
};

/**
 * Called once for a claimed delivery. `disabled`: the webhook has been disabled by it. What was removed since stays so; what an
 * address answered counts for the delivery alone where the webhook's deliveries go elsewhere by now. A test counts for itself
 * alone, and may have been ended as failed while it was in flight.
 */
export const settle = (
  db: TenantDb,
  { key: seq, attempt, sealedUrl }: Attempt,
  outcome: OutboundOutcome,
  settling: Settling,
): { readonly disabled: boolean } => {
  const { now, policy, random = Math.random() } = settling;
  const store = deliveryStore(db);
  const row = store.bySeq(seq);
  if (!row) return { disabled: false };
  const answer = answerOf(outcome);
  if (row.event_seq === null) {
    store.end(row, { ...answer, status: answer.error === null ? 'delivered' : 'failed' }, now);
    return { disabled: false };
  }
  const { event, attempts_before } = row;
  const verdict = verdictOf(outcome, attempt - attempts_before, { event, policy, now, random });
  // The delivery arrived, even if it was ended while it was in flight.
  if (verdict === 'delivered') store.end(row, { ...answer, status: verdict }, now);
  else if (row.status === 'pending') {
    if (typeof verdict === 'object') store.retryAt(seq, verdict.retryAt, answer, now);
    else store.end(row, { ...answer, status: 'failed' }, now);
  }
  const webhook = webhookStore(db).byNumber(row.webhook);
  if (webhook?.status !== 'active' || !webhook.sealed_url.equals(sealedUrl)) return { disabled: false };
  return { disabled: judgeWebhook(db, webhook, verdict, answer.error, settling) };
};

/** Claimed deliveries of which no attempt was made: they are due at once, and have one attempt less. */
export const giveBack = (db: TenantDb, deliveries: readonly Attempt[], now: number): void => {
  for (const { key, attempt } of deliveries) deliveryStore(db).giveBack(key, attempt, now);
};
