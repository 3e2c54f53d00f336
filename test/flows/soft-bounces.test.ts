// An address whose mail comes back again and again is suppressed, though no reply says that it does not exist.
import { afterEach, expect, test } from 'vitest';
import { DAY } from '#src/kernel/time.ts';
import {
  type AppOptions,
  type List,
  letter,
  type Sender,
  startApp,
  type TestApp,
} from '#test/support/app.ts';
import { bring, deliveryStatus } from '#test/support/reports.ts';
import { createSmtpReceiver, OK, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { createTestClock, type TestClock } from '#test/support/storage.ts';

const FULL = '552 5.2.2 Mailbox full';
const REASON = '5 soft bounces within 30 days and no delivery in between';

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

interface Scene {
  readonly app: TestApp;
  readonly sender: Sender;
  readonly receiver: SmtpReceiver;
  readonly clock: TestClock;
}

const started = async (options: Pick<AppOptions, 'config' | 'upstream'> = {}): Promise<Scene> => {
  const receiver = await createSmtpReceiver();
  endings.push(() => receiver.stop());
  const clock = createTestClock(Date.UTC(2026, 10, 21, 12));
  const app = await startApp({
    receiver,
    clock,
    ...options,
    config: { smtp: { inbound: { listen: '127.0.0.1:0' } }, ...options.config },
  });
  endings.push(() => app.remove());
  return { app, sender: await app.createSender(), receiver, clock };
};

/** So many messages, one after the other, that the receiving server refuses. */
const refuse = async ({ app, sender, receiver }: Scene, times: number, reply = FULL): Promise<void> => {
  receiver.setBehaviour({ rcpt: reply });
  for (let time = 0; time < times; time++)
    await app.untilStatus(sender, await app.send(sender), 'soft_bounced');
  receiver.setBehaviour({ rcpt: OK });
};

/** A message that the relay takes, with its return path. */
const taken = async ({ app, sender, receiver }: Scene, status: 'processed' | 'delivered') => {
  const id = await app.send(sender);
  await app.untilStatus(sender, id, status);
  const returnPath = receiver.messages.at(-1)?.mailFrom ?? '';
  return { id, returnPath };
};

const report = async ({ app }: Scene, returnPath: string, action: string, status: string): Promise<void> => {
  const text = deliveryStatus(letter.to, `Action: ${action}`, `Status: ${status}`);
  expect(await bring(app.inboundPort, returnPath, text)).toMatch(/^250/);
};

const suppressionsOf = async ({ app, sender }: Scene) => {
  const path = `${sender.base}/suppression?reason=soft_bounces`;
  return (await app.request<List<{ readonly id: string }>>('GET', path, undefined, sender.token)).body.data;
};

const answerOf = async ({ app, sender }: Scene): Promise<unknown> =>
  (await app.request('POST', `${sender.base}/send`, letter, sender.token)).body.code;

test('the fifth one suppresses it, with the reason; who removes it gives it five more', async () => {
  const scene = await started();
  const { app, sender } = scene;
  await refuse(scene, 4);
  expect(await suppressionsOf(scene)).toEqual([]);
  await refuse(scene, 1);
  const [record] = await suppressionsOf(scene);
  expect(record).toMatchObject({
    ...{ address: letter.to, scope: 'team', reason: 'soft_bounces', note: REASON },
    source_message_id: app.sql<{ id: string }>(sender.practice.id, 'SELECT id FROM messages ORDER BY seq')[4]
      ?.id,
  });
  const events = app.sql<{ data_json: string }>(
    sender.practice.id,
    "SELECT data_json FROM events WHERE type = 'suppression.added'",
  );
  expect(events.map(({ data_json }) => JSON.parse(data_json).suppression)).toMatchObject([
    { address: letter.to, scope: 'team', reason: 'soft_bounces' },
  ]);
  expect(await answerOf(scene)).toBe('recipient_suppressed');
  const exported = await app.request('GET', `${sender.base}/suppression/export`, undefined, sender.token);
  expect(exported.text).toContain(`${letter.to},team,,,soft_bounces,${REASON}`);

  await app.request('DELETE', `${sender.base}/suppression/${record?.id}`, undefined, sender.token);
  await refuse(scene, 4);
  expect(await suppressionsOf(scene)).toEqual([]);
  await refuse(scene, 1);
  expect(await suppressionsOf(scene)).toHaveLength(1);
});

test('a delivery in between begins the count again', async () => {
  const scene = await started();
  await refuse(scene, 4);
  const { id, returnPath } = await taken(scene, 'processed');
  await report(scene, returnPath, 'delivered', '2.0.0');
  await scene.app.untilStatus(scene.sender, id, 'delivered');
  scene.clock.set(scene.clock.now() + 1);
  await refuse(scene, 4);
  expect(await suppressionsOf(scene)).toEqual([]);
  await refuse(scene, 1);
  expect(await suppressionsOf(scene)).toHaveLength(1);
});

test('those of more than 30 days ago do not count, and are removed at night', async () => {
  const scene = await started();
  await refuse(scene, 4);
  scene.clock.set(scene.clock.now() + 30 * DAY + 1);
  await refuse(scene, 1);
  expect(await suppressionsOf(scene)).toEqual([]);
  const kept = () => scene.app.rowCounts(scene.sender.practice.id).soft_bounces;
  expect(kept()).toBe(5);
  await scene.app.runJob('remove what is old');
  expect(kept()).toBe(1);
});

test('what counted as delivered and came back is no delivery; a report that comes again counts once', async () => {
  const scene = await started({ upstream: { delivered_on: 'accept' } });
  const { app, sender } = scene;
  const { id: practice } = sender.practice;
  for (let time = 0; time < 5; time++) {
    expect(await suppressionsOf(scene)).toEqual([]);
    const { id, returnPath } = await taken(scene, 'delivered');
    // As after the retention of messages.
    const [known] = app.sql<{ address_hash: Buffer }>(practice, 'SELECT address_hash FROM soft_bounces');
    if (known) {
      const pseudonym = `#${known.address_hash.toString('base64url')}`;
      app.sql(practice, 'UPDATE recipients SET address = ? WHERE address = ?', pseudonym, letter.to);
    }
    for (let again = 0; again < 2; again++) await report(scene, returnPath, 'failed', '5.2.2');
    await app.untilStatus(sender, id, 'soft_bounced');
  }
  expect(await suppressionsOf(scene)).toMatchObject([{ address: null, reason: 'soft_bounces' }]);
  expect(await answerOf(scene)).toBe('recipient_suppressed');
});

test('refusals because of the sender or the content do not count', async () => {
  const scene = await started();
  await refuse(scene, 4);
  await refuse(scene, 5, '554 5.7.1 Message rejected as spam');
  await refuse(scene, 5, '550 5.7.26 Unauthenticated sender: SPF and DKIM failed');
  expect(await suppressionsOf(scene)).toEqual([]);
});

test('the numbers are in the configuration, and with 0 nothing is counted', async () => {
  const scene = await started({ config: { suppressions: { soft_bounces: { count: 0 } } } });
  await refuse(scene, 6);
  expect(await suppressionsOf(scene)).toEqual([]);
  expect(scene.app.rowCounts(scene.sender.practice.id).soft_bounces).toBe(0);
  await scene.app.reconfigure({ suppressions: { soft_bounces: { count: 2, days: 7 } } });
  await refuse(scene, 1);
  expect(await suppressionsOf(scene)).toEqual([]);
  await refuse(scene, 1);
  expect(await suppressionsOf(scene)).toMatchObject([
    { note: '2 soft bounces within 7 days and no delivery in between' },
  ]);
});
