import { describe, expect, test } from 'vitest';
import { isBase64 } from '#src/kernel/fields.ts';
import { nameSchema } from '#src/mail/line-schema.ts';

describe('a name', () => {
  test.each([
    ['Praxis Dr. Müller & Söhne', 'Praxis Dr. Müller & Söhne'],
    ['  Labor Süd\t', 'Labor Süd'],
    ['診療所', '診療所'],
    ['عيادة', 'عيادة'],
    ['Zahn 🦷', 'Zahn 🦷'],
    ['a\u00a0b', 'a\u00a0b'],
    ['a'.repeat(200), 'a'.repeat(200)],
  ])('%j is %j', (given, name) => {
    expect(nameSchema.parse(given)).toBe(name);
  });

  test.each([
    ['nothing', ''],
    ['spaces', '  '],
    ['more than 200 characters', 'a'.repeat(201)],
    ['a line break', 'a\nb'],
    ['NUL', 'a\0b'],
    ['a control character beyond ASCII', 'a\u0085b'],
    ['a line separator', 'a\u2028b'],
    ['a paragraph separator', 'a\u2029b'],
    ['a zero-width space', 'a\u200bb'],
    ['a zero-width space alone', '\u200b'],
    ['a word joiner', 'a\u2060b'],
    ['a byte order mark within', 'a\ufeffb'],
    ['an override of direction', 'a\u202eb'],
    ['an isolate', 'a\u2066b\u2069'],
    ['a mark of direction', 'a\u200fb'],
    ['an Arabic letter mark', 'a\u061cb'],
  ])('is not %s', (_, given) => {
    expect(nameSchema.safeParse(given).success).toBe(false);
  });
});

const slice = 'QUJD'.repeat(16_384);
test.each([
  ['nothing', ''],
  ['whole groups', 'QUJD'],
  ['one octet', 'QQ=='],
  ['two octets', 'QUI='],
  ['more than is decoded at a time', `${slice}${slice}QQ==`],
])('%s is base64', (_, text) => {
  expect(isBase64(text)).toBe(true);
});
test.each([
  ['without its padding', 'QQ'],
  ['of the alphabet for URLs', 'QU-_'],
  ['with a line break', 'QUJD\nQUI'],
  ['with padding within', 'QQ==QUJD'],
  ['with padding at the end of what is decoded at a time', `${slice.slice(0, -4)}QQ==QUJD`],
  ['of padding alone', 'A==='],
  ['with another letter', 'QUJé'],
  ['with a letter of two octets', 'QUJ\u0141'],
])('text %s is not', (_, text) => {
  expect(isBase64(text)).toBe(false);
});
