import { domainToUnicode } from 'node:url';
import {
  type AddressObject,
  type Attachment as ParsedAttachment,
  type ParsedMail,
  simpleParser,
} from 'mailparser';
import MailComposer from 'nodemailer/lib/mail-composer';
import { describe, expect, test } from 'vitest';
import { parseAddress } from '#src/mail/address.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';
import type { OutgoingMessage } from '#src/messages/compose/message.ts';
import { composeMessage } from '#src/messages/compose/mime.ts';
import { outgoingMessages } from '#test/fixtures/outgoing-messages.ts';
import { bodyText } from '#test/support/body-text.ts';

const [, plain] = outgoingMessages[0] ?? [];
if (plain === undefined) throw new Error('no messages');

const compose = (message: OutgoingMessage): string => {
  const composed = composeMessage(message);
  return `${composed.header}\r\n${bodyText(composed)}`;
};

const unfold = (field: string): string => field.replace(/\r\n(?=[ \t])/g, '');

const decodeWord = (_: string, encoding: string, payload: string): string =>
  encoding === 'B'
    ? Buffer.from(payload, 'base64').toString()
    : decodeURIComponent(payload.replaceAll('_', ' ').replaceAll('=', '%'));

const decodeWords = (value: string): string =>
  value.replace(/\?= (?==\?)/g, '?=').replace(/=\?UTF-8\?([QB])\?([^?]*)\?=/g, decodeWord);

/** Reads the source back, without HTML that mailparser would make from the text. */
const parse = (source: string | Buffer): Promise<ParsedMail> =>
  simpleParser(source, { skipHtmlToText: true, skipTextToHtml: true, skipImageLinks: true });

const normalise = (text: string | null | undefined | false): string =>
  (text || '').toWellFormed().replace(/\r\n?/g, '\n').replace(/\n+$/, '');

const mailboxes = (field: AddressObject | AddressObject[] | undefined): { name: string; address: string }[] =>
  [field ?? []]
    .flat()
    .flatMap(({ value }) => value.map(({ name, address }) => ({ name, address: address ?? '' })));

const expected = (list: readonly Mailbox[]): { name: string; address: string }[] =>
  // mailparser shows domains as people read them.
  list.map(({ name, address }) => {
    const [localPart, domain] = address.split('@');
    return { name: name ?? '', address: `${localPart}@${domainToUnicode(domain ?? '')}` };
  });

/** mailparser reads an invitation as two attachments: first the offered part, last the file. */
const withInvitation = ({ calendar }: OutgoingMessage, attachments: readonly object[]): object[] => {
  if (!calendar) return [...attachments];
  const content = Buffer.from(calendar).toString('base64');
  return [
    { content, contentId: undefined, filename: undefined },
    ...attachments,
    { content, contentId: undefined, filename: 'invite.ics' },
  ];
};

const attached = ({ attachments }: ParsedMail): object[] =>
  attachments.map(({ content, contentId, filename }: ParsedAttachment) => ({
    content: Buffer.from(content).toString('base64'),
    contentId,
    filename,
  }));

interface Structure {
  readonly type: string;
  readonly parts: readonly Structure[];
}

/** The tree of content types, read by splitting at boundaries as RFC 2046 §5.1 says. */
const structureOf = (source: string): Structure => {
  const end = source.indexOf('\r\n\r\n');
  const header = (end === -1 ? source : source.slice(0, end)).replace(/\r\n[ \t]+/g, ' ');
  const field = /^Content-Type: *([^\s;]+)(.*)$/im.exec(header);
  const boundary = /boundary="?([^";]+)"?/.exec(field?.[2] ?? '')?.[1];
  if (boundary === undefined) return { type: field?.[1] ?? 'text/plain', parts: [] };
  const parts = `\r\n${source.slice(end + 4)}`.split(`\r\n--${boundary}`).slice(1, -1);
  return { type: field?.[1] ?? '', parts: parts.map((part) => structureOf(part.slice(2))) };
};

