// In which of the service's languages a message is written: by the document's own word, else by its most frequent small
// words. German where nothing speaks for either. Pure.
import type { Language } from '#src/kernel/language.ts';
import type { Content } from './assessment.ts';

/** More than is needed to tell. UTF-16 code units. */
const LOOKED_AT = 4_000;
const ENGLISH = /\b(?:the|and|you|your|for|with|this|is|are|we|our|please|to|of|on)\b/gi;
const GERMAN =
  /(?<!\p{L})(?:der|die|das|und|sie|ihr|ihre|ihren|für|mit|ist|sind|wir|bitte|nicht|am|um|uhr)(?!\p{L})/giu;

const count = (text: string, words: RegExp): number => text.match(words)?.length ?? 0;

export const languageOf = ({ subject, text, html }: Pick<Content, 'subject' | 'text' | 'html'>): Language => {
  const declared = /<html[^>]{0,200}\slang=["']?([a-z]{2})/i.exec(html?.slice(0, LOOKED_AT) ?? '')?.[1];
  if (declared) return declared.toLowerCase() === 'de' ? 'de' : 'en';
  const seen = `${subject}\n${(text ?? html?.replace(/<[^>]*>/g, ' ') ?? '').slice(0, LOOKED_AT)}`;
  return count(seen, ENGLISH) > count(seen, GERMAN) ? 'en' : 'de';
};
