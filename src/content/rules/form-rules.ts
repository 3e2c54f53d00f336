// Rules about what a message is made of: its text, its HTML, its links and its attachments. Pure.

import { getDomain, parse } from 'tldts';
import { MANY_LINKS } from '#src/content/limits.ts';
// How the text is written: capitals, punctuation, hidden characters, unfilled placeholders, wrong encodings.
import {
  hasNestedDomain,
  isDeceptiveHost,
  isIpAddress,
  type Link,
  type TextReading,
} from '#src/content/reading/text.ts';
import { shownHost } from '#src/mail/html-links.ts';
import type { ContentRule, Reading, RuleMatch } from './rule.ts';

const SHOUTED_LETTERS = 120;
const SHOUTED_SHARE = 0.6;
const EXCLAMATIONS = 5;
/** A text with more words for each exclamation mark does not shout. */
const WORDS_PER_EXCLAMATION = 25;
const SPLIT_WORDS = 3;
const MIXED_WORDS = 2;
/** The longest German words have 80 letters, and keys and signatures have lines of 76. */
const ENCODED_RUN = 300;
const GARBLED = 2;

/** The string that every spam filter must know (GTUBE). */
const GTUBE = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';

const anyText = (
  { textWords, htmlWords }: Reading,
  found: (words: TextReading) => RuleMatch | null,
): RuleMatch | null => (textWords && found(textWords)) ?? (htmlWords && found(htmlWords));

const inTexts =
  (found: (words: TextReading) => RuleMatch | null) =>
  (reading: Reading): RuleMatch | null =>
    anyText(reading, found);

/** Spaced letters in tables of staff have few different letters. */
const DIFFERENT_LETTERS = 4;
/** The initials of weekdays in calendars. */
const WEEK = /^(?:MDMDFSS|SMDMDFS|MTWTFSS|SMTWTFS|MDMDF|MTWTF)$/;

const isOddRun = (letters: string): boolean =>
  !WEEK.test(letters) && new Set(letters).size >= DIFFERENT_LETTERS;

/** A search for a rare character is many times as fast as the pattern. */
const placeholders: readonly { readonly trigger: string; readonly pattern: RegExp }[] = [
  { trigger: '{{', pattern: /\{\{(?!\s*unsubscribe_url\s*\}\})[^{}]{1,60}\}\}/ },
  { trigger: '<%', pattern: /<%[^%]{0,60}%>/ },
  { trigger: '*|', pattern: /\*\|[A-Z_:]{2,40}\|\*/ },
  { trigger: '${', pattern: /\$\{[A-Za-z_][\w.]{0,40}\}/ },
  { trigger: '%', pattern: /%(?:[A-Z]{2,20}_)?(?:VOR|NACH|FIRST|LAST)?_?(?:NAME|EMAIL|ANREDE|DATUM)%/ },
  { trigger: '[', pattern: /\[\[?(?:(?:vor|nach)name|name|anrede|first ?name|last ?name)\]?\]/i },
  { trigger: '[object ', pattern: /\[object [A-Z][a-z]{2,20}\]/ },
];

const WORDY = 'wordy_placeholder';
/** Words of which one is in every text that has a placeholder of words. */
export const placeholderPhrases = { [WORDY]: ['ipsum', 'undefined'] } as const;
const wordyPlaceholders: readonly { readonly trigger: string; readonly pattern: RegExp }[] = [
  { trigger: 'ipsum', pattern: /lorem ipsum/i },
  {
    trigger: 'undefined',
    pattern: /(?:hallo|liebe[r]?|frau|herr|hello|hi|dear)[\p{L} ]{0,20} undefined(?!\p{L})/iu,
  },
];

/** The visible text of both parts. */
const shownTexts = ({ text, html }: Reading): string[] =>
  [text, html?.text ?? null].filter((shown) => shown !== null);

const hasPlaceholder = ({ phrases }: Reading, text: string): boolean => {
  const possible = phrases.has(WORDY) ? [...placeholders, ...wordyPlaceholders] : placeholders;
  return possible.some(({ trigger, pattern }) => text.includes(trigger) && pattern.test(text));
};

const countGarbled = (text: string): number =>
  text.includes('Ã') || text.includes('â€') || text.includes('\ufffd')
    ? (text.match(/Ã[\u0080-\u00bf¤¶¼Ÿ\u201e\u0153]|â€|\ufffd/g)?.length ?? 0)
    : 0;

