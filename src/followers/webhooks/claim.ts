// Takes what is due: the attempt and the time of the next one are written before the network is touched, so that a crash
// repeats nothing at once. What is under way in this process is left alone whatever its time: an exchange may take longer than
// the wait behind it.

import { TEST_EVENT } from '#src/events/catalogue.ts';
import { followStore } from '#src/events/follow-store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import { toldEvent } from '#src/messages/told-event.ts';
import { type DeliveryRow, deliveryStore } from './delivery-store.ts';
import { endFailed } from './end.ts';
import { envelopeOf, testEnvelope } from './envelope.ts';
import {
  attemptsOf,
  errorWords,
  isTooMany,
  longestWait,
  nextAttemptAt,
  TEST_ORDER_KEY,
  testEndsAt,
  type WebhookPolicy,
} from './rules.ts';
import { openFor, openSecrets } from './secrets.ts';
import type { SigningSecrets } from './sign.ts';
import type { WebhookRow } from './store.ts';

/** An attempt that is to be made now. */
export interface ClaimedDelivery {
  readonly seq: number;
  readonly webhookId: string;
  /** From 1, over all replays. */
  readonly attempt: number;
  /** Of the delivery, UUID. */
  readonly id: string;
  readonly event: string;
  readonly url: string;
  /** As it stands in the file: whether that is still where the webhook's deliveries go. */
  readonly sealedUrl: Buffer;
  readonly secrets: SigningSecrets;
  /** The bytes to be sent, as text. */
  readonly body: string;
}

export interface Claiming {
  /** ms since the epoch. */
  readonly now: number;
  /** How many deliveries of a webhook, by its id, may be taken. */
  readonly roomFor: (webhookId: string) => number;
  readonly policy: WebhookPolicy;
  /** Derived for the purpose `webhooks`. */
  readonly key: Buffer;
  /** Whether a delivery, by its seq, has been claimed and its outcome is not stored yet. */
  readonly isInFlight: (seq: number) => boolean;
  /** In [0, 1). */
  readonly random: () => number;
}

interface Due {
  readonly rows: readonly DeliveryRow[];
  /** When the first that is left is due; null where there is none, or no room: then an end makes some. */
  readonly next: number | null;
}

/** What is due and has room, in the order it became due. */
export const dueOf = (
  db: TenantDb,
  { id, number }: WebhookRow,
  { now, roomFor, policy, isInFlight }: Pick<Claiming, 'now' | 'roomFor' | 'policy' | 'isInFlight'>,
): Due => {
  const room = roomFor(id);
  const rows: DeliveryRow[] = [];
  if (room <= 0) return { rows, next: null };
  let next: number | null = null;
  for (const row of deliveryStore(db).heads(number)) {
    if (isInFlight(row.seq)) continue;
    if (row.next_attempt_at !== null && row.next_attempt_at > now) {
      next = row.next_attempt_at;
      break;
    }
    if (rows.length === room) return { rows, next: null };
    rows.push(row);
  }
  for (const row of deliveryStore(db).headsBeyond(number, now + longestWait(policy))) {
    if (rows.length === room) break;
    if (!isInFlight(row.seq)) rows.push(row);
  }
  return { rows, next };
};

/** The body, or why there will be no further attempt. */
const composed = (
  db: TenantDb,
  row: DeliveryRow,
  policy: WebhookPolicy,
): { readonly body: string } | { readonly error: string } => {
  // Also where the schedule has become shorter: then it is known what came of the last attempt.
  if (row.event_seq === null || isTooMany(policy, attemptsOf(row) + 1))
    return { error: row.error ?? errorWords.unknownEnd };
  const event = followStore(db).event(row.event_seq);
  return event ? { body: envelopeOf(row.id, toldEvent(event)) } : { error: errorWords.eventRemoved };
};

const addressee = (key: Buffer, webhook: WebhookRow, now: number) => ({
  webhookId: webhook.id,
  url: openFor(key, 'url', webhook.id, webhook.sealed_url),
  sealedUrl: webhook.sealed_url,
  secrets: openSecrets(key, webhook, now),
});

/** `more`: some ended instead, and what waited behind them may be due. */
export const claimDue = (
  db: TenantDb,
  webhook: WebhookRow,
  claiming: Claiming,
): { readonly claimed: readonly ClaimedDelivery[]; readonly next: number | null; readonly more: boolean } => {
  const { now, policy, key, random } = claiming;
  const { rows, next } = dueOf(db, webhook, claiming);
  if (rows.length === 0) return { claimed: [], next, more: false };
  const to = addressee(key, webhook, now);
  const claimed: ClaimedDelivery[] = [];
  for (const row of rows) {
    const result = composed(db, row, policy);
    if ('error' in result) {
      endFailed(db, row, result.error, now);
      continue;
    }
    const attempt = row.attempts + 1;
    deliveryStore(db).claim({
      seq: row.seq,
      attempts: attempt,
      next_attempt_at: nextAttemptAt(policy, attemptsOf(row) + 1, now, random()),
      updated_at: now,
    });
    claimed.push({ ...to, seq: row.seq, attempt, id: row.id, event: row.event, body: result.body });
  }
  return { claimed, next, more: claimed.length < rows.length };
};

/** A delivery of `webhook.test`, to be sent at once, whether the webhook is disabled or not: one attempt. */
export const claimTest = (
  db: TenantDb,
  webhook: WebhookRow,
  { now, key }: { readonly now: number; readonly key: Buffer },
): ClaimedDelivery => {
  const id = newId();
  const delivery = {
    id,
    webhook: webhook.number,
    event: TEST_EVENT,
    event_seq: null,
    order_key: TEST_ORDER_KEY,
    created_at: now,
  };
  const seq = deliveryStore(db).insertTest(delivery, testEndsAt(now));
  const body = testEnvelope(id, { webhookId: webhook.id, name: webhook.name, at: now });
  return { ...addressee(key, webhook, now), seq, attempt: 1, id, event: TEST_EVENT, body };
};
