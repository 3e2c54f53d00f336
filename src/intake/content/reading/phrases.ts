// Finds phrases, which have topics, in the words of a text. A pattern is a list of words with a blank between: `konto|zugang`
// is either of them, `ist?` may be missing, `*` is any one word, `#` is any number. Pure.
import { createVocabulary, NUMBER, UNKNOWN, type Vocabulary } from './vocabulary.ts';

/** The phrases that were found for each topic, in the words of the pattern, each once. */
export type PhraseHits = ReadonlyMap<string, readonly string[]>;

export interface Phrasebook {
  readonly vocabulary: Vocabulary;
  /** Finds phrases in several texts. */
  readonly findIn: (texts: readonly { readonly ids: Uint16Array; readonly count: number }[]) => PhraseHits;
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
  ids: part.startsWith('*') ? null : alternativesOf(part).map(vocabulary.idOfWord),
  isOptional: part.endsWith('?'),
});

/** The index behind the parts if they match from `at` on, else -1. */
const matchFrom = (
  parts: readonly Part[],
  part: number,
  ids: Uint16Array,
  count: number,
  at: number,
): number => {
  const wanted = parts[part];
  if (wanted === undefined) return at;
  if (at < count && (wanted.ids === null || wanted.ids.includes(ids[at] ?? UNKNOWN))) {
    const end = matchFrom(parts, part + 1, ids, count, at + 1);
    if (end !== -1) return end;
  }
  return wanted.isOptional ? matchFrom(parts, part + 1, ids, count, at) : -1;
};

/** @throws Error if the first part of a pattern is optional or any word */
export const createPhrasebook = (topics: Readonly<Record<string, readonly string[]>>): Phrasebook => {
  const patterns = Object.entries(topics).flatMap(([topic, list]) => list.map((text) => ({ topic, text })));
  const words = patterns.flatMap(({ text }) =>
    text.split(' ').flatMap((part) => (part.startsWith('*') ? [] : alternativesOf(part))),
  );
  const vocabulary = createVocabulary(words);
  const byFirst = new Map<number, Phrase[]>();
  for (const { topic, text } of patterns) {
    const [head = '', ...rest] = text.split(' ');
    if (head === '' || head.startsWith('*') || head.endsWith('?'))
      throw new Error(`the pattern ${JSON.stringify(text)} does not begin with a word`);
    const phrase = { topic, rest: rest.map((part) => partOf(part, vocabulary)) };
    for (const id of new Set(alternativesOf(head).map(vocabulary.idOfWord))) {
      byFirst.set(id, [...(byFirst.get(id) ?? []), phrase]);
    }
  }

  const begins = new Uint8Array(vocabulary.size);
  for (const id of byFirst.keys()) begins[id] = 1;

  const wordsFrom = (ids: Uint16Array, from: number, to: number): string =>
    [...ids.subarray(from, to)]
      .map((id) => (id === UNKNOWN || id === NUMBER ? '…' : vocabulary.wordOf(id)))
      .join(' ');

  return {
    vocabulary,
    findIn: (texts) => {
      const found = new Map<string, Map<Phrase, string>>();
      for (const { ids, count } of texts) {
        for (let at = 0; at < count; at += 1) {
          const id = ids[at] ?? UNKNOWN;
          if (begins[id] === 0) continue;
          for (const phrase of byFirst.get(id) ?? []) {
            const end = matchFrom(phrase.rest, 0, ids, count, at + 1);
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
