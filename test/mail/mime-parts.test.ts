import { expect, test } from 'vitest';
import { calmSource } from '#src/mail/mime-parts.ts';
import { decodeQuotedPrintable } from '#src/mail/quoted-printable.ts';

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
