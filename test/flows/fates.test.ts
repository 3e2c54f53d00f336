// What becomes of recipients by what the smarthost answers, and of their message by what became of them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Status } from '#src/messages/rules.ts';
import { type List, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

/** What the smarthost says to RCPT, by the part before the @; who is not named is welcome. */
const replies: Readonly<Record<string, string>> = {
  unknown: '550 5.1.1 User unknown',
  full: '552 5.2.2 Mailbox full',
  never: '450 4.2.0 Greylisted',
};
const turnedAway = new Set<string>();
/** The second attempt for `later-a` is answered only then. */
const delayWasSeen = Promise.withResolvers<string>();

const answerRcpt = ({ address }: { address: string }): string | Promise<string> => {
  const [name = ''] = address.split('@');
  if (!name.startsWith('later')) return replies[name] ?? '250 2.1.5 Ok';
  if (turnedAway.has(address)) return name === 'later-a' ? delayWasSeen.promise : '250 2.1.5 Ok';
  turnedAway.add(address);
  return '450 4.2.0 Greylisted';
};

// The second attempt comes after a second and is the last: the third would come after the patience has ended.
const queue = {
  retry: ['1s'],
  then_every: '1h',
  jitter: 0,
  give_up: { transactional: '1m', marketing: '1m' },
};

let receiver: SmtpReceiver;
let app: TestApp;
let sender: Sender;

beforeAll(async () => {
  receiver = await createSmtpReceiver({ rcpt: answerRcpt });
  app = await startApp({ runsTwice: true, receiver, config: { queue } });
  sender = await app.createSender();
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

/** Recipients that have got the message. */
const arrivedOf = (id: string): string[] =>
  receiver.messages
    .filter(({ content }) => content.includes(`<${id}@`))
    .flatMap(({ recipients }) => recipients.map(({ address }) => address))
    .toSorted();

const eventsOf = async (of: TestApp, { base, token }: Sender, id: string) => {
  const target = `${base}/messages/${id}/events`;
  const { body } = await of.request<List<{ type: string }>>('GET', target, undefined, token);
  return body.data;
};

describe('what the smarthost answers to RCPT decides', () => {
  const bounced = [
    ['unknown', 'hard_bounced', 550, '5.1.1', 'User unknown'],
    ['full', 'soft_bounced', 552, '5.2.2', 'Mailbox full'],
  ] as const;
  test.each(bounced)(
    '%s: the recipient is %s',
    async (name, status, smtp_code, enhanced_code, diagnostic) => {
      const address = `${name}@example.org`;
      const id = await app.send(sender, { to: address });
      const { recipients } = await app.untilStatus(sender, id, status);
      const said = { smtp_code, enhanced_code, upstream: 'relay' };
      expect(recipients).toEqual([
        expect.objectContaining({ address, status, attempts: 1, next_attempt_at: null, ...said }),
      ]);
      expect(await eventsOf(app, sender, id)).toEqual([
        expect.objectContaining({ type: 'message.created' }),
        expect.objectContaining({ type: `message.${status}`, recipient: address, diagnostic, ...said }),
      ]);
      expect(arrivedOf(id)).toEqual([]);
    },
  );

  test('450 delays the recipient, tells when it is tried again, and it arrives then', async () => {
    const id = await app.send(sender, { to: 'later-a@example.org' });
    const delayed = await app.untilStatus(sender, id, 'delivery_delayed');
    const [recipient] = delayed.recipients;
    expect(recipient).toMatchObject({ attempts: 1, smtp_code: 450, enhanced_code: '4.2.0' });
    const wait = Date.parse(recipient?.next_attempt_at ?? '') - Date.parse(delayed.created_at);
    expect(wait).toBeGreaterThanOrEqual(1_000);
    delayWasSeen.resolve('250 2.1.5 Ok');
    const done = await app.untilStatus(sender, id, 'processed');
    expect(done.recipients[0]).toMatchObject({ attempts: 2, next_attempt_at: null, smtp_code: 250 });
    expect((await eventsOf(app, sender, id)).map(({ type }) => type)).toEqual([
      'message.created',
      'message.delivery_delayed',
      'message.sent',
    ]);
  });

  test('450 until the patience has ended fails the recipient', async () => {
    const id = await app.send(sender, { to: 'never@example.org' });
    const failed = await app.untilStatus(sender, id, 'failed');
    expect(failed.recipients[0]).toMatchObject({ attempts: 2, next_attempt_at: null, smtp_code: 450 });
    expect((await eventsOf(app, sender, id)).at(-1)).toMatchObject({
      type: 'message.failed',
      smtp_code: 450,
    });
    expect(app.sql(sender.practice.id, 'SELECT * FROM queue')).toEqual([]);
  });

  const fates: readonly [to: string[], each: Status[], whole: Status][] = [
    [['good@example.org', 'full@example.org'], ['processed', 'soft_bounced'], 'soft_bounced'],
    [
      // Another one than before: nobody writes twice to an address that does not exist.
      ['full@example.org', 'unknown@example.net', 'good@example.org'],
      ['soft_bounced', 'hard_bounced', 'processed'],
      'hard_bounced',
    ],
    [['later-b@example.org', 'good@example.org'], ['processed', 'processed'], 'processed'],
  ];
  test.each(fates)('%j: each has its own fate, the message the worst', async (to, each, whole) => {
    const id = await app.send(sender, { to });
    await expect
      .poll(async () => (await app.message(sender, id)).recipients.map(({ status }) => status))
      .toEqual(each);
    expect((await app.message(sender, id)).status).toBe(whole);
    const arrived = to.filter((_, index) => each[index] === 'processed');
    expect(arrivedOf(id)).toEqual(arrived.toSorted());
  });
});

test('an upstream whose acceptance counts as delivery makes the recipient delivered', async () => {
  const accepting = await startApp({ receiver, upstream: { delivered_on: 'accept' } });
  try {
    const other = await accepting.createSender();
    const id = await accepting.send(other);
    await accepting.untilStatus(other, id, 'delivered');
    const types = (await eventsOf(accepting, other, id)).map(({ type }) => type);
    expect(types).toEqual(['message.created', 'message.sent', 'message.delivered']);
  } finally {
    await accepting.remove();
  }
});
