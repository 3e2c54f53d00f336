// The mailbox of a practice as its users see it: lists and searches, one mail, its source, what is done with it, and how long it is
// kept.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { inboundMessageSchema } from '#src/inbound/mailbox/schema.ts';
import type { NewInboundRow } from '#src/inbound/store.ts';
import { DAY } from '#src/kernel/time.ts';
import { foldFields } from '#src/kernel/typed-words.ts';
import { type List, type Sender, startApp } from '#test/support/app.ts';
import { join, unlimitedSignIn } from '#test/support/people.ts';
import { putMail, type receiveMail } from '#test/support/received-mail.ts';
import { talkTo } from '#test/support/smtp-talk.ts';
import { createTestClock } from '#test/support/storage.ts';

type Mail = z.infer<typeof inboundMessageSchema>;

const clock = createTestClock(Date.now());
const app = await startApp({
  clock,
  config: { ...unlimitedSignIn, smtp: { inbound: { listen: '127.0.0.1:0' } } },
});
afterAll(() => app.remove());

const put = (
  { practice }: Sender,
  fields: Partial<NewInboundRow> = {},
  source = 'Subject: Befund\r\n\r\nHallo\r\n',
  about: Parameters<typeof receiveMail>[2] = {},
): string => putMail(app, practice.id, { received_at: clock.now(), ...fields }, about, Buffer.from(source));
const from = (address: string, name: string, subject: string): Partial<NewInboundRow> => ({
  from_json: JSON.stringify({ address, name }),
  subject,
  search_text: foldFields([subject, address, name, 'info@in.praxis.example']),
});

const call = <Body = Mail>({ base, token }: Sender, method: string, at: string, body?: unknown, as = token) =>
  app.request<Body>(method, `${base}/inbound${at}`, body, as);
/** Of all pages: a search that takes long ends its page before it is full. */
const find = async (sender: Sender, query = ''): Promise<string[]> => {
  const subjects: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body }: { body: List<Mail> } = await call(sender, 'GET', `/messages?${query}${cursor}`);
    subjects.push(...body.data.map(({ subject }) => subject));
    cursor = body.next_cursor === null ? null : `&cursor=${body.next_cursor}`;
  }
  return subjects;
};
const eventsOf = async ({ base, token }: Sender): Promise<unknown[]> => {
  const { body } = await app.request<List<{ event: string; data: { inbound_id: string } }>>(
    'GET',
    `${base}/events`,
    undefined,
    token,
  );
  return body.data.map(({ event, data }) => [event, data.inbound_id]);
};

describe('lists', () => {
  let sender: Sender;
  let answered: string;
  beforeAll(async () => {
    sender = await app.createSender();
    answered = await app.send(sender);
    const [message] = app.sql<{ seq: number }>(sender.practice.id, 'SELECT seq FROM messages');
    put(sender, {
      ...from('erika@example.org', 'Erika Müller', 'Termin'),
      received_at: clock.now() - 2 * DAY,
    });
    put(sender, { ...from('max@example.net', 'Max', 'Rezept'), state: 'held', state_reason: 'hold' });
    put(sender, { ...from('spam@example.com', 'Gewinn', 'Gratis'), state: 'quarantined' });
    const thread_id = '01890000-0000-7000-8000-000000000001';
    put(sender, { ...from('erika@example.org', 'Erika Müller', 'Re: Ihr Termin'), thread_id }, undefined, {
      messageSeq: message?.seq ?? 0,
    });
    await call(sender, 'PATCH', `/messages/${(await ids(sender, 'q=gratis'))[0]}`, { read: true });
  });
  const ids = async (of: Sender, query: string): Promise<string[]> => {
    const { body } = await call<List<Mail>>(of, 'GET', `/messages?${query}`);
    return body.data.map(({ id }) => id);
  };

  test.each([
    ['', ['Re: Ihr Termin', 'Gratis', 'Rezept', 'Termin']],
    ['q=muller', ['Re: Ihr Termin', 'Termin']],
    ['q=mueller erika@ ihr', ['Re: Ihr Termin']],
    ['q=ller', []],
    ['from=Müller erika', ['Re: Ihr Termin', 'Termin']],
    ['from=erika gewinn', []],
    ['q=TERMIN', ['Re: Ihr Termin', 'Termin']],
    ['q=e', ['Re: Ihr Termin', 'Gratis', 'Rezept', 'Termin']],
    ['q=nobody', []],
    ['from=example.org', ['Re: Ihr Termin', 'Termin']],
    ['to=info@in.', ['Re: Ihr Termin', 'Gratis', 'Rezept', 'Termin']],
    ['to=erika', []],
    ['state=held', ['Rezept']],
    ['state=inbox', ['Re: Ihr Termin', 'Termin']],
    ['state=inbox&from=max', []],
    ['read=true', ['Gratis']],
    ['read=false', ['Re: Ihr Termin', 'Rezept', 'Termin']],
    ['read=false&q=rezept', ['Rezept']],
    ['thread_id=01890000-0000-7000-8000-000000000001', ['Re: Ihr Termin']],
    ['reply_to_message_id=01890000-0000-7000-8000-000000000001', []],
    [`received_before=${new Date(clock.now() - DAY).toISOString()}`, ['Termin']],
    [`received_after=${new Date(clock.now() - DAY).toISOString()}`, ['Re: Ihr Termin', 'Gratis', 'Rezept']],
  ])('%s', async (query, subjects) => {
    expect(await find(sender, query)).toEqual(subjects);
  });

  test('of answers to one message, and by pages', async () => {
    expect(await find(sender, `reply_to_message_id=${answered}`)).toEqual(['Re: Ihr Termin']);
    expect(await find(sender, 'limit=3')).toEqual(['Re: Ihr Termin', 'Gratis', 'Rezept', 'Termin']);
  });

  test('counts', async () => {
    const { body } = await call<{ counts: object }>(sender, 'GET', '');
    expect(body.counts).toMatchObject({ total: 4, unread: 2, held: 1, quarantined: 1 });
  });
});