export const textRules: readonly ContentRule[] = [
  {
    id: 'gtube',
    weight: 100,
    finds: ({ content: { subject, text, html } }) =>
      [subject, text, html].some((part) => part?.includes('GTUBE') && part.includes(GTUBE))
        ? { detail: null }
        : null,
  },
  {
    id: 'mixed_scripts',
    weight: 25,
    finds: inTexts(({ mixedWords }) => (mixedWords >= MIXED_WORDS ? { detail: String(mixedWords) } : null)),
  },
  {
    id: 'split_words',
    weight: 20,
    finds: inTexts(({ splitWords }) => (splitWords >= SPLIT_WORDS ? { detail: String(splitWords) } : null)),
  },
  {
    id: 'unfilled_placeholder',
    weight: 12,
    finds: (reading) =>
      shownTexts(reading).some((text) => hasPlaceholder(reading, text)) ? { detail: null } : null,
  },
  {
    id: 'spaced_words',
    weight: 10,
    finds: inTexts(({ spacedWords }) => {
      const odd = spacedWords.map((run) => run.replace(/[^\p{L}]/gu, '')).filter(isOddRun);
      return odd.length > 0 ? { detail: null } : null;
    }),
  },
  {
    id: 'encoded_text',
    weight: 10,
    finds: inTexts(({ longestRun }) => (longestRun > ENCODED_RUN ? { detail: String(longestRun) } : null)),
  },
  {
    id: 'shouted_text',
    weight: 8,
    finds: inTexts(({ letters, capitals }) =>
      letters >= SHOUTED_LETTERS && capitals > letters * SHOUTED_SHARE ? { detail: null } : null,
    ),
  },
  {
    id: 'garbled_text',
    weight: 6,
    finds: (reading) =>
      shownTexts(reading).some((text) => countGarbled(text) >= GARBLED) ? { detail: null } : null,
  },
  {
    id: 'exclamations',
    weight: 5,
    finds: inTexts(({ exclamations, count }) =>
      exclamations >= EXCLAMATIONS && exclamations * WORDS_PER_EXCLAMATION > count
        ? { detail: String(exclamations) }
        : null,
    ),
  },
];

// Rules about the message's structure: its parts and its HTML. Pure.

/** Octets of an HTML part that Gmail shows. */
const CLIPPED_FROM = 102 * 1_024;
/** A preheader is hidden text and usual. The longest have some 250 letters, and some mails have two, one for phones. */
const UNSEEN_LETTERS = 500;
const FEW_LETTERS = 60;
const LARGE_DATA = 20_000;
/** Two parts are compared if each has this many long words; the HTML must have this share of those of the text. */
const COMPARED_WORDS = 25;
const COMMON_SHARE = 0.2;

const nothing: RuleMatch = { detail: null };

const foreign =
  (...names: readonly string[]) =>
  ({ html }: Reading): RuleMatch | null => {
    const found = names.filter((name) => html?.foreign.has(name));
    return found.length > 0 ? { detail: found.join(', ') } : null;
  };

/** The share of the long words in `one` that `other` has too; null if either has too few. */
const commonShare = (one: TextReading, other: TextReading): number | null => {
  if (one.marks.length < COMPARED_WORDS || other.marks.length < COMPARED_WORDS) return null;
  const known = new Uint8Array(65_536);
  for (const mark of other.marks) known[mark] = 1;
  let common = 0;
  for (const mark of one.marks) common += known[mark] ?? 0;
  return common / one.marks.length;
};

/** A code unit is one to three octets of UTF-8, so that most need not be counted. */
const isClipped = (html: string): boolean =>
  html.length > CLIPPED_FROM || (html.length * 3 > CLIPPED_FROM && Buffer.byteLength(html) > CLIPPED_FROM);

export const htmlRules: readonly ContentRule[] = [
  {
    id: 'active_content',
    weight: 25,
    finds: foreign('script', 'handler', 'refresh'),
  },
  {
    id: 'embedded_page',
    weight: 20,
    finds: foreign('iframe', 'frame', 'object', 'embed', 'applet'),
  },
  {
    id: 'form',
    weight: 20,
    finds: foreign('form'),
  },
  {
    id: 'hidden_text',
    weight: 15,
    finds: ({ html }) =>
      html !== null && html.unseenLetters > UNSEEN_LETTERS ? { detail: String(html.unseenLetters) } : null,
  },
  {
    id: 'html_too_complex',
    weight: 30,
    finds: ({ html }) => (html?.isCut ? nothing : null),
  },
  {
    id: 'image_only',
    weight: 10,
    finds: ({ html, htmlWords }) =>
      html !== null && html.images > 0 && (htmlWords?.letters ?? 0) < FEW_LETTERS ? nothing : null,
  },
  {
    id: 'parts_differ',
    weight: 10,
    finds: ({ textWords, htmlWords }) => {
      if (textWords === null || htmlWords === null) return null;
      const share = commonShare(textWords, htmlWords);
      return share !== null && share < COMMON_SHARE ? nothing : null;
    },
  },
  {
    id: 'html_clipped',
    weight: 8,
    finds: ({ content: { html } }) => (html !== null && isClipped(html) ? nothing : null),
  },
  {
    id: 'unfinished_html',
    weight: 8,
    finds: ({ html }) => (html?.isUnfinished ? nothing : null),
  },
  {
    id: 'embedded_data',
    weight: 5,
    finds: ({ html }) =>
      html !== null && html.dataLength > LARGE_DATA ? { detail: String(html.dataLength) } : null,
  },
  {
    id: 'external_styles',
    weight: 5,
    finds: foreign('stylesheet'),
  },
  {
    id: 'no_text_part',
    weight: 5,
    finds: ({ content: { text, html, settings } }) =>
      (text === null || text.trim() === '') && html !== null && settings?.plain_text_fallback === false
        ? nothing
        : null,
  },
];

