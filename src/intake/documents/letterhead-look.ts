// How a practice's letters look: its letterhead, with colours that can be read on light and dark grounds, and the language of the
// document. Pure.
import { languageOf } from '#src/content/language.ts';
import { publicWordsIn } from '#src/intake/words.ts';
import { contrast, readableOn } from '#src/kernel/contrast.ts';
import { defaultLanguage, type Language, languages } from '#src/kernel/language.ts';
import { type Accent, GROUND, type Look, type Picture, SENDER_NAME } from '#src/mail/document/look.ts';
import type { Document } from '#src/mail/document/schema.ts';
import { textOf } from '#src/mail/document/text.ts';
import type { LetterheadRow } from './letterhead-store.ts';

const USUAL_COLOUR = '#1a5f9e';
const READABLE = 4.5;
const INKS = ['#ffffff', '#222222', '#000000'] as const;
const HEBREW = /[\u0590-\u05ff]/;
const ARABIC = /[\u0600-\u06ff]/;

const lightAccent = (colour: string): Accent => ({
  text: readableOn(GROUND.light, colour),
  fill: colour,
  on: INKS.find((ink) => contrast(ink, colour) >= READABLE) ?? '#000000',
});

const darkAccent = (colour: string): Accent => {
  const text = readableOn(GROUND.dark, colour);
  return { text, fill: text, on: GROUND.dark };
};

/** BCP 47; null: one that is not known. */
const documentLanguage = (document: Document, look: Look): string | null => {
  const text = textOf(document, look);
  if (document.direction === 'rtl') return HEBREW.test(text) ? 'he' : ARABIC.test(text) ? 'ar' : null;
  return languageOf({ subject: look.title ?? '', text, html: null });
};

const isOurs = (language: string | null): language is Language =>
  languages.some((known) => known === language);

/** What a letterhead ends with that says nothing else. */
export const usualSignature = (language: string | null): string =>
  `${publicWordsIn(isOurs(language) ? language : defaultLanguage).letter.closing}\n${SENDER_NAME}`;

export interface LookFacts {
  readonly letterhead: LetterheadRow;
  readonly subject: string | null;
  readonly imageOf: (id: string) => Picture | null;
}

export const lookOf = (document: Document, { letterhead, subject, imageOf }: LookFacts): Look => {
  const { logo, logo_alt, signature } = letterhead;
  const colour = letterhead.colour ?? USUAL_COLOUR;
  const picture = logo === null ? null : imageOf(logo);
  const bare: Look = {
    language: null,
    title: subject,
    logo: picture && { ...picture, alt: logo_alt },
    light: lightAccent(colour),
    dark: darkAccent(colour),
    signature: signature ?? '',
    imageOf,
  };
  const language = documentLanguage(document, bare);
  return { ...bare, language, signature: signature ?? usualSignature(language) };
};