test('one mail has its record, which is marked as read only on request', async () => {
  const sender = await app.createSender();
  const id = put(sender, {
    ...from('erika@example.org', 'Erika', 'Befund'),
    recipients_json: '["info+labor@in.praxis.example","post@in.praxis.example"]',
    internet_message_id: '<1@example.org>',
    in_reply_to: '<0@example.org>',
    references_json: '["<0@example.org>"]',
  });
  const { body } = await call(sender, 'GET', `/messages/${id}`);
  expect(body).toMatchObject({
    id,
    state: 'inbox',
    read: false,
    from: { address: 'erika@example.org', name: 'Erika' },
    internet_message_id: '<1@example.org>',
    in_reply_to: '<0@example.org>',
    references: ['<0@example.org>'],
    reply_to_message_id: null,
    recipients: ['info+labor@in.praxis.example', 'post@in.praxis.example'],
    original_recipient: 'info+labor@in.praxis.example',
    plus: 'labor',
    auth: { dmarc: { result: 'pass', policy: 'reject' } },
    spam: { verdict: 'clean', score: 3 },
  });
  const read = await call(sender, 'PATCH', `/messages/${id}`, { read: true });
  expect([read.body.read, (await call(sender, 'GET', `/messages/${id}`)).body.read]).toEqual([true, true]);
  expect((await call(sender, 'PATCH', `/messages/${id}`, { read: false })).body.read).toBe(false);
});

test('the source is a download, byte for byte, however long', async () => {
  const sender = await app.createSender();
  const source = `Subject: lang\r\n\r\n${'äöü '.repeat(200_000)}\r\n`;
  const id = put(sender, {}, source);
  const { status, headers, text } = await call(sender, 'GET', `/messages/${id}/raw`);
  expect([status, headers.get('content-type')]).toEqual([200, 'message/rfc822']);
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="message.eml"/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('content-security-policy')).toContain('sandbox');
  expect(text === source).toBe(true);
});

const LETTER = [
  'Reply-To: =?utf-8?q?B=C3=BCro?= <praxis@example.org>',
  'Subject: Befund',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=limit',
  '',
  '--limit',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p onclick="steal()">Guten Tag</p><script>steal()</script><img src="https://tracker.example/a.gif">',
  '--limit',
  'Content-Type: text/html',
  "Content-Disposition: attachment; filename*=UTF-8''%22B%C3%BCcher%22%0D%0AX-Evil%3A.html",
  '',
  '<script>steal()</script>',
  '--limit',
  'Content-Type: application/pdf; name=rechnung.pdf',
  'Content-Disposition: attachment; filename=rechnung.pdf',
  'Content-Transfer-Encoding: base64',
  '',
  'JVBERi0xLjc=',
  '--limit--',
  '',
].join('\r\n');

