import { describe, expect, test } from 'vitest';
import { parseAddressList } from '#src/mail/address.ts';
import {
  encodeMailboxes,
  encodeParameter,
  encodeUnstructured,
  formatMailbox,
  isHeaderName,
  isHeaderValueSafe,
} from '#src/mail/header-field.ts';
import type { Mailbox } from '#src/mail/mailbox.ts';

const named = (name: string): Mailbox => ({ ...(parseAddressList('a@b.example')[0] as Mailbox), name });

const unstructured: readonly (readonly [value: string, field: string])[] = [
  ['Hello', 'Subject: Hello\r\n'],
  ['', 'Subject:\r\n'],
  [' \t ', 'Subject:\r\n'],
  ['  Hello ', 'Subject: Hello\r\n'],
  ['Müller', 'Subject: =?UTF-8?Q?M=C3=BCller?=\r\n'],
  ['Grün = gut, alle _?', 'Subject: =?UTF-8?B?R3LDvG4gPSBndXQsIGFsbGUgXz8=?=\r\n'],
  ['约', 'Subject: =?UTF-8?B?57qm?=\r\n'],
  ['👋', 'Subject: =?UTF-8?B?8J+Riw==?=\r\n'],
  ['a\x07b', 'Subject: =?UTF-8?B?YQdi?=\r\n'],
  ['=?UTF-8?Q?x?=', 'Subject: =?UTF-8?B?PT9VVEYtOD9RP3g/PQ==?=\r\n'],
  ['1 =? 2 ?= 3', 'Subject: 1 =? 2 ?= 3\r\n'],
  [`${'x'.repeat(69)}`, `Subject: ${'x'.repeat(69)}\r\n`],
  [`${'x'.repeat(40)} ${'y'.repeat(40)}`, `Subject: ${'x'.repeat(40)}\r\n ${'y'.repeat(40)}\r\n`],
  [`${'x'.repeat(100)}`, `Subject: ${'x'.repeat(100)}\r\n`],
  [`${'x'.repeat(60)}   ${'y'.repeat(40)} z`, `Subject: ${'x'.repeat(60)}   ${'y'.repeat(40)}\r\n z\r\n`],
  [`${'x'.repeat(60)}\t${'y'.repeat(40)} z`, `Subject: ${'x'.repeat(60)}\t${'y'.repeat(40)}\r\n z\r\n`],
];
test.each(unstructured)('a subject of %j', (value, field) => {
  expect(encodeUnstructured('Subject', value)).toBe(field);
});

