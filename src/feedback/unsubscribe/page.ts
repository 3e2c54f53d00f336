// The pages behind the unsubscribe link: they name the sender and what ends, with one button for this
// mail and one for all mail of the sender. They ask for nothing, neither an address nor a reason.
import { domainToUnicode } from 'node:url';
import { type LegalLine, legalLines, legalOf } from '#src/accounts/tenants/legal.ts';
import type { PracticeRow, RouteRow } from '#src/accounts/tenants/store.ts';
import { type Words, wordsIn } from '#src/feedback/words.ts';
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml, type Look, page } from '#src/kernel/page.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import { maskAddress } from '#src/mail/address.ts';
import { isPseudonym } from '#src/messages/pseudonym.ts';
import { type Copy, isQuestion, type UnsubscribeScope } from './unsubscribe.ts';

/** The routes that every tenant has; other routes are named, because the tenant made them. */
const BUILT_IN: ReadonlySet<string> = new Set(['outgoing', 'broadcast']);

const mailOf = ({ slug, name, type }: RouteRow, say: Words): string =>
  BUILT_IN.has(slug) ? say.mail[type] : `${escapeHtml(name)} (${say.mail[type]})`;

/** The sender, as far as the tenant has given it. */
export const imprint = (practice: PracticeRow, language: Language): string => {
  const say = wordsIn(language);
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
  const say = wordsIn(language);
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
  const say = wordsIn(language);
  return page({
    status: 404,
    language,
    serviceName,
    title: say.unknownTitle,
    body: `<p>${say.unknown}</p>\n<p>${say.unknownAdvice}</p>`,
  });
};
