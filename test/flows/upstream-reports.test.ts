// Relays that report by HTTP: their events over real HTTP, about mail that they were given over real SMTP.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type AppAnswer, type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { bounceOf, bring, deliveryStatus } from '#test/support/reports.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

const SECRETS = { relay: 'relay-secret-0123456789', ses: 'ses-secret-0123456789' };
const RELAY = '/api/upstreams/relay/events';
const SES = '/api/upstreams/ses/events';

let app: TestApp;
let sender: Sender;
let receiver: SmtpReceiver;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'upstream-events-'));
  receiver = await createSmtpReceiver();
  const upstream = async (name: string, events?: { format: string; secret: string }) => {
    const file = path.join(directory, `${name}.secret`);
    await writeFile(file, `${events?.secret}\n`, { mode: 0o600 });
    const { host, port } = receiver;
    const more = events === undefined ? {} : { events: { format: events.format, secret_file: file } };
    return { name, kind: 'smtp', host, port, tls: 'none', ...more };
  };
  app = await startApp({
    config: {
      smtp: { inbound: { listen: '127.0.0.1:0' } },
      upstreams: [
        await upstream('relay', { format: 'json', secret: SECRETS.relay }),
        await upstream('ses', { format: 'sns', secret: SECRETS.ses }),
        await upstream('silent'),
        { name: 'kept', kind: 'capture' },
      ],
    },
  });
});
// Each its own: many bounces pause a practice.
beforeEach(async () => {
  sender = await app.createSender();
});
afterAll(async () => {
  await app.remove();
  await receiver.stop();
  await rm(directory, { recursive: true });
});

interface Counts {
  readonly taken: number;
  readonly unchanged: number;
  readonly unknown: number;
}
const counts = (some: Partial<Counts>): Counts => ({ taken: 0, unchanged: 0, unknown: 0, ...some });

const report = <Body = Counts>(target: string, body: unknown, secret: string): Promise<AppAnswer<Body>> =>
  app.request<Body>('POST', target, body, undefined, { Authorization: `Bearer ${secret}` });
const byRelay = (body: unknown) => report(RELAY, body, SECRETS.relay);
/** As SNS brings it: text, and the secret as a password. */
const bySns = <Body = Counts>(body: unknown): Promise<AppAnswer<Body>> =>
  app.request<Body>('POST', SES, Buffer.from(JSON.stringify(body)), undefined, {
    'Content-Type': 'text/plain; charset=UTF-8',
    Authorization: `Basic ${Buffer.from(`sns:${SECRETS.ses}`).toString('base64')}`,
  });
const notified = (event: unknown) =>
  bySns({ Type: 'Notification', MessageId: 'x', TopicArn: 'arn:aws:sns:x', Message: JSON.stringify(event) });

interface Sent {
  readonly id: string;
  readonly to: string;
  readonly returnPath: string;
  readonly messageId: string;
}
let number = 0;
/** A mail that the relay has taken. */
const sent = async (): Promise<Sent> => {
  number += 1;
  const to = `p${number}@example.org`;
  const id = await app.send(sender, { to });
  const { internet_message_id } = await app.untilStatus(sender, id, 'processed');
  const message = receiver.messages.find(({ recipients }) => recipients[0]?.address === to);
  return { id, to, returnPath: message?.mailFrom ?? '', messageId: internet_message_id };
};
const statusOf = async ({ id }: Sent) => (await app.message(sender, id)).status;
const suppressionsOf = ({ to }: Sent) =>
  app.sql<{ reason: string }>(sender.practice.id, 'SELECT reason FROM suppressions WHERE address = ?', to);
interface EventRow {
  readonly type: string;
  readonly data: { readonly via?: string; readonly upstream?: string; readonly rule?: string };
}
const eventsOf = ({ id }: Sent): EventRow[] =>
  app
    .sql<{ type: string; data_json: string }>(
      sender.practice.id,
      `SELECT type, data_json FROM events JOIN messages ON messages.seq = message_seq
       WHERE messages.id = ? AND recipient_id IS NOT NULL ORDER BY events.seq`,
      id,
    )
    .map(({ type, data_json }) => ({ type, data: JSON.parse(data_json) }));

