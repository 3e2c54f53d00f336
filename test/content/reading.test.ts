import { describe, expect, test } from 'vitest';
import { readText, TEXT_LOOKED_AT } from '#src/content/reading/text.ts';
import { createPhrasebook, NUMBER, UNKNOWN, Vocabulary } from '#src/content/reading/vocabulary.ts';
import { fraudPhrases } from '#src/content/rules/fraud-rules.ts';
import { promotionalPhrases } from '#src/content/rules/promotional-rules.ts';
import { advertisingTexts, badMails, doubtfulMails, ordinaryMails, plainTexts } from './mails.ts';

const topics: Readonly<Record<string, readonly string[]>> = { ...fraudPhrases, ...promotionalPhrases };
const book = createPhrasebook(topics);
const patterns = Object.values(topics).flat();
const alternativesOf = (part: string): string[] => part.replace('?', '').split('|');
const vocabularyWords = [
  ...new Set(patterns.flatMap((text) => text.split(' ').flatMap(alternativesOf))),
].filter((word) => word !== '*' && word !== '#');

// The plain way to read, which the fast one must agree with: by patterns, with strings, in several passes.
const spellings: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', æ: 'ae', ø: 'oe' };
const LETTER = String.raw`(?:(?=[\p{Script=Latin}\p{Script=Cyrillic}])[\u0000-\u20ff](?<![\p{M}\u00ad]))`;
const MARK = String.raw`(?:(?=[\p{M}\u00ad\u200b-\u200d\u2060\u180e\ufeff])[\u0000-\u20ff\ufeff])`;
const WORDS = new RegExp(`${LETTER}(?:${LETTER}|${MARK})*|[0-9](?:[0-9]|[.,](?=[0-9]))*|[%€$£]`, 'gu');
const plainWord = (word: string): string =>
  [...word.replace(/[\u200b-\u200d\u2060\u180e\ufeff]+$/, '').replaceAll('\ufeff', '')]
    .map((char) => {
      if (char === '\u0308') return 'e';
      if (/[\p{M}\u00ad]/u.test(char)) return '';
      const small = char.toLowerCase();
      return spellings[small] ?? small.normalize('NFD').charAt(0);
    })
    .join('');
const plainWords = (text: string): string[] =>
  (text.match(WORDS) ?? []).map((word) => (/^[0-9]/.test(word) ? '#' : plainWord(word)));
const known = new Set(vocabularyWords.map(plainWord));
const plainReading = (text: string): string[] =>
  plainWords(text).map((word) => (word === '#' || known.has(word) ? word : ''));
const fastReading = (text: string): string[] =>
  [...readText(text, book.vocabulary).ids].map((id) =>
    id === UNKNOWN ? '' : id === NUMBER ? '#' : plainWord(book.vocabulary.wordOf(id)),
  );

/** A pattern as one expression over words that are joined by blanks, each with a blank behind it. */
const plainPatterns = Object.entries(topics).flatMap(([topic, list]) =>
  list.map((text) => {
    const parts = text.split(' ').map((part) => {
      const words = part.startsWith('*')
        ? '[^ ]*'
        : alternativesOf(part)
            .map((word) => plainWord(word).replace('$', '\\$'))
            .join('|');
      return `(?:(?:${words}) )${part.endsWith('?') ? '?' : ''}`;
    });
    return { topic, pattern: new RegExp(`(?<= )${parts.join('')}`) };
  }),
);
const plainPhrases = (text: string): Record<string, number> => {
  const joined = ` ${plainReading(text).join(' ')} `;
  const counts: Record<string, number> = {};
  for (const { topic, pattern } of plainPatterns)
    if (pattern.test(joined)) counts[topic] = (counts[topic] ?? 0) + 1;
  return counts;
};
const fastPhrases = (text: string): Record<string, number> =>
  Object.fromEntries(
    [...book.findIn([readText(text, book.vocabulary).ids])].map(([topic, found]) => [topic, found.length]),
  );

