// The transport for nodemailer: what a program gives to nodemailer arrives at the receiver as it does over SMTP.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type ParsedMail, simpleParser } from 'mailparser';
import { createTransport, type Mail, type TransportOptions } from 'nodemailer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CALENDAR, PDF, PNG } from '#test/fixtures/mail-programs.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import type * as Transport from '../../clients/node/nodemailer.js';
import { type Installed, installNode } from './packed.ts';

const files = new AsyncDisposableStack();
let app: TestApp;
let sender: Sender;
let receiver: SmtpReceiver;
let installed: Installed;
let mailer: Mail<Transport.SendwerkInfo, TransportOptions>;

beforeAll(async () => {
  receiver = await createSmtpReceiver();
  files.defer(() => receiver.stop());
  app = await startApp({ receiver });
  files.defer(() => app.remove());
  sender = await app.createSender({ plan: 'gruppe' });
  installed = files.use(await installNode());
  const entry = path.join(installed.directory, 'node_modules/@sendwerk/client/nodemailer.js');
  const { sendwerkTransport }: typeof Transport = await import(pathToFileURL(entry).href);
  const options = { url: app.origin, token: sender.token, practice: sender.practice.id };
  mailer = createTransport<Transport.SendwerkInfo>(sendwerkTransport(options));
});

afterAll(() => files.disposeAsync());

const find = (recipient: string) =>
  receiver.messages.findLast(({ recipients }) => recipients[0]?.address === recipient);

const arrived = async (recipient: string): Promise<ParsedMail & { readonly source: string }> => {
  await until(`a message for ${recipient} has come`, async () => find(recipient) !== undefined);
  const content = find(recipient)?.content ?? Buffer.alloc(0);
  return Object.assign(await simpleParser(content), { source: content.toString('latin1') });
};

const texts = (value: ParsedMail['to']): string =>
  [value ?? []]
    .flat()
    .map(({ text }) => text)
    .join();

test('a mail with all that it can have arrives with all of it', async () => {
  const info = await mailer.sendMail({
    from: { name: 'Dr. "Max" Muster, Praxis', address: sender.practice.default_from },
    to: ['"Muster, Erika" <erika@example.org>', { name: 'Jörg Müller', address: 'joerg@example.org' }],
    cc: 'otto@example.org',
    bcc: 'ida@example.org',
    replyTo: 'Empfang <empfang@example.org>',
    subject: 'Ihr Termin',
    text: Buffer.from('Bis Montag, Grüße!'),
    html: '<p>Bis Montag! <img src="cid:plan@praxis"></p>',
    headers: {
      'X-Praxis': 'A 7',
      'X-Service-Tag': 'termin, erinnerung',
      'X-Service-Metadata-Patient': '4711',
    },
    priority: 'high',
    inReplyTo: '<first@example.org>',
    references: ['<zero@example.org>', '<first@example.org>'],
    attachments: [
      { filename: 'plan.png', content: Buffer.from(PNG), cid: 'plan@praxis' },
      { filename: 'befund.pdf', content: Buffer.from(PDF), contentType: 'application/pdf; x=y' },
    ],
    icalEvent: { method: 'REQUEST', content: CALENDAR },
    messageId: '<termin-4711@praxis.example>',
  });
  expect(info.envelope.to).toHaveLength(4);
  expect([info.accepted.length, info.rejected, info.response]).toEqual([4, [], '202 queued']);
  const mail = await arrived('erika@example.org');
  expect(mail.from?.value[0]).toEqual({
    name: 'Dr. "Max" Muster, Praxis',
    address: sender.practice.default_from,
  });
  expect(texts(mail.to)).toBe('"Muster, Erika" <erika@example.org>, "Jörg Müller" <joerg@example.org>');
  expect([texts(mail.cc), mail.bcc, texts(mail.replyTo)]).toEqual([
    'otto@example.org',
    undefined,
    '"Empfang" <empfang@example.org>',
  ]);
  expect(mail.text?.trim()).toBe('Bis Montag, Grüße!');
  expect(mail.headers.get('x-praxis')).toBe('A 7');
  expect(mail.source).toMatch(/^Importance: High\r$/m);
  expect([mail.inReplyTo, mail.references]).toEqual([
    '<first@example.org>',
    ['<zero@example.org>', '<first@example.org>'],
  ]);
  const [plan, report] = ['plan.png', 'befund.pdf'].map((name) =>
    mail.attachments.find(({ filename }) => filename === name),
  );
  expect([plan?.cid, plan?.content]).toEqual(['plan@praxis', Buffer.from(PNG)]);
  expect(report?.content).toEqual(Buffer.from(PDF));
  expect(mail.source).toMatch(/Content-Type: text\/calendar; method=REQUEST/);
  expect((await arrived('ida@example.org')).subject).toBe('Ihr Termin');
  const message = await app.message(sender, info.id);
  expect([message.tags, message.metadata]).toEqual([['termin', 'erinnerung'], { Patient: '4711' }]);
});

test('a mail with one Message-ID is sent once', async () => {
  const mail = {
    to: 'einmal@example.org',
    subject: 'Rechnung',
    text: 'Anbei.',
    messageId: '<rechnung-1@praxis.example>',
  };
  const ids = [await mailer.sendMail({ ...mail }), await mailer.sendMail({ ...mail })].map(({ id }) => id);
  expect(ids[0]).toBe(ids[1]);
  const other = await mailer.sendMail({ ...mail, messageId: '<rechnung-2@praxis.example>' });
  expect(other.id).not.toBe(ids[0]);
});

test('what the API has beyond a mail goes beside it, and the token can be tried', async () => {
  const mail = {
    to: 'spaeter@example.org',
    subject: 'x',
    text: 'y',
    sendwerk: { tags: ['spaeter'], scheduled_at: '' },
  };
  mail.sendwerk.scheduled_at = new Date(Date.now() + 3_600_000).toISOString();
  const { id, status } = await mailer.sendMail(mail);
  expect(status).toBe('pending');
  expect((await app.message(sender, id)).tags).toEqual(['spaeter']);
  await expect(mailer.verify()).resolves.toBe(true);
});

test.each([
  ['raw content', { raw: 'From: a@example.org\r\n\r\nx' }],
  ['an AMP part', { amp: '<html amp4email></html>' }],
  ['a part in another form', { alternatives: [{ contentType: 'text/markdown', content: '# x' }] }],
  [
    'an envelope with others than the mail names',
    { envelope: { from: 'a@example.org', to: 'b@example.org' } },
  ],
])('%s is refused, not left out', async (_, more) => {
  const mail = { to: 'erika@example.org', subject: 'x', text: 'y', ...more };
  await expect(mailer.sendMail(mail)).rejects.toMatchObject({ name: 'SendwerkError', code: 'not_supported' });
});

test('a refusal of the service has its code', async () => {
  const mail = {
    to: 'erika@example.org',
    subject: 'x',
    text: 'y',
    headers: { 'Return-Path': 'x@example.org' },
  };
  await expect(mailer.sendMail(mail)).rejects.toMatchObject({ code: 'header_not_allowed', status: 422 });
});
