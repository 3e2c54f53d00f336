// Followers and the dispatcher of webhooks over real files, with receivers that answer when the test says so.
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { createFollowing, type Following } from '#src/events/follow.ts';
import { followStore } from '#src/events/follow-store.ts';
import { eventStore } from '#src/events/store.ts';
import { createWritten } from '#src/events/written.ts';
import { webhookDuration } from '#src/followers/metrics.ts';
import { type DeliveryRow, deliveryStore } from '#src/followers/webhooks/delivery-store.ts';
import { openWebhookQueue, type WebhookDeliveries, type WholeMail } from '#src/followers/webhooks/queue.ts';
import type { WebhookPolicy } from '#src/followers/webhooks/rules.ts';
import { makeSecret, sealFor } from '#src/followers/webhooks/sign.ts';
import { type WebhookRow, webhookStore } from '#src/followers/webhooks/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { newId } from '#src/kernel/id.ts';
import type { OutboundOutcome, OutboundRequest } from '#src/kernel/outbound/outbound.ts';
import { createWorkEngine } from '#src/kernel/work/engine.ts';
import type { TestDisk } from '#test/kernel/db/test-disk.ts';
import { receiveMail } from '#test/support/received-mail.ts';
import { openTestStorage, SEALING_KEY } from '#test/support/storage.ts';

export interface Exchange {
  readonly host: string;
  readonly deliveryId: string;
  /** Of the suppression that the event tells of: what its order goes by. */
  readonly address: string | null;
  answer(outcome: Partial<OutboundOutcome> | number): void;
}

export const answered = (status: number, retryAfter: number | null = null): OutboundOutcome => ({
  kind: 'answered',
  status,
  excerpt: '',
  retryAfter,
});
export const timedOut: OutboundOutcome = { kind: 'failed', error: 'timed out', timedOut: true };

