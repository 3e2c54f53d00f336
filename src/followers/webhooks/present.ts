// Webhooks and deliveries as the API and the audit show them.

import type { z } from 'zod';
import { type FollowedEvent, followStore } from '#src/events/follow-store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { wholeBut } from '#src/kernel/record-version.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import { formerSecretUntil, maskUrl, urlFingerprint } from '#src/kernel/secret.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { isComplete, publishedEvent } from '#src/messages/published-event.ts';
import { type DeliveryRow, deliveryStore } from './delivery-store.ts';
import {
  type deliverySchema,
  type deliveryWithBody,
  envelopeOf,
  HEALTH_DELIVERIES,
  testEnvelope,
  type webhookHealthSchema,
  type webhookSchema,
} from './schema.ts';
import { openFor } from './sign.ts';
import type { WebhookRow } from './store.ts';

type Shown = z.infer<typeof webhookSchema>;
type ShownDelivery = z.infer<typeof deliverySchema>;

/** `key` is derived for webhooks. */
export const presentWebhook = (row: WebhookRow, key: SealingKey, now: number): Shown => ({
  id: row.id,
  name: row.name,
  url: openFor(key, 'url', row.id, row.sealed_url),
  events: JSON.parse(row.events_json),
  inbound_mail: row.inbound_mail,
  status: row.status,
  disabled_reason: row.disabled_reason,
  failing_since: toIsoOrNull(row.failing_since),
  previous_secret_until: toIsoOrNull(formerSecretUntil(row.former_until, now)),
  created_at: toIso(row.created_at),
});

/** What people write of it: it is disabled, and failing, by itself too. */
export const webhookVersion = wholeBut<Shown>(
  'status',
  'disabled_reason',
  'failing_since',
  'previous_secret_until',
);

/** At many receivers the path or the query alone is the secret, and the audit is kept for years. */
export const auditedWebhook = (row: WebhookRow, key: SealingKey, now: number) => {
  const { failing_since: _, url, ...record } = presentWebhook(row, key, now);
  return { ...record, url: maskUrl(url), url_fingerprint: urlFingerprint(key, url) };
};

export const healthOf = (
  db: TenantDb,
  { number, last_error }: WebhookRow,
): z.infer<typeof webhookHealthSchema> => {
  const { last_success_at, last_failure_at, ...newest } = deliveryStore(db).newest(number, HEALTH_DELIVERIES);
  const { waiting, oldest } = deliveryStore(db).waiting(number);
  const ended = newest.delivered + newest.failed;
  return {
    ...newest,
    success_rate: ended === 0 ? null : newest.delivered / ended,
    last_success_at: toIsoOrNull(last_success_at),
    last_failure_at: toIsoOrNull(last_failure_at),
    last_error,
    waiting,
    oldest_waiting_since: toIsoOrNull(oldest),
  };
};

const eventOf = (db: TenantDb, { event_seq }: DeliveryRow): FollowedEvent | undefined =>
  event_seq === null ? undefined : followStore(db).event(event_seq);

/** Undefined where it cannot be delivered any more: it, or the mail that it is about, is no longer kept. */
export const deliverableEvent = (db: TenantDb, row: DeliveryRow): FollowedEvent | undefined => {
  const event = eventOf(db, row);
  return event && isComplete(event) ? event : undefined;
};

const present = (row: DeliveryRow, event: FollowedEvent | undefined): ShownDelivery => ({
  id: row.id,
  event: row.event as ShownDelivery['event'],
  event_id: event?.id ?? null,
  message_id: event?.message_id ?? null,
  attempts: row.attempts,
  status: row.status,
  response_status: row.response_status,
  response_excerpt: row.response_excerpt,
  error: row.error,
  next_attempt_at: toIsoOrNull(row.next_attempt_at),
  created_at: toIso(row.created_at),
  updated_at: toIso(row.updated_at),
});

export const presentDelivery = (db: TenantDb, row: DeliveryRow): ShownDelivery =>
  present(row, eventOf(db, row));

/** The body as an attempt would send it now, and as each one before did. */
const bodyOf = (
  row: DeliveryRow,
  event: FollowedEvent | undefined,
  { webhook, practiceUrl }: { readonly webhook: WebhookRow; readonly practiceUrl: string },
): string | null => {
  if (row.event_seq === null) return testEnvelope(row.id, webhook, row.created_at);
  return event === undefined || !isComplete(event)
    ? null
    : envelopeOf(row.id, publishedEvent(event, practiceUrl));
};

export const presentWithBody = (
  db: TenantDb,
  row: DeliveryRow,
  place: { readonly webhook: WebhookRow; readonly practiceUrl: string },
): z.infer<typeof deliveryWithBody> => {
  const event = eventOf(db, row);
  return { ...present(row, event), body: bodyOf(row, event, place) };
};
