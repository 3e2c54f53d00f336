// Maps words of a text to numbers without cutting the words out of it, which would be slower: two hashes of 32 bits, made
// letter by letter while the text is read, identify a word. Pure.

/** The number that is used for every word that is not in the vocabulary. */
export const UNKNOWN = 0;
/** The number that is used for every number; patterns write it as `#`. */
export const NUMBER = 1;

/** Four places for each word keep the chains short. */
const sizeFor = (count: number): number => 2 ** Math.ceil(Math.log2(count * 4 + 4));

const hashesOf = (word: string): readonly [first: number, second: number] => {
  const codes = Uint16Array.from(word, (_, at) => word.charCodeAt(at));
  const hash = (factor: number): number => hashOf(codes, 0, codes.length, factor);
  return [hash(hashing.FIRST_FACTOR), hash(hashing.SECOND_FACTOR)];
};

/** A class, because there are several vocabularies: a closure of each would be called slowly. */
export class Vocabulary {
  readonly #names: readonly string[];
  readonly #firsts: Int32Array;
  readonly #seconds: Int32Array;
  readonly #ids: Uint16Array;

  constructor(words: Iterable<string>) {
    this.#names = ['', '#', ...[...new Set(words)].filter((name) => name !== '#')];
    const size = sizeFor(this.#names.length);
    this.#firsts = new Int32Array(size);
    this.#seconds = new Int32Array(size);
    this.#ids = new Uint16Array(size);
    for (let id = 2; id < this.#names.length; id += 1) {
      const [first, second] = hashesOf(this.#names[id] ?? '');
      const place = this.#placeOf(first, second);
      // The same word may already be there in another spelling.
      if (this.#ids[place] !== UNKNOWN) continue;
      this.#firsts[place] = first;
      this.#seconds[place] = second;
      this.#ids[place] = id;
    }
  }

  /** All numbers are smaller than this. */
  get size(): number {
    return this.#names.length;
  }

  /** The number of the word with these hashes, or UNKNOWN. */
  idOf(first: number, second: number): number {
    return this.#ids[this.#placeOf(first, second)] ?? UNKNOWN;
  }

  /** @throws Error for a word that is not in the vocabulary */
  idOfWord(word: string): number {
    const id = word === '#' ? NUMBER : this.idOf(...hashesOf(word));
    if (id === UNKNOWN) throw new Error(`the vocabulary lacks ${word}`);
    return id;
  }

  wordOf(id: number): string {
    return this.#names[id] ?? '';
  }

  /** The place of the word, or the free one where it would be. */
  #placeOf(first: number, second: number): number {
    const mask = this.#ids.length - 1;
    // The low bits alone would collide often, because letters differ in few bits.
    let place = (first ^ (first >>> 15)) & mask;
    while (this.#ids[place] !== UNKNOWN && (this.#firsts[place] !== first || this.#seconds[place] !== second))
      place = (place + 1) & mask;
    return place;
  }
}

// A table of characters by code unit, so that a text is read in one pass. Words are compared without case and accents, and ä,
// ö, ü and ß are equal to ae, oe, ue and ss, because people without these keys write them so. Pure.

const KIND = 0xff << 24;
const SECOND = 16;

/**
 * An entry of the table is the kind of the character, the letter that it counts as and the letter after that: `ä` is `ae`.
 * A letter that is not there is 0. The order of the kinds matters: below `SILENT` they can begin a word, below `SIGN` they
 * can be in one.
 */
export const entries = {
  SMALL: 0 << 24,
  CAPITAL: 1 << 24,
  /** Many of these letters look like Latin ones. */
  CYRILLIC: 2 << 24,
  /** Has no width and is usual in words: soft hyphen, combining marks. */
  SILENT: 3 << 24,
  /** Has no width and is unusual in words. */
  INVISIBLE: 4 << 24,
  /** `%` and `€` are words of their own. */
  SIGN: 5 << 24,
  DIGIT: 6 << 24,
  EXCLAMATION: 7 << 24,
  SPACE: 8 << 24,
  SEPARATOR: 9 << 24,
  KIND,
  FIRST_LETTER: 0xffff,
  SECOND_LETTER: 0xff << SECOND,
  /** Below this an entry is a small letter that counts as one. */
  PLAIN: 1 << SECOND,
} as const;

const { SMALL, CAPITAL, CYRILLIC, SILENT, INVISIBLE, SIGN, DIGIT, EXCLAMATION, SPACE, SEPARATOR } = entries;

/** All later characters are separators, except for the byte order mark. */
const KNOWN = 0x2100;
const BYTE_ORDER_MARK = 0xfeff;
/** In an umlaut of two code points (NFD) the vowel comes before it. */
const DIAERESIS = 0x0308;
const ALL = 0x10000;

const twoLetters: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', æ: 'ae', ø: 'oe' };

const kindOf = (char: string): number => {
  if (/\s/.test(char)) return SPACE;
  if (/[0-9]/.test(char)) return DIGIT;
  if (/[\u200b-\u200d\u2060\u180e]/.test(char)) return INVISIBLE;
  if (/[\u00ad\p{M}]/u.test(char)) return SILENT;
  if (/\p{Script=Cyrillic}/u.test(char)) return CYRILLIC;
  if (/\p{Script=Latin}/u.test(char)) return /\p{Lu}/u.test(char) ? CAPITAL : SMALL;
  if (char === '!') return EXCLAMATION;
  return /[%€$£]/.test(char) ? SIGN : SEPARATOR;
};

const lettersOf = (char: string): string => {
  const small = char.toLowerCase();
  return twoLetters[small] ?? small.normalize('NFD').charAt(0);
};

const entryOf = (kind: number, letters: string): number =>
  kind | ((letters.charCodeAt(1) || 0) << SECOND) | (letters.charCodeAt(0) || 0);

const makeTable = (): Int32Array => {
  const table = new Int32Array(ALL).fill(SEPARATOR);
  for (let code = 0; code < KNOWN; code += 1) {
    const char = String.fromCharCode(code);
    const kind = kindOf(char);
    table[code] = entryOf(kind, kind === SILENT ? '' : lettersOf(char));
  }
  table[DIAERESIS] = entryOf(SILENT, '\0e');
  table[BYTE_ORDER_MARK] = INVISIBLE;
  return table;
};

/** The entries by code unit. */
export const entryOfCode: Int32Array = makeTable();

/** A word's hash begins with 0, and each letter makes it `Math.imul(hash ^ letter, factor)`. Two of them identify a word. */
export const hashing = { FIRST_FACTOR: 0x01000193, SECOND_FACTOR: 0x2c1b3c6d } as const;

/** The hash of the word from `start` to `end`. */
export const hashOf = (codes: Uint16Array, start: number, end: number, factor: number): number => {
  let hash = 0;
  for (let at = start; at < end; at += 1) {
    const entry = entryOfCode[codes[at] ?? 0] ?? 0;
    const first = entry & entries.FIRST_LETTER;
    if (first !== 0) hash = Math.imul(hash ^ first, factor);
    const second = (entry & entries.SECOND_LETTER) >> SECOND;
    if (second !== 0) hash = Math.imul(hash ^ second, factor);
  }
  return hash;
};

// Finds phrases, which have topics, in the words of a text. A pattern is a list of words with a blank between: `konto|zugang`
// is either of them, `ist?` may be missing, `*` is any one word, `#` is any number. Pure.

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
