// How long mail waits for each upstream where so many practices wait that the files of few are read.
import { expect, test } from 'vitest';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { createLog } from '#src/kernel/log.ts';
import type { RequestContext } from '#src/kernel/route.ts';
import { HOUR, MINUTE, toIso } from '#src/kernel/time.ts';
import type { Dispatcher } from '#src/relay/dispatcher.ts';
import type { TenantLane } from '#src/relay/due-heap.ts';
import { queueRoutes } from '#src/relay/queue-routes.ts';
import type { Upstream } from '#src/relay/upstream.ts';
import { createUpstreams, upstreamBreakerPolicy } from '#src/relay/upstreams.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  queueMessage,
  temporaryDirectory,
} from '#test/support/storage.ts';

const log = createLog('silent');

const upstream = (name: string): Upstream => ({
  name,
  kind: 'smtp',
  address: null,
  concurrency: 10,
  smtpUtf8: null,
  learn: async () => {},
  probe: () => Promise.reject(new Error('nothing is asked here')),
  transmit: () => Promise.reject(new Error('nothing is sent here')),
  describe: () => ({}),
  stop: async () => {},
});

test('is what the file of a practice says, and of one that is not read the time at which its mail was due', async () => {
  const clock = createTestClock();
  const now = clock.now();
  const storage = await openTestStorage(await temporaryDirectory());
  const tenantId = await createSampleTenant(storage);
  await storage.tenants.write(tenantId, (db) => {
    const projectId = tenantStore(db).defaultProject().id;
    const routeId = tenantStore(db).defaultRoute().id;
    queueMessage({ db, tenantId, projectId, routeId }, { now: now - HOUR, dueAt: now - MINUTE });
  });
  const unread = Array.from({ length: 10_000 }, (_, at) => ({
    tenantId: `unread-${at}`,
    lane: 0 as const,
    dueAt: now - 10_000 + at,
  }));
  const upstreams = createUpstreams(
    [
      { upstream: upstream('all'), acceptIsDelivery: true },
      { upstream: upstream('own'), acceptIsDelivery: true, for: { practices: ['unread-7'] } },
      { upstream: upstream('campaigns'), acceptIsDelivery: true, for: { streams: ['marketing'] } },
    ],
    (id) => id,
    clock,
    log,
  );
  const queued: ReturnType<Dispatcher['queued']> = [
    ...unread,
    // Campaigns that wait for nothing, beside mail that is due.
    { tenantId: 'unread-8', lane: 1, dueAt: now + HOUR },
    { tenantId, lane: 0, dueAt: now - MINUTE },
  ];
  const dispatcher = {
    queued: () => queued,
    describe: () => ({ in_flight: 0, waiting_tenants: queued.length, next_due_at: null }),
  };
  const route = queueRoutes({ storage, clock }, upstreams, dispatcher).find(({ id }) => id === 'listQueues');
  const input = { params: {}, query: { limit: 1 }, body: undefined };
  const ask = () => route?.handle(input as never, { log } as RequestContext);
  expect((await ask())?.body).toMatchObject({
    waiting_practices: 10_001,
    practices: [{ id: tenantId }],
    upstreams: [
      { name: 'all', oldest_since: toIso(now - HOUR), waiting_practices: 10_000 },
      { name: 'own', oldest_since: toIso(now - 10_000 + 7), waiting_practices: 1 },
      { name: 'campaigns', oldest_since: null, waiting_practices: 0 },
    ],
  });

  const setAside = (of: TenantLane): number => {
    const path = upstreams.pathOf(of);
    for (let failed = 0; failed < upstreamBreakerPolicy.threshold; failed += 1) {
      const choice = path.take();
      if (choice) path.report(choice, { kind: 'upstream_failure', reply: null, diagnostic: 'refused' });
    }
    return path.retryAt(now) ?? now;
  };
  setAside({ tenantId: 'unread-7', lane: 0 });
  expect((await ask())?.body, 'another carries its mail').toMatchObject({
    upstreams: [
      { name: 'all', waiting_practices: 10_001 },
      { name: 'own', waiting_practices: 0, oldest_since: null, state: 'open' },
      { name: 'campaigns' },
    ],
  });

  setAside({ tenantId: 'recall', lane: 1 });
  const retryAt = setAside({ tenantId: 'recall', lane: 1 });
  expect(retryAt).toBeGreaterThan(now);
  queued.push({ tenantId: 'recall', lane: 1, dueAt: retryAt });
  expect((await ask())?.body, 'what is due when an upstream is tried again waits already').toMatchObject({
    upstreams: [
      { name: 'all', state: 'open' },
      { name: 'own' },
      { name: 'campaigns', state: 'open', waiting_practices: 1, oldest_since: toIso(now) },
    ],
  });
});
