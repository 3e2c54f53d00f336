// Headings and cells as plain words, however they are written: without case, accents and separators. Pure.
import { withoutInvisibles } from '#src/mail/visible-text.ts';

const MAX_PLAIN_NAME = 40;

const umlauts: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' };

const plainText = (text: string): string =>
  withoutInvisibles(text)
    .normalize('NFC')
    .toLowerCase()
    .replace(/[äöüß]/g, (letter) => umlauts[letter] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');

/** A heading as a name of letters, digits and `_`, by which columns are found and templates name their values. */
export const plainName = (cell: string): string =>
  plainText(cell)
    .replace(/^(?=\d)/, '_')
    .slice(0, MAX_PLAIN_NAME);

/** The words of a text; `hasOptedOut` has three. */
export const wordsOf = (text: string): readonly string[] =>
  plainText(text.slice(0, 200).replace(/(\p{Ll})(?=\p{Lu})/gu, '$1 ')).split('_');
