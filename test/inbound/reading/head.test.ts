import { describe, expect, test } from 'vitest';
import { readHead, searchTextOf } from '#src/inbound/reading/head.ts';
import { everyMessage } from '#src/messages/search-store.ts';
import { clausesOf, fits } from '#src/messages/search-text.ts';

const head = (...lines: readonly (string | Buffer)[]) =>
  readHead(Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from('\r\n')])));
const subject = (...parts: readonly (string | Buffer)[]): string =>
  head(Buffer.concat([Buffer.from('Subject: '), ...parts.map((part) => Buffer.from(part))])).subject;

describe('the header of a received mail', () => {
  test.each<[string, readonly (string | Buffer)[], string]>([
    ['encoded-words', ['=?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n =?utf-8?q?_an?= alle'], 'Grüße an alle'],
    ['raw UTF-8, with an octet at the end that is a space in Latin-1', ['Voilà'], 'Voilà'],
    ['raw Windows-1252', [Buffer.from('Termin f\xfcr \x84Anna\x93', 'latin1')], 'Termin für „Anna“'],
    ['raw ISO-2022-JP', ['\x1b$B$3$s$K$A$O\x1b(B'], 'こんにちは'],
    ['ISO-2022-JP', ['=?ISO-2022-JP?B?GyRCJDMkcyRLJEEkTxsoQg==?='], 'こんにちは'],
    [
      'raw GB18030, declared by the body',
      [Buffer.from('c4e3bac3', 'hex'), '\r\nContent-Type: text/plain;\r\n charset="gb18030"'],
      '你好',
    ],
    ['UTF-7', ['=?UTF-7?Q?Gr+APwA3w-e?='], 'Grüße'],
    ['controls, direction and what is not shown', ['a\tb\0c\u202etxt.exe\u200bd'], 'a b ctxt.exed'],
    ['half a surrogate', ['=?utf-16be?b?2D0AYQ==?='], '\ufffda'],
    ['nothing', [''], ''],
  ])('a subject: %s', (_, written, shown) => {
    expect(subject(...written)).toBe(shown);
  });

  test.each([
    ['Anna Berg <anna@example.org>', [{ address: 'anna@example.org', name: 'Anna Berg' }]],
    ['anna@example.org <Anna@Example.ORG>', [{ address: 'Anna@example.org', name: 'anna@example.org' }]],
    ['Cron Daemon <root@localhost>', [{ address: 'root@localhost', name: 'Cron Daemon' }]],
    ['root@localhost', [{ address: 'root@localhost' }]],
    ['Praxis am See', [{ address: '', name: 'Praxis am See' }]],
    ['"Berg, Anna <anna@example.org>', [{ address: 'anna@example.org', name: 'Berg, Anna' }]],
    [
      '=?utf-8?q?A=2C_B?= <a@example.org>, =?utf-8?q?x=00=E2=80=AE?= <b@example.org>',
      [
        { address: 'a@example.org', name: 'A, B' },
        { address: 'b@example.org', name: 'x' },
      ],
    ],
    ['undisclosed-recipients:;', []],
    ['', []],
  ])('mailboxes as they are written: %s', (written, shown) => {
    expect(head(`To: ${written}`).to).toEqual(shown);
    expect(head(`From: ${written}`).from).toEqual(shown[0] ?? null);
  });

  test('mailboxes of several fields, and no more than two hundred', () => {
    expect(head('Cc: a@example.org', 'cc: b@example.org').cc).toHaveLength(2);
    expect(head(...Array.from({ length: 900 }, () => 'To: a, b')).to).toHaveLength(200);
  });

  test.each([
    ['Sun, 22 Nov 2026 15:47:57 +0100', '2026-11-22T14:47:57Z'],
    ['Sun, 22 Nov 2026 15:47:57 +0000 (GMT+00:00)', '2026-11-22T15:47:57Z'],
    ['22 Nov 26 15:47 EST', '2026-11-22T20:47:00Z'],
    ['Sun, 22 Nov 2026 15:47:57 MEZ', '2026-11-22T14:47:57Z'],
    ['Sun, 22 Nov 2026 15:47:57', '2026-11-22T15:47:57Z'],
    ['Sun, 22 Nov 2026 15:47:57 XYZ', '2026-11-22T15:47:57Z'],
    ['Sun Nov 22 15:47:57 2026', '2026-11-22T15:47:57Z'],
    ['2026-11-22T15:47:57Z', '2026-11-22T15:47:57Z'],
    ['gestern 2026', null],
    ['Sun, 22 Nov 99999 15:47:57 +0000', null],
    ['Thu, 1 Jan 1891 00:00:00 +0000', null],
  ])('a date: %s', (written, time) => {
    expect(head(`Date: ${written}`).sentAt).toBe(time === null ? null : Date.parse(time));
  });

  test.each([
    ['<a@example.org>', '<a@example.org>'],
    ['a@example.org', '<a@example.org>'],
    ['<a\r\n b@example.org>', '<ab@example.org>'],
    ['"Mail of Sunday" <a@example.org>', '<a@example.org>'],
    ['no identifier', null],
  ])('an identifier: %s', (written, id) => {
    const { internetMessageId, inReplyTo } = head(`Message-ID: ${written}`, `In-Reply-To: ${written}`);
    expect([internetMessageId, inReplyTo]).toEqual([id, id]);
  });

  test('the last fifty references in their order', () => {
    const ids = Array.from({ length: 60 }, (_, index) => `<${index}@example.org>`);
    expect(head(`References: ${ids.join('\r\n ')}`).references).toEqual(ids.slice(10));
  });

  test('a mail without a header has none', () => {
    expect(head('', 'Subject: of the body', '', 'x')).toMatchObject({ subject: '', from: null, to: [] });
  });

  test.each<[string, string | Buffer]>([
    ['octets of all values', Buffer.from(Array.from({ length: 65_536 }, (_, index) => (index * 167) % 256))],
    ['quotes', `From: ${'"'.repeat(100_001)}\r\n`],
    ['angle brackets', `To: ${'<'.repeat(100_000)}\r\n`],
    ['comments', `To: ${'('.repeat(100_000)}\r\n`],
    ['encoded-words without an end', `Subject: ${'=?a?q?'.repeat(30_000)}\r\n`],
    ['commas', `To: ${','.repeat(8_000)}\r\n`.repeat(30)],
    ['continuations', `Subject: a\r\n${' \r\n'.repeat(80_000)}`],
    [
      'character sets',
      `\xff\r\n${`Content-Type: ${'charset '.repeat(500)}\r\n ${'charset= '.repeat(500)}\r\n`.repeat(20)}`,
    ],
  ])('hostile: %s', (_, source) => {
    const read = readHead(Buffer.from(source));
    expect(JSON.stringify(read).length).toBeLessThan(200_000);
  });

  test('a search finds the people, the recipients and the subject', () => {
    const found = head('From: Jürgen Müller <j@example.org>', 'Cc: anna@example.org', 'Subject: Ihr Befund');
    const text = searchTextOf(found, ['praxis@in.example.test']);
    const finds = (wanted: string): boolean => fits(text, clausesOf({ ...everyMessage, text: wanted }));
    for (const wanted of ['muller', 'J@EXAMPLE', 'anna', 'praxis@in', 'befund'])
      expect(finds(wanted)).toBe(true);
    for (const wanted of ['befundj', 'berg']) expect(finds(wanted)).toBe(false);
  });
});

test('no half of a mailbox is shown where a list of recipients is longer than what is read', () => {
  const people = Array.from(
    { length: 200 },
    (_, at) => `"Person ${at} of the list" <person.${at}@example.org>`,
  );
  const { to } = head(`To: ${people.join(',\r\n ')}`);
  expect(to.length).toBeGreaterThan(100);
  expect(to).toEqual(
    to.map((_, at) => ({ address: `person.${at}@example.org`, name: `Person ${at} of the list` })),
  );
});
