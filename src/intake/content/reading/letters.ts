// Tables of characters by code unit, so that a text is read in one pass. Words are compared without case and accents, and ä,
// ö, ü and ß are equal to ae, oe, ue and ss, because people without these keys write them so. Pure.

/** Kinds of characters. Their order matters: from `SILENT` on they can be in a word, from `SMALL` on they can begin one. */
export const SEPARATOR = 0;
export const SPACE = 1;
export const DIGIT = 2;
export const EXCLAMATION = 3;
/** `%` and `€` are words of their own. */
export const SIGN = 4;
/** Has no width and is usual in words: soft hyphen, combining marks. */
export const SILENT = 5;
/** Has no width and is unusual in words. */
export const INVISIBLE = 6;
export const SMALL = 7;
export const CAPITAL = 8;
/** Many of these letters look like Latin ones. */
export const CYRILLIC = 9;

/** All later characters are separators, except for the byte order mark. */
const KNOWN = 0x2100;
const BYTE_ORDER_MARK = 0xfeff;
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

const makeTables = () => {
  const kinds = new Uint8Array(ALL);
  const firsts = new Uint16Array(ALL);
  const seconds = new Uint16Array(ALL);
  for (let code = 0; code < KNOWN; code += 1) {
    const char = String.fromCharCode(code);
    const small = char.toLowerCase();
    const letters = twoLetters[small] ?? small.normalize('NFD').charAt(0);
    kinds[code] = kindOf(char);
    if (kinds[code] === SILENT) continue;
    firsts[code] = letters.charCodeAt(0);
    seconds[code] = letters.length > 1 ? letters.charCodeAt(1) : 0;
  }
  // In a decomposed umlaut the vowel comes before the mark.
  seconds[0x0308] = 'e'.charCodeAt(0);
  kinds[BYTE_ORDER_MARK] = INVISIBLE;
  return { kinds, firsts, seconds };
};

const tables = makeTables();
export const kindOfCode: Uint8Array = tables.kinds;
/** The letter that a code unit counts as, and the letter after that (`ä` is `ae`); 0 if there is none. */
export const firstLetterOf: Uint16Array = tables.firsts;
export const secondLetterOf: Uint16Array = tables.seconds;
