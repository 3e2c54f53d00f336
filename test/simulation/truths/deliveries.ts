// Each webhook has got each event of its subscription, or its delivery says why not.

import type { FollowedEvent } from '#src/events/follow-store.ts';
import { followed } from '#src/events/follow-store.ts';
import { isPublished } from '#src/messages/published-event.ts';
import type { Scene } from '../scene.ts';
import { inFile, type Memory, present, type TenantMemory } from './memory.ts';
import { rows } from './sql.ts';
import { broken, type Truth } from './truth.ts';

interface Webhook {
  readonly number: number;
  readonly id: string;
  readonly events_json: string;
  readonly after_seq: number;
}

interface Row {
  readonly id: string;
  readonly webhook: number;
  readonly event_seq: number | null;
  readonly status: string;
  readonly error: string | null;
  readonly attempts: number;
}

const WEBHOOKS =
  "SELECT number, id, events_json, after_seq FROM webhooks WHERE removed_at IS NULL AND status = 'active'";
const DELIVERIES = 'SELECT id, webhook, event_seq, status, error, attempts FROM webhook_deliveries';
const SUCCESS = 200;
/** Deliveries are kept for thirty days. */
const KEPT_MS = 29 * 86_400_000;
/** A change of what a webhook wants is for events to come, and those before it were for what it wanted then. */
const CHANGED =
  "SELECT target_id AS id FROM audit WHERE action LIKE 'webhook%' AND action <> 'webhook.create'";

const checkTenant = (tenant: TenantMemory, delivered: ReadonlySet<string>, since: number): void => {
  const { webhooks, log, deliveries, changed } = inFile(tenant, (db) => ({
    webhooks: rows<Webhook>(db, WEBHOOKS),
    log: rows<FollowedEvent>(db, followed('events.seq > 0 ORDER BY events.seq')),
    deliveries: rows<Row>(db, DELIVERIES),
    changed: new Set(rows<{ id: string }>(db, CHANGED).map(({ id }) => id)),
  }));
  const made = new Map<string, Row>();
  for (const one of deliveries) {
    const key = `${one.webhook} ${one.event_seq}`;
    if (one.event_seq !== null && made.has(key))
      broken(`${tenant.name}: webhook ${one.webhook} has two deliveries of event ${one.event_seq}`);
    made.set(key, one);
    // What it got before it was restored stands in the deliveries of another file.
    if (
      one.status === 'delivered' &&
      one.event_seq !== null &&
      !delivered.has(one.id) &&
      tenant.restoredAt === 0
    )
      broken(
        `${tenant.name}: delivery ${one.id} of event ${one.event_seq} says that it has arrived, and no receiver got it`,
      );
  }
  const published = log.filter(isPublished);
  for (const { number, id, events_json, after_seq } of webhooks) {
    if (changed.has(id)) continue;
    const wanted = new Set<string>(JSON.parse(events_json));
    for (const event of published) {
      if (event.seq <= after_seq || event.at < since || !(wanted.has('*') || wanted.has(event.type)))
        continue;
      const delivery = made.get(`${number} ${event.seq}`);
      if (delivery === undefined)
        broken(`${tenant.name}: webhook ${id} has no delivery of event ${event.seq}, ${event.type}`);
      else if (delivery.status === 'pending')
        broken(
          `${tenant.name}: event ${event.seq}, ${event.type}, has not come to webhook ${id} after ${delivery.attempts} attempts (${delivery.error})`,
        );
    }
  }
};

export const webhooksGotAll: Truth = {
  name: 'each webhook has got each event',
  check: ({ peers, now }: Scene, _book, memory: Memory) => {
    const delivered = new Set(
      peers.delivered
        .filter(({ status }) => status === SUCCESS)
        .map(({ headers }) => headers['webhook-id'] ?? ''),
    );
    for (const tenant of present(memory))
      if (tenant.practice !== null) checkTenant(tenant, delivered, now() - KEPT_MS);
  },
};
