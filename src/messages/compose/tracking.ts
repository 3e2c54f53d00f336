// Chooses the links of a mail that lead through the service, which records clicks, and makes the image that records opens.
// Some links stay as written: links to no page, links to unsubscribe, links that show their address (filters take a link that
// leads elsewhere for phishing), and links that the author has marked. Pure.
import { escapeHtml } from '#src/kernel/page.ts';
import { MAX_TRACKED_URL } from '#src/mail/copy-links.ts';
import { type LinkPlace, linksIn, shownHost } from '#src/mail/html-links.ts';
import type { Span } from '#src/mail/html-tags.ts';

export interface TrackedLink extends Span {
  readonly url: string;
}

/** Only the first links of a mail are tracked, because each costs every copy an HMAC and 130 octets. */
const MAX_LINKS = 500;

/** Pages to unsubscribe, to choose mailings or to confirm them, as German and English senders name them. */
const SUBSCRIPTION =
  /unsubscri|opt[-_]?out|abmeld|abbestell|austrag|preferences|einstellungen|(?:confirm|bestaetig|best%c3%a4tig)/i;
const SUBSCRIPTION_TEXT =
  /unsubscri|opt[- ]?out|preferences|confirm|abmeld|abbestell|austrag|k(?:ü|ue)ndigen|einstellungen|best(?:ä|ae)tig|\b(?:keine|no)\b.{0,20}\b(?:e-?mails?|mails?|newsletter)\b/i;
/** The paths of the service's own pages for recipients and of links that are already tracked. */
const OWN_PAGES = /^\/(?:api\/public|t)\//;
const SHOWS_ADDRESS = /https?:\/\/|(?:^|\s)www\./i;

interface Candidate extends LinkPlace {
  /** Null if the address is relative or does not use HTTP. */
  readonly parsed: URL | null;
}

interface Exception {
  readonly why: string;
  readonly applies: (link: Candidate, ownHost: string) => boolean;
}

const exceptions: readonly Exception[] = [
  { why: 'it leads to no page by itself', applies: ({ parsed }) => parsed === null },
  { why: 'its author says so', applies: ({ isMarked }) => isMarked },
  { why: 'it is too long', applies: ({ target }) => target.length > MAX_TRACKED_URL },
  { why: 'it has a placeholder in it', applies: ({ target }) => target.includes('{{') },
  {
    why: 'it has a user name',
    applies: ({ parsed }) => parsed !== null && (parsed.username !== '' || parsed.password !== ''),
  },
  {
    why: 'it leads to a page of the service',
    applies: ({ parsed }, ownHost) => parsed?.host === ownHost && OWN_PAGES.test(parsed.pathname),
  },
  {
    why: 'it is about the subscription',
    applies: ({ parsed, text }) =>
      SUBSCRIPTION_TEXT.test(text) ||
      (parsed !== null && SUBSCRIPTION.test(`${parsed.pathname}${parsed.search}`)),
  },
  {
    why: 'it shows an address',
    applies: ({ text }) => SHOWS_ADDRESS.test(text) || shownHost(text) !== null,
  },
];

const isTracked = (link: Candidate, ownHost: string): boolean =>
  !exceptions.some(({ applies }) => applies(link, ownHost));

/** The links to track, in their order. `origin` is that of the service. */
export const trackedLinks = (html: string, origin: string): TrackedLink[] => {
  const ownHost = new URL(origin).host;
  return linksIn(html, MAX_LINKS)
    .map((link) => ({ ...link, parsed: /^https?:\/\//i.test(link.target) ? URL.parse(link.target) : null }))
    .filter((link) => isTracked(link, ownHost))
    .map(({ start, end, target }) => ({ start, end, url: target }));
};

/** The last element of the body, which is transparent and takes no space. */
export const openImage = (url: string): string =>
  `<img src="${escapeHtml(url)}" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">`;
