// Finds phrases, which have topics, in the words of a text. A pattern is a list of words with a blank between: `konto|zugang`
// is either of them, `ist?` may be missing, `*` is any one word, `#` is any number. Pure.
import { NUMBER, UNKNOWN, Vocabulary } from './vocabulary.ts';

/** The phrases that were found for each topic, in the words of the pattern, each once. */
export type PhraseHits = ReadonlyMap<string, readonly string[]>;

export interface Phrasebook {
  readonly vocabulary: Vocabulary;
  /** Finds phrases in several texts, each as the numbers of its words. */
  readonly findIn: (texts: readonly Uint16Array[]) => PhraseHits;
}

interface Part {
  /** Null matches any word. */
  readonly ids: readonly number[] | null;
  readonly isOptional: boolean;
}

interface Phrase {
  readonly topic: string;
  readonly rest: readonly Part[];
}

const alternativesOf = (part: string): string[] => part.replace(/\?$/, '').split('|');

const partOf = (part: string, vocabulary: Vocabulary): Part => ({
  ids: part.startsWith('*') ? null : alternativesOf(part).map((word) => vocabulary.idOfWord(word)),
  isOptional: part.endsWith('?'),
});

/** The index behind the parts if they match from `at` on, else -1. */
const matchFrom = (parts: readonly Part[], part: number, ids: Uint16Array, at: number): number => {
  const wanted = parts[part];
  if (wanted === undefined) return at;
  if (at < ids.length && (wanted.ids === null || wanted.ids.includes(ids[at] ?? UNKNOWN))) {
    const end = matchFrom(parts, part + 1, ids, at + 1);
    if (end !== -1) return end;
  }
  return wanted.isOptional ? matchFrom(parts, part + 1, ids, at) : -1;
};

/** The words that may come first where the parts match; null: any word, or the end of the text. */
const firstWordsOf = (parts: readonly Part[]): readonly number[] | null => {
  const words: number[] = [];
  for (const { ids, isOptional } of parts) {
    if (ids === null) return null;
    words.push(...ids);
    if (!isOptional) return words;
  }
  return null;
};

const WITH_SOME = 1;
const WITH_ANY = 2;

/** Most words begin no phrase, and most that do are not followed by a second word of one: a look at each pair tells. */
const PAIR_BITS = 16;
const placeOfPair = (first: number, second: number): number =>
  Math.imul(Math.imul(first, 0x9e3779b1) ^ second, 0x85ebca6b) >>> (32 - PAIR_BITS);

/** @throws Error if the first part of a pattern is optional or any word */
export const createPhrasebook = (topics: Readonly<Record<string, readonly string[]>>): Phrasebook => {
  const patterns = Object.entries(topics).flatMap(([topic, list]) => list.map((text) => ({ topic, text })));
  const words = patterns.flatMap(({ text }) =>
    text.split(' ').flatMap((part) => (part.startsWith('*') ? [] : alternativesOf(part))),
  );
  const vocabulary = new Vocabulary(words);
  const byFirst = Array.from({ length: vocabulary.size }, (): Phrase[] => []);
  /** Whether words begin a phrase, and whether one of these phrases may go on with any word. */
  const begins = new Uint8Array(vocabulary.size);
  const pairs = new Uint8Array(2 ** PAIR_BITS);
  for (const { topic, text } of patterns) {
    const [head = '', ...rest] = text.split(' ');
    if (head === '' || head.startsWith('*') || head.endsWith('?'))
      throw new Error(`the pattern ${JSON.stringify(text)} does not begin with a word`);
    const phrase = { topic, rest: rest.map((part) => partOf(part, vocabulary)) };
    const seconds = firstWordsOf(phrase.rest);
    for (const id of new Set(alternativesOf(head).map((word) => vocabulary.idOfWord(word)))) {
      byFirst[id]?.push(phrase);
      begins[id] = Math.max(begins[id] ?? 0, seconds === null ? WITH_ANY : WITH_SOME);
      for (const second of seconds ?? []) pairs[placeOfPair(id, second)] = 1;
    }
  }

  const wordsFrom = (ids: Uint16Array, from: number, to: number): string =>
    [...ids.subarray(from, to)]
      .map((id) => (id === UNKNOWN || id === NUMBER ? '…' : vocabulary.wordOf(id)))
      .join(' ');

  return {
    vocabulary,
    findIn: (texts) => {
      const found = new Map<string, Map<Phrase, string>>();
      for (const ids of texts) {
        for (let at = 0; at < ids.length; at += 1) {
          const id = ids[at] ?? UNKNOWN;
          const begun = begins[id];
          if (begun === 0) continue;
          if (begun === WITH_SOME && pairs[placeOfPair(id, ids[at + 1] ?? UNKNOWN)] === 0) continue;
          for (const phrase of byFirst[id] ?? []) {
            const end = matchFrom(phrase.rest, 0, ids, at + 1);
            if (end === -1) continue;
            const ofTopic = found.get(phrase.topic);
            if (ofTopic?.has(phrase)) continue;
            const shown = wordsFrom(ids, at, end);
            if (ofTopic) ofTopic.set(phrase, shown);
            else found.set(phrase.topic, new Map([[phrase, shown]]));
          }
        }
      }
      return new Map([...found].map(([topic, phrases]) => [topic, [...phrases.values()]]));
    },
  };
};
