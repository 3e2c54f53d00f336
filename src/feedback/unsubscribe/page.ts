// The pages behind the unsubscribe link, in German and English: they name the sender and what ends, with one button for this
// mail and one for all mail of the sender. They ask for nothing, neither an address nor a reason.
import { domainToUnicode } from 'node:url';
import { type LegalLine, legalLines, legalOf } from '#src/accounts/tenants/legal.ts';
import type { PracticeRow, RouteRow } from '#src/accounts/tenants/store.ts';
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml, type Look, page } from '#src/kernel/page.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import type { Stream } from '#src/kernel/stream.ts';
import { maskAddress } from '#src/mail/address.ts';
import { isPseudonym } from '#src/messages/pseudonym.ts';
import { type Copy, isQuestion, type UnsubscribeScope } from './unsubscribe.ts';

interface Words {
  readonly title: string;
  readonly doneTitle: string;
  readonly unknownTitle: string;
  /** What people call the mail of a route. */
  readonly mail: Readonly<Record<Stream, string>>;
  /** Where it is no longer known. */
  readonly yourAddress: string;
  readonly ask: (practice: string, address: string, mail: string) => string;
  /** What the second button ends as well. */
  readonly warnAll: (practice: string) => string;
  readonly stop: string;
  readonly stopAll: string;
  readonly stopped: Readonly<
    Record<UnsubscribeScope, (practice: string, address: string, mail: string) => string>
  >;
  readonly alreadySent: string;
  /** Of a mail that asks whether someone wants to be on a list. */
  readonly question: {
    readonly title: string;
    readonly ask: (practice: string, address: string) => string;
    readonly stop: string;
    readonly doneTitle: string;
    readonly stopped: (practice: string, address: string) => string;
  };
  readonly lists: string;
  readonly sender: string;
  readonly unknown: string;
  readonly unknownAdvice: string;
}

const words: Readonly<Record<Language, Words>> = {
  de: {
    title: 'E-Mails abbestellen',
    doneTitle: 'Sie sind abgemeldet',
    unknownTitle: 'Dieser Link ist nicht gültig',
    mail: {
      marketing: 'Newsletter und Angebote',
      transactional: 'Mitteilungen wie Terminbestätigungen und Erinnerungen',
    },
    yourAddress: 'Ihre Adresse',
    ask: (practice, address, mail) =>
      `Möchten Sie an <strong>${address}</strong> keine E-Mails dieser Art mehr von <strong>${practice}</strong> bekommen? Gemeint sind: ${mail}.`,
    warnAll: (practice) =>
      `Oder möchten Sie gar keine E-Mails mehr von ${practice} bekommen? Das gilt auch für Terminbestätigungen und Erinnerungen.`,
    stop: 'Diese E-Mails abbestellen',
    stopAll: 'Alle E-Mails dieses Absenders abbestellen',
    stopped: {
      route: (practice, address, mail) =>
        `<strong>${practice}</strong> schickt an <strong>${address}</strong> keine E-Mails dieser Art mehr. Gemeint sind: ${mail}.`,
      team: (practice, address) =>
        `<strong>${practice}</strong> schickt an <strong>${address}</strong> keine E-Mails mehr.`,
    },
    alreadySent: 'E-Mails, die schon unterwegs sind, können Sie noch erreichen.',
    question: {
      title: 'Anmeldung ablehnen',
      ask: (practice, address) =>
        `Möchten Sie die Anmeldung von <strong>${address}</strong> bei <strong>${practice}</strong> ablehnen? Für andere E-Mails ändert sich nichts.`,
      stop: 'Anmeldung ablehnen',
      doneTitle: 'Sie haben die Anmeldung abgelehnt',
      stopped: (practice, address) =>
        `Die Anmeldung von <strong>${address}</strong> bei <strong>${practice}</strong> ist abgelehnt. Für andere E-Mails ändert sich nichts.`,
    },
    lists: 'Nur einzelne Listen abbestellen',
    sender: 'Absender',
    unknown:
      'Vielleicht ist der Link nicht vollständig, oder die E-Mail ist so alt, dass wir sie nicht mehr zuordnen können. Es wurde nichts geändert.',
    unknownAdvice:
      'Bitte öffnen Sie den Link noch einmal direkt aus der E-Mail, oder antworten Sie dem Absender, dass Sie keine E-Mails mehr möchten.',
  },
  en: {
    title: 'Unsubscribe',
    doneTitle: 'You are unsubscribed',
    unknownTitle: 'This link is not valid',
    mail: {
      marketing: 'newsletters and offers',
      transactional: 'messages such as appointment confirmations and reminders',
    },
    yourAddress: 'your address',
    ask: (practice, address, mail) =>
      `Do you want <strong>${practice}</strong> to stop sending emails of this kind to <strong>${address}</strong>? This means: ${mail}.`,
    warnAll: (practice) =>
      `Or do you want no emails from ${practice} at all? This includes appointment confirmations and reminders.`,
    stop: 'Unsubscribe from these emails',
    stopAll: 'Unsubscribe from all emails of this sender',
    stopped: {
      route: (practice, address, mail) =>
        `<strong>${practice}</strong> no longer sends emails of this kind to <strong>${address}</strong>. This means: ${mail}.`,
      team: (practice, address) =>
        `<strong>${practice}</strong> no longer sends any emails to <strong>${address}</strong>.`,
    },
    alreadySent: 'Emails that are already on their way may still reach you.',
    question: {
      title: 'Decline the subscription',
      ask: (practice, address) =>
        `Do you want to decline the subscription of <strong>${address}</strong> at <strong>${practice}</strong>? Nothing changes for other emails.`,
      stop: 'Decline the subscription',
      doneTitle: 'You have declined the subscription',
      stopped: (practice, address) =>
        `The subscription of <strong>${address}</strong> at <strong>${practice}</strong> is declined. Nothing changes for other emails.`,
    },
    lists: 'Unsubscribe from single lists only',
    sender: 'Sender',
    unknown:
      'The link may be incomplete, or the email is so old that we can no longer find it. Nothing has been changed.',
    unknownAdvice:
      'Please open the link again directly from the email, or reply to the sender that you do not want any more emails.',
  },
};

