// Each event by the operation that means it, to a webhook over HTTPS: form, words and signature of what arrives there. The
// catalogue drives it: a name without a scene fails.
// @module-tag debian/python3
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventCatalogue, eventTypes, TEST_EVENT } from '#src/events/catalogue.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#src/kernel/time.ts';
import { publishedDataSchema } from '#src/messages/published-event.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { type DnsZone, startDnsZone } from '#test/support/dns-zone.ts';
import { createHook, deliveriesOf, type Hook, outboundTo, requestTo } from '#test/support/hooks.ts';
import { type HttpsReceiver, startHttpsReceiver } from '#test/support/https-receiver.ts';
import { type PlayedRspamd, startPlayedRspamd } from '#test/support/played-rspamd.ts';
import { absence, bring, deliveryStatus } from '#test/support/reports.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { createTestClock } from '#test/support/storage.ts';
import { BLOCKED_WORD, echoed, type Stage, scenes, sent, withoutScene } from './webhook-event-scenes.ts';
import { expectSigned, isValidForLibrary, signaturesByPython } from './webhook-scene.ts';

const clock = createTestClock(Date.now());
let relay: SmtpReceiver;
let receiver: HttpsReceiver;
let rspamd: PlayedRspamd;
let dns: DnsZone;
let app: TestApp;
beforeAll(async () => {
  relay = await createSmtpReceiver();
  receiver = await startHttpsReceiver();
  rspamd = await startPlayedRspamd();
  rspamd.reject(BLOCKED_WORD);
  // It knows no name: what the real one says of a sender's domain would decide what becomes of the mail.
  dns = await startDnsZone();
  app = await startApp({
    receiver: relay,
    clock,
    holdMs: 0,
    config: {
      service: { public_origin: 'https://mail.example.com' },
      smtp: { inbound: { listen: '127.0.0.1:0' } },
      scanners: { rspamd: { url: rspamd.url } },
      dns: { resolvers: [dns.address] },
      security: outboundTo(receiver),
      queue: {
        retry: ['1s'],
        then_every: '1s',
        jitter: 0,
        give_up: { transactional: '30m', marketing: '30m' },
      },
    },
  });
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
  await rspamd?.stop();
  await relay?.stop();
  await dns?.stop();
});
beforeEach(() => relay.setBehaviour({}));

const newStage = async (): Promise<Stage> => ({ app, relay, clock, sender: await app.createSender() });

let hooks = 0;
const hookOf = (sender: Sender, ...events: readonly string[]): Promise<Hook> => {
  hooks += 1;
  return createHook(app, sender, receiver.url(`/hooks/${hooks}`), events);
};

const dataOf = async (hook: Hook, place: number): Promise<Readonly<Record<string, unknown>>> =>
  JSON.parse((await requestTo(receiver, hook, place)).body.toString()).data;

/** What came to it, in order; once so many have come. */
const namesTo = async (hook: Hook, count: number): Promise<unknown[]> => {
  await requestTo(receiver, hook, count - 1);
  return receiver.requests
    .filter(({ path }) => path === hook.path)
    .map(({ headers }) => headers['x-service-event']);
};

test('every name of the catalogue has its scene', () => {
  expect(withoutScene()).toEqual([]);
});

describe('an event is published as it is specified, and signed', () => {
  test.each(scenes)('$event by $by', async ({ event, act }) => {
    const stage = await newStage();
    const hook = await hookOf(stage.sender, event);
    const told = await act(stage);
    const request = await requestTo(receiver, hook);
    const { data } = expectSigned(hook, request, event, clock.now());
    publishedDataSchema(event).parse(data);
    expect(data).toMatchObject(told);
    const isOfMessage = eventCatalogue[event].group === 'message';
    expect(data).toMatchObject(isOfMessage ? echoed : {});
    const delivered = { status: 'delivered', attempts: 1, response_status: 200 };
    await expect
      .poll(() => deliveriesOf(app, hook))
      .toMatchObject([{ id: request.headers['webhook-id'], event, ...delivered }]);
  });

  test(TEST_EVENT, async () => {
    const { sender } = await newStage();
    const hook = await hookOf(sender, 'message.failed');
    const answer = await app.request('POST', `${hook.base}/test`, undefined, sender.token);
    expect(answer).toMatchObject({ status: 200, body: { event: TEST_EVENT, status: 'delivered' } });
    const { id, data } = expectSigned(hook, await requestTo(receiver, hook), TEST_EVENT, clock.now());
    expect(id).toBe(answer.body.id);
    expect(data).toMatchObject({ webhook_id: hook.id });
  });
});

