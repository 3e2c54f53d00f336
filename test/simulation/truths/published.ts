// What webhooks publish is in the log of their practice, under one id, those of a message in the log's order, and nothing of a mail that
// waits for its release.
import type { Delivered, Scene } from '../scene.ts';
import { inFile, type LoggedEvent, type Memory, present, type TenantMemory } from './memory.ts';
import { row, value } from './sql.ts';
import { broken, type Truth } from './truth.ts';

interface Delivery {
  readonly webhook: number;
  readonly attempts_before: number;
}

interface Body {
  readonly id: string;
  readonly event: string;
  readonly data: { readonly event_id?: string };
}

/** What came to the receivers, by webhook. */
interface Seen {
  /** Event to the id of its delivery. */
  readonly ids: Map<string, string>;
  /** Message to the number of its last event that has come. */
  readonly latest: Map<number, number>;
}

const HOST = /^hooks\.(.+)\.example$/;
const DELIVERY = 'SELECT webhook, attempts_before FROM webhook_deliveries WHERE id = ?';
const STATE = 'SELECT state FROM inbound_messages WHERE seq = ?';
/** Who disables a webhook, or replays what it missed then, changes the order. */
const CHANGED = "SELECT 1 FROM audit WHERE action LIKE 'webhook%' AND action <> 'webhook.create' LIMIT 1";

export const createPublished = (): Truth => {
  const seenOf = new Map<string, Seen>();

  const checkOrder = (
    tenant: TenantMemory,
    { webhook, attempts_before }: Delivery,
    event: LoggedEvent,
    id: string,
  ) => {
    const key = `${tenant.id} ${webhook}`;
    const seen: Seen = seenOf.get(key) ?? { ids: new Map(), latest: new Map() };
    seenOf.set(key, seen);
    const known = seen.ids.get(event.id);
    if (known !== undefined) {
      // A file that was put back does not know that it came.
      if (known !== id && tenant.restoredAt === 0)
        broken(`${tenant.name}: event ${event.seq} ${event.id} came as delivery ${known}, and now as ${id}`);
      return;
    }
    seen.ids.set(event.id, id);
    if (event.message_seq === 0) return;
    const latest = seen.latest.get(event.message_seq) ?? 0;
    seen.latest.set(event.message_seq, Math.max(latest, event.seq));
    const isReplay = attempts_before > 0 || inFile(tenant, (db) => value(db, CHANGED)) !== undefined;
    if (latest > event.seq && !isReplay)
      broken(
        `${tenant.name}: event ${event.seq} of message ${event.message_seq} came to webhook ${webhook} after event ${latest}`,
      );
  };

  const check = (tenant: TenantMemory, { body }: Delivered): void => {
    const { id, event: type, data } = JSON.parse(body) as Body;
    if (data.event_id === undefined) return;
    const event = tenant.events.get(data.event_id);
    if (event === undefined) {
      // It was on its way when an older file took the place of the present one.
      if (tenant.restoredAt > 0) return;
      broken(`${tenant.name}: ${type} ${data.event_id} was published, and is not in the log`);
    }
    if (event.type !== type)
      broken(`${tenant.name}: event ${event.seq} ${event.id} is ${event.type}, and was published as ${type}`);
    tenant.published.set(event.seq, event.id);
    const { delivery, state } = inFile(tenant, (db) => ({
      delivery: row<Delivery>(db, DELIVERY, id),
      state: event.inbound_seq === null ? undefined : value<string>(db, STATE, event.inbound_seq),
    }));
    if (state !== undefined && state !== 'inbox')
      broken(
        `${tenant.name}: ${type} of received mail ${event.inbound_seq} was published, which is ${state}`,
      );
    // A webhook that was removed takes its deliveries along.
    if (delivery !== undefined) checkOrder(tenant, delivery, event, id);
  };

  return {
    name: 'webhooks publish what is in the log, in its order',
    check: ({ peers: { delivered } }: Scene, _book, memory: Memory) => {
      if (memory.looked.deliveries === delivered.length) return;
      const here = new Map(present(memory).map((tenant) => [tenant.name, tenant]));
      for (; memory.looked.deliveries < delivered.length; memory.looked.deliveries += 1) {
        const one = delivered[memory.looked.deliveries] as Delivered;
        const tenant = here.get(HOST.exec(one.host)?.[1] ?? '');
        if (tenant !== undefined) check(tenant, one);
      }
    },
  };
};

/** Also where no one is told. */
export const heldMailHasNoEvent: Truth = {
  name: 'a received mail that waits for its release has no event',
  check: (_scene, _book, { news }) => {
    for (const { tenant, events } of news)
      for (const { type, inbound_seq, seq } of events) {
        if (type !== 'inbound.received' || inbound_seq === null) continue;
        const state = inFile(tenant, (db) => value<string>(db, STATE, inbound_seq));
        if (state !== undefined && state !== 'inbox')
          broken(
            `${tenant.name}: event ${seq} says that mail ${inbound_seq} was received, which is ${state}`,
          );
      }
  },
};