// Rules about links: their targets, and texts that pretend another target. Pure.

/** Links that these rules check, because they need time for each. Scanners get the hosts of all links. */
const LINKS_LOOKED_AT = 200;

const shorteners: ReadonlySet<string> = new Set(
  (
    'bit.ly bitly.com tinyurl.com t.co goo.gl ow.ly is.gd v.gd buff.ly rebrand.ly cutt.ly t.ly rb.gy shorturl.at ' +
    'shorturl.gg tiny.cc bl.ink s.id t1p.de kurzelinks.de kurzlink.de adf.ly bc.vc soo.gd urlz.fr lc.cx x.gd u.to'
  ).split(' '),
);
/** Extensions of file names that are top-level domains too. */
const FILE_NAME = /\.(?:zip|mov|md|sh|py|pl|rs|ps|ai|app|in|is)$/;

const matchOf = (hosts: ReadonlySet<string>): RuleMatch | null => {
  const [host] = hosts;
  return host === undefined ? null : { detail: host, count: hosts.size };
};

const hostsWhere = (links: readonly Link[], found: (host: string, link: Link) => boolean): Set<string> => {
  const hosts = new Set<string>();
  for (const link of links.slice(0, LINKS_LOOKED_AT)) {
    if (link.host !== null && !hosts.has(link.host) && found(link.host, link)) hosts.add(link.host);
  }
  return hosts;
};

const anyLink =
  (found: (host: string, link: Link) => boolean) =>
  ({ links }: Reading): RuleMatch | null =>
    matchOf(hostsWhere(links, found));

/** Asks once for each host: a newsletter has many links to one. */
const eachHost =
  (found: (host: string) => boolean) =>
  ({ links }: Reading): RuleMatch | null =>
    matchOf(new Set([...hostsWhere(links, () => true)].filter(found)));

const domainOf = (host: string): string | null => getDomain(host, { validateHostname: false });

const showsAnother = (host: string, { text }: Link): boolean => {
  const shown = text === null ? null : shownHost(text);
  if (shown === null || FILE_NAME.test(shown)) return false;
  const { domain, isIcann } = parse(shown, { validateHostname: false });
  return isIcann === true && domain !== null && domain !== domainOf(host);
};

const isScript = ({ scheme }: Link): boolean =>
  scheme === 'javascript' || scheme === 'vbscript' || scheme === 'data';

export const linkRules: readonly ContentRule[] = [
  {
    id: 'link_host_differs',
    weight: 15,
    finds: anyLink(showsAnother),
  },
  {
    id: 'script_link',
    weight: 40,
    finds: ({ links }) => (links.some(isScript) ? { detail: null } : null),
  },
  {
    id: 'deceptive_host',
    weight: 40,
    finds: eachHost(isDeceptiveHost),
  },
  {
    id: 'link_user_info',
    weight: 30,
    finds: anyLink((_, { hasUserInfo }) => hasUserInfo),
  },
  {
    id: 'nested_domain',
    weight: 20,
    finds: eachHost((host) => {
      const domain = domainOf(host);
      return domain !== null && hasNestedDomain(host, domain);
    }),
  },
  {
    id: 'link_to_ip_address',
    weight: 20,
    finds: eachHost(isIpAddress),
  },
  {
    id: 'url_shortener',
    weight: 10,
    finds: eachHost((host) => shorteners.has(host)),
  },
  {
    id: 'many_links',
    weight: 5,
    finds: ({ links }) => {
      const followed = links.filter(({ text }) => text !== null).length;
      return followed > MANY_LINKS ? { detail: String(followed) } : null;
    },
  },
  {
    id: 'insecure_link',
    weight: 2,
    finds: anyLink((_, { scheme }) => scheme === 'http'),
  },
];

// Rules about attachments that are allowed but that some receivers reject. Pure.

/** Octets at each end of a file, where programs write the actions for opening it. */
const LOOKED_AT = 262_144;
const SCRIPT = /\/(?:JavaScript|JS)\b/;

const hasScript = (content: Uint8Array): boolean => {
  const ends =
    content.length <= 2 * LOOKED_AT
      ? [content]
      : [content.subarray(0, LOOKED_AT), content.subarray(content.length - LOOKED_AT)];
  return ends.some((end) => {
    const bytes = Buffer.from(end.buffer, end.byteOffset, end.byteLength);
    // This is much faster than a regular expression, and most files have no such name.
    return (bytes.includes('/JavaScript') || bytes.includes('/JS')) && SCRIPT.test(bytes.toString('latin1'));
  });
};

export const attachmentRules: readonly ContentRule[] = [
  {
    id: 'pdf_script',
    weight: 8,
    finds: ({ content: { attachments } }) =>
      attachments.some(({ filename, content }) => /\.pdf$/i.test(filename) && hasScript(content))
        ? { detail: null }
        : null,
  },
];
