// The answers at the server: what they wait for, what they cost, and what the log says of them.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, onTestFinished, test } from 'vitest';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { eventStore } from '#src/events/store.ts';
import { createGuardrail } from '#src/feedback/reputation/guardrail.ts';
import { createRecorder } from '#src/feedback/tracking/recorder.ts';
import { trackingRoutes } from '#src/feedback/tracking/routes.ts';
import type { Hit } from '#src/feedback/tracking/rules.ts';
import { createLog } from '#src/kernel/log.ts';
import { perMinute } from '#src/kernel/rate-limit.ts';
import { createTrackingLinks } from '#src/mail/copy-links.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { LIMITS, startServer } from '#test/http/fixture.ts';
import { createTestDisk } from '#test/kernel/db/test-disk.ts';
import { testTenantKey, testTokenKeys } from '#test/support/keys.ts';
import { until } from '#test/support/process.ts';
import {
  createSampleTenant,
  openTestStorage,
  queueMessage,
  temporaryDirectory,
} from '#test/support/storage.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const key = testTokenKeys(7);
const clock = { now: () => 1_700_000_000_000 };
const links = createTrackingLinks('', key);
const TARGET = { tenantNumber: 1, recipientId: 1 };
const SHOP = 'https://praxis.example/termin';
const noted = () => {
  const hits: Hit[] = [];
  return {
    hits,
    routes: trackingRoutes(clock, key, { note: (_, hit) => void hits.push(hit) }),
  };
};
const follow = async (url: string, init: RequestInit = {}): Promise<number> => {
  const response = await fetch(url, { redirect: 'manual', ...init });
  await response.arrayBuffer();
  return response.status;
};

test('a disk that hangs delays no answer', async () => {
  const disk = createTestDisk();
  const storage = await openTestStorage(await temporaryDirectory(), { disk });
  const tenantId = await createSampleTenant(storage);
  const { target, seq } = await storage.tenants.write(tenantId, (db) => {
    const project = tenantStore(db).defaultProject();
    const routeId = tenantStore(db).defaultRoute().id;
    const { recipientIds, seq } = queueMessage({ db, tenantId, projectId: project.id, routeId });
    const recipientId = recipientIds[0] ?? 0;
    queueStore(db).release(recipientId, 1, 0);
    return { target: { tenantNumber: tenantStore(db).practice().number, recipientId }, seq };
  });
  const recorder = createRecorder({
    platform: storage.platform,
    files: storage.tenants,
    log: createLog('error', { write: () => undefined }),
    signals: {
      suppressionKey: testTenantKey(1),
      simulatorDomain: 'simulator.mail.example.com',
      guardrail: createGuardrail({ systemTenantId: () => null, notifyOwners: () => undefined }),
      softBounces: () => ({ count: 5, days: 30 }),
    },
    holdMs: 0,
  });
  onTestFinished(() => recorder.stop());
  const server = await startServer({ routes: trackingRoutes(clock, key, recorder) });
  const before = disk.syncs();
  disk.hold();
  let isRead = false;
  try {
    expect(await follow(server.url + links.open(target))).toBe(200);
    await until('a write has begun', async () => disk.syncs() > before);
    void storage.tenants
      .read(tenantId, () => undefined)
      .then(() => {
        isRead = true;
      });
    // Whoever waited for the file, be it to write or to read, would wait now.
    for (let count = 0; count < 20; count += 1)
      expect(await follow(server.url + links.click(target, SHOP))).toBe(302);
    expect(isRead).toBe(false);
  } finally {
    disk.release();
  }
  const count = () =>
    storage.tenants.read(tenantId, (db) =>
      eventStore(db).countOf(seq, target.recipientId, 'message.clicked'),
    );
  await until('all is written', async () => (await count()) === 20);
});

test('ten thousand answers keep a bounded part of the requests in memory', async () => {
  const recorder = createRecorder({
    platform: { peek: () => undefined as never },
    files: { write: () => new Promise(() => {}) },
    log: createLog('error', { write: () => undefined }),
    signals: {} as never,
    holdMs: 60_000,
  });
  onTestFinished(() => recorder.stop());
  const [, route] = trackingRoutes(clock, key, recorder);
  const url = `https://praxis.example/${'a'.repeat(1_900)}`;
  const answer = (recipientId: number) => {
    const [, , , token = '', encoded = ''] = links.click({ tenantNumber: 1, recipientId }, url).split('/');
    // As long as the server takes them, and each its own.
    const agent = `Mozilla/5.0 ${recipientId} ${'x'.repeat(14_000)}`;
    return route?.handle(
      { params: { token, url: encoded } as never, query: {} as never, body: undefined as never },
      {
        method: 'GET',
        clientAddress: '2001:db8:1:2:3:4:5:6',
        header: (name: string) => (name === 'user-agent' ? Buffer.from(agent).toString('latin1') : undefined),
      } as never,
    );
  };
  const heap = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed + process.memoryUsage().external;
  };
  answer(0);
  const before = heap();
  for (let id = 1; id <= 12_000; id += 1) expect(answer(id)).toMatchObject({ status: 302 });
  // Of 12,000 user agents alone 168 MB came.
  expect(heap() - before).toBeLessThan(60 * 1024 * 1024);
});

describe('the server', () => {
  test('sets no rate limit, because a whole office may open a newsletter from one address', async () => {
    const { routes, hits } = noted();
    const server = await startServer({
      routes,
      limits: () => ({ ...LIMITS, requests: perMinute(1), signInPerAddress: perMinute(1) }),
    });
    for (let id = 1; id <= 50; id += 1)
      expect(await follow(server.url + links.open({ tenantNumber: 1, recipientId: id }))).toBe(200);
    expect(hits).toHaveLength(50);
  });

  test('answers during a shutdown, because people follow a link once', async () => {
    const { routes, hits } = noted();
    const server = await startServer({ routes });
    server.state.draining = true;
    expect(await follow(server.url + links.click(TARGET, SHOP))).toBe(302);
    expect(await follow(server.url + links.open(TARGET))).toBe(200);
    expect(hits).toHaveLength(2);
  });

  test('logs no link and no personal data, for genuine and for altered links', async () => {
    const { routes } = noted();
    const server = await startServer({ routes });
    const url = 'https://praxis.example/ergebnis/4711';
    const [open, click] = [links.open(TARGET), links.click(TARGET, url)];
    const all = [
      open,
      click,
      `${open}/`,
      `${click}/x`,
      `/x${click}/x`,
      click.toUpperCase(),
      click.replace('/t/', '/T/'),
    ];
    for (const link of all) await follow(server.url + link, { headers: { 'User-Agent': 'Geheim/1' } });
    await until(
      'all are logged',
      async () => server.log.filter(({ msg }) => msg === 'request').length === all.length,
    );
    const text = JSON.stringify(server.log).toLowerCase();
    for (const link of all)
      for (const part of link.split('/').filter((part) => part.length > 20))
        expect(text).not.toContain(part.toLowerCase());
    expect(text).not.toMatch(/geheim|ergebnis|127\.0\.0\.1/);
    expect(text).toContain('/t/c/{token}/{url}');
  });
});
