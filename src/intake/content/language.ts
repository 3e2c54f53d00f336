// In which of the service's languages a message is written: by its frequent small words, where they are clear, else by the
// document's own word and by letters that only German has. German where nothing speaks for either. Pure.
import type { Language } from '#src/kernel/language.ts';
import type { Content } from './assessment.ts';
import { readHtml } from './reading/html.ts';
import { readText } from './reading/text.ts';
import { createVocabulary } from './reading/vocabulary.ts';

/** More than is needed to tell. UTF-16 code units of text. */
const LOOKED_AT = 1_200;
/** Templates say `lang="en"` without anybody having looked: so many more words of the other language are believed. */
const CLEAR_LEAD = 4;

const english =
  'the and you your for with this is are we our please to of on have has been will from that be at not it can if here hello dear hi thank thanks regards sincerely appointment order invoice';
const german =
  'der die das den dem des und sie ihr ihre ihren ihrem ihrer für mit ist sind wir uns unser unsere bitte nicht am um zu von im auf ein eine einen bei zum zur dass haben wird werden können hallo guten sehr geehrte geehrter liebe lieber grüße grüßen termin rechnung bestellung uhr du dein deine';
const englishWords = english.split(' ');
const words = createVocabulary([...englishWords, ...german.split(' ')]);
/** Numbers of English words come first, behind the two that are no words. */
const FIRST_GERMAN = 2 + englishWords.length;
const HTML_LANGUAGE = /<html[^>]{0,200}\slang=["']?([a-z]{2})/i;
const GERMAN_LETTERS = /[äöüß]/i;

/** Above zero: English. */
const leadOfEnglish = (text: string): number => {
  const { ids, count } = readText(text.slice(0, LOOKED_AT), words);
  let lead = 0;
  for (let at = 0; at < count; at += 1) {
    const id = ids[at] ?? 0;
    if (id > 1) lead += id < FIRST_GERMAN ? 1 : -1;
  }
  return lead;
};

export const languageOf = ({ subject, text, html }: Pick<Content, 'subject' | 'text' | 'html'>): Language => {
  const body = text ?? (html === null ? '' : readHtml(html, LOOKED_AT).text);
  const shown = `${subject}\n${body}`.slice(0, LOOKED_AT);
  const lead = leadOfEnglish(shown) - (GERMAN_LETTERS.test(shown) ? 1 : 0);
  const declared = HTML_LANGUAGE.exec(html?.slice(0, LOOKED_AT) ?? '')?.[1]?.toLowerCase();
  if (Math.abs(lead) >= CLEAR_LEAD || declared === undefined) return lead > 0 ? 'en' : 'de';
  return declared === 'de' ? 'de' : 'en';
};
