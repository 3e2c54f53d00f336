// Reads a message's content once for all content rules. Pure.
import type { Content } from '../assessment.ts';
import { type HtmlReading, readHtml } from './html.ts';
import { type Link, linksInText, parseLink, readText, TEXT_LOOKED_AT, type TextReading } from './text.ts';
import type { Phrasebook, PhraseHits } from './vocabulary.ts';

export interface Reading {
  readonly content: Content;
  /** The text part, at most `TEXT_LOOKED_AT`; null if there is none. */
  readonly text: string | null;
  readonly textWords: TextReading | null;
  readonly html: HtmlReading | null;
  /** The words of the visible text of the HTML. */
  readonly htmlWords: TextReading | null;
  /** The links of both parts. */
  readonly links: readonly Link[];
  /** The phrases in the subject and both parts, by topic. */
  readonly phrases: PhraseHits;
}

export const readContent = (content: Content, book: Phrasebook): Reading => {
  const text = content.text?.slice(0, TEXT_LOOKED_AT) ?? null;
  const html = content.html === null ? null : readHtml(content.html);
  const textWords = text === null ? null : readText(text, book.vocabulary);
  const htmlWords = html === null ? null : readText(html.text, book.vocabulary);
  const subjectWords = readText(content.subject, book.vocabulary);
  const texts = [subjectWords, textWords, htmlWords].flatMap((words) => words?.ids ?? []);
  return {
    content,
    text,
    textWords,
    html,
    htmlWords,
    links: [
      ...(html?.links ?? []).map(({ target, text: shown }) => parseLink(target, shown)),
      ...(content.text === null ? [] : linksInText(content.text)),
      ...(html === null ? [] : linksInText(html.text)),
    ],
    phrases: book.findIn(texts),
  };
};