test('its text and its files are for those who may see content, and nothing in it runs', async () => {
  const sender = await app.createSender();
  const id = put(sender, {}, LETTER);
  const { body } = await call(sender, 'GET', `/messages/${id}`);
  const reply_to = [{ address: 'praxis@example.org', name: 'Büro' }];
  expect(body).toMatchObject({ reply_to, text: 'Guten Tag', reply_text: 'Guten Tag', notes: [] });
  expect(body.html).toContain('Guten Tag');
  expect(body.html).not.toMatch(/script|onclick| src=/);
  expect(body.attachments?.map(({ content_type, size }) => [content_type, size])).toEqual([
    ['text/html', 24],
    ['application/pdf', 8],
  ]);
  expect(body.attachments?.map(({ index }) => index)).toEqual([0, 1]);

  const [page, invoice, none] = await Promise.all(
    [0, 1, 2].map((index) => call<string>(sender, 'GET', `/messages/${id}/attachments/${index}`)),
  );
  expect([page?.status, page?.headers.get('content-type'), page?.text]).toEqual([
    200,
    'application/octet-stream',
    '<script>steal()</script>',
  ]);
  expect(page?.headers.get('content-disposition')).toMatch(
    /^attachment; filename="[^"\r\n]*"; filename\*=UTF-8''[\w%.-]*B%C3%BCcher[\w%.-]*$/,
  );
  expect(page?.headers.get('x-evil')).toBeNull();
  expect([invoice?.headers.get('content-type'), invoice?.text]).toEqual([
    'application/octet-stream',
    '%PDF-1.7',
  ]);
  for (const answer of [page, invoice]) {
    expect(answer?.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer?.headers.get('content-security-policy')).toContain('sandbox');
  }
  expect(none?.status).toBe(404);
});

test('what waits is released once, and the event of its reception follows then', async () => {
  const sender = await app.createSender();
  const message = await app.send(sender);
  const about = { messageSeq: 1 };
  const id = put(sender, { state: 'quarantined', state_reason: 'dmarc' }, undefined, about);
  expect(await eventsOf(sender)).not.toContainEqual(['inbound.received', id]);

  const { status, body } = await call(sender, 'POST', `/messages/${id}/release`);
  expect([status, body]).toMatchObject([200, { state: 'inbox', state_reason: null }]);
  expect(await eventsOf(sender)).toContainEqual(['inbound.received', id]);
  const { text } = await app.request(
    'GET',
    `${sender.base}/messages/${message}/events`,
    undefined,
    sender.token,
  );
  expect(text).toContain('inbound.received');
  const again = await call<{ code: string }>(sender, 'POST', `/messages/${id}/release`);
  expect([again.status, again.body.code]).toEqual([409, 'conflict']);
});

test('what comes by SMTP waits, is found, released, and read back byte for byte', async () => {
  const sender = await app.createSender();
  await call(sender, 'POST', '/enable');
  await call(sender, 'PATCH', '', { catch_all: { mode: 'hold' }, dmarc_action: 'accept' });
  const mail = `From: Erika <erika@patient.example>\r\nSubject: =?utf-8?q?R=C3=BCckruf?=\r\n\r\nBitte um Rückruf.\r\n`;
  const talk = await talkTo(app.inboundPort ?? 0);
  await talk.hello();
  await talk.say('MAIL FROM:<erika@patient.example>');
  await talk.say(`RCPT TO:<Info+Labor@in.${sender.practice.managed_host}>`);
  await talk.say('DATA');
  expect(await talk.say(`${mail}.`)).toMatch(/^250 /);
  talk.end();

  const { body } = await call<List<Mail>>(sender, 'GET', '/messages?q=ruckruf&state=held');
  const [held] = body.data;
  expect(held).toMatchObject({ subject: 'Rückruf', plus: 'Labor', state: 'held' });
  const { text } = await call<string>(sender, 'GET', `/messages/${held?.id}/raw`);
  expect(text.slice(-mail.length)).toBe(mail);
  expect(await eventsOf(sender)).toEqual([]);
  await call(sender, 'POST', `/messages/${held?.id}/release`);
  expect(await eventsOf(sender)).toContainEqual(['inbound.received', held?.id]);
  expect((await call(sender, 'GET', `/messages/${held?.id}`)).body.text).toContain('Bitte um Rückruf.');
});

test('what comes by SMTP and names no author is quarantined, and told of once it is released', async () => {
  const sender = await app.createSender();
  await call(sender, 'POST', '/enable');
  await call(sender, 'PATCH', '', { dmarc_action: 'quarantine' });
  const talk = await talkTo(app.inboundPort ?? 0);
  await talk.hello();
  await talk.say('MAIL FROM:<erika@patient.example>');
  await talk.say(`RCPT TO:<info@in.${sender.practice.managed_host}>`);
  await talk.say('DATA');
  expect(await talk.say('Subject: Wer?\r\n\r\nIch.\r\n.')).toMatch(/^250 /);
  talk.end();
  const { body } = await call<List<Mail>>(sender, 'GET', '/messages?state=quarantined');
  expect(body.data).toHaveLength(1);
  expect(await eventsOf(sender)).toEqual([]);
  await call(sender, 'POST', `/messages/${body.data[0]?.id}/release`);
  expect(await eventsOf(sender)).toEqual([['inbound.received', body.data[0]?.id]]);
});

