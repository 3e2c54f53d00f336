// Which characters of a name, a subject or a file name are text, and which only hide or turn what is seen. Pure.
//
// U+200C and U+200D are spelling between letters and marks (Persian, Hindi, Sinhala) and make one emoji of two (a doctor, a family). At
// any other place, and beside one another, they only make two equal texts differ.

const JOINED = '[\\p{L}\\p{M}\\p{Emoji_Presentation}\\p{Extended_Pictographic}]';
const SPELLING = new RegExp(`(?<=${JOINED})[\\u200c\\u200d](?=${JOINED})`, 'gu');
const LOST_JOINER = `(?<!${JOINED})[\\u200c\\u200d]|[\\u200c\\u200d](?!${JOINED})`;
/** Direction marks, embeddings, overrides and isolates; zero-width space, word joiner, byte order mark and their like. */
const HIDING = '[\\u061c\\u180e\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u2064\\u2066-\\u2069\\ufeff]';
const HIDDEN = new RegExp(`${LOST_JOINER}|${HIDING}`, 'gu');
const UNSEEN = new RegExp(`${LOST_JOINER}|${HIDING}|[\\p{Cc}\\u2028\\u2029\\u2065]`, 'u');

/** The text without the characters that change or hide text and are not shown. */
export const withoutInvisibles = (text: string): string => text.replace(HIDDEN, '');

/** Whether all that is there is seen, and on one line. */
export const isSeen = (text: string): boolean => !UNSEEN.test(text);

/** The text without the joiners that are spelling, for rules that refuse each character that is not shown. */
export const withoutSpelling = (text: string): string => text.replace(SPELLING, '');
