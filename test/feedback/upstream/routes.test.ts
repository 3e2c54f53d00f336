// The route on a practice's real file: subscriptions that are confirmed, and a disk that fails.

import { expect, test } from 'vitest';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { createGuardrail } from '#src/feedback/reputation/guardrail.ts';
import { upstreamEventRoutes } from '#src/feedback/upstream/routes.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { createLog } from '#src/kernel/log.ts';
import type { RequestContext } from '#src/kernel/route.ts';
import { Secret } from '#src/kernel/secret.ts';
import { DAY } from '#src/kernel/time.ts';
import { encodeReturnPath } from '#src/mail/verp.ts';
import { queueStore } from '#src/messages/queue/store.ts';
import { messageStore } from '#src/messages/store.ts';
import { createTestDisk } from '#test/kernel/db/test-disk.ts';
import { testTenantKey, testTokenKeys } from '#test/support/keys.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  queueMessage,
  temporaryDirectory,
} from '#test/support/storage.ts';

const key = testTokenKeys;
const policy = { waits: [1], thenEvery: 1, jitter: 0, giveUpAfter: { 0: 1, 1: 1 } };

const scene = async (format: 'sns' | 'json', isConfirmed = true) => {
  const disk = createTestDisk();
  const storage = await openTestStorage(await temporaryDirectory(), { disk });
  const tenantId = await createSampleTenant(storage);
  const clock = createTestClock();
  const asked: string[] = [];
  const [route] = upstreamEventRoutes({
    eventsOf: () => ({ format, secret: new Secret('secret') }),
    locate: {
      readPlatform: storage.platform.read,
      files: storage.tenants,
      returnPathKey: key(1),
      unsubscribeKey: key(2),
      holderOf: () => null,
    },
    received: {
      readPlatform: storage.platform.read,
      files: storage.tenants,
      clock,
      suppressionKey: testTenantKey(3),
      simulatorDomain: 'simulator.mail.example.com',
      guardrail: createGuardrail({ systemTenantId: () => null, notifyOwners: () => undefined }),
      softBounces: () => ({ count: 5, days: 30 }),
      feedbackSources: () => [],
    },
    confirm: async (url) => {
      asked.push(url);
      return isConfirmed;
    },
  });
  const context = {
    header: () => 'Bearer secret',
    log: createLog('warn', { write: () => undefined }),
  } as unknown as RequestContext;
  const post = async (body: unknown) =>
    route?.handle({ params: { name: 'relay' }, query: {}, body } as never, context);
  return { disk, storage, tenantId, asked, post, clock };
};

const SubscribeURL = 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=abc';
const question = { Type: 'SubscriptionConfirmation', TopicArn: 'arn:aws:sns:x', SubscribeURL };

test('a subscription is confirmed at SNS', async () => {
  const { post, asked } = await scene('sns');
  expect(await post(question)).toMatchObject({ status: 200 });
  expect(asked).toEqual([SubscribeURL]);
});

test('SNS must repeat a subscription whose confirmation failed', async () => {
  const { post } = await scene('sns', false);
  await expect(post(question)).rejects.toMatchObject({ code: 'unavailable' });
});

test('nothing but SNS is called', async () => {
  const { post, asked } = await scene('sns');
  const elsewhere = { ...question, SubscribeURL: 'https://evil.example/?Action=ConfirmSubscription' };
  await expect(post(elsewhere)).rejects.toMatchObject({ code: 'invalid_request' });
  expect(asked).toEqual([]);
});

test.each([
  ['in words', 'Successfully validated SNS topic for Amazon SES event publishing.'],
  ['as an event', '{"notificationType":"AmazonSnsSubscriptionSucceeded","message":"You have subscribed"}'],
])('what SES says when it is set up is taken, %s', async (_, Message) => {
  const { post } = await scene('sns');
  const body = { taken: 0, unchanged: 0, unknown: 0 };
  expect(await post({ Type: 'Notification', Message })).toEqual({ status: 200, body });
});

