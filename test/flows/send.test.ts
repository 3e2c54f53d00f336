// A message's way from HTTP to SMTP, seen from both ends: what the API says and what the smarthost gets.

import { Resolver } from 'node:dns/promises';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gates } from '#src/intake/gates.ts';
import { type List, letter, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { ISO, UUID } from '#test/support/asking.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

const MANAGED_HOST = 'praxis-am-markt.send.example.com';
/** One pixel. */
const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
const PDF = Buffer.from('%PDF-1.4\n\0\r\n.\r\nbinary \xff\xfe\n%%EOF\n', 'latin1');

let receiver: SmtpReceiver;
let app: TestApp;
let sender: Sender;

beforeAll(async () => {
  receiver = await createSmtpReceiver();
  const dns = { authoritative: { listen: '127.0.0.1:0' }, zones: { addresses: ['127.0.0.1'] } };
  app = await startApp({ receiver, config: { dns } });
  // Nothing is put below its content.
  sender = await app.createSender({ plan: 'supporter' });
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

/** What has arrived of the message, by recipient. */
const copiesOf = (id: string) =>
  new Map(
    receiver.messages
      .filter(({ content }) => content.includes(`<${id}@`))
      .map((message) => [message.recipients.map(({ address }) => address).join(), message]),
  );

const copyOf = (id: string, recipient: string) => {
  const copy = copiesOf(id).get(recipient);
  if (!copy) throw new Error(`nothing arrived for ${recipient}`);
  return copy;
};

const read = async <T>(path: string, token = sender.token): Promise<T> => {
  const { status, body } = await app.request<T>('GET', sender.base + path, undefined, token);
  expect(status).toBe(200);
  return body;
};

interface Event {
  readonly type: string;
  readonly recipient: string | null;
}
const eventsOf = (id: string) => read<List<Event>>(`/messages/${id}/events`);

describe('a message to several recipients', () => {
  let id: string;
  beforeAll(async () => {
    id = await app.send(sender, {
      to: 'Erika Müller <erika@example.org>, max@example.org',
      cc: ['copy@example.net', 'MAX@example.org'],
      bcc: ['hidden@example.net', 'Copy@example.net', 'erika@EXAMPLE.org'],
      reply_to: 'Praxis <praxis@example.com>',
      headers: { 'X-Case': 'Nr. 7' },
      message_kind: 'termin',
      tags: ['Montag', { name: 'arzt', value: 'Weiß' }, 'montag'],
      tag: 'erinnerung',
      metadata: { patient: '4711' },
      html: '<p>Am Montag um 9:30 Uhr.</p>',
    });
    await app.untilStatus(sender, id, 'processed');
  });

  test('reaches each once, To before Cc before Bcc, by a transaction of its own', async () => {
    expect([...copiesOf(id).keys()].toSorted()).toEqual([
      'copy@example.net',
      'erika@example.org',
      'hidden@example.net',
      'max@example.org',
    ]);
    const { to, cc, bcc, recipients } = await app.message(sender, id);
    const expected = { to: ['erika@example.org', 'max@example.org'], cc: ['copy@example.net'] };
    const addresses = (list: readonly { address: string }[]) => list.map(({ address }) => address);
    expect({ to: addresses(to), cc: addresses(cc), bcc: addresses(bcc) }).toEqual({
      ...expected,
      bcc: ['hidden@example.net'],
    });
    expect(recipients.map(({ field }) => field)).toEqual(['to', 'to', 'cc', 'bcc']);
  });

  test('asks the smarthost for success, delay and failure notices', () => {
    for (const { mailParameters, recipients } of copiesOf(id).values()) {
      expect(mailParameters).toContain(`ENVID=${id}`);
      expect(recipients[0]?.parameters).toContain('NOTIFY=SUCCESS,DELAY,FAILURE');
    }
  });

  test('has return paths that name practice and recipient under the key of the installation', () => {
    const [registered] = app.sql<{ number: number }>(
      null,
      'SELECT number FROM tenants WHERE id = ?',
      sender.practice.id,
    );
    for (const [recipient, { mailFrom }] of copiesOf(id)) {
      expect(mailFrom).toMatch(new RegExp(`^b\\+[a-z0-9]+@bounce\\.${MANAGED_HOST}$`));
      const target = app.returnPathTarget(mailFrom);
      const [row] = app.sql(
        sender.practice.id,
        'SELECT address FROM recipients WHERE id = ?',
        target?.recipientId,
      );
      expect({ tenantNumber: target?.tenantNumber, row }).toEqual({
        tenantNumber: registered?.number,
        row: { address: recipient },
      });
    }
  });

  test('hides blind-copied recipients from everyone, also from each other', () => {
    for (const { content } of copiesOf(id).values()) {
      expect(content.toString('latin1')).not.toMatch(/^bcc:/im);
      expect(content.toString('latin1')).not.toContain('hidden@');
    }
  });

  test('is one and the same in every copy, with a Message-ID on the From domain', async () => {
    const contents = [...copiesOf(id).values()].map(({ content }) => content.toString('latin1'));
    expect(new Set(contents).size).toBe(1);
    const mail = await simpleParser(contents[0] ?? '');
    expect(mail.messageId).toBe(`<${id}@${MANAGED_HOST}>`);
    expect(mail.from?.value).toEqual([{ name: 'Praxis am Markt', address: `noreply@${MANAGED_HOST}` }]);
    expect(mail.to).toMatchObject({
      value: [
        { name: 'Erika Müller', address: 'erika@example.org' },
        { name: '', address: 'max@example.org' },
      ],
    });
    expect(mail.cc).toMatchObject({ value: [{ name: '', address: 'copy@example.net' }] });
    expect(mail.replyTo?.value).toEqual([{ name: 'Praxis', address: 'praxis@example.com' }]);
    expect(mail.subject).toBe(letter.subject);
    expect(mail.headers.get('x-case')).toBe('Nr. 7');
    expect(mail.headers.get('mime-version')).toBe('1.0');
    const { created_at } = await app.message(sender, id);
    expect(mail.date?.toISOString()).toBe(`${created_at.slice(0, -5)}.000Z`);
  });

  test('passes DKIM twice against the keys served over DNS', async () => {
    const resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${app.dnsPort}`]);
    for (const { content } of copiesOf(id).values()) {
      const { results } = await dkimVerify(content, {
        resolver: (name, type) => resolver.resolve(name, type) as never,
      });
      expect(results.map(({ algo, signingDomain, status }) => [algo, signingDomain, status.result])).toEqual([
        ['rsa-sha256', MANAGED_HOST, 'pass'],
        ['ed25519-sha256', MANAGED_HOST, 'pass'],
      ]);
    }
  });

  test('is shown by the API in the declared record', async () => {
    const sent = { attempts: 1, next_attempt_at: null, smtp_code: 250, enhanced_code: '2.0.0' };
    const recipient = (address: string, field: string, name: string | null = null) => ({
      address,
      name,
      field,
      status: 'processed',
      ...sent,
      diagnostic: expect.stringContaining('queued'),
      upstream: 'relay',
      updated_at: ISO,
    });
    const { decisions, ...record } = await app.message(sender, id);
    expect(record).toEqual({
      id,
      held: false,
      message_id: id,
      internet_message_id: `<${id}@${MANAGED_HOST}>`,
      project_id: UUID,
      route: { id: UUID, slug: 'outgoing' },
      message_kind: 'termin',
      channel: 'termin',
      source: 'api',
      from: { address: `noreply@${MANAGED_HOST}`, name: 'Praxis am Markt' },
      to: [
        { address: 'erika@example.org', name: 'Erika Müller' },
        { address: 'max@example.org', name: null },
      ],
      cc: [{ address: 'copy@example.net', name: null }],
      bcc: [{ address: 'hidden@example.net', name: null }],
      reply_to: [{ address: 'praxis@example.com', name: 'Praxis' }],
      subject: letter.subject,
      tag: 'erinnerung',
      tags: ['erinnerung', 'Montag', 'arzt:Weiß'],
      metadata: { patient: '4711' },
      personal_data_removed: false,
      campaign_id: null,
      template_id: null,
      opened: null,
      status: 'processed',
      score: 0,
      size_bytes: expect.any(Number),
      recipients: [
        recipient('erika@example.org', 'to', 'Erika Müller'),
        recipient('max@example.org', 'to'),
        recipient('copy@example.net', 'cc'),
        recipient('hidden@example.net', 'bcc'),
      ],
      created_at: ISO,
      scheduled_at: null,
      updated_at: ISO,
      text: letter.text,
      html: '<p>Am Montag um 9:30 Uhr.</p>',
      headers: { 'X-Case': 'Nr. 7' },
      attachments: [],
      calendar: null,
      content_removed: false,
      attachments_removed: false,
    });
    expect(decisions.map(({ gate, verdict }) => `${gate} ${verdict}`)).toEqual(
      gates.map(({ name }) => `${name} passed`),
    );
  });

  test('is shown without its content to who may not see it', async () => {
    const { project_id } = await app.message(sender, id);
    const token = await app.createToken(sender.practice.id, { scope: 'project', project_id });
    const shown = await read<Record<string, unknown>>(`/messages/${id}`, token);
    expect(shown).toMatchObject({ id, subject: letter.subject });
    for (const field of ['text', 'html', 'headers', 'attachments']) expect(shown).not.toHaveProperty(field);
  });

  test('has one event when it was made, and one for each recipient when it was handed over', async () => {
    const { data, next_cursor } = await eventsOf(id);
    expect(next_cursor).toBeNull();
    expect(data[0]).toEqual({
      id: UUID,
      type: 'message.created',
      recipient: null,
      inbound_id: null,
      at: ISO,
      smtp_code: null,
      enhanced_code: null,
      diagnostic: null,
      upstream: null,
      rule: null,
      ip: null,
      user_agent: null,
      url: null,
      bot: false,
      counted: true,
    });
    expect(data.slice(1).map(({ type }) => type)).toEqual(Array(4).fill('message.sent'));
    expect(
      data
        .slice(1)
        .map(({ recipient }) => recipient)
        .toSorted(),
    ).toEqual([...copiesOf(id).keys()].toSorted());
    expect(data[1]).toMatchObject({ smtp_code: 250, enhanced_code: '2.0.0', upstream: 'relay' });
  });

  test('lists its events page by page', async () => {
    const seen: Event[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: List<Event> = await read(`/messages/${id}/events?limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...page.data);
      cursor = page.next_cursor;
    }
    expect(seen).toEqual((await eventsOf(id)).data);
  });

  test('has a timeline of what became of it', async () => {
    const { data } = await read<{ data: unknown[] }>(`/messages/${id}/timeline`);
    expect(data[0]).toEqual({
      at: ISO,
      status: 'queued',
      recipient: null,
      detail: null,
      inbound_id: null,
    });
    expect(data.slice(1)).toHaveLength(4);
    for (const entry of data.slice(1)) expect(entry).toMatchObject({ status: 'processed' });
  });
});

describe('content', () => {
  const content = {
    subject: 'Größe übermitteln: „Äpfel“ 🍎 und noch etwas mehr Text, damit die Zeile gefaltet werden muss',
    text: 'Grüße aus Köln 🌍\n\n.\n..ein Punkt am Anfang\nFrom hier an',
    html: '<p>Grüße: <img src="cid:logo"></p>',
    attachments: [
      { filename: 'Befund für März.pdf', content: PDF.toString('base64') },
      { filename: 'logo.gif', content: GIF.toString('base64'), content_id: '<logo>' },
    ],
  };

  test('arrives as it was sent: umlauts, dots, an attachment, an inline image', async () => {
    const id = await app.send(sender, content);
    await app.untilStatus(sender, id, 'processed');
    const source = copyOf(id, letter.to).content;
    expect(source.every((byte) => byte < 0x80)).toBe(true);
    const mail = await simpleParser(source, { skipImageLinks: true });
    expect(mail.subject).toBe(content.subject);
    expect(mail.text).toBe(content.text);
    expect(mail.html).toContain(`Grüße: <img src="cid:logo@${MANAGED_HOST}">`);
    const arrived = mail.attachments.map(({ filename, contentType, contentDisposition, cid, content }) => ({
      filename,
      contentType,
      contentDisposition,
      cid,
      content,
    }));
    expect(arrived).toContainEqual({
      filename: 'Befund für März.pdf',
      contentType: 'application/pdf',
      contentDisposition: 'attachment',
      cid: undefined,
      content: PDF,
    });
    expect(arrived).toContainEqual({
      filename: 'logo.gif',
      contentType: 'image/gif',
      contentDisposition: 'inline',
      cid: `logo@${MANAGED_HOST}`,
      content: GIF,
    });
    const { attachments } = await app.message(sender, id);
    expect(attachments).toEqual([
      {
        filename: 'Befund für März.pdf',
        content_type: 'application/pdf',
        size: PDF.length,
        content_id: null,
      },
      { filename: 'logo.gif', content_type: 'image/gif', size: GIF.length, content_id: 'logo' },
    ]);
  });

  test('gets a text made from its HTML where the sender gave none', async () => {
    const id = await app.send(sender, { text: undefined, html: '<h1>Termin</h1><p>Am <b>Montag</b>.</p>' });
    await app.untilStatus(sender, id, 'processed');
    const mail = await simpleParser(copyOf(id, letter.to).content);
    expect(mail.text).toMatch(/Am Montag\./);
  });

  const opening = '<p>Am Montag.</p>';
  test.each([
    ['nested deeper than any real mail', `${opening}${'<div>'.repeat(50_000)}`],
    ['nested so around its text', `${'<div>'.repeat(20_000)}Am Montag.${'</div>'.repeat(20_000)}`],
    ['nested between end tags of nothing', `${opening}${'<div></b>'.repeat(20_000)}`],
    ['nested between end tags in comments', `${opening}${'<div><!--</div>-->'.repeat(10_000)}`],
    ['nested between end tags in attributes', `${opening}${'<div title="</div>">'.repeat(9_000)}`],
    ['nested in elements of its own', `${opening}${'<p-x>'.repeat(30_000)}`],
    ['nested in elements that need no end tag', `${opening}${'<li><tr>'.repeat(20_000)}`],
  ])('gets a text made from HTML %s', async (_, html) => {
    const id = await app.send(sender, { text: undefined, html });
    await app.untilStatus(sender, id, 'processed');
    const mail = await simpleParser(copyOf(id, letter.to).content, { skipHtmlToText: true });
    expect(mail.text).toMatch(/^\s*Am Montag\./);
    expect(mail.html === false ? '' : mail.html.trim()).toBe(html);
  });

  test('gets a text made from the beginning of long HTML, and the whole HTML', async () => {
    const html = `${opening}${'<p>x</p>'.repeat(200_000)}`;
    const id = await app.send(sender, { text: undefined, html });
    await app.untilStatus(sender, id, 'processed');
    const mail = await simpleParser(copyOf(id, letter.to).content, { skipHtmlToText: true });
    expect(mail.text).toMatch(/^Am Montag\./);
    expect(mail.text?.length).toBeLessThan(200_000);
    expect(mail.html === false ? '' : mail.html.trim()).toBe(html);
  });

  test('arrives in a table whose first column is called PK', async () => {
    const table = Buffer.from('PK;Name\r\n4711;Anna\r\n');
    const attachments = [{ filename: 'Liste.csv', content: table.toString('base64') }];
    const id = await app.send(sender, { attachments });
    await app.untilStatus(sender, id, 'processed');
    const mail = await simpleParser(copyOf(id, letter.to).content);
    expect(
      mail.attachments.map(({ filename, contentType, content }) => [filename, contentType, content]),
    ).toEqual([['Liste.csv', 'text/csv', table]]);
  });

  test('goes to blind-copied recipients alone without naming them', async () => {
    const id = await app.send(sender, { to: [], bcc: 'only@example.org' });
    await app.untilStatus(sender, id, 'processed');
    const source = copyOf(id, 'only@example.org').content.toString('latin1');
    expect(source).toMatch(/^To: undisclosed-recipients:;\r$/m);
    expect(source).not.toContain('only@');
  });
});

test('health shows of the smarthost only whether and how it delivers', async () => {
  const id = await app.send(sender);
  await app.untilStatus(sender, id, 'processed');
  const { text, body } = await app.request('GET', '/api/admin/health', undefined, app.adminToken);
  const facts = { name: 'relay', kind: 'smtp', state: 'closed', failures: 0, retry_at: null };
  expect(body.upstreams).toEqual([
    { ...facts, delivered_on: 'dsn', dsn: true, never_delivered: 'no_listener' },
  ]);
  expect(text).not.toContain(receiver.host);
});

test('POST /api/emails sends from the practice of the token', async () => {
  const { status, body } = await app.request<{ id: string }>('POST', '/api/emails', letter, sender.token);
  expect({ status, body }).toEqual({
    status: 202,
    body: { id: UUID, message_id: body.id, status: 'queued' },
  });
  await app.untilStatus(sender, body.id, 'processed');
  expect(copyOf(body.id, letter.to).mailFrom).toContain(MANAGED_HOST);
});

test('a project token sends for its project', async () => {
  const fields = { name: 'Labor' };
  const project = await app.request<{ id: string }>('POST', `${sender.base}/projects`, fields, sender.token);
  const scope = { scope: 'project', project_id: project.body.id };
  const token = await app.createToken(sender.practice.id, scope);
  const id = await app.send({ ...sender, token });
  expect(await app.untilStatus(sender, id, 'processed')).toMatchObject({ project_id: project.body.id });
});