describe('the generic form', () => {
  test.each([
    { type: 'delivered', status: 'delivered', suppressed: [] },
    { type: 'delayed', smtp_code: 451, diagnostic: 'no answer', status: 'delivery_delayed', suppressed: [] },
    { type: 'complained', status: 'spam_complaint', suppressed: ['complaint'] },
    { type: 'bounced', enhanced_code: '5.1.1', status: 'hard_bounced', suppressed: ['hard_bounce'] },
    {
      type: 'bounced',
      smtp_code: 552,
      diagnostic: '5.2.2 over quota',
      status: 'soft_bounced',
      suppressed: [],
    },
    { type: 'bounced', status: 'soft_bounced', suppressed: [] },
  ])('$type: $status', async ({ status, suppressed, ...event }) => {
    const mail = await sent();
    const told = { ...event, recipient: mail.to, return_path: `<${mail.returnPath}>` };
    expect((await byRelay(told)).body).toEqual(counts({ taken: 1 }));
    expect(await statusOf(mail)).toBe(status);
    expect(suppressionsOf(mail).map(({ reason }) => reason)).toEqual(suppressed);
    expect(eventsOf(mail).at(-1)).toMatchObject({ data: { via: 'http', upstream: 'relay' } });
  });

  test('a list, by Message-ID too, and what is not of here is counted and changes nothing', async () => {
    const [one, other] = [await sent(), await sent()];
    const before = app.rowCounts(sender.practice.id);
    const answer = await byRelay([
      { type: 'delivered', recipient: one.to, message_id: one.messageId },
      { type: 'delivered', recipient: one.to, return_path: one.returnPath },
      { type: 'delivered', recipient: other.to, message_id: '<nobody@example.org>' },
      { type: 'bounced', recipient: other.to, return_path: other.returnPath.replace(/^b\+1./, 'b+1z') },
    ]);
    expect(answer.body).toEqual(counts({ taken: 1, unchanged: 1, unknown: 2 }));
    expect([await statusOf(one), await statusOf(other)]).toEqual(['delivered', 'processed']);
    expect(app.rowCounts(sender.practice.id).events).toBe((before.events ?? 0) + 1);
  });

  test.each<{ name: string; body: unknown; path: string }>([
    {
      name: 'a misspelt field',
      body: { type: 'delivered', recipient: 'a@b.c', mesage_id: '<x@y>' },
      path: 'body.mesage_id',
    },
    {
      name: 'nothing that names the mail',
      body: { type: 'delivered', recipient: 'a@b.c' },
      path: 'body.return_path',
    },
    {
      name: 'an unknown type',
      body: [{ type: 'opened', recipient: 'a@b.c', message_id: '<x@y>' }],
      path: 'body[0].type',
    },
    {
      name: 'no code',
      body: { type: 'bounced', recipient: 'a@b.c', message_id: '<x@y>', smtp_code: 5 },
      path: 'body.smtp_code',
    },
  ])('$name is named', async ({ body, path: where }) => {
    const answer = await report<Refusal>(RELAY, body, SECRETS.relay);
    expect(answer.body).toMatchObject({ code: 'invalid_request' });
    expect(answer.body.fields).toEqual(expect.arrayContaining([expect.objectContaining({ path: where })]));
  });

  test('more than a thousand at once, or more than 256 KiB, are refused', async () => {
    const event = { type: 'delivered', recipient: 'a@b.c', message_id: '<x@y>' };
    expect((await byRelay(Array(1_001).fill(event))).status).toBe(400);
    expect((await byRelay(Array(1_000).fill(event))).body).toEqual(counts({ unknown: 1_000 }));
    expect((await byRelay({ ...event, diagnostic: 'x'.repeat(262_144) })).status).toBe(413);
  });
});

