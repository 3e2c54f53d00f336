// A tenant's file with webhooks, and a process that works on their deliveries: what it has under way is in its memory alone.

import type { EventType } from '#src/events/catalogue.ts';
import { followStore } from '#src/events/follow-store.ts';
import type { EventData } from '#src/events/store.ts';
import { eventStore } from '#src/events/store.ts';
import { type ClaimedDelivery, lookAhead, type Turn, takeTurn } from '#src/followers/webhooks/claim.ts';
import { type DeliveryRow, deliveryStore } from '#src/followers/webhooks/delivery-store.ts';
import type { WebhookPolicy } from '#src/followers/webhooks/rules.ts';
import { giveBack, settle } from '#src/followers/webhooks/settle.ts';
import { makeSecret, sealFor } from '#src/followers/webhooks/sign.ts';
import { type WebhookRow, webhookStore } from '#src/followers/webhooks/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import type { OutboundOutcome } from '#src/kernel/outbound/outbound.ts';
import { HOUR, MINUTE, SECOND } from '#src/kernel/time.ts';
import { testSealingKey } from '#test/support/keys.ts';
import { openTenantDb, queueMessage, type SampleTenant } from '#test/support/storage.ts';

export const KEY = testSealingKey(7);
export const WAITS = [5 * SECOND, 5 * MINUTE, HOUR];
export const policy: WebhookPolicy = { waits: WAITS, jitter: 0, disableAfter: 5 * HOUR };
export const START = 1_700_000_000_000;

export const answered = (status: number, retryAfter: number | null = null): OutboundOutcome => ({
  kind: 'answered',
  status,
  excerpt: `words of ${status}`,
  retryAfter,
});
export const ok = answered(200);

export interface Scene {
  readonly tenant: SampleTenant;
  readonly db: TenantDb;
  /** Of the process, with their webhooks; a crash empties it. */
  readonly inFlight: Map<number, string>;
  now: number;
  /** For each webhook, what is under way included. */
  room: number;
  /** So many fill all room of a turn, whatever was free before. */
  fullAfter: number;
  webhook(events?: readonly string[], url?: string): WebhookRow;
  /** Its seq. */
  message(): number;
  event(type: EventType, messageSeq: number, data?: EventData): void;
  /** One turn, whose claims are under way from then on. */
  turn(): Turn & { readonly claimed: readonly ClaimedDelivery[] };
  /** Turns until nothing is left to be done at once. */
  turns(): ClaimedDelivery[];
  /** `seen`: as the look before said. */
  look(seen?: number): ReturnType<typeof lookAhead>;
  settle(delivery: ClaimedDelivery, outcome?: OutboundOutcome): { disabled: boolean };
  giveBack(deliveries: readonly ClaimedDelivery[]): void;
  deliveries(webhook?: WebhookRow): DeliveryRow[];
  row(webhook: WebhookRow): WebhookRow;
  update(webhook: WebhookRow, change: Partial<WebhookRow>): void;
}

export const openScene = async (): Promise<Scene> => {
  const tenant = await openTenantDb();
  const { db } = tenant;
  const store = webhookStore(db);
  const inFlight = new Map<number, string>();
  const claim = (take: (delivery: ClaimedDelivery) => void) => {
    let taken = 0;
    return {
      room: (webhookId: string) =>
        taken >= scene.fullAfter
          ? 0
          : scene.room - [...inFlight.values()].filter((id) => id === webhookId).length,
      isInFlight: (seq: number | string) => inFlight.has(seq as number),
      take: (delivery: ClaimedDelivery) => {
        taken += 1;
        take(delivery);
      },
    };
  };
  const scene: Scene = {
    tenant,
    db,
    inFlight,
    now: START,
    room: 100,
    fullAfter: Number.POSITIVE_INFINITY,
    webhook: (events = ['message.sent'], url = 'https://hooks.example.org/a?key=1') => {
      const id = newId();
      store.insert({
        id,
        name: 'Praxissoftware',
        sealed_url: sealFor(KEY, 'url', id, url),
        events_json: JSON.stringify(events),
        inbound_mail: 'small',
        sealed_secret: sealFor(KEY, 'secret', id, makeSecret()),
        after_seq: followStore(db).last(),
        created_at: scene.now,
      });
      const row = store.byId(id);
      if (!row) throw new Error('it was not stored');
      return row;
    },
    message: () => queueMessage(tenant, { now: scene.now }).seq,
    event: (type, messageSeq, data) =>
      eventStore(db).append({
        type,
        messageSeq,
        recipientId: null,
        at: scene.now,
        ...(data === undefined ? {} : { data }),
      }),
    turn: () => {
      const claimed: ClaimedDelivery[] = [];
      const claiming = {
        now: scene.now,
        claim: claim((one) => claimed.push(one)),
        policy,
        key: KEY,
        practiceUrl: 'https://mail.example.com/api/practices/p',
      };
      const turn = db.transaction(() => takeTurn(db, { ...claiming, random: () => 0.5 }))();
      for (const { key, target } of claimed) inFlight.set(key, target);
      return { ...turn, claimed };
    },
    turns: () => {
      const claimed: ClaimedDelivery[] = [];
      for (let turn = scene.turn(); ; turn = scene.turn()) {
        claimed.push(...turn.claimed);
        if (!turn.more) return claimed;
      }
    },
    look: (seen = 0) => lookAhead(db, { now: scene.now, claim: claim(() => undefined), policy, seen }),
    settle: (delivery, outcome = ok) => {
      const settled = db.transaction(() =>
        settle(db, delivery, outcome, { now: scene.now, policy, key: KEY, random: 0.5 }),
      )();
      inFlight.delete(delivery.key);
      return settled;
    },
    giveBack: (deliveries) => {
      db.transaction(() => giveBack(db, deliveries, scene.now))();
      for (const { key } of deliveries) inFlight.delete(key);
    },
    deliveries: (webhook) =>
      (webhook === undefined ? store.all() : [webhook])
        .flatMap(
          ({ number }) =>
            deliveryStore(db).find(number, { status: null, event: null }, null, 100_000, 100_000).rows,
        )
        .sort((a, b) => a.seq - b.seq),
    row: ({ number }) => {
      const row = store.byNumber(number);
      if (!row) throw new Error('it is gone');
      return row;
    },
    update: (webhook, change) => store.update({ ...scene.row(webhook), ...change }),
  };
  return scene;
};
