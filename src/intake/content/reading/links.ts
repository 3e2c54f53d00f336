// Where links lead: scheme, host as A-labels, and what disguises it. Pure.
import { domainToUnicode } from 'node:url';

export interface Link {
  /** In lower case, without the colon; empty for what is relative. */
  readonly scheme: string;
  /** Lower-case A-labels or an IP address; null where it leads to no host. */
  readonly host: string | null;
  /** There is a user name before the host: `https://bank.example@other.example/`. */
  readonly hasUserInfo: boolean;
  /** What is shown for it; null where that cannot be clicked, or is the link itself. */
  readonly text: string | null;
}

/** What most links look like, so that few need the whole parser. */
const USUAL =
  /^(https?):\/\/([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*\.[a-z]{2,63})(?:[/?#]|$)/i;
const SCHEME = /^([a-z][a-z0-9+.-]{0,30}):/i;
/** Browsers skip them within a scheme (URL Standard 4.4). */
const SKIPPED = /[\t\n\r]/g;
const LEADING = /^[\0-\x20]+/;

const none = (scheme: string, text: string | null): Link => ({
  scheme,
  host: null,
  hasUserInfo: false,
  text,
});

/** `target` as an address in HTML is: decoded, perhaps relative. */
export const parseLink = (target: string, text: string | null): Link => {
  const usual = USUAL.exec(target);
  if (usual) {
    const [, scheme = '', host = ''] = usual;
    return { scheme: scheme.toLowerCase(), host: host.toLowerCase(), hasUserInfo: false, text };
  }
  const cleaned = target.replace(LEADING, '').replace(SKIPPED, '');
  const absolute = cleaned.startsWith('//') ? `https:${cleaned}` : cleaned;
  const scheme = SCHEME.exec(absolute)?.[1]?.toLowerCase() ?? '';
  if (scheme !== 'http' && scheme !== 'https') return none(scheme, text);
  const url = URL.parse(absolute);
  if (url === null || url.hostname === '') return none(scheme, text);
  const host = url.hostname.replace(/\.$/, '');
  return { scheme, host, hasUserInfo: url.username !== '' || url.password !== '', text };
};

/** In the text part: what mail programs make links of. The first so many. */
const MAX_TEXT_LINKS = 500;
const TEXT_LINK = /(?:https?:\/\/|www\.)[^\s<>"\u00a0]{1,2000}/gi;
const TRAILING = /[.,;:!?)\]}'»“”*_]{1,20}$/;

export const linksInText = (text: string): Link[] => {
  // Most texts have none, and looking for these two is ten times as fast.
  if (!text.includes('://') && !/www\./i.test(text)) return [];
  const links: Link[] = [];
  for (const [found] of text.matchAll(TEXT_LINK)) {
    if (links.length >= MAX_TEXT_LINKS) break;
    const target = found.replace(TRAILING, '');
    links.push(parseLink(/^www\./i.test(target) ? `https://${target}` : target, null));
  }
  return links;
};

export const isIpAddress = (host: string): boolean =>
  host.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(host);

/** Cyrillic and Greek letters that look like Latin ones. */
const LOOKALIKES = /^[аесорхуіјѕԁԛԝһӏкмтвнАВЕКМНОРСТХαονρικυ0-9-]+$/u;
const ASCII_SUFFIX = /\.[a-z]{2,63}$/;

/** A label of two scripts, or of foreign letters that all look like Latin ones below an ASCII top level domain. */
export const isDeceptiveHost = (host: string): boolean => {
  if (!host.includes('xn--')) return false;
  const labels = domainToUnicode(host).split('.');
  return labels.some((label) => {
    if (!/[\u0370-\u052f]/.test(label)) return false;
    return /\p{Script=Latin}/u.test(label) || (LOOKALIKES.test(label) && ASCII_SUFFIX.test(host));
  });
};

/** Labels at the end of other domains. */
const SUFFIX_LABELS: ReadonlySet<string> = new Set('com de net org eu at ch info'.split(' '));

/** A whole domain before the one that counts: `www.bank.de.login.example`. `domain`: the registrable one. */
export const hasNestedDomain = (host: string, domain: string): boolean => {
  if (!host.endsWith(`.${domain}`)) return false;
  const labels = host.slice(0, -domain.length - 1).split('.');
  return labels.some((label, index) => {
    const before = labels[index - 1];
    return SUFFIX_LABELS.has(label) && before !== undefined && before !== 'www';
  });
};