/** The routes that every tenant has; other routes are named, because the tenant made them. */
const BUILT_IN: ReadonlySet<string> = new Set(['outgoing', 'broadcast']);

const mailOf = ({ slug, name, type }: RouteRow, say: Words): string =>
  BUILT_IN.has(slug) ? say.mail[type] : `${escapeHtml(name)} (${say.mail[type]})`;

/** The sender, as far as the tenant has given it. */
export const imprint = (practice: PracticeRow, language: Language): string => {
  const say = words[language];
  const { name, custom_domain, managed_host } = practice;
  const [who, ...rest] = legalLines({ name, legal: legalOf(practice) }, language, 'whole');
  const host = { text: domainToUnicode(custom_domain ?? managed_host) };
  const lines = [...(who ? [who] : []), host, ...rest].map(({ text, link }: LegalLine) =>
    link
      ? `<a href="${escapeHtml(link.url)}" rel="noopener noreferrer">${escapeHtml(link.text)}</a>`
      : escapeHtml(text),
  );
  return `<p class="note"><b>${say.sender}</b><br>${lines.join('<br>')}</p>`;
};

/** A form that only its button submits, because machines follow links. */
export const button = (action: string, label: string, look: 'main' | 'other' = 'main'): string =>
  `<form method="post" action="${escapeHtml(action)}"><button type="submit"${look === 'other' ? ' class="other"' : ''}>${label}</button></form>`;

export interface UnsubscribeView {
  readonly copy: Copy;
  readonly look: Look;
  /** What they have unsubscribed from. */
  readonly stopped: UnsubscribeScope | null;
  /** Target of the buttons. */
  readonly action: Readonly<Record<UnsubscribeScope, string>>;
  /** The page of the person's lists. */
  readonly preferences: string;
}

export const unsubscribePage = (
  language: Language,
  serviceName: string,
  { copy, look, stopped, action, preferences }: UnsubscribeView,
): RouteResult => {
  const say = words[language];
  const practice = escapeHtml(copy.practice.name);
  const address = isPseudonym(copy.address) ? say.yourAddress : escapeHtml(maskAddress(copy.address));
  const mail = mailOf(copy.route, say);
  // Other mail went to no list.
  const lists =
    copy.message.source === 'campaign'
      ? `<p><a href="${escapeHtml(preferences)}">${say.lists}</a></p>\n`
      : '';
  const all = `<p>${say.warnAll(practice)}</p>\n${button(action.team, say.stopAll)}`;
  const isAsked = isQuestion(copy) && stopped !== 'team';
  const { title, doneTitle, ask, stop } = isAsked ? say.question : say;
  const asks = `<p>${ask(practice, address, mail)}</p>\n${button(action.route, stop)}\n${lists}${all}`;
  const ended = (scope: UnsubscribeScope): string =>
    isAsked
      ? say.question.stopped(practice, address)
      : `${say.stopped[scope](practice, address, mail)} ${say.alreadySent}`;
  const done = stopped === null ? '' : `<p>${ended(stopped)}</p>\n${stopped === 'route' ? all : ''}`;
  return page({
    language,
    serviceName,
    look,
    title: stopped === null ? title : doneTitle,
    body: `${stopped === null ? asks : done}\n${imprint(copy.practice, language)}`,
  });
};

/** One page for every defective link, so that it does not show which links exist. */
export const unknownLinkPage = (language: Language, serviceName: string): RouteResult => {
  const say = words[language];
  return page({
    status: 404,
    language,
    serviceName,
    title: say.unknownTitle,
    body: `<p>${say.unknown}</p>\n<p>${say.unknownAdvice}</p>`,
  });
};
