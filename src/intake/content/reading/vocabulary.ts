// Maps words of a text to numbers without cutting the words out of it, which would be slower: two hashes of 32 bits, made
// letter by letter while the text is read, identify a word. Pure.
import { hashing, hashOf } from './letters.ts';

/** Stands for every word that is not in the vocabulary. */
export const UNKNOWN = 0;
/** Stands for every number; patterns write it as `#`. */
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
