// Parses links: the scheme, the host as A-labels, and signs that the host is disguised. Pure.
import { domainToUnicode } from 'node:url';

export interface Link {
  /** In lower case, without the colon; empty for a relative link. */
  readonly scheme: string;
  /** Lower-case A-labels or an IP address; null if the link has no host. */
  readonly host: string | null;
  /** There is a user name before the host: `https://bank.example@other.example/`. */
  readonly hasUserInfo: boolean;
  /** The text that is shown for it; null if it cannot be clicked, or if the text is the link itself. */
  readonly text: string | null;
}

/** Most links match this, so that few need the URL parser. */
const USUAL =
  /^(https?):\/\/([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*\.[a-z]{2,63})(?:[/?#]|$)/i;
const SCHEME = /^([a-z][a-z0-9+.-]{0,30}):/i;
/** Browsers ignore them inside of a URL (URL Standard 4.4). */
const SKIPPED = /[\t\n\r]/g;
const LEADING = /^[\0-\x20]+/;

const none = (scheme: string, text: string | null): Link => ({
  scheme,
  host: null,
  hasUserInfo: false,
  text,
});

/** `target` is decoded and may be relative. */
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

/** The most links that are read in a text. */
const MAX_TEXT_LINKS = 500;
const TEXT_LINK = /(?:https?:\/\/|www\.)[^\s<>"\u00a0]{1,2000}/gi;
const TRAILING = /[.,;:!?)\]}'»“”*_]{1,20}$/;

export const linksInText = (text: string): Link[] => {
  // Most texts have no link, and this check is ten times as fast.
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

/** Whether a label mixes two scripts, or has only foreign letters that look Latin below an ASCII top-level domain. */
export const isDeceptiveHost = (host: string): boolean => {
  if (!host.includes('xn--')) return false;
  const labels = domainToUnicode(host).split('.');
  return labels.some((label) => {
    if (!/[\u0370-\u052f]/.test(label)) return false;
    return /\p{Script=Latin}/u.test(label) || (LOOKALIKES.test(label) && ASCII_SUFFIX.test(host));
  });
};

/** Frequent top-level domains. */
const SUFFIX_LABELS: ReadonlySet<string> = new Set('com de net org eu at ch info'.split(' '));

/** Whether a whole domain comes before the registrable `domain`: `www.bank.de.login.example`. */
export const hasNestedDomain = (host: string, domain: string): boolean => {
  if (!host.endsWith(`.${domain}`)) return false;
  const labels = host.slice(0, -domain.length - 1).split('.');
  return labels.some((label, index) => {
    const before = labels[index - 1];
    return SUFFIX_LABELS.has(label) && before !== undefined && before !== 'www';
  });
};
