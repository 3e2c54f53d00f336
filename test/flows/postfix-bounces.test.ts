// A real Postfix as the relay: what it makes of an unknown mailbox, a full one, one out of reach for a while, and a success,
// are its own notices, which it brings to the listener over SMTP.
// @module-tag debian/postfix
import { chmod, chown, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { type Postfix, startPostfix } from '#test/support/postfix.ts';
import { freePort, until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

const MAILBOX_BYTES = 50_000;
const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

let app: TestApp;
let sender: Sender;
let postfix: Postfix;
/** Behind Postfix: what is not its own mailbox. */
let behind: SmtpReceiver;

beforeEach(async () => {
  const inboundPort = await freePort();
  behind = await createSmtpReceiver({ rcpt: '552 5.2.2 <voll@full.example>: Mailbox is over quota' });
  endings.push(() => behind.stop());
  postfix = await startPostfix({
    // Its notices.
    relayTo: inboundPort,
    routes: { 'full.example': behind.port },
    mailbox: true,
    parameters: {
      virtual_mailbox_domains: 'example.org',
      virtual_mailbox_maps: 'inline:{ { erika@example.org = inbox/ }, { voll@example.org = voll } }',
      virtual_mailbox_limit: String(MAILBOX_BYTES),
      message_size_limit: String(MAILBOX_BYTES),
      // It takes mail for anybody there, and has to say later that there is nobody.
      smtpd_reject_unlisted_recipient: 'no',
      delay_warning_time: '1s',
      minimal_backoff_time: '2s',
      maximal_backoff_time: '2s',
      queue_run_delay: '2s',
    },
  });
  endings.push(() => postfix.stop());
  app = await startApp({
    config: {
      smtp: { inbound: { listen: `127.0.0.1:${inboundPort}` } },
      upstreams: [{ name: 'postfix', kind: 'smtp', host: '127.0.0.1', port: postfix.smtpPort, tls: 'none' }],
    },
  });
  endings.push(() => app.remove());
  sender = await app.createSender();
});

interface Health {
  readonly inbound: { readonly reports: { readonly unchanged: number } };
}

interface Event {
  readonly type: string;
  readonly smtp_code: number | null;
  readonly enhanced_code: string | null;
  readonly diagnostic: string | null;
  readonly rule: string | null;
}

const eventsOf = async (id: string): Promise<readonly Event[]> => {
  const { base, token } = sender;
  const answer = await app.request<{ data: Event[] }>(
    'GET',
    `${base}/messages/${id}/events`,
    undefined,
    token,
  );
  return answer.body.data.filter(({ type }) => type !== 'message.created');
};
const typesOf = async (id: string) => (await eventsOf(id)).map(({ type }) => type);
const suppressed = () =>
  app.sql<{ address: string; reason: string }>(
    sender.practice.id,
    'SELECT address, reason FROM suppressions',
  );

describe('Postfix as the relay', () => {
  test('an unknown mailbox: it takes the mail, and its notice says that there is nobody', async () => {
    const id = await app.send(sender, { to: 'niemand@example.org' });
    await app.untilStatus(sender, id, 'hard_bounced');
    const [sent, bounced] = await eventsOf(id);
    expect(sent).toMatchObject({ type: 'message.sent', smtp_code: 250 });
    expect(bounced).toMatchObject({
      type: 'message.hard_bounced',
      enhanced_code: '5.1.1',
      rule: 'unknown_address',
      diagnostic: expect.stringContaining('unknown user'),
    });
    expect(suppressed()).toEqual([{ address: 'niemand@example.org', reason: 'hard_bounce' }]);
  });

  test('a full mailbox of its own: soft, and nobody is suppressed', async () => {
    const mailbox = path.resolve(postfix.mailboxDir, '../../voll');
    await writeFile(mailbox, Buffer.alloc(MAILBOX_BYTES, 10));
    const { uid, gid } = await stat(path.dirname(mailbox));
    await chown(mailbox, uid, gid);
    const id = await app.send(sender, { to: 'voll@example.org' });
    await app.untilStatus(sender, id, 'soft_bounced');
    expect((await eventsOf(id)).at(-1)).toMatchObject({ type: 'message.soft_bounced', rule: 'mailbox_full' });
    expect(suppressed()).toEqual([]);
  });

  test('a full mailbox behind it: soft, in the words of the server that refused, and nobody is suppressed', async () => {
    const id = await app.send(sender, { to: 'voll@full.example' });
    await app.untilStatus(sender, id, 'soft_bounced');
    expect((await eventsOf(id)).at(-1)).toMatchObject({
      type: 'message.soft_bounced',
      smtp_code: 552,
      enhanced_code: '5.2.2',
      rule: 'mailbox_full',
      diagnostic: expect.stringContaining('Mailbox is over quota'),
    });
    expect(suppressed()).toEqual([]);
  });

  test('a mailbox out of reach for a while: delayed, then delivered', async () => {
    const mailboxes = path.resolve(postfix.mailboxDir, '../..');
    await chmod(mailboxes, 0o500);
    const id = await app.send(sender, { to: 'erika@example.org' });
    await app.untilStatus(sender, id, 'delivery_delayed');
    expect(await typesOf(id)).toEqual(['message.sent', 'message.delivery_delayed']);
    await chmod(mailboxes, 0o700);
    await app.untilStatus(sender, id, 'delivered');
    expect(await typesOf(id)).toEqual(['message.sent', 'message.delivery_delayed', 'message.delivered']);
    const [counts] = app.sql(sender.practice.id, 'SELECT sent, delivered, hard_bounced FROM counters');
    expect(counts).toEqual({ sent: 1, delivered: 1, hard_bounced: 0 });
  });

  test('a server behind it that tells of no delivery: its notice that it was relayed says nothing more', async () => {
    behind.setBehaviour({ extensions: ['PIPELINING', '8BITMIME'] });
    const id = await app.send(sender, { to: 'erika@full.example' });
    await until('the notice has come', async () => {
      const health = await app.request<Health>('GET', '/api/admin/health', undefined, app.adminToken);
      return health.body.inbound.reports.unchanged === 1;
    });
    expect((await app.message(sender, id)).status).toBe('processed');
    expect(await typesOf(id)).toEqual(['message.sent']);
  });
});
