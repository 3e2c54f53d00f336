// Maps words of a text to numbers without cutting the words out of it, which would be slower: two hashes of 32 bits, made
// letter by letter while the text is read, identify a word. Pure.
import { hashing, hashOf } from './letters.ts';

/** Stands for every word that is not in the vocabulary. */
export const UNKNOWN = 0;
/** Stands for every number; patterns write it as `#`. */
export const NUMBER = 1;

export interface Vocabulary {
  /** The number of the word with these hashes, or UNKNOWN. */
  readonly idOf: (first: number, second: number) => number;
  /** @throws Error for a word that is not in the vocabulary */
  readonly idOfWord: (word: string) => number;
  readonly wordOf: (id: number) => string;
  /** All numbers are smaller than this. */
  readonly size: number;
}

/** Four places for each word keep the chains short. */
const sizeFor = (count: number): number => 2 ** Math.ceil(Math.log2(count * 4 + 4));

export const createVocabulary = (words: Iterable<string>): Vocabulary => {
  const names = ['', '#', ...[...new Set(words)].filter((name) => name !== '#')];
  const size = sizeFor(names.length);
  const firsts = new Int32Array(size);
  const seconds = new Int32Array(size);
  const ids = new Uint16Array(size);

  /** The place of the word, or the free one where it would be. */
  const placeOf = (first: number, second: number): number => {
    // The low bits alone would collide often, because letters differ in few bits.
    let place = (first ^ (first >>> 15)) & (size - 1);
    while (ids[place] !== UNKNOWN && (firsts[place] !== first || seconds[place] !== second))
      place = (place + 1) & (size - 1);
    return place;
  };

  const hashesOf = (word: string): readonly [first: number, second: number] => {
    const codes = Uint16Array.from(word, (_, at) => word.charCodeAt(at));
    const hash = (factor: number): number => hashOf(codes, 0, codes.length, factor);
    return [hash(hashing.FIRST_FACTOR), hash(hashing.SECOND_FACTOR)];
  };

  for (let id = 2; id < names.length; id += 1) {
    const [first, second] = hashesOf(names[id] ?? '');
    const place = placeOf(first, second);
    // The same word may already be there in another spelling.
    if (ids[place] !== UNKNOWN) continue;
    firsts[place] = first;
    seconds[place] = second;
    ids[place] = id;
  }

  return {
    idOf: (first, second) => ids[placeOf(first, second)] ?? UNKNOWN,
    idOfWord: (word) => {
      const id = word === '#' ? NUMBER : (ids[placeOf(...hashesOf(word))] ?? UNKNOWN);
      if (id === UNKNOWN) throw new Error(`the vocabulary lacks ${word}`);
      return id;
    },
    wordOf: (id) => names[id] ?? '',
    size: names.length,
  };
};
