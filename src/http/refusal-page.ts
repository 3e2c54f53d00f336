// A refusal as a page, for browsers: people post forms, follow links that are over, and come too often. What to do is said
// in the page's language, and the details are those of the API.
import type { FieldProblem } from '#src/kernel/error-table.ts';
import type { AppError } from '#src/kernel/errors.ts';
import { type Language, type MemberLanguage, memberLanguageOf } from '#src/kernel/language.ts';
import { escapeHtml, page } from '#src/kernel/page.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import type { Speak } from '#src/kernel/say.ts';
import { wordsIn } from './words.ts';

const wordsFor = ({ code, status, extra }: AppError, language: Language) => {
  const { refused, notFound, tooMany, unavailable, failed } = wordsIn(language).refusal;
  if (code === 'rate_limited') return tooMany(Number(extra.retry_after));
  if (code === 'unavailable') return unavailable(Number(extra.retry_after));
  if (status >= 500) return failed;
  return status === 404 ? notFound : refused;
};

/** Where a problem is, as the form names its fields. */
const line = ({ path, message }: FieldProblem, speak: Speak): string =>
  `<li><b>${escapeHtml(path.replace(/^\w+\./, ''))}</b>: ${escapeHtml(speak(message))}</li>`;

/** Members' languages have the details too; people with another one read them in one of these. */
const details = ({ status, text, fields }: AppError, speak: Speak, language: MemberLanguage): string => {
  if (fields) return `<ul lang="${language}">${fields.map((field) => line(field, speak)).join('')}</ul>`;
  const isSaid = status === 404 || status === 429 || status >= 500;
  return isSaid ? '' : `<p class="note" lang="${language}">${escapeHtml(speak(text))}</p>`;
};

export const refusalPage = (
  error: AppError,
  language: Language,
  speakIn: (language: MemberLanguage) => Speak,
  serviceName: string,
): RouteResult => {
  const { title, text } = wordsFor(error, language);
  const told = memberLanguageOf(language);
  // A form is corrected by going back, and a page that is not there leads on.
  const home =
    error.status === 404 ? `\n<p><a href="/">${escapeHtml(wordsIn(language).refusal.home)}</a></p>` : '';
  const body = `<p>${escapeHtml(text)}</p>\n${details(error, speakIn(told), told)}${home}`;
  return page({ status: error.status, language, title, serviceName, body });
};
