// Rules about how the text is written: capitals, punctuation, hidden characters, unfilled placeholders, wrong encodings. Pure.
import type { Reading } from '../reading/read-content.ts';
import type { TextReading } from '../reading/text.ts';
import type { ContentRule, RuleMatch } from './rule.ts';

const SHOUTED_LETTERS = 120;
const SHOUTED_SHARE = 0.6;
const EXCLAMATIONS = 5;
/** A text with more words for each exclamation mark does not shout. */
const WORDS_PER_EXCLAMATION = 25;
const SPLIT_WORDS = 3;
const MIXED_WORDS = 2;
/** The longest German words have 80 letters, and keys and signatures have lines of 76. */
const ENCODED_RUN = 300;
const GARBLED = 2;

/** The string that every spam filter must know (GTUBE). */
const GTUBE = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';

const anyText = (
  { textWords, htmlWords }: Reading,
  found: (words: TextReading) => RuleMatch | null,
): RuleMatch | null => (textWords && found(textWords)) ?? (htmlWords && found(htmlWords));

const inTexts =
  (found: (words: TextReading) => RuleMatch | null) =>
  (reading: Reading): RuleMatch | null =>
    anyText(reading, found);

/** Spaced letters in rosters have few different letters. */
const DIFFERENT_LETTERS = 4;
/** The initials of weekdays in calendars. */
const WEEK = /^(?:MDMDFSS|SMDMDFS|MTWTFSS|SMTWTFS|MDMDF|MTWTF)$/;

const isOddRun = (letters: string): boolean =>
  !WEEK.test(letters) && new Set(letters).size >= DIFFERENT_LETTERS;

/** A search for a rare character is many times as fast as the pattern. */
const placeholders: readonly { readonly trigger: string; readonly pattern: RegExp }[] = [
  { trigger: '{{', pattern: /\{\{(?!\s*unsubscribe_url\s*\}\})[^{}]{1,60}\}\}/ },
  { trigger: '<%', pattern: /<%[^%]{0,60}%>/ },
  { trigger: '*|', pattern: /\*\|[A-Z_:]{2,40}\|\*/ },
  { trigger: '${', pattern: /\$\{[A-Za-z_][\w.]{0,40}\}/ },
  { trigger: '%', pattern: /%(?:[A-Z]{2,20}_)?(?:VOR|NACH|FIRST|LAST)?_?(?:NAME|EMAIL|ANREDE|DATUM)%/ },
  { trigger: '[', pattern: /\[\[?(?:(?:vor|nach)name|name|anrede|first ?name|last ?name)\]?\]/i },
  { trigger: '[object ', pattern: /\[object [A-Z][a-z]{2,20}\]/ },
];

const WORDY = 'wordy_placeholder';
/** Words of which one is in every text that has a placeholder of words. */
export const placeholderPhrases = { [WORDY]: ['ipsum', 'undefined'] } as const;
const wordyPlaceholders: readonly { readonly trigger: string; readonly pattern: RegExp }[] = [
  { trigger: 'ipsum', pattern: /lorem ipsum/i },
  {
    trigger: 'undefined',
    pattern: /(?:hallo|liebe[r]?|frau|herr|hello|hi|dear)[\p{L} ]{0,20} undefined(?!\p{L})/iu,
  },
];

/** The visible text of both parts. */
const shownTexts = ({ text, html }: Reading): string[] =>
  [text, html?.text ?? null].filter((shown) => shown !== null);

const hasPlaceholder = ({ phrases }: Reading, text: string): boolean => {
  const possible = phrases.has(WORDY) ? [...placeholders, ...wordyPlaceholders] : placeholders;
  return possible.some(({ trigger, pattern }) => text.includes(trigger) && pattern.test(text));
};

const countGarbled = (text: string): number =>
  text.includes('Ã') || text.includes('â€') || text.includes('\ufffd')
    ? (text.match(/Ã[\u0080-\u00bf¤¶¼Ÿ\u201e\u0153]|â€|\ufffd/g)?.length ?? 0)
    : 0;

