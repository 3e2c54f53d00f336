// Reads a text once: its words as numbers of a vocabulary, and unusual spelling such as capitals and hidden characters. It
// needs linear time and reads at most the first 64 Ki code units. Pure.
import {
  CAPITAL,
  CYRILLIC,
  DIGIT,
  EXCLAMATION,
  firstLetterOf,
  INVISIBLE,
  kindOfCode,
  SEPARATOR,
  SIGN,
  SILENT,
  SMALL,
  SPACE,
} from './letters.ts';
import { codesOf, NUMBER, type Vocabulary } from './vocabulary.ts';

/** UTF-16 code units, more than people and filters read of a mail. */
export const TEXT_LOOKED_AT = 65_536;

export interface TextReading {
  /** The number of words, numbers and signs. */
  readonly count: number;
  /** `count` numbers of the vocabulary. */
  readonly ids: Uint16Array;
  /** For each word of at least `LONG_WORD` characters a value that differs for most words, else 0. */
  readonly marks: Uint16Array;
  readonly letters: number;
  readonly capitals: number;
  readonly exclamations: number;
  /** The number of words with an invisible character between their letters. */
  readonly splitWords: number;
  /** The number of words with Latin and Cyrillic letters. */
  readonly mixedWords: number;
  /** Runs of at least `SPACED_LETTERS` single letters with one separator between each two. */
  readonly spacedWords: readonly string[];
  /** The longest run without white space that is not a link, in code units. */
  readonly longestRun: number;
}

/** Shorter words do not help to compare two texts. */
const LONG_WORD = 6;
const SPACED_LETTERS = 5;
/** Shorter runs are usual. */
const LONG_RUN = 100;
const FULL_STOP = 46;
const COMMA = 44;
const LINE_FEED = 10;

const isLink = (text: string, start: number): boolean => {
  const run = text.slice(start, start + LONG_RUN);
  return run.includes('://') || run.includes('www.');
};

/** Made of the first, the middle and the last but one letter and of the length. */
const markOf = (codes: Uint16Array, start: number, end: number): number => {
  const first = firstLetterOf[codes[start] ?? 0] ?? 0;
  const middle = codes[(start + end) >> 1] ?? 0;
  const nextToLast = codes[end - 2] ?? 0;
  return (Math.imul(first, 2_531) + Math.imul(middle, 547) + Math.imul(nextToLast, 59) + end - start) | 1;
};

/** Collects runs of single letters that have one separator between each two. */
class SpacedLetters {
  readonly found: string[] = [];
  #count = 0;
  #start = 0;
  #end = -2;

  add(text: string, start: number): void {
    if (start !== this.#end + 1 || text.charCodeAt(this.#end) === LINE_FEED) this.close(text);
    if (this.#count === 0) this.#start = start;
    this.#count += 1;
    this.#end = start + 1;
  }

  close(text: string): void {
    if (this.#count >= SPACED_LETTERS) this.found.push(text.slice(this.#start, this.#end));
    this.#count = 0;
  }
}

/** Whether an invisible character is between the word's letters. Such characters behind the word do not count. */
const isSplit = (codes: Uint16Array, start: number, end: number): boolean => {
  for (let at = start + 1; at < end; at += 1) {
    if (kindOfCode[codes[at] ?? 0] === INVISIBLE) return true;
  }
  return false;
};

const trimmedEnd = (codes: Uint16Array, end: number): number => {
  let at = end;
  while (kindOfCode[codes[at - 1] ?? 0] === INVISIBLE) at -= 1;
  return at;
};

const numberEnd = (codes: Uint16Array, start: number): number => {
  let at = start + 1;
  for (;;) {
    const code = codes[at] ?? 0;
    if (kindOfCode[code] === DIGIT) at += 1;
    else if ((code === FULL_STOP || code === COMMA) && kindOfCode[codes[at + 1] ?? 0] === DIGIT) at += 2;
    else return at;
  }
};

/** This is one loop with local variables, because every message passes here and closures would double its time. */
export const readText = (whole: string, vocabulary: Vocabulary): TextReading => {
  const text = whole.length > TEXT_LOOKED_AT ? whole.slice(0, TEXT_LOOKED_AT) : whole;
  const codes = codesOf(text);
  const end = text.length;
  const ids = new Uint16Array(end + 1);
  const marks = new Uint16Array(end + 1);
  const spaced = new SpacedLetters();
  let count = 0;
  let letters = 0;
  let capitals = 0;
  let exclamations = 0;
  let splitWords = 0;
  let mixedWords = 0;
  let longestRun = 0;
  let runStart = 0;

  let at = 0;
  // One more round: the code behind the end is a separator and ends the last run.
  while (at <= end) {
    let kind = kindOfCode[codes[at] ?? 0] ?? SEPARATOR;
    if (kind >= SMALL) {
      const start = at;
      let silent = 0;
      let cyrillic = 0;
      do {
        if (kind === CAPITAL) capitals += 1;
        else if (kind === CYRILLIC) cyrillic += 1;
        else if (kind < SMALL) silent += 1;
        // Most letters are small and need no further work.
        do {
          at += 1;
          // Both indexes are always within the tables. A default would cost a sixth of the whole loop.
          kind = kindOfCode[codes[at] as number] as number;
        } while (kind === SMALL);
      } while (kind >= SILENT);
      const wordEnd = silent === 0 ? at : trimmedEnd(codes, at);
      if (silent > 0 && isSplit(codes, start, wordEnd)) splitWords += 1;
      const length = at - start - silent;
      if (cyrillic > 0 && cyrillic < length) mixedWords += 1;
      letters += length;
      ids[count] = vocabulary.idAt(codes, start, wordEnd, length);
      if (length >= LONG_WORD) marks[count] = markOf(codes, start, wordEnd);
      else if (length === 1) spaced.add(text, start);
      count += 1;
    } else if (kind === DIGIT) {
      at = numberEnd(codes, at);
      ids[count] = NUMBER;
      count += 1;
    } else {
      if (kind === SPACE || at === end) {
        const run = at - runStart;
        if (run > LONG_RUN && run > longestRun && !isLink(text, runStart)) longestRun = run;
        runStart = at + 1;
      } else if (kind === EXCLAMATION) exclamations += 1;
      else if (kind === SIGN) {
        ids[count] = vocabulary.idAt(codes, at, at + 1, 1);
        count += 1;
      }
      at += 1;
    }
  }
  spaced.close(text);
  return {
    count,
    ids,
    marks,
    letters,
    capitals,
    exclamations,
    splitWords,
    mixedWords,
    spacedWords: spaced.found,
    longestRun,
  };
};