const composeByNodemailer = async (message: OutgoingMessage): Promise<string> => {
  const address = ({ name, address }: Mailbox): { name: string; address: string } => ({
    name: name ?? '',
    address,
  });
  const { html } = message;
  const source: Buffer = await new MailComposer({
    from: address(message.from),
    to: message.to.map(address),
    cc: message.cc.map(address),
    replyTo: message.replyTo.map(address),
    subject: message.subject,
    messageId: message.internetMessageId,
    date: new Date(message.date),
    headers: message.headers.map(([key, value]) => ({ key, value })),
    // nodemailer leaves empty parts out; we write a line end for them.
    ...(message.text === null && html !== null ? {} : { text: message.text || '\n' }),
    ...(html === null ? {} : { html: html || '\n' }),
    ...(message.calendar
      ? { icalEvent: { method: 'REQUEST', filename: 'invite.ics', content: message.calendar } }
      : {}),
    attachments: message.attachments.map(({ filename, contentType, contentId, content }) => ({
      filename: filename === '' ? false : filename,
      contentType: /^(?:message\/|.*[\r\n])/.test(contentType) ? 'application/octet-stream' : contentType,
      contentTransferEncoding: 'base64' as const,
      content: Buffer.from(content),
      ...(contentId === undefined ? {} : { cid: contentId }),
    })),
  })
    .compile()
    .build();
  return source.toString('latin1').replace(/\r?\n/g, '\r\n');
};

/** The leaves in any order, because nodemailer puts alternative around related, which is legal too. */
const flatten = ({ type, parts }: Structure): string[] =>
  parts.length === 0 ? [type] : parts.flatMap(flatten);

/** nodemailer does not encode a name that looks encoded, so its reader sees another name than the one typed. */
const differing = new Set(['a name that looks like an encoded word']);