/** The same numbers at each run. */
const createRandom = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};
const random = createRandom(15);
const oneOf = <T>(list: readonly T[]): T => list[random(list.length)] as T;
const odd = [
  '\u00ad',
  '\u200b',
  '\u0301',
  '\u0308',
  '\ufeff',
  '\u0430',
  'É',
  '7',
  '1.5',
  '!',
  '%',
  '€',
  ' ',
  '\u00a0',
  '\n',
  '-',
  'ß',
  '\ud83d',
  'λ',
  '日本',
  'ﬁ',
  'Ǆ',
];
const respelled = [
  (word: string) => word,
  (word: string) => word,
  (word: string) => word.toUpperCase(),
  (word: string) => word.normalize('NFD'),
  (word: string) => word.replace(/[äöüß]/g, (char) => spellings[char] ?? char),
  (word: string) => word.replace(/[äöüß]/, (char) => spellings[char] ?? char),
  (word: string) => {
    const at = random(word.length + 1);
    return word.slice(0, at) + oneOf(odd) + word.slice(at);
  },
];
const phraseText = (): string =>
  oneOf(patterns)
    .split(' ')
    .filter((part) => !part.endsWith('?') || random(2) === 0)
    .map((part) => (part.startsWith('*') ? oneOf(odd) : oneOf(alternativesOf(part)).replace('#', '20')))
    .map((word) => oneOf(respelled)(word))
    .join(' ');
const mixture = (): string =>
  Array.from({ length: 1 + random(12) }, () =>
    random(3) === 0 ? oneOf(respelled)(oneOf(vocabularyWords)) : phraseText(),
  ).join(oneOf([' ', ' ', ', ', '. ', '\n']));
const mails = [...ordinaryMails, ...doubtfulMails, ...badMails];
const written = [
  ...mails.flatMap(({ subject, text = '', html = '' }) => [subject, text, html]),
  ...plainTexts,
  ...advertisingTexts,
];
const texts = [...written, ...Array.from({ length: 1_500 }, mixture), '', ' ', ...odd];

describe('the fast reading', () => {
  test('knows the words that a plain one knows', () => {
    for (const text of texts) expect(fastReading(text), text).toEqual(plainReading(text));
  });
  test('finds the phrases that a plain one finds', () => {
    for (const text of texts) expect(fastPhrases(text), text).toEqual(plainPhrases(text));
  });
  test('of one text leaves nothing behind for the next', () => {
    for (const text of texts.slice(0, 200)) {
      const before = readText(text, book.vocabulary);
      const copy = structuredClone(before);
      readText('Freispiele für alle! '.repeat(500), book.vocabulary);
      expect(before).toEqual(copy);
      expect(readText(text, book.vocabulary)).toEqual(copy);
    }
  });
  test('ends at its bound, also within a word', () => {
    const long = 'ab '.repeat(TEXT_LOOKED_AT);
    expect(readText(long, book.vocabulary).count).toBe(Math.ceil(TEXT_LOOKED_AT / 3));
    const cut = `${' '.repeat(TEXT_LOOKED_AT - 4)}sale`;
    const words = new Vocabulary(['sale']);
    expect([...readText(cut, words).ids]).toEqual([words.idOfWord('sale')]);
    expect([...readText(`${cut}s`, words).ids]).toEqual([words.idOfWord('sale')]);
    expect([...readText(` ${cut}`, words).ids]).toEqual([UNKNOWN]);
  });
});

/** Steps are counted, because time says little on a busy machine: how often words are looked at. */
const stepsFor = (ids: Uint16Array): number => {
  let steps = 0;
  const counted = new Proxy(ids, {
    get: (target, key) => {
      if (typeof key === 'string' && /^\d+$/.test(key)) steps += 1;
      const value = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  book.findIn([counted]);
  return steps;
};

test('no repetition of words makes phrases cost more than some looks at each word', () => {
  const LENGTH = 100;
  const worst = (words: readonly string[]): number => {
    const { ids } = readText(`${words.join(' ')} `.repeat(LENGTH), book.vocabulary);
    return stepsFor(ids) / ids.length;
  };
  const single = vocabularyWords.map((word) => worst([word]));
  const whole = patterns.map((text) =>
    worst(text.split(' ').map((part) => alternativesOf(part)[0]?.replace(/[*#]/, '7') ?? '')),
  );
  expect(Math.max(...single, ...whole)).toBeLessThan(40);
});
