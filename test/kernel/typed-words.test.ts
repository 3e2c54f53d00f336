import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { fold, foldFields, foldPart, hasWord, typedWords } from '#src/kernel/typed-words.ts';

const isFound = (typed: string, ...fields: string[]): boolean =>
  typedWords(typed).every((word) => hasWord(foldFields(fields), word));

describe('letters are folded to one form', () => {
  test.each([
    ['ÄÖÜ', 'aou'],
    ['ß', 'ss'],
    ['ẞ', 'ss'],
    ['İstanbul', 'istanbul'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['οδος', 'οδοσ'],
    ['ﬁn', 'fin'],
    ['Ｆｕｌｌ', 'full'],
    ['a\tb\u0000c', 'a b c'],
    ['\ud800x', '\ufffdx'],
    ['🍎', '🍎'],
    ['Müller Mueller Muller', 'muller muller muller'],
    ['Łukasz Sørensen Æneas', 'lukasz sorensen aneas'],
    ['ʼn Raphaël', 'ʼn raphal'],
    ['Aeel', 'ael'],
  ])('%j: %j', (text, folded) => {
    expect(fold(text)).toBe(folded);
  });
});

test.each(['muller', 'mueller', 'Müller', 'MUELLER', 'Mu\u0308ller'])(
  '%s finds each of its spellings',
  (typed) => {
    for (const written of ['Müller', 'Mueller', 'MULLER', 'Praxis-Müller', 'h.mueller@gmx.de', 'h_muller'])
      expect(isFound(typed, written), written).toBe(true);
  },
);

test('every beginning of a word finds it, also within an umlaut that is written with an e', () => {
  for (const word of ['Mueller', 'Müßiggang', 'Raphael', 'Aeel', 'Queue', 'e.oehler@example.org'])
    for (let end = 1; end <= word.length; end += 1)
      expect(isFound(word.slice(0, end), 'Frau', word), word.slice(0, end)).toBe(true);
});

test.each([
  ['müller gmx', true],
  ['gmx müller frau', true],
  ['müller gmail', false],
  ['h.mueller@gmx.de', true],
  ['h.mueller', true],
  ['@gmx.de', true],
  ['gmx.de', true],
  ['.de', true],
  ['"frau müller"', true],
  ['"müller frau"', false],
  ['"frau mü', true],
  ['Frau Müller <h.mueller@gmx.de>', true],
  ['Müller, Frau; h.mueller@gmx.de,', true],
  ['"Müller, Hanna" <h.mueller@gmx.de>', false],
  ['ller', false],
  ['rau', false],
  ['x.de', false],
  ['<>, ;', true],
  ['""', true],
  ['frau*', false],
  ['frau OR herr', false],
])('%j in "Frau Müller <h.mueller@gmx.de>": %s', (typed, expected) => {
  expect(isFound(typed, 'Frau Müller', 'h.mueller@gmx.de')).toBe(expected);
});

test('nothing is found across two fields', () => {
  expect(isFound('"müller h"', 'Müller', 'h.mueller@gmx.de')).toBe(false);
  expect(isFound('"müller\x1eh"', 'Müller', 'h.mueller@gmx.de')).toBe(false);
});

test('a word is looked at in one place, however many of its places have what is typed', () => {
  const find = vi.spyOn(String.prototype, 'indexOf');
  onTestFinished(() => find.mockRestore());
  const steps = (text: string, word: string): [found: boolean, steps: number] => {
    find.mockClear();
    return [hasWord(text, word), find.mock.calls.length];
  };
  const long = `x${'a'.repeat(10_000)}`;
  const typed = 'a'.repeat(100);
  expect(steps(long, typed)).toEqual([false, 1]);
  expect(steps(`${long} ${long}.`, typed)).toEqual([false, 3]);
  expect(steps(`${long} ${long} ${typed}`, typed)).toEqual([true, 3]);
  expect(steps(`${long}-${typed}`, typed)).toEqual([true, 2]);
});

test('words of scripts without case are found anywhere', () => {
  expect(isFound('太郎', '山田太郎')).toBe(true);
});

test('a part is found wherever a word begins or ends', () => {
  for (const part of ['euerung', 'erung', 'neue', 'ue'])
    expect(fold('Neuerung'), part).toContain(foldPart(part));
});
