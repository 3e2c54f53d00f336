// The pages on which people without a program of their own report abuse, in German and English.
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml, page } from '#src/kernel/page.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import { MAX_DESCRIPTION } from './schema.ts';

export const REPORT_PATH = '/api/public/abuse';

interface Words {
  readonly title: string;
  readonly intro: string;
  readonly email: string;
  readonly emailNote: string;
  readonly name: string;
  readonly subject: string;
  readonly description: string;
  readonly source: string;
  readonly sourceNote: string;
  readonly optional: string;
  readonly send: string;
  readonly receivedTitle: string;
  readonly received: string;
  readonly number: string;
}

const words: Readonly<Record<Language, Words>> = {
  de: {
    title: 'Missbrauch melden',
    intro:
      'Haben Sie über diesen Dienst eine E-Mail erhalten, die Sie nicht bestellt haben oder die Sie täuschen soll? Melden Sie sie hier. Wir prüfen jede Meldung.',
    email: 'Ihre E-Mail-Adresse',
    emailNote: 'Dorthin schreiben wir Ihnen, wie es mit Ihrer Meldung weitergeht.',
    name: 'Ihr Name',
    subject: 'Betreff',
    description: 'Was ist vorgefallen?',
    source: 'Die gemeldete E-Mail als Datei (.eml)',
    sourceNote: 'Höchstens 10 MB. Am meisten hilft uns die E-Mail mit allen Kopfzeilen.',
    optional: 'freiwillig',
    send: 'Meldung absenden',
    receivedTitle: 'Ihre Meldung ist eingegangen',
    received: 'Vielen Dank. Wir bestätigen Ihnen den Eingang per E-Mail und prüfen Ihre Meldung.',
    number: 'Nummer Ihrer Meldung',
  },
  en: {
    title: 'Report abuse',
    intro:
      'Have you received an email through this service that you did not ask for, or that is meant to deceive you? Report it here. We look at every report.',
    email: 'Your email address',
    emailNote: 'We will write to you there about what becomes of your report.',
    name: 'Your name',
    subject: 'Subject',
    description: 'What happened?',
    source: 'The reported email as a file (.eml)',
    sourceNote: 'At most 10 MB. The email with all of its headers helps us most.',
    optional: 'optional',
    send: 'Send the report',
    receivedTitle: 'Your report has arrived',
    received: 'Thank you. We will confirm it by email and look into your report.',
    number: 'Number of your report',
  },
};

/** The form, which is sent back to where it came from. */
export const reportPage = (language: Language, serviceName: string): RouteResult => {
  const say = words[language];
  const optional = `<span class="note">(${say.optional})</span>`;
  return page({
    language,
    serviceName,
    title: say.title,
    body: `<p>${say.intro}</p>
<form method="post" action="${REPORT_PATH}" enctype="multipart/form-data" accept-charset="utf-8">
<label for="email">${say.email}</label>
<input id="email" name="email" type="email" required maxlength="254" autocomplete="email" aria-describedby="email-note">
<p class="note" id="email-note">${say.emailNote}</p>
<label for="name">${say.name} ${optional}</label>
<input id="name" name="name" maxlength="200" autocomplete="name">
<label for="subject">${say.subject}</label>
<input id="subject" name="subject" required maxlength="200">
<label for="description">${say.description}</label>
<textarea id="description" name="description" required maxlength="${MAX_DESCRIPTION}"></textarea>
<label for="source">${say.source} ${optional}</label>
<input id="source" name="source" type="file" accept=".eml,.txt,message/rfc822,text/plain" aria-describedby="source-note">
<p class="note" id="source-note">${say.sourceNote}</p>
<button type="submit">${say.send}</button>
</form>`,
  });
};

export const receivedPage = (language: Language, serviceName: string, ticketId: string): RouteResult => {
  const say = words[language];
  return page({
    language,
    serviceName,
    title: say.receivedTitle,
    body: `<p>${say.received}</p>\n<p>${say.number}: <code>${escapeHtml(ticketId)}</code></p>`,
  });
};
