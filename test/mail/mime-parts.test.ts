import { expect, test } from 'vitest';
import { headFieldsOf } from '#src/mail/field-block.ts';
import { calmSource } from '#src/mail/mime-parts.ts';
import { decodeQuotedPrintable } from '#src/mail/quoted-printable.ts';
import { transferDecoder } from '#src/mail/transfer-decoder.ts';

const decode = (text: string): string => decodeQuotedPrintable(Buffer.from(text, 'latin1')).toString();

test.each([
  ['an umlaut', 'Gr=C3=BC=C3=9Fe', 'Grüße'],
  ['escapes in small letters', '=c3=bc', 'ü'],
  ['a soft break', 'eins=\r\nzwei', 'einszwei'],
  ['a soft break with blanks behind its sign', 'eins= \t\r\nzwei', 'einszwei'],
  ['a soft break by LF alone', 'eins=\nzwei', 'einszwei'],
  ['a soft break at the end', 'eins=', 'eins'],
  ['an encoded blank at the end of a line, which stays', 'eins=20\r\nzwei', 'eins \r\nzwei'],
  ['a blank before a soft break, which stays', 'eins =\r\nzwei', 'eins zwei'],
  ['blanks at the end of a line, which go', 'eins \t \r\nzwei  ', 'eins\r\nzwei'],
  ['blanks within a line, which stay', 'eins   zwei', 'eins   zwei'],
  ['what is no escape', '50=% von =XY', '50=% von =XY'],
  ['a sign before blanks and a word', 'a=  b', 'a=  b'],
  ['nothing', '', ''],
])('%s', (_, encoded, decoded) => {
  expect(decode(encoded)).toBe(decoded);
});

test('octets that were never encoded stay as they are', () => {
  expect(decodeQuotedPrintable(Buffer.from([0xe4, 0xc3, 0xa4]))).toEqual(Buffer.from([0xe4, 0xc3, 0xa4]));
});

// Quadratic work would take hours for each.
test.each([
  ['blanks', ' '.repeat(5_000_000)],
  ['blanks before a word', `${' '.repeat(5_000_000)}x`],
  ['signs', '='.repeat(5_000_000)],
])('five million %s are read in linear time', (_, text) => {
  expect(decode(text).length).toBeLessThanOrEqual(text.length);
});

test('long runs of blanks become one, others and line ends stay', () => {
  expect(calmSource(Buffer.from(`a  b${' '.repeat(100_000)}c\r\n\td`)).toString()).toBe('a  b c\r\n\td');
});

// Quadratic work would take minutes, and the test would time out.
test('a long field beside a damaged octet is read in linear time', () => {
  const source = Buffer.from(`X-Long: ${'a'.repeat(240_000)}\r\nSubject: Gr\xc3\xbc\xc3\r\n\r\n`, 'latin1');
  for (let times = 0; times < 10; times += 1)
    expect(headFieldsOf(source).at(-1)).toEqual({ name: 'subject', value: 'Gr\u00fc\ufffd' });
});

test('lines of uuencode that claim more octets than they have make nothing larger', () => {
  const decoder = transferDecoder('x-uuencode');
  const pieces = ['begin 644 a.bin\n', ...Array.from({ length: 100 }, () => '_\n'.repeat(1_000))];
  const decoded = Buffer.concat([
    ...pieces.map((piece) => decoder.decode(Buffer.from(piece))),
    decoder.end(),
  ]);
  expect(decoded.length).toBeLessThanOrEqual(pieces.join('').length);
});

test('blanks that a line of uuencode has lost at its end are zeros', () => {
  const decoder = transferDecoder('x-uuencode');
  expect(decoder.decode(Buffer.from('begin 644 a.bin\n#86\n`\nend\n'))).toEqual(Buffer.from([0x61, 0x60, 0]));
});