export const textRules: readonly ContentRule[] = [
  {
    id: 'gtube',
    weight: 100,
    finds: ({ content: { subject, text, html } }) =>
      [subject, text, html].some((part) => part?.includes('GTUBE') && part.includes(GTUBE))
        ? { detail: null }
        : null,
    why: {
      de: 'Die Mail enthält die Zeichenfolge, mit der Spamfilter geprüft werden (GTUBE).',
      en: 'The mail holds the string by which spam filters are tested (GTUBE).',
    },
    advice: {
      de: 'Entfernen Sie sie; jeder Filter weist sie ab.',
      en: 'Remove it; every filter rejects it.',
    },
  },
  {
    id: 'mixed_scripts',
    weight: 25,
    finds: inTexts(({ mixedWords }) => (mixedWords >= MIXED_WORDS ? { detail: String(mixedWords) } : null)),
    why: {
      de: 'Wörter mischen lateinische und kyrillische Buchstaben, um Filter zu umgehen.',
      en: 'Words mix Latin and Cyrillic letters, which is done to evade filters.',
    },
    advice: {
      de: 'Tippen Sie die Wörter neu, statt sie einzufügen.',
      en: 'Type the words again instead of pasting them.',
    },
  },
  {
    id: 'split_words',
    weight: 20,
    finds: inTexts(({ splitWords }) => (splitWords >= SPLIT_WORDS ? { detail: String(splitWords) } : null)),
    why: {
      de: 'In Wörtern stehen unsichtbare Zeichen; Filter werten das als Täuschung.',
      en: 'Words have invisible characters in them, which filters take for deceit.',
    },
    advice: {
      de: 'Entfernen Sie die Zeichen, etwa indem Sie den Text als reinen Text einfügen.',
      en: 'Remove them, for instance by pasting the text as plain text.',
    },
  },
  {
    id: 'unfilled_placeholder',
    weight: 12,
    finds: (reading) =>
      shownTexts(reading).some((text) => hasPlaceholder(reading, text)) ? { detail: null } : null,
    why: {
      de: 'Ein Platzhalter wurde nicht ersetzt, oder es steht noch Blindtext da.',
      en: 'A placeholder was not filled in, or there is still dummy text.',
    },
    advice: {
      de: 'Prüfen Sie die Vorlage und die Daten der Empfänger.',
      en: "Check the template and the recipients' data.",
    },
  },
  {
    id: 'spaced_words',
    weight: 10,
    finds: inTexts(({ spacedWords }) => {
      const odd = spacedWords.map((run) => run.replace(/[^\p{L}]/gu, '')).filter(isOddRun);
      return odd.length > 0 ? { detail: null } : null;
    }),
    why: {
      de: 'Gesperrt geschriebene Wörter sollen Filter umgehen und fallen ihnen deshalb auf.',
      en: 'Words with gaps between letters are meant to evade filters, which notice them for that.',
    },
    advice: {
      de: 'Schreiben Sie Wörter ohne Lücken; Abstand zwischen Buchstaben gibt die Schriftgestaltung.',
      en: 'Write words without gaps; spacing is a matter of styling.',
    },
  },
  {
    id: 'encoded_text',
    weight: 10,
    finds: inTexts(({ longestRun }) => (longestRun > ENCODED_RUN ? { detail: String(longestRun) } : null)),
    why: {
      de: 'Im Text steht eine lange Zeichenfolge ohne Leerzeichen, vermutlich kodierte Daten.',
      en: 'The text has a long run of characters without a blank, presumably encoded data.',
    },
    advice: { de: 'Senden Sie Daten als Anhang.', en: 'Send data as an attachment.' },
  },
  {
    id: 'shouted_text',
    weight: 8,
    finds: inTexts(({ letters, capitals }) =>
      letters >= SHOUTED_LETTERS && capitals > letters * SHOUTED_SHARE ? { detail: null } : null,
    ),
    why: { de: 'Der größte Teil des Textes ist großgeschrieben.', en: 'Most of the text is in capitals.' },
    advice: {
      de: 'Schreiben Sie in gewöhnlicher Groß- und Kleinschreibung.',
      en: 'Write it in ordinary case.',
    },
  },
  {
    id: 'garbled_text',
    weight: 6,
    finds: (reading) =>
      shownTexts(reading).some((text) => countGarbled(text) >= GARBLED) ? { detail: null } : null,
    why: {
      de: 'Umlaute oder Anführungszeichen sind falsch kodiert.',
      en: 'Letters with accents or quotation marks are wrongly encoded.',
    },
    advice: { de: 'Übergeben Sie den Text in UTF-8.', en: 'Hand the text over in UTF-8.' },
  },
  {
    id: 'exclamations',
    weight: 5,
    finds: inTexts(({ exclamations, count }) =>
      exclamations >= EXCLAMATIONS && exclamations * WORDS_PER_EXCLAMATION > count
        ? { detail: String(exclamations) }
        : null,
    ),
    why: { de: 'Im Text häufen sich Ausrufezeichen.', en: 'The text abounds in exclamation marks.' },
    advice: { de: 'Setzen Sie Punkte.', en: 'Use full stops.' },
  },
];