test.each([
  'ü'.repeat(500),
  '👩‍⚕️'.repeat(100),
  'Größe und Länge '.repeat(50),
  '约'.repeat(500),
  'x'.repeat(5_000),
])('each encoded-word of %.20s… is short and has whole characters', (value) => {
  const field = encodeUnstructured('Subject', value);
  const words = field.slice('Subject: '.length, -2).split('\r\n ');
  const decoded = words.map((word) => {
    expect(word.length).toBeLessThanOrEqual(75);
    const [, encoding, payload = ''] = /^=\?UTF-8\?([QB])\?([^?\s]*)\?=$/.exec(word) ?? [];
    const octets =
      encoding === 'B'
        ? Buffer.from(payload, 'base64')
        : Buffer.from(
            payload
              .replaceAll('_', '=20')
              .replace(/=(..)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
            'latin1',
          );
    return new TextDecoder('utf-8', { fatal: true }).decode(octets);
  });
  expect(decoded.join('')).toBe(value.trim());
  for (const line of field.split('\r\n')) expect(line.length).toBeLessThanOrEqual(78);
});

test.each(['a\rb', 'a\nb', 'a\r\nb', 'a\0b'])('%j is not written anywhere', (value) => {
  expect(() => encodeUnstructured('Subject', value)).toThrow('line break');
  expect(() => encodeMailboxes('To', [named(value)])).toThrow('line break');
  expect(() => encodeParameter('filename', value)).toThrow('line break');
});

const mailboxes: readonly (readonly [name: string, written: string])[] = [
  ['', 'a@b.example'],
  ['Hans', 'Hans <a@b.example>'],
  ['Mary Smith', 'Mary Smith <a@b.example>'],
  ['Dr. Ahorn', '"Dr. Ahorn" <a@b.example>'],
  ['Doe, John', '"Doe, John" <a@b.example>'],
  ['a "b" \\c', '"a \\"b\\" \\\\c" <a@b.example>'],
  ['x@evil.example', '"x@evil.example" <a@b.example>'],
  ['a  b', '"a  b" <a@b.example>'],
  ['Müller', '=?UTF-8?Q?M=C3=BCller?= <a@b.example>'],
  ['Müller, Hans-Jochen (Berlin)', '=?UTF-8?Q?M=C3=BCller=2C_Hans-Jochen_=28Berlin=29?= <a@b.example>'],
  ['=?UTF-8?Q?x?=', '=?UTF-8?B?PT9VVEYtOD9RP3g/PQ==?= <a@b.example>'],
];
test.each(mailboxes)('a mailbox named %j', (name, written) => {
  expect(formatMailbox(named(name))).toBe(written);
  expect(encodeMailboxes('To', [named(name)])).toBe(`To: ${written}\r\n`);
});

test('mailboxes are folded between each other', () => {
  const list = parseAddressList(
    'Anna Ahorn <anna@example.org>, Berta Birke <berta@example.org>, cc@example.org',
  );
  expect(encodeMailboxes('Cc', list)).toBe(
    'Cc: Anna Ahorn <anna@example.org>, Berta Birke <berta@example.org>,\r\n cc@example.org\r\n',
  );
});

test('an address that is not ASCII is written in UTF-8, octet by octet', () => {
  const field = encodeMailboxes('To', parseAddressList('Jörg <jörg@example.org>'));
  expect(Buffer.from(field, 'latin1').toString()).toBe('To: =?UTF-8?B?SsO2cmc=?= <jörg@example.org>\r\n');
});

const parameters: readonly (readonly [value: string, written: string])[] = [
  ['a.pdf', 'filename="a.pdf"'],
  ['', 'filename=""'],
  ['a b; c=d.pdf', 'filename="a b; c=d.pdf"'],
  ['Röntgen.pdf', `filename*=UTF-8''R%C3%B6ntgen.pdf;\r\n filename="Roentgen.pdf"`],
  [
    'Grüße für Aßmann.pdf',
    `filename*=UTF-8''Gr%C3%BC%C3%9Fe%20f%C3%BCr%20A%C3%9Fmann.pdf;\r\n filename="Gruesse fuer Assmann.pdf"`,
  ],
  ['a"b\\.pdf', `filename*=UTF-8''a%22b%5C.pdf;\r\n filename="a_b_.pdf"`],
  ["it's 5%.pdf ü", `filename*=UTF-8''it%27s%205%25.pdf%20%C3%BC;\r\n filename="it's 5_.pdf ue"`],
  ['检.png', `filename*=UTF-8''%E6%A3%80.png;\r\n filename="_.png"`],
  [
    `${'x'.repeat(60)}.pdf`,
    `filename*0*=UTF-8''${'x'.repeat(56)};\r\n filename*1*=xxxx.pdf;\r\n filename="${'x'.repeat(56)}.pdf"`,
  ],
];
test.each(parameters)('a file named %j', (value, written) => {
  expect(encodeParameter('filename', value)).toBe(written);
});

test('a continued parameter splits no escape and has no long line', () => {
  const written = encodeParameter('filename', `${'ü€'.repeat(100)}.pdf`);
  const pieces = [...written.matchAll(/filename\*\d+\*=(?:UTF-8'')?([^;]*)/g)].map(([, piece]) => piece);
  expect(pieces.length).toBeGreaterThan(10);
  for (const piece of pieces) expect(() => decodeURIComponent(piece ?? '')).not.toThrow();
  expect(decodeURIComponent(pieces.join(''))).toBe(`${'ü€'.repeat(100)}.pdf`);
  for (const line of written.split('\r\n')) expect(line.length).toBeLessThanOrEqual(77);
});

describe('what may be a header field', () => {
  const names: readonly (readonly [string, boolean])[] = [
    ['X-Tag', true],
    ['x'.repeat(76), true],
    ['x'.repeat(77), false],
    ['', false],
    ['X Tag', false],
    ['X-Tag:', false],
    ['X-Tag\n', false],
    ['X-Täg', false],
  ];
  test.each(names)('the name %j: %s', (name, valid) => {
    expect(isHeaderName(name)).toBe(valid);
  });

  const values: readonly (readonly [string, boolean])[] = [
    ['any text, ü 👋', true],
    ['a\tb', true],
    ['', true],
    ['a\rb', false],
    ['a\nb', false],
    ['a\0b', false],
    ['a\x0bb', false],
    ['a\x7fb', false],
    ['a\ud800b', false],
  ];
  test.each(values)('the value %j: %s', (value, safe) => {
    expect(isHeaderValueSafe(value)).toBe(safe);
  });
});
