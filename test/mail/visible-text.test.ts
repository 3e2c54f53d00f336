import { describe, expect, test } from 'vitest';
import { nameSchema } from '#src/mail/line-schema.ts';
import { isSeen, withoutInvisibles, withoutSpelling } from '#src/mail/visible-text.ts';

describe('joiners that are spelling stay', () => {
  test.each([
    ['Persian', 'نمی\u200cخواهم'],
    ['Hindi, behind a sign of its letter', 'क्\u200dष और क्\u200cष'],
    ['Sinhala', 'ශ්\u200dරී'],
    ['a doctor', '👩\u200d⚕️'],
    ['a doctor of another skin', '👩🏽\u200d⚕️'],
    ['a family', '👨\u200d👩\u200d👧'],
    ['a burning heart', '❤️\u200d🔥'],
    ['a flag', '🏳️\u200d🌈'],
  ])('%s', (_, text) => {
    expect(withoutInvisibles(text)).toBe(text);
    expect(isSeen(text)).toBe(true);
    expect(nameSchema.safeParse(text).success).toBe(true);
    expect(withoutSpelling(text)).toBe(text.replace(/[\u200c\u200d]/g, ''));
  });
});

describe('what only hides or turns text goes', () => {
  test.each([
    ['a joiner at the beginning', '\u200da', 'a'],
    ['a joiner at the end', 'a\u200c', 'a'],
    ['a joiner beside a blank', 'a\u200c b', 'a b'],
    ['a joiner beside a digit', '1\u200d2', '12'],
    ['two joiners', 'a\u200d\u200cb', 'ab'],
    ['a joiner beside another of these', 'a\u200b\u200db', 'ab'],
    ['a zero-width space', 'a\u200bb', 'ab'],
    ['a byte order mark', 'a\ufeffb', 'ab'],
    ['direction marks', '\u200ea\u200fb\u061c', 'ab'],
    ['embeddings and overrides', '\u202aa\u202bb\u202cc\u202dd\u202ee', 'abcde'],
    ['isolates', '\u2066a\u2067b\u2068c\u2069', 'abc'],
  ])('%s', (_, text, left) => {
    expect(withoutInvisibles(text)).toBe(left);
    expect(isSeen(text)).toBe(false);
    expect(nameSchema.safeParse(text).success).toBe(false);
  });

  test.each(['a\nb', 'a\u2028b', 'a\0b'])('%j is no name', (text) => {
    expect(nameSchema.safeParse(text).success).toBe(false);
  });

  test.each(['\u200d', 'a\u200d', '👩\u200d', '\u202e'])(
    'a million of %j are read in linear time',
    (piece) => {
      expect(withoutInvisibles(piece.repeat(1_000_000)).length).toBeLessThanOrEqual(piece.length * 1_000_000);
    },
  );
});
