// Detects in which of the service's languages a message is written: by frequent small words if they are clear, else by the
// document's `lang` attribute and by letters that only German has. The default is German. Pure.
import type { Language } from '#src/kernel/language.ts';
import type { Content } from './assessment.ts';
import { readHtml } from './reading/html.ts';
import { readText } from './reading/text.ts';
import { Vocabulary } from './reading/vocabulary.ts';

/** UTF-16 code units of text, more than is needed to decide. */
const LOOKED_AT = 1_200;
/** Templates often have a wrong `lang="en"`. The words decide if one language has this many more than the other. */
const CLEAR_LEAD = 4;

const english =
  'the and you your for with this is are we our please to of on have has been will from that be at not it can if here hello dear hi thank thanks regards sincerely appointment order invoice';
const german =
  'der die das den dem des und sie ihr ihre ihren ihrem ihrer für mit ist sind wir uns unser unsere bitte nicht am um zu von im auf ein eine einen bei zum zur dass haben wird werden können hallo guten sehr geehrte geehrter liebe lieber grüße grüßen termin rechnung bestellung uhr du dein deine';
const englishWords = english.split(' ');
const words = new Vocabulary([...englishWords, ...german.split(' ')]);
/** The numbers of English words come first, behind the two numbers that stand for no word. */
const FIRST_GERMAN = 2 + englishWords.length;
const HTML_LANGUAGE = /<html[^>]{0,200}\slang=["']?([a-z]{2})/i;
const GERMAN_LETTERS = /[äöüß]/i;

/** Above zero if there are more English words than German ones. */
const leadOfEnglish = (text: string): number => {
  let lead = 0;
  for (const id of readText(text, words).ids) {
    if (id > 1) lead += id < FIRST_GERMAN ? 1 : -1;
  }
  return lead;
};

export const languageOf = ({ subject, text, html }: Pick<Content, 'subject' | 'text' | 'html'>): Language => {
  // A whole body behind the subject would be copied for its beginning.
  const body = text?.slice(0, LOOKED_AT) ?? (html === null ? '' : readHtml(html, LOOKED_AT).text);
  const shown = `${subject}\n${body}`.slice(0, LOOKED_AT);
  const lead = leadOfEnglish(shown) - (GERMAN_LETTERS.test(shown) ? 1 : 0);
  const declared = HTML_LANGUAGE.exec(html?.slice(0, LOOKED_AT) ?? '')?.[1]?.toLowerCase();
  if (Math.abs(lead) >= CLEAR_LEAD || declared === undefined) return lead > 0 ? 'en' : 'de';
  return declared === 'de' ? 'de' : 'en';
};