test('a deleted mail is gone with all of its pieces, and the audit names no one', async () => {
  const sender = await app.createSender();
  const id = put(sender, from('erika@example.org', 'Erika', 'Diagnose'), 'x'.repeat(3_000_000));
  const other = put(sender);
  expect((await call(sender, 'DELETE', `/messages/${id}`)).status).toBe(204);
  expect((await call(sender, 'GET', `/messages/${id}`)).status).toBe(404);
  expect((await call(sender, 'DELETE', `/messages/${id}`)).status).toBe(404);
  expect(app.rowCounts(sender.practice.id)).toMatchObject({
    inbound_messages: 1,
    inbound_pieces: 1,
    inbound_texts: 1,
    inbound_removed: 0,
  });
  const { body } = await call<{ counts: { bytes: number } }>(sender, 'GET', '');
  // A small mail counts as a page.
  expect((await call(sender, 'GET', `/messages/${other}`)).body.size_bytes).toBeLessThan(4_096);
  expect(body.counts.bytes).toBe(4_096);
  const { text } = await app.request(
    'GET',
    `${sender.base}/audit?action=inbound_message`,
    undefined,
    app.adminToken,
  );
  expect(JSON.parse(text).data).toMatchObject([
    { action: 'inbound_message.delete', target: { id }, before: { state: 'inbox' }, after: null },
  ]);
  expect(text).not.toMatch(/erika|Diagnose/);
});

test('mail is kept as long as the installation keeps it, or as the practice chose', async () => {
  const [long, short] = [await app.createSender(), await app.createSender()];
  await call(short, 'PATCH', '', { retention_days: 7 });
  for (const sender of [long, short])
    for (const days of [91, 8, 6])
      put(sender, { subject: String(days), received_at: clock.now() - days * DAY }, 'x'.repeat(2_000_000));
  await app.runJob('remove what is old');
  expect([await find(long), await find(short)]).toEqual([['6', '8'], ['6']]);
  expect(app.rowCounts(short.practice.id)).toMatchObject({ inbound_pieces: 8, inbound_removed: 0 });
  const events = app.sql<{ inbound_seq: number }>(
    short.practice.id,
    "SELECT data_json FROM events WHERE type = 'inbound.received'",
  );
  expect(events).toEqual([{ data_json: null }, { data_json: null }, { data_json: null }]);
});

test('a crash between a mail and its pieces leaves nothing for long', async () => {
  const sender = await app.createSender();
  put(sender, {}, 'x'.repeat(2_000_000));
  app.sql(sender.practice.id, 'DELETE FROM inbound_messages');
  app.sql(sender.practice.id, 'INSERT INTO inbound_removed VALUES (1)');
  await app.runJob('remove what is old');
  expect(app.rowCounts(sender.practice.id)).toMatchObject({ inbound_pieces: 0, inbound_removed: 0 });
});

test('members see what their role lets them see', async () => {
  const sender = await app.createSender({ plan: 'praxis', owner_email: 'owner@example.org' });
  const id = put(sender, { state: 'held' }, LETTER);
  const viewer = (await join(app, sender.practice.id, 'viewer@example.org', { role_id: 'viewer' })).token;
  const member = (await join(app, sender.practice.id, 'member@example.org', { role_id: 'member' })).token;
  const statuses = async (token: string) =>
    Promise.all(
      [
        ['GET', `/messages/${id}`],
        ['GET', `/messages/${id}/raw`],
        ['GET', `/messages/${id}/attachments/0`],
        ['PATCH', `/messages/${id}`, { read: true }],
        ['POST', `/messages/${id}/release`],
        ['DELETE', `/messages/${id}`],
      ].map(async ([method, at, body]) => {
        const answer = await call<{ permission?: string }>(
          sender,
          method as string,
          at as string,
          body,
          token,
        );
        return [answer.status, answer.body.permission];
      }),
    );
  expect(await statuses(viewer)).toEqual([
    [200, undefined],
    [403, 'messages.view_content'],
    [403, 'messages.view_content'],
    [403, 'messages.view_content'],
    [403, 'inbound.manage'],
    [403, 'inbound.manage'],
  ]);
  expect(await statuses(member)).toEqual([
    [200, undefined],
    [200, undefined],
    [200, undefined],
    [200, undefined],
    [403, 'inbound.manage'],
    [403, 'inbound.manage'],
  ]);
  const seen = (await call(sender, 'GET', `/messages/${id}`, undefined, viewer)).body;
  for (const field of ['reply_to', 'text', 'html', 'reply_text', 'attachments'])
    expect(seen).not.toHaveProperty(field);
});