/** Requests wait for the test, but those to hosts that have a standing answer. */
export const playReceivers = () => {
  const open: Exchange[] = [];
  const arrived: Exchange[] = [];
  const standing = new Map<string, OutboundOutcome>();
  const most = new Map<string, number>();
  const waiting = new Set<() => void>();
  const post = ({ url, body }: OutboundRequest): Promise<OutboundOutcome> =>
    new Promise((resolve) => {
      const { host } = new URL(url);
      const { id, data } = JSON.parse(String(body));
      const exchange: Exchange = {
        host,
        deliveryId: id,
        address: data.address ?? null,
        answer: (outcome) => {
          open.splice(open.indexOf(exchange), 1);
          resolve(typeof outcome === 'number' ? answered(outcome) : (outcome as OutboundOutcome));
        },
      };
      arrived.push(exchange);
      open.push(exchange);
      for (const name of [host, '']) most.set(name, Math.max(most.get(name) ?? 0, openAt(name).length));
      const outcome = standing.get(host);
      if (outcome) setImmediate(() => exchange.answer(outcome));
      for (const look of waiting) look();
    });
  const openAt = (host: string): Exchange[] => open.filter((one) => host === '' || one.host === host);
  const until = (isTrue: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = () => {
        if (!isTrue()) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  const at = (host: string): readonly Exchange[] => arrived.filter((one) => one.host === host);
  return {
    post,
    at,
    openAt,
    count: () => arrived.length,
    /** The most requests that were under way at once; `''`: over all hosts. */
    most: (host = '') => most.get(host) ?? 0,
    always: (host: string, outcome: OutboundOutcome): void => {
      standing.set(host, outcome);
      for (const one of openAt(host)) one.answer(outcome);
    },
    /** Requests to a host so far, once there are so many. */
    arrived: async (host: string, count: number): Promise<readonly Exchange[]> => {
      await until(() => at(host).length >= count);
      return at(host);
    },
    until,
  };
};
export type Receivers = ReturnType<typeof playReceivers>;

export interface Scene {
  readonly storage: Storage;
  readonly following: Following;
  readonly webhooks: WebhookDeliveries;
  readonly receivers: Receivers;
  readonly told: string[];
  readonly logged: string[];
  readonly clock: { now: () => number; set(at: number): void };
  tenant(): Promise<string>;
  /** To `https://<host>/`. */
  webhook(tenantId: string, host: string, inbound_mail?: WebhookRow['inbound_mail']): Promise<string>;
  mails(tenantId: string, count: number): Promise<void>;
  /** One for each address, in one transaction. */
  events(tenantId: string, addresses: readonly string[]): Promise<void>;
  deliveries(tenantId: string, webhookId: string): Promise<readonly DeliveryRow[]>;
  /** Of all webhooks. */
  allDeliveries(tenantId: string): Promise<readonly DeliveryRow[]>;
  stop(patience?: number): Promise<void>;
}

const MANY = 100_000;
/** In the order they were made. */
const deliveriesOf = (db: TenantDb, webhook: Pick<WebhookRow, 'number'> | undefined): DeliveryRow[] =>
  webhook
    ? deliveryStore(db)
        .find(webhook.number, { status: null, event: null }, null, MANY, MANY)
        .rows.toReversed()
    : [];

export const startScene = async (
  directory: string,
  options: {
    readonly disk?: TestDisk;
    readonly policy?: Partial<WebhookPolicy>;
    readonly clockFrom?: number;
    readonly maxOpenTenants?: number;
    readonly receivers?: Receivers;
    readonly wholeMail?: WholeMail;
  } = {},
): Promise<Scene> => {
  const { disk, maxOpenTenants = 64, receivers = playReceivers() } = options;
  const storage = await openTestStorage(directory, {
    maxOpenTenants,
    runsTwice: true,
    ...(disk ? { disk } : {}),
  });
  const begun = performance.now();
  let from = options.clockFrom ?? 1_800_000_000_000;
  const clock = {
    now: () => Math.round(from + performance.now() - begun),
    set: (at: number) => {
      from = at - (performance.now() - begun);
    },
  };
  const policy: WebhookPolicy = {
    waits: [50, 50, 50],
    jitter: 0,
    disableAfter: 3_600_000,
    ...options.policy,
  };
  const told: string[] = [];
  const logged: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => logged.push(line) });
  const following = createFollowing(
    storage.platform,
    storage.tenants,
    createWorkEngine({ clock, log }),
    createWritten(storage.platform, clock),
    clock,
  );
  const webhooks = openWebhookQueue({
    files: storage.tenants,
    clock,
    log,
    outbound: receivers,
    key: SEALING_KEY,
    policy: () => policy,
    wholeMail: options.wholeMail ?? (async () => null),
    practiceUrl: (id) => `https://mail.example.com/api/practices/${id}`,
    following,
    notifyOwners: (tenantId) => told.push(tenantId),
    requests: webhookDuration(),
  });
  await following.start();
  const stop = async (patience = 1_000): Promise<void> => {
    await following.stop(patience);
    await storage.close();
  };
  onTestFinished(() => stop(0).catch(() => undefined));
  return {
    storage,
    following,
    webhooks,
    receivers,
    told,
    logged,
    clock,
    stop,
    tenant: async () => {
      const id = newId();
      await storage.platform.write((db) => {
        registryStore(db).reserve(id, `praxis-${id}`, 0);
        registryStore(db).activate(id);
      });
      await storage.tenants.create(id, () => undefined);
      return id;
    },
    webhook: async (tenantId, host, inbound_mail = 'small') => {
      const id = newId();
      const release = await following.hold('webhooks', tenantId);
      await storage.tenants.write(tenantId, (db) =>
        webhookStore(db).insert({
          id,
          name: host,
          sealed_url: sealFor(SEALING_KEY, 'url', id, `https://${host}/`),
          events_json: JSON.stringify(['suppression.added', 'inbound.received']),
          inbound_mail,
          sealed_secret: sealFor(SEALING_KEY, 'secret', id, makeSecret()),
          after_seq: followStore(db).last(),
          created_at: clock.now(),
        }),
      );
      release();
      return id;
    },
    mails: (tenantId, count) =>
      storage.tenants.write(tenantId, (db) => {
        for (let made = 0; made < count; made += 1) receiveMail(db);
      }),
    events: (tenantId, addresses) =>
      storage.tenants.write(tenantId, (db) => {
        for (const address of addresses) {
          const suppression = { id: newId(), address, scope: 'workspace', reason: 'manual' } as const;
          const about = { ...suppression, project_id: null, route_id: null, note: null };
          eventStore(db).append({
            type: 'suppression.added',
            messageSeq: 0,
            recipientId: null,
            at: clock.now(),
            data: { suppression: about } as object,
          });
        }
      }),
    deliveries: (tenantId, webhookId) =>
      storage.tenants.read(tenantId, (db) => deliveriesOf(db, webhookStore(db).byId(webhookId))),
    allDeliveries: (tenantId) =>
      storage.tenants.read(tenantId, (db) =>
        webhookStore(db)
          .list()
          .flatMap((row) => deliveriesOf(db, row)),
      ),
  };
};

/** `a0@example.org` and so on. */
export const addresses = (count: number, name = 'a'): string[] =>
  Array.from({ length: count }, (_, index) => `${name}${index}@example.org`);
