import { describe, expect, test } from 'vitest';
import { decodeWords } from '#src/mail/decode-text.ts';
import { encodeUnstructured } from '#src/mail/header-field.ts';

describe('encoded-words', () => {
  test.each([
    ['plain text stays', 'Ihr Termin am Montag', 'Ihr Termin am Montag'],
    ['RFC 2047 §8: one word', '(=?ISO-8859-1?Q?a?=)', '(a)'],
    ['RFC 2047 §8: a word and text', '(=?ISO-8859-1?Q?a?= b)', '(a b)'],
    ['RFC 2047 §8: white space between words is none', '(=?ISO-8859-1?Q?a?= =?ISO-8859-1?Q?b?=)', '(ab)'],
    ['RFC 2047 §8: nor is more of it', '(=?ISO-8859-1?Q?a?=    =?ISO-8859-1?Q?b?=)', '(ab)'],
    ['RFC 2047 §8: a space within a word', '(=?ISO-8859-1?Q?a_b?=)', '(a b)'],
    ['RFC 2047 §8: a space at the end of one', '(=?ISO-8859-1?Q?a?= =?ISO-8859-2?Q?_b?=)', '(a b)'],
    ['B in UTF-8', '=?UTF-8?B?R3LDvMOfZQ==?=', 'Grüße'],
    ['lower-case encodings', '=?utf-8?q?Gr=c3=bc=C3=9Fe?=', 'Grüße'],
    ['a character cut in two', '=?utf-8?B?R3LD?= =?utf-8?B?vMOfZQ==?=', 'Grüße'],
    ['base64 without padding beside another word', '=?utf-8?B?YQ?= =?utf-8?B?Yg?=', 'ab'],
    ['Windows-1252 that is declared as UTF-8', '=?utf-8?q?=FC?=', 'ü'],
    ['two character sets side by side', '=?utf-8?q?=C3=BC?= =?iso-8859-1?q?=FC?=', 'üü'],
    ['a language behind the character set', '=?utf-8*de?q?=C3=BC?=', 'ü'],
    ['octets beyond ASCII that are declared as ASCII', '=?us-ascii?q?=FC?=', 'ü'],
    ['Windows quotes', '=?windows-1252?q?=84Ja=93?=', '„Ja“'],
    ['Japanese', '=?ISO-2022-JP?B?GyRCJDMbKEI=?=', 'こ'],
    ['an unknown character set', '=?x-nobody?q?=C3=BC?=', 'ü'],
    ['an encoded-word without an end stays', '=?utf-8?q?abc', '=?utf-8?q?abc'],
    ['an encoded-word of another encoding stays', '=?utf-8?x?abc?=', '=?utf-8?x?abc?='],
    ['decoded text is not decoded again', '=?utf-8?q?=3D=3Futf-8=3Fq=3Fa=3F=3D?=', '=?utf-8?q?a?='],
  ])('%s', (_, written, read) => {
    expect(decodeWords(written)).toBe(read);
  });

  test.each(['Über den Wölken 🎉', '„Grüße“ an alle: '.repeat(20).trim(), '漢字かな交じり文'])(
    'reads what we write: %s',
    (text) => {
      const field = encodeUnstructured('Subject', text).replace(/\r\n(?= )/g, '');
      expect(decodeWords(field.slice('Subject: '.length).trimEnd())).toBe(text);
    },
  );

  // Quadratic work would take more than ten minutes.
  test('a hostile field is read in linear time', () => {
    for (const text of ['=?'.repeat(1_000_000), '=?a?q?'.repeat(300_000), '=?utf-8?q?a?= '.repeat(100_000)]) {
      expect(decodeWords(text).length).toBeLessThanOrEqual(text.length);
    }
  });
});