describe.each(outgoingMessages)('%s', (name, message) => {
  const source = compose(message);

  test('is 7-bit, has CRLF only and no long line', () => {
    expect(source).toMatch(/^[\t\r\n\x20-\x7e]*$/);
    expect(source.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    const composed = composeMessage(message);
    const { header } = composed;
    const body = bodyText(composed);
    expect(Math.max(...header.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(998);
    expect(Math.max(...body.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(78);
    expect(header).toMatch(/\r\n$/);
    expect(header).not.toContain('\r\n\r\n');
    expect(header).not.toMatch(/\r\n[ \t]+\r\n/);
    expect(body).toMatch(/\r\n$/);
    expect(body).not.toMatch(/[ \t]\r\n/);
    expect(body).not.toMatch(/^(?:From |\.\r)/m);
    expect(header).not.toMatch(/^bcc:/im);
  });

  test('is read back with the same values', async () => {
    const mail = await parse(source);
    expect(mail.subject ?? '').toBe(message.subject.toWellFormed());
    expect(mailboxes(mail.from)).toEqual(expected([message.from]));
    expect(mailboxes(mail.to).filter(({ address }) => address !== '')).toEqual(expected(message.to));
    expect(mailboxes(mail.cc)).toEqual(expected(message.cc));
    expect(mailboxes(mail.replyTo)).toEqual(expected(message.replyTo));
    expect(mail.messageId).toBe(message.internetMessageId);
    expect(mail.date).toEqual(new Date(message.date));
    expect(normalise(mail.text)).toBe(normalise(message.text));
    expect(normalise(mail.html)).toBe(normalise(message.html));
    const byInline = [...message.attachments].sort(
      (a, b) => Number(b.contentId !== undefined) - Number(a.contentId !== undefined),
    );
    const files = byInline.map(({ content, contentId, filename }) => ({
      content: Buffer.from(content).toString('base64'),
      contentId: contentId === undefined ? undefined : `<${contentId}>`,
      filename: filename === '' ? undefined : filename,
    }));
    expect(attached(mail)).toEqual(withInvitation(message, files));
    for (const name of new Set(message.headers.map(([name]) => name.toLowerCase()))) {
      const wanted = message.headers
        .filter(([other]) => other.toLowerCase() === name)
        .map(([, value]) => value.trim());
      const lines = mail.headerLines.filter(({ key }) => key === name);
      expect(lines.map(({ line }) => decodeWords(unfold(line).slice(name.length + 1)).trim())).toEqual(
        wanted,
      );
    }
  });

  test('agrees with what nodemailer writes', async () => {
    const theirs = await composeByNodemailer(message);
    const [ours, reference] = await Promise.all([parse(source), parse(theirs)]);
    expect(normalise(ours.text)).toBe(normalise(reference.text));
    expect(normalise(ours.html)).toBe(normalise(reference.html));
    if (!differing.has(name)) expect(mailboxes(ours.from)).toEqual(mailboxes(reference.from));
    expect(mailboxes(ours.cc)).toEqual(mailboxes(reference.cc));
    const sorted = (mail: ParsedMail): string[] =>
      attached(mail)
        .map((part) => JSON.stringify(part))
        .sort();
    expect(sorted(ours)).toEqual(sorted(reference));
    expect(flatten(structureOf(source)).sort()).toEqual(flatten(structureOf(theirs)).sort());
  });
});

const png = { filename: 'a.png', contentType: 'image/png', contentId: 'a', content: Buffer.from('a') };
const pdf = { filename: 'a.pdf', contentType: 'application/pdf', content: Buffer.from('a') };
const structures: readonly (readonly [string, Partial<OutgoingMessage>, string])[] = [
  ['text', {}, 'text/plain'],
  ['html', { text: null, html: 'x' }, 'text/html'],
  ['text, html', { html: 'x' }, 'multipart/alternative(text/plain text/html)'],
  ['text, file', { attachments: [pdf] }, 'multipart/mixed(text/plain application/pdf)'],
  ['text, image with a content id', { attachments: [png] }, 'multipart/mixed(text/plain image/png)'],
  ['html, image', { text: null, html: 'x', attachments: [png] }, 'multipart/related(text/html image/png)'],
  [
    'text, html, image, file',
    { html: 'x', attachments: [pdf, png] },
    'multipart/mixed(multipart/related(multipart/alternative(text/plain text/html) image/png) application/pdf)',
  ],
  [
    'text, invitation',
    { calendar: 'x' },
    'multipart/mixed(multipart/alternative(text/plain text/calendar) application/ics)',
  ],
  [
    'html, invitation',
    { text: null, html: 'x', calendar: 'x' },
    'multipart/mixed(multipart/alternative(text/html text/calendar) application/ics)',
  ],
  [
    'text, html, image, file, invitation',
    { html: 'x', attachments: [pdf, png], calendar: 'x' },
    'multipart/mixed(multipart/related(multipart/alternative(text/plain text/html text/calendar) image/png) application/pdf application/ics)',
  ],
];

const print = ({ type, parts }: Structure): string =>
  parts.length === 0 ? type : `${type}(${parts.map(print).join(' ')})`;

test.each(structures)('%s has no needless level', (_, changes, structure) => {
  expect(print(structureOf(compose({ ...plain, ...changes })))).toBe(structure);
});

test('related names the type of its root', () => {
  const source = compose({ ...plain, html: 'x', attachments: [png] });
  expect(source).toContain('Content-Type: multipart/related; type="multipart/alternative";\r\n boundary="');
});

test('an invitation has its method and no disposition, and is attached with the same bytes', () => {
  const calendar = 'BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n';
  const source = compose({ ...plain, calendar });
  const encoded = Buffer.from(calendar).toString('base64');
  expect(source).toContain(
    `Content-Type: text/calendar; charset=UTF-8; method=REQUEST\r\nContent-Transfer-Encoding: base64\r\n\r\n${encoded}\r\n`,
  );
  expect(source).toContain(
    `Content-Type: application/ics;\r\n name="invite.ics"\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment;\r\n filename="invite.ics"\r\n\r\n${encoded}\r\n`,
  );
});

const calendarFiles: readonly (readonly [string, string, string])[] = [
  ['that asks for something', 'BEGIN:VCALENDAR\r\nMETHOD:CANCEL\r\n', 'text/calendar; method=CANCEL;'],
  ['with LF only', 'BEGIN:VCALENDAR\nmethod:request\n', 'text/calendar; method=REQUEST;'],
  ['that asks for nothing', 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\n', 'text/calendar;'],
  ['with more than a method there', 'METHOD:REQUEST;x="y\r\n', 'text/calendar;'],
];
test.each(calendarFiles)('a calendar file %s says so in its type', (_, content, type) => {
  const file = { filename: 'a.ics', contentType: 'text/calendar', content: Buffer.from(content) };
  expect(compose({ ...plain, attachments: [file] })).toContain(`Content-Type: ${type}\r\n name="a.ics"\r\n`);
});

test('header fields keep their order, those of the service are before Content-Type', () => {
  const { header } = composeMessage({
    ...plain,
    cc: [parseAddress('c@example.org')],
    replyTo: [parseAddress('r@example.org')],
    headers: [['X-Tag', 'a']],
  });
  expect(header.match(/^[A-Za-z-]+(?=:)/gm)).toEqual(
    'Date From Reply-To To Cc Subject Message-ID X-Tag MIME-Version Content-Type Content-Transfer-Encoding'.split(
      ' ',
    ),
  );
  expect(header).toContain('Date: Fri, 20 Nov 2026 10:00:00 +0000\r\n');
});

test('a message to hidden recipients only names no recipient', () => {
  expect(composeMessage({ ...plain, to: [] }).header).toContain('\r\nTo: undisclosed-recipients:;\r\n');
});

test('a message without any text has one empty line, never an empty body', () => {
  expect(composeMessage({ ...plain, text: null }).body).toEqual(['\r\n']);
});

test('the same message becomes the same bytes, another one gets other boundaries', () => {
  const message = { ...plain, html: '<p>x</p>' };
  expect(compose(message)).toBe(compose(message));
  const boundary = (source: string): string | undefined => /boundary="([^"]+)"/.exec(source)?.[1];
  expect(boundary(compose({ ...message, internetMessageId: '<other@praxis.example>' }))).not.toBe(
    boundary(compose(message)),
  );
});

const encodings: readonly (readonly [string, string, string])[] = [
  ['short ASCII lines', 'Hello.\n', '7bit'],
  ['a few umlauts', 'Viele Grüße aus der Praxis und bis zum nächsten Mal\n', 'quoted-printable'],
  ['mostly Greek', 'Το ραντεβού σας επιβεβαιώθηκε\n', 'base64'],
  ['a long ASCII line', 'x'.repeat(77), 'quoted-printable'],
  ['what looks like a boundary', 'a =_ b', 'quoted-printable'],
  ['very many empty lines', `a${'\n'.repeat(30)}b`, 'base64'],
];
test.each(encodings)('%s: %j goes as %s', (_, text, encoding) => {
  expect(composeMessage({ ...plain, text }).header).toContain(
    `\r\nContent-Transfer-Encoding: ${encoding}\r\n`,
  );
});

test('a text with the boundary of its own message stays in its part', async () => {
  const message = { ...plain, html: '<p>x</p>' };
  const boundary = /boundary="([^"]+)"/.exec(composeMessage(message).header)?.[1];
  const text = `one\n--${boundary}\nContent-Type: text/html\n\n<b>evil</b>\n--${boundary}--\n`;
  const source = compose({ ...message, text });
  expect(print(structureOf(source))).toBe('multipart/alternative(text/plain text/html)');
  expect(normalise((await parse(source)).text)).toBe(normalise(text));
});

const injections: readonly (readonly [string, Partial<OutgoingMessage>])[] = [
  ['a subject', { subject: 'x\r\nBcc: a@example.org' }],
  ['a subject, by LF', { subject: 'x\nBcc: a@example.org' }],
  ['a display name', { from: { ...plain.from, name: 'x\r\nBcc: a@example.org' } }],
  ['a header value', { headers: [['X-Tag', 'x\r\n\r\nbody']] }],
  ['a header name', { headers: [['X-Tag: a\r\nBcc', 'a@example.org']] }],
  ['a message id', { internetMessageId: '<a@b>\r\nBcc: a@example.org' }],
  ['a file name', { attachments: [{ ...pdf, filename: 'a"\r\nBcc: a@example.org' }] }],
  ['a content id', { html: 'x', attachments: [{ ...png, contentId: 'a>\r\nBcc: a@example.org' }] }],
];
test.each(injections)('%s cannot add a line to the header', (_, changes) => {
  expect(() => compose({ ...plain, ...changes })).toThrow();
});

test('an address that needs SMTPUTF8 is in the header in UTF-8, and nothing else of the mail', () => {
  const octets = compose({ ...plain, to: [parseAddress('jörg@example.org')] });
  expect(Buffer.from(octets, 'latin1').toString()).toContain('\r\nTo: jörg@example.org\r\n');
  expect(octets.replace('jÃ¶rg', '')).toMatch(/^[\0-\x7f]*$/);
});