describe('who does not know the secret', () => {
  const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
  const wrong = /The secret is wrong, or there is no such upstream with events\./;
  const empty = /no password after `Basic`/;
  const attempts: readonly [name: string, path: string, authorization: string | null, text: RegExp][] = [
    ['says something else', 'relay', 'Bearer relay-secret-0123456780', wrong],
    ['knows that of another upstream', 'relay', `Bearer ${SECRETS.ses}`, wrong],
    ['asks of an unknown upstream', 'nobody', `Bearer ${SECRETS.relay}`, wrong],
    ['asks of one without events', 'silent', 'Bearer undefined', wrong],
    ['says nothing', 'relay', null, /has no credential/],
    ['says nothing of an unknown one', 'nobody', null, /has no credential/],
    ['says nothing as a password', 'relay', basic('relay:'), empty],
    ['gives it as the name', 'relay', basic(`${SECRETS.relay}:`), empty],
    ['gives it without a name', 'relay', basic(SECRETS.relay), empty],
    ['asks of a mailbox', 'kept', 'Bearer ', /no token after `Bearer`/],
    ['uses another scheme', 'relay', `Digest ${SECRETS.relay}`, /scheme Digest/],
    ['uses no scheme', 'nobody', SECRETS.relay, /has no scheme/],
    ['uses no scheme, for a secret of letters', 'nobody', 'geheimnis', /has no scheme/],
  ];
  test('learns which of these it was, and not which upstreams there are', async () => {
    const mail = await sent();
    const before = app.rowCounts(sender.practice.id);
    const refused = new Set<string>();
    for (const [name, upstream, authorization, text] of attempts) {
      const headers = authorization === null ? {} : { Authorization: authorization };
      const event = { type: 'bounced', recipient: mail.to, return_path: mail.returnPath };
      const answer = await app.request<{ hint: string }>(
        'POST',
        `/api/upstreams/${upstream}/events`,
        event,
        undefined,
        headers,
      );
      expect(answer, name).toMatchObject({
        status: 401,
        body: {
          code: 'unauthorized',
          error: expect.stringMatching(text),
          hint: expect.stringMatching(/HTTP Basic/),
        },
      });
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm=/);
      if (text === wrong) refused.add(answer.text);
    }
    expect(refused.size).toBe(1);
    expect(app.rowCounts(sender.practice.id)).toEqual(before);
  });
});