test('the relay repeats its events while the file cannot be written, and no event is lost', async () => {
  const { post, disk, storage, tenantId, clock } = await scene('json');
  const { recipientId, number } = await storage.tenants.write(tenantId, (db) => {
    const routeId = tenantStore(db).defaultRoute().id;
    const projectId = tenantStore(db).defaultProject().id;
    const message = queueMessage({ db, tenantId, projectId, routeId }, { now: clock.now() });
    queueStore(db).claim(0, 1, 1_000, clock.now(), policy);
    return { recipientId: message.recipientIds[0] ?? 0, number: tenantStore(db).practice().number };
  });
  const return_path = encodeReturnPath(key(1), { tenantNumber: number, recipientId }, 'praxis.example');
  const event = { type: 'delivered', recipient: 'anna@example.org', return_path };
  disk.failNextSync(Object.assign(new Error('EIO'), { code: 'EIO' }));
  await expect(post(event)).rejects.toMatchObject({ code: 'unavailable' });
  const again = await post(event);
  expect(again?.status).toBe(200);
  const status = await storage.tenants.read(
    tenantId,
    (db) => messageStore(db).recipient(recipientId)?.status,
  );
  expect(status).toBe('delivered');
});

/** A mail of that practice that has been handed over, by its return path. */
const handOver = (storage: Storage, tenantId: string, now: number) =>
  storage.tenants.write(tenantId, (db) => {
    const routeId = tenantStore(db).defaultRoute().id;
    const projectId = tenantStore(db).defaultProject().id;
    const [recipientId = 0] = queueMessage({ db, tenantId, projectId, routeId }, { now }).recipientIds;
    queueStore(db).claim(0, 1, 1_000, now, policy);
    const target = { tenantNumber: tenantStore(db).practice().number, recipientId };
    return { recipientId, return_path: encodeReturnPath(key(1), target, 'praxis.example') };
  });

test('a practice whose file fails does not delay the reports of other practices', async () => {
  const { post, disk, storage, tenantId, clock } = await scene('json');
  const other = await createSampleTenant(storage, 'Verein');
  const [failing, sound] = [
    await handOver(storage, tenantId, clock.now()),
    await handOver(storage, other, clock.now()),
  ];
  const delivered = ({ return_path }: { return_path: string }) => ({
    type: 'delivered',
    recipient: 'anna@example.org',
    return_path,
  });
  const nobodys = { ...delivered(sound), return_path: 'b+1x@bounce.praxis.example' };
  disk.failNextSync(Object.assign(new Error('EIO'), { code: 'EIO' }));
  const all = [delivered(failing), ...Array.from({ length: 60 }, () => nobodys), delivered(sound)];
  await expect(post(all)).rejects.toMatchObject({ code: 'unavailable' });
  const status = await storage.tenants.read(
    other,
    (db) => messageStore(db).recipient(sound.recipientId)?.status,
  );
  expect(status).toBe('delivered');
});

test('old mail accepts complaints and no other report', async () => {
  const { post, storage, tenantId, clock } = await scene('json');
  const { return_path, recipientId } = await handOver(storage, tenantId, clock.now());
  const about = { recipient: 'anna@example.org', return_path };
  await post({ type: 'delivered', ...about });
  await storage.tenants.write(tenantId, (db) => queueStore(db).remove(recipientId));
  clock.set(clock.now() + 61 * DAY);
  expect((await post({ type: 'bounced', ...about }))?.body).toMatchObject({ taken: 0, unknown: 1 });
  expect((await post({ type: 'complained', ...about }))?.body).toMatchObject({ taken: 1, unknown: 0 });
});

test('a report about mail that was never sent changes nothing', async () => {
  const { post, storage, tenantId, clock } = await scene('json');
  const { recipientId, number } = await storage.tenants.write(tenantId, (db) => {
    const routeId = tenantStore(db).defaultRoute().id;
    const projectId = tenantStore(db).defaultProject().id;
    const message = queueMessage({ db, tenantId, projectId, routeId }, { now: clock.now() });
    return { recipientId: message.recipientIds[0] ?? 0, number: tenantStore(db).practice().number };
  });
  const return_path = encodeReturnPath(key(1), { tenantNumber: number, recipientId }, 'praxis.example');
  const answer = await post({ type: 'bounced', recipient: 'anna@example.org', return_path });
  expect(answer?.body).toEqual({ taken: 0, unchanged: 0, unknown: 1 });
});
