// Which links of a mail lead through the service so that clicks are noticed, and the image by which opens are. Everything
// else is left as its author wrote it: what is no page, what gets people out of such mail, what shows its address (filters
// take a link that leads elsewhere than it says for phishing), and what its author has marked. Pure.
import { escapeHtml } from '#src/kernel/page.ts';
import { MAX_TRACKED_URL } from '#src/mail/copy-links.ts';
import { type LinkPlace, linksIn, shownHost } from '#src/mail/html-links.ts';
import type { Span } from '#src/mail/html-tags.ts';

export interface TrackedLink extends Span {
  readonly url: string;
}

/** Of one mail, the first ones: each of them costs every copy an HMAC and 130 octets. */
const MAX_LINKS = 500;

/** Pages by which people leave, choose or confirm what they get, as German and English senders name them. */
const SUBSCRIPTION =
  /unsubscri|opt[-_]?out|abmeld|abbestell|austrag|preferences|einstellungen|(?:confirm|bestaetig|best%c3%a4tig)/i;
const SAYS_SO =
  /unsubscri|opt[- ]?out|preferences|confirm|abmeld|abbestell|austrag|k(?:ü|ue)ndigen|einstellungen|best(?:ä|ae)tig|\b(?:keine|no)\b.{0,20}\b(?:e-?mails?|mails?|newsletter)\b/i;
/** Paths of the service's own pages for recipients, and of links that lead through it already. */
const OWN_PAGES = /^\/(?:api\/public|t)\//;
const SHOWS_ADDRESS = /https?:\/\/|(?:^|\s)www\./i;

interface Candidate extends LinkPlace {
  /** Null: an address that leads to no host by HTTP, or not by itself. */
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
    why: 'it bears a user name',
    applies: ({ parsed }) => parsed !== null && (parsed.username !== '' || parsed.password !== ''),
  },
  {
    why: 'it leads to a page of the service',
    applies: ({ parsed }, ownHost) => parsed?.host === ownHost && OWN_PAGES.test(parsed.pathname),
  },
  {
    why: 'it is about the subscription',
    applies: ({ parsed, text }) =>
      SAYS_SO.test(text) || (parsed !== null && SUBSCRIPTION.test(`${parsed.pathname}${parsed.search}`)),
  },
  {
    why: 'it shows an address',
    applies: ({ text }) => SHOWS_ADDRESS.test(text) || shownHost(text) !== null,
  },
];

const isTracked = (link: Candidate, ownHost: string): boolean =>
  !exceptions.some(({ applies }) => applies(link, ownHost));

/** Links to be led through the service, in their order. `origin`: the service's. */
export const trackedLinks = (html: string, origin: string): TrackedLink[] => {
  const ownHost = new URL(origin).host;
  return linksIn(html, MAX_LINKS)
    .map((link) => ({ ...link, parsed: /^https?:\/\//i.test(link.target) ? URL.parse(link.target) : null }))
    .filter((link) => isTracked(link, ownHost))
    .map(({ start, end, target }) => ({ start, end, url: target }));
};

/** The last thing in a body; shows nothing, and takes no room. */
export const openImage = (url: string): string =>
  `<img src="${escapeHtml(url)}" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">`;
