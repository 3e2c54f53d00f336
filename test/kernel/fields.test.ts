import { describe, expect, test } from 'vitest';
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
