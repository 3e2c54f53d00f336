// Reads a text once: its words as numbers of a vocabulary, and what strikes the eye in how they are written. Linear; looks
// at the first 64 Ki code units. Pure.
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

/** More than anybody reads of a mail; what filters look at is less. UTF-16 code units. */
export const TEXT_LOOKED_AT = 65_536;

export interface TextReading {
  /** How many words, numbers and signs there are. */
  readonly count: number;
  /** Numbers of the vocabulary, `count` of them. */
  readonly ids: Uint16Array;
  /** For each word of at least `LONG_WORD` characters something that tells it from most others, else 0. */
  readonly marks: Uint16Array;
  readonly letters: number;
  readonly capitals: number;
  readonly exclamations: number;
  /** Words with something invisible between their letters. */
  readonly splitWords: number;
  /** Words of Latin and Cyrillic letters. */
  readonly mixedWords: number;
  /** Runs of at least `SPACED_LETTERS` single letters with one separator between each two, as they stand there. */
  readonly spacedWords: readonly string[];
  /** The longest run without white space that is no link, in code units. */
  readonly longestRun: number;
}

/** Shorter words say little about whether two texts say the same. */
const LONG_WORD = 6;
const SPACED_LETTERS = 5;
/** Shorter runs are of no interest. */
const LONG_RUN = 100;
const FULL_STOP = 46;
const COMMA = 44;
const LINE_FEED = 10;

const isLink = (text: string, start: number): boolean => {
  const run = text.slice(start, start + LONG_RUN);
  return run.includes('://') || run.includes('www.');
};

/** What tells a word from most others: first, middle and last but one letter, and length. */
const markOf = (codes: Uint16Array, start: number, end: number): number => {
  const first = firstLetterOf[codes[start] ?? 0] ?? 0;
  const middle = codes[(start + end) >> 1] ?? 0;
  const nextToLast = codes[end - 2] ?? 0;
  return (Math.imul(first, 2_531) + Math.imul(middle, 547) + Math.imul(nextToLast, 59) + end - start) | 1;
};

/** Single letters, one separator apart. */
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

/** Whether something invisible stands between the word's letters. Filling behind it does not. */
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

/** All in one loop with variables of its own: it is on the way of every message, and closures would double its time. */
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
  // One round more: what stands behind the end separates, and ends the last run.
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
        // Most letters are small: nothing is to be done about them.
        do {
          at += 1;
          // Within both tables; a default would cost a sixth of the whole loop.
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
