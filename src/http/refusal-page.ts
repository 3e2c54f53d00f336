// A refusal as a page, for browsers: people post forms, follow links that are over, and come too often. What to do is said
// in the page's language; the details are those of the API, in English.
import type { AppError, FieldProblem } from '#src/kernel/errors.ts';
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml, page } from '#src/kernel/page.ts';
import type { RouteResult } from '#src/kernel/route.ts';

interface Words {
  readonly title: string;
  readonly text: string;
}

interface Phrases {
  /** The request has to be another one. */
  readonly refused: Words;
  readonly notFound: Words;
  readonly tooMany: (seconds: number) => Words;
  /** Nothing may be promised of the request. */
  readonly unavailable: (seconds: number) => Words;
  /** The same request may succeed later. */
  readonly failed: Words;
}

const phrases: Readonly<Record<Language, Phrases>> = {
  de: {
    refused: {
      title: 'Das hat nicht geklappt',
      text: 'Bitte gehen Sie zurück, ändern Sie Ihre Angaben und senden Sie sie noch einmal ab.',
    },
    notFound: {
      title: 'Diese Seite gibt es nicht',
      text: 'Bitte prüfen Sie die Adresse.',
    },
    tooMany: (seconds) => ({
      title: 'Zu viele Anfragen',
      text: `Bitte warten Sie ${seconds === 1 ? 'eine Sekunde' : `${seconds} Sekunden`} und versuchen Sie es dann noch einmal.`,
    }),
    unavailable: (seconds) => ({
      title: 'Das geht gerade nicht',
      text: `Der Fehler liegt bei uns: Ihre Anfrage konnte nicht bearbeitet werden. Bitte versuchen Sie es in ${seconds === 1 ? 'einer Sekunde' : `${seconds} Sekunden`} noch einmal.`,
    }),
    failed: {
      title: 'Das hat leider nicht geklappt',
      text: 'Der Fehler liegt bei uns. Bitte versuchen Sie es später noch einmal.',
    },
  },
  en: {
    refused: {
      title: 'That did not work',
      text: 'Please go back, change what you entered and send it again.',
    },
    notFound: {
      title: 'There is no such page',
      text: 'Please check the address.',
    },
    tooMany: (seconds) => ({
      title: 'Too many requests',
      text: `Please wait ${seconds === 1 ? 'a second' : `${seconds} seconds`}, then try again.`,
    }),
    unavailable: (seconds) => ({
      title: 'This is not possible right now',
      text: `The fault is ours: your request could not be handled. Please try again in ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`,
    }),
    failed: {
      title: 'Sorry, that did not work',
      text: 'The fault is ours. Please try again later.',
    },
  },
};

const wordsFor = ({ code, status, extra }: AppError, language: Language): Words => {
  const { refused, notFound, tooMany, unavailable, failed } = phrases[language];
  if (code === 'rate_limited') return tooMany(Number(extra.retry_after));
  if (code === 'unavailable') return unavailable(Number(extra.retry_after));
  if (status >= 500) return failed;
  return status === 404 ? notFound : refused;
};

/** Where a problem is, as the form names its fields. */
const line = ({ path, message }: FieldProblem): string =>
  `<li><b>${escapeHtml(path.replace(/^\w+\./, ''))}</b>: ${escapeHtml(message)}</li>`;

const details = ({ status, message, extra }: AppError): string => {
  const { fields } = extra as { readonly fields?: readonly FieldProblem[] };
  if (fields) return `<ul lang="en">${fields.map(line).join('')}</ul>`;
  const isSaid = status === 404 || status === 429 || status >= 500;
  return isSaid ? '' : `<p class="note" lang="en">${escapeHtml(message)}</p>`;
};

export const refusalPage = (error: AppError, language: Language, serviceName: string): RouteResult => {
  const { title, text } = wordsFor(error, language);
  const body = `<p>${escapeHtml(text)}</p>\n${details(error)}`;
  return page({ status: error.status, language, title, serviceName, body });
};
