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
/** In a decomposed umlaut the vowel comes before it. */
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