describe('which webhook gets which event', () => {
  test('only what a webhook subscribes to, from its beginning on', async () => {
    const stage = await newStage();
    const all = await hookOf(stage.sender, ...eventTypes);
    await sent(stage);
    expect(await namesTo(all, 2)).toEqual(['message.created', 'message.sent']);
    const late = await hookOf(stage.sender, ...eventTypes);
    const few = await hookOf(stage.sender, 'message.sent', 'suppression.removed');
    await sent(stage);
    expect(await namesTo(all, 4)).toHaveLength(4);
    expect(await namesTo(late, 2)).toHaveLength(2);
    expect(await namesTo(few, 1)).toHaveLength(1);
    expect((await deliveriesOf(app, late)).map(({ event }) => event)).toEqual([
      'message.created',
      'message.sent',
    ]);
    expect((await deliveriesOf(app, few)).map(({ event }) => event)).toEqual(['message.sent']);
  });

  test('two webhooks get one event under ids and secrets of their own', async () => {
    const stage = await newStage();
    const one = await hookOf(stage.sender, 'message.created');
    const other = await hookOf(stage.sender, 'message.created');
    await sent(stage);
    const [first, second] = [await requestTo(receiver, one), await requestTo(receiver, other)];
    const here = expectSigned(one, first, 'message.created', clock.now());
    const there = expectSigned(other, second, 'message.created', clock.now());
    expect(here.id).not.toBe(there.id);
    expect(one.secret).not.toBe(other.secret);
    expect({ ...here, id: '' }).toEqual({ ...there, id: '' });
    expect(isValidForLibrary(other.secret, first, clock.now())).toBe(false);
  });

  test('each practice gets its own, never another’s', async () => {
    const [one, other] = [await newStage(), await newStage()];
    const hook = await hookOf(one.sender, ...eventTypes);
    const foreign = await hookOf(other.sender, ...eventTypes);
    const mine = await sent(one);
    const theirs = await sent(other);
    const idsTo = async (to: Hook) =>
      [await dataOf(to, 0), await dataOf(to, 1)].map((data) => data.message_id);
    expect(await idsTo(hook)).toEqual([mine.id, mine.id]);
    expect(await idsTo(foreign)).toEqual([theirs.id, theirs.id]);
    expect(await deliveriesOf(app, hook)).toHaveLength(2);
    expect(await deliveriesOf(app, foreign)).toHaveLength(2);
  });

  test('blocked content is published as both of its events, in order', async () => {
    const stage = await newStage();
    const hook = await hookOf(stage.sender, ...eventTypes);
    const blocked = scenes.find(({ event }) => event === 'message.content_blocked');
    await blocked?.act(stage);
    expect(await namesTo(hook, 2)).toEqual(['message.failed', 'message.content_blocked']);
  });
});

describe('a delay', () => {
  const greylisted = async (stage: Stage, fields: object): Promise<void> => {
    const answers = ['450 4.2.0 Greylisted', '450 4.2.0 Greylisted'];
    relay.setBehaviour({ rcpt: () => answers.shift() ?? '250 2.1.5 Ok' });
    const id = await app.send(stage.sender, { to: 'a@example.org', subject: 'a', text: 'a', ...fields });
    const attempts = async () => (await app.message(stage.sender, id)).recipients[0]?.attempts;
    for (const attempt of [1, 2]) {
      await expect.poll(attempts).toBe(attempt);
      clock.set(clock.now() + MINUTE);
    }
    await app.untilStatus(stage.sender, id, 'processed');
  };

  test.each([
    { tracking: { track_opens: true }, told: true },
    { tracking: { track_clicks: true }, told: true },
    { tracking: { track_opens: false, track_clicks: false }, told: false },
  ])('is told once, and only with tracking: $tracking', async ({ tracking, told }) => {
    const stage = await newStage();
    const hook = await hookOf(stage.sender, 'message.delivery_delayed', 'message.sent');
    await greylisted(stage, { settings: tracking });
    const names = [...(told ? ['message.delivery_delayed'] : []), 'message.sent'];
    expect(await namesTo(hook, names.length)).toEqual(names);
    expect((await deliveriesOf(app, hook)).map(({ event }) => event)).toEqual(names);
  });
});

test('a signal that changes no status is published with the status that stays', async () => {
  const stage = await newStage();
  const hook = await hookOf(stage.sender, 'message.delivered', 'message.auto_replied');
  const { returnPath } = await sent(stage);
  await bring(app.inboundPort, returnPath, absence());
  await bring(
    app.inboundPort,
    returnPath,
    deliveryStatus('erika@example.org', 'Action: delivered', 'Status: 2.0.0'),
  );
  expect(await namesTo(hook, 2)).toEqual(['message.auto_replied', 'message.delivered']);
  expect(await dataOf(hook, 1)).toMatchObject({ status: 'auto_replied' });
});

test('a rotated secret signs, and for a day the one before beside it', async () => {
  const stage = await newStage();
  const hook = await hookOf(stage.sender, 'message.created');
  const rotate = await app.request('POST', `${hook.base}/rotate`, {}, stage.sender.token);
  expect(rotate.status).toBe(200);
  const secret = String(rotate.body.secret);
  expect(secret).not.toBe(hook.secret);
  expect(secret).toMatch(/^whsec_/);

  const verdicts = async (place: number) => {
    await sent(stage);
    const request = await requestTo(receiver, hook, place);
    const { headers } = request;
    const [now, before] = [signaturesByPython(secret, request), signaturesByPython(hook.secret, request)];
    return {
      ours: headers['x-service-signature'] === now.native,
      former: headers['x-service-signature-previous'] === before.native,
      listed: headers['webhook-signature'],
      expected: [now.standard, before.standard],
      valid: [secret, hook.secret].map((one) => isValidForLibrary(one, request, clock.now())),
    };
  };
  const rotated = clock.now();
  const within = await verdicts(0);
  expect(within).toMatchObject({
    ours: true,
    former: true,
    listed: within.expected.join(' '),
    valid: [true, true],
  });
  clock.set(rotated + DAY - SECOND);
  expect(await verdicts(1)).toMatchObject({ ours: true, former: true, valid: [true, true] });
  clock.set(rotated + DAY + HOUR);
  const after = await verdicts(2);
  expect(after).toMatchObject({
    ours: true,
    former: false,
    listed: after.expected[0],
    valid: [true, false],
  });
});