describe('Amazon SES by SNS', () => {
  const mail = ({ returnPath, to }: Sent) => ({
    timestamp: '2026-11-21T10:00:00.000Z',
    source: returnPath,
    messageId: '0100018f-0000',
    destination: [to],
  });
  const bounce = (one: Sent, bounceType: string, bounceSubType: string, more: object = {}) => ({
    mail: mail(one),
    bounce: {
      bounceType,
      bounceSubType,
      feedbackId: 'x',
      timestamp: '2026-11-21T10:00:01.000Z',
      bouncedRecipients: [{ emailAddress: one.to, ...more }],
    },
  });
  const dsn = { action: 'failed', status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 user unknown' };

  test.each<{ name: string; event: (one: Sent) => object; status: string }>([
    {
      name: 'a notification of a bounce',
      event: (one) => ({ notificationType: 'Bounce', ...bounce(one, 'Permanent', 'General', dsn) }),
      status: 'hard_bounced',
    },
    {
      name: 'an event of a bounce',
      event: (one) => ({ eventType: 'Bounce', ...bounce(one, 'Transient', 'MailboxFull') }),
      status: 'soft_bounced',
    },
    {
      name: 'a complaint',
      event: (one) => ({
        eventType: 'Complaint',
        mail: mail(one),
        complaint: { complainedRecipients: [{ emailAddress: one.to }] },
      }),
      status: 'spam_complaint',
    },
    {
      name: 'a delivery',
      event: (one) => ({
        notificationType: 'Delivery',
        mail: mail(one),
        delivery: { recipients: [one.to], smtpResponse: '250 2.6.0 Message received' },
      }),
      status: 'delivered',
    },
    {
      name: 'a delay',
      event: (one) => ({
        eventType: 'DeliveryDelay',
        mail: mail(one),
        deliveryDelay: {
          delayType: 'SpamDetected',
          delayedRecipients: [
            { emailAddress: one.to, status: '4.4.1', diagnosticCode: 'smtp; 421 4.4.1 later' },
          ],
        },
      }),
      status: 'delivery_delayed',
    },
    {
      name: 'a virus',
      event: (one) => ({ eventType: 'Reject', mail: mail(one), reject: { reason: 'Bad content' } }),
      status: 'soft_bounced',
    },
  ])('$name: $status', async ({ event, status }) => {
    const one = await sent();
    expect((await notified(event(one))).body).toEqual(counts({ taken: 1 }));
    expect(await statusOf(one)).toBe(status);
    expect(eventsOf(one).at(-1)?.data).toMatchObject({ via: 'http', upstream: 'ses' });
  });

  test('without an envelope ("raw message delivery")', async () => {
    const one = await sent();
    const event = { notificationType: 'Bounce', ...bounce(one, 'Permanent', 'NoEmail') };
    expect((await bySns(event)).body).toEqual(counts({ taken: 1 }));
    expect(suppressionsOf(one)).toEqual([{ reason: 'hard_bounce' }]);
  });

  test.each(['Send', 'Open', 'Click', 'Rendering Failure', 'Subscription'])(
    '%s says nothing here',
    async (eventType) => {
      const one = await sent();
      expect((await notified({ eventType, mail: mail(one) })).body).toEqual(counts({}));
      expect(await statusOf(one)).toBe('processed');
    },
  );

  test('the end of a subscription is heard', async () => {
    expect((await bySns({ Type: 'UnsubscribeConfirmation', TopicArn: 'arn:aws:sns:x' })).status).toBe(200);
  });

  test('a subscription to be confirmed anywhere else than at SNS is refused', async () => {
    const SubscribeURL = `${app.origin}/?Action=ConfirmSubscription`;
    const answer = await bySns<Refusal>({ Type: 'SubscriptionConfirmation', SubscribeURL });
    expect(answer.body).toMatchObject({ code: 'invalid_request', fields: [{ path: 'body.SubscribeURL' }] });
    expect(answer.body.hint).toContain('by hand');
  });

  test.each([
    ['no JSON', Buffer.from('hello')],
    ['no JSON in it', Buffer.from(JSON.stringify({ Type: 'Notification', Message: 'Hello' }))],
    ['another event in it', Buffer.from(JSON.stringify({ Type: 'Notification', Message: '{"Records":[]}' }))],
    ['nested without end', Buffer.from(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)],
  ])('%s: 400', async (_, body) => {
    const headers = { 'Content-Type': 'text/plain', Authorization: `Bearer ${SECRETS.ses}` };
    expect((await app.request('POST', SES, body, undefined, headers)).body).toMatchObject({
      code: 'invalid_request',
    });
  });
});

describe('the same fact by HTTP and by a notice', () => {
  const delivered = (one: Sent) => deliveryStatus(one.to, 'Action: delivered', 'Status: 2.0.0');
  const byHttp = (type: string) => (one: Sent) =>
    byRelay({
      type,
      recipient: one.to,
      return_path: one.returnPath,
      enhanced_code: type === 'bounced' ? '5.1.1' : undefined,
    });
  const byMail = (content: (one: Sent) => string) => (one: Sent) =>
    bring(app.inboundPort, one.returnPath, content(one));
  test.each<[string, (one: Sent) => Promise<unknown>, (one: Sent) => Promise<unknown>]>([
    ['delivered, by HTTP first', byHttp('delivered'), byMail(delivered)],
    ['delivered, by mail first', byMail(delivered), byHttp('delivered')],
    ['bounced, by HTTP first', byHttp('bounced'), byMail(({ to }) => bounceOf(to))],
    ['bounced, by mail first', byMail(({ to }) => bounceOf(to)), byHttp('bounced')],
  ])('%s: the second changes nothing', async (_, first, second) => {
    const rows = () =>
      ['events', 'recipients', 'messages', 'counters', 'suppressions'].map((table) =>
        app.sql(sender.practice.id, `SELECT * FROM ${table}`),
      );
    const one = await sent();
    const untouched = rows();
    await first(one);
    const told = rows();
    expect(told).not.toEqual(untouched);
    await second(one);
    expect(rows()).toEqual(told);
  });
});
