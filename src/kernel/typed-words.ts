// Words as people type them, and texts in the form in which they are compared: without case and marks, `ß` as `ss`, and an
// umlaut, with its dots, without them or written with an e, as one letter. So `Müller`, `muller` and `MUELLER` find each other.
// Control characters separate fields; no field contains them, so nothing is found across two fields. Pure.

const FIELD = '\x1e';
const CONTROL = /[\x00-\x1f\x7f]/g;
const IS_ASCII = /^[\x20-\x7e]*$/;

/** Letters that Unicode does not take apart into a letter and a mark. */
const single: Readonly<Record<string, string>> = { æ: 'a', œ: 'o', ø: 'o', ł: 'l', đ: 'd', ð: 'd', ς: 'σ' };
const SINGLES = new RegExp(`[${Object.keys(single).join('')}]`, 'g');
/** Only what is before it says whether an e is left out, so what a word begins with is what its compared form begins with. */
const E_OF_UMLAUT = /(?<=[aou])e/g;

/** Removes accents by NFKD, and capitals by way of upper case, so that `ß` and `ẞ` become `ss`. */
const plain = (text: string): string => {
  if (IS_ASCII.test(text)) return text.toLowerCase();
  const letters = text.toWellFormed().normalize('NFKD').replace(/\p{M}/gu, '').replace(CONTROL, ' ');
  return letters
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replace(SINGLES, (letter) => single[letter] ?? letter);
};

/** The form in which texts are compared. */
export const fold = (text: string): string => plain(text).replace(E_OF_UMLAUT, '');

/** The text in which values are found. */
export const foldFields = (values: readonly string[]): string => values.map(fold).join(FIELD);

/** A part of a text, wherever a word begins: its own first e may be one that the text leaves out. */
export const foldPart = (part: string): string => fold(part).replace(/^e/, '');

/** What is in quotes is one phrase, closed or not; the other characters stand around addresses and in lists. */
const WORDS = /"([^"]*)"?|[^\s"<>(),;]+/g;

/** The words and phrases of a search, to be found all of them by `hasWord`. */
export const typedWords = (typed: string): string[] =>
  [...typed.matchAll(WORDS)]
    .map(([word, phrase = word]) => fold(phrase).trim())
    .filter((word) => word !== '');

/** Scripts without case are often written without spaces, so their words are found anywhere. */
const CONTINUES = /[\p{Ll}\p{Nd}]/u;
const ENDS = /[^\p{Ll}\p{Nd}]/gu;

/** Where the word that the position is in ends; -1 where it ends the text. */
const endOfWord = (text: string, position: number): number => {
  ENDS.lastIndex = position;
  return ENDS.exec(text)?.index ?? -1;
};

/** Whether a word of the folded text begins with `word`; what begins with neither letter nor digit is found anywhere. */
export const hasWord = (text: string, word: string): boolean => {
  if (!CONTINUES.test(String.fromCodePoint(word.codePointAt(0) ?? 0))) return text.includes(word);
  for (let at = text.indexOf(word); at !== -1; ) {
    if (!CONTINUES.test(text[at - 1] ?? '')) return true;
    // What else begins within the same word begins none.
    const end = endOfWord(text, at);
    at = end === -1 ? -1 : text.indexOf(word, end + 1);
  }
  return false;
};

/** What `haveWords` looks for; '' where nothing is. */
export const joinWords = (typed: string | null): string => typedWords(typed ?? '').join(FIELD);

/** A function of SQL: whether the values have all of these words, which `joinWords` has joined. */
export const haveWords = (words: string, ...values: readonly (string | null)[]): 0 | 1 => {
  if (words === '') return 1;
  const text = foldFields(values.map((value) => value ?? ''));
  return words.split(FIELD).every((word) => hasWord(text, word)) ? 1 : 0;
};
