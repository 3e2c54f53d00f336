// Maps words of a text to numbers without cutting the words out of it, which would be slower. The first letter, the last
// letter and the length exclude most words; two hashes of 32 bits identify the others. Pure.
import { firstLetterOf, secondLetterOf } from './letters.ts';

/** Stands for every word that is not in the vocabulary. */
export const UNKNOWN = 0;
/** Stands for every number; patterns write it as `#`. */
export const NUMBER = 1;

export interface Vocabulary {
  /** The number of the word from `start` to `end`, or UNKNOWN. `length` counts its visible characters. */
  readonly idAt: (codes: Uint16Array, start: number, end: number, length: number) => number;
  /** @throws Error for a word that is not in the vocabulary */
  readonly idOfWord: (word: string) => number;
  readonly wordOf: (id: number) => string;
  /** All numbers are smaller than this. */
  readonly size: number;
}

const LONGEST = 31;
/** A value of 15 bits. */
export const outlineOf = (first: number, last: number, length: number): number =>
  ((first & 31) << 10) | ((last & 31) << 5) | Math.min(length, LONGEST);

export const codesOf = (text: string): Uint16Array => {
  // One code more: a separator behind the end.
  const codes = new Uint16Array(text.length + 1);
  Buffer.from(codes.buffer).write(text, 'utf16le');
  return codes;
};

const umlauts: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' };

const FIRST_FACTOR = 0x01000193;
const SECOND_FACTOR = 0x2c1b3c6d;

const hashOf = (codes: Uint16Array, start: number, end: number, factor: number): number => {
  let hash = 0;
  for (let at = start; at < end; at += 1) {
    const code = codes[at] ?? 0;
    const letter = firstLetterOf[code] ?? 0;
    if (letter !== 0) hash = Math.imul(hash ^ letter, factor);
    const behind = code < 128 ? 0 : (secondLetterOf[code] ?? 0);
    if (behind !== 0) hash = Math.imul(hash ^ behind, factor);
  }
  return hash;
};

/** Four places for each word keep the chains short. */
const sizeFor = (count: number): number => 2 ** Math.ceil(Math.log2(count * 4 + 4));

export const createVocabulary = (words: Iterable<string>): Vocabulary => {
  const names = ['', '#', ...[...new Set(words)].filter((name) => name !== '#')];
  const size = sizeFor(names.length);
  const firsts = new Int32Array(size);
  const seconds = new Int32Array(size);
  const ids = new Uint16Array(size);
  const outlines = new Uint8Array(2 ** 15);

  // The low bits alone would collide often, because letters differ in few bits.
  const firstPlaceOf = (hash: number): number => (hash ^ (hash >>> 15)) & (size - 1);

  /** The second hash is seldom computed, because the first already excludes most words. */
  const idBetween = (codes: Uint16Array, start: number, end: number): number => {
    const first = hashOf(codes, start, end, FIRST_FACTOR);
    for (let place = firstPlaceOf(first); ; place = (place + 1) & (size - 1)) {
      const id = ids[place] ?? UNKNOWN;
      if (id === UNKNOWN) return UNKNOWN;
      if (firsts[place] === first && seconds[place] === hashOf(codes, start, end, SECOND_FACTOR)) return id;
    }
  };

  const add = (codes: Uint16Array, end: number, id: number): void => {
    const first = hashOf(codes, 0, end, FIRST_FACTOR);
    let place = firstPlaceOf(first);
    while (ids[place] !== UNKNOWN) place = (place + 1) & (size - 1);
    firsts[place] = first;
    seconds[place] = hashOf(codes, 0, end, SECOND_FACTOR);
    ids[place] = id;
  };

  const outlineOfWord = (word: string): number =>
    outlineOf(
      firstLetterOf[word.charCodeAt(0)] ?? 0,
      firstLetterOf[word.charCodeAt(word.length - 1)] ?? 0,
      word.length,
    );

  for (let id = 2; id < names.length; id += 1) {
    const name = names[id] ?? '';
    for (const spelling of [name, name.replace(/[äöüß]/g, (char) => umlauts[char] ?? char)]) {
      outlines[outlineOfWord(spelling)] = 1;
    }
    const codes = codesOf(name);
    // The same word may already be there in another spelling.
    if (idBetween(codes, 0, name.length) === UNKNOWN) add(codes, name.length, id);
  }

  return {
    idAt: (codes, start, end, length) => {
      const first = firstLetterOf[codes[start] ?? 0] ?? 0;
      const last = firstLetterOf[codes[end - 1] ?? 0] ?? 0;
      if (outlines[outlineOf(first, last, length)] === 0) return UNKNOWN;
      return idBetween(codes, start, end);
    },
    idOfWord: (word) => {
      const id = word === '#' ? NUMBER : idBetween(codesOf(word), 0, word.length);
      if (id === UNKNOWN) throw new Error(`the vocabulary lacks ${word}`);
      return id;
    },
    wordOf: (id) => names[id] ?? '',
    size: names.length,
  };
};
