// The links that are made for one copy of a message: to unsubscribe (RFC 8058 §3.1), and to notice opens and clicks. Each
// has a token with the tenant, the recipient and an HMAC over them and over what the link is for, so that no one can forge
// a link or use it for another purpose. Links never expire, because people use old mail. Pure.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { type TokenKeys, tenantOfToken } from './token-keys.ts';
import { decodeTarget, encodeTarget, type ReturnPathTarget, TARGET_BYTES } from './verp.ts';

/** The version of the token's layout and key. */
const FORM = '1';
const MAC_BYTES = 16;
/** Base64url without padding; the spare bits of the last character are zero. */
const CODED_LENGTH = Math.ceil(((TARGET_BYTES + MAC_BYTES) * 4) / 3);
const TOKEN = new RegExp(`^${FORM}[A-Za-z0-9_-]{${CODED_LENGTH}}$`);
const TOKEN_LENGTH = FORM.length + CODED_LENGTH;

type Purpose =
  | 'unsubscribe'
  | 'open'
  | 'click'
  | 'forward'
  | 'form'
  | 'confirm'
  | 'image'
  | 'website form'
  | 'form opened'
  | 'form proof';

const macOf = (key: KeyObject, purpose: Purpose, payload: Buffer, bound: string): Buffer =>
  createHmac('sha256', key)
    .update(`${purpose}|${FORM}|`)
    .update(payload)
    .update(bound)
    .digest()
    .subarray(0, MAC_BYTES);

/** 36 characters that need no escaping in a URL. `bound` is further text that must
 * not change. */
const encodeToken = (keys: TokenKeys, purpose: Purpose, target: ReturnPathTarget, bound = ''): string => {
  const payload = encodeTarget(target);
  const mac = macOf(keys.own(target.tenantNumber), purpose, payload, bound);
  return FORM + Buffer.concat([payload, mac]).toString('base64url');
};

/** Null for every token that was not made with one of these keys for this purpose and this `bound`. */
const decodeToken = (
  keys: TokenKeys,
  purpose: Purpose,
  token: string,
  bound = '',
): ReturnPathTarget | null => {
  if (!TOKEN.test(token)) return null;
  const bytes = Buffer.from(token.slice(FORM.length), 'base64url');
  const payload = bytes.subarray(0, TARGET_BYTES);
  // A token has one spelling: others differ in the spare bits, and are not ours.
  if (bytes.toString('base64url') !== token.slice(FORM.length)) return null;
  const target = decodeTarget(payload);
  const tenantNumber = tenantOfToken(keys, target.tenantNumber, (key) =>
    timingSafeEqual(macOf(key, purpose, payload, bound), bytes.subarray(TARGET_BYTES)),
  );
  return tenantNumber === null ? null : { ...target, tenantNumber };
};

/** The path of the page to unsubscribe, and of its one-click POST. */
export const UNSUBSCRIBE_PATH = '/api/public/unsub';

export const encodeUnsubscribeToken = (keys: TokenKeys, target: ReturnPathTarget): string =>
  encodeToken(keys, 'unsubscribe', target);

/** `origin` as in `https://mail.example.com`. */
export const createUnsubscribeUrl =
  (origin: string, keys: TokenKeys) =>
  (target: ReturnPathTarget): string =>
    `${origin}${UNSUBSCRIBE_PATH}?t=${encodeUnsubscribeToken(keys, target)}`;

export const decodeUnsubscribeToken = (keys: TokenKeys, token: string): ReturnPathTarget | null =>
  decodeToken(keys, 'unsubscribe', token);

/** What looks like such a token in a List-Unsubscribe field (RFC 2369 §3.2), at most `limit`. */
export const unsubscribeTokensIn = (field: string, limit: number): string[] =>
  [...field.matchAll(/[?&]t=([A-Za-z0-9_-]{36})(?![A-Za-z0-9_-])/g)]
    .slice(0, limit)
    .flatMap(([, token]) => token ?? []);

/** The path of the page on which an address agrees that mail is forwarded to it, or ends that. */
export const FORWARD_PATH = '/api/public/forward';

/** `recipientId` is the number of the address among those that the tenant forwards to. */
export const encodeForwardToken = (keys: TokenKeys, target: ReturnPathTarget): string =>
  encodeToken(keys, 'forward', target);
export const decodeForwardToken = (keys: TokenKeys, token: string): ReturnPathTarget | null =>
  decodeToken(keys, 'forward', token);

/** The path of the page on which a person chooses among the lists they are on; its token is the one to unsubscribe. */
export const PREFERENCES_PATH = '/api/public/preferences';

/** The link of the page of lists, with the token of that link to unsubscribe. */
export const preferencesUrlOf = (unsubscribeUrl: string): string =>
  unsubscribeUrl.replace(UNSUBSCRIBE_PATH, PREFERENCES_PATH);

/** The path of a list's form. */
export const SUBSCRIBE_PATH = '/api/public/subscribe';

/** `recipientId` is the number of the list. */
export const encodeFormToken = (keys: TokenKeys, target: ReturnPathTarget): string =>
  encodeToken(keys, 'form', target);
export const decodeFormToken = (keys: TokenKeys, token: string): ReturnPathTarget | null =>
  decodeToken(keys, 'form', token);

/** The path of a form by which people write to a practice. */
export const WEBSITE_FORM_PATH = '/api/public/form';

/** `recipientId` is the number of the form. */
export const encodeWebsiteFormToken = (keys: TokenKeys, target: ReturnPathTarget): string =>
  encodeToken(keys, 'website form', target);
export const decodeWebsiteFormToken = (keys: TokenKeys, token: string): ReturnPathTarget | null =>
  decodeToken(keys, 'website form', token);

/** Says when (ms) a page with the form was made. */
export const encodeOpenedMark = (keys: TokenKeys, form: ReturnPathTarget, at: number): string =>
  `${encodeToken(keys, 'form opened', form, String(at))}${at.toString(36)}`;
/** Null for every mark that was not made for the form. */
export const decodeOpenedMark = (keys: TokenKeys, form: ReturnPathTarget, mark: string): number | null => {
  const at = Number.parseInt(mark.slice(TOKEN_LENGTH), 36);
  const target = decodeToken(keys, 'form opened', mark.slice(0, TOKEN_LENGTH), String(at));
  return target?.recipientId === form.recipientId && target.tenantNumber === form.tenantNumber ? at : null;
};

/** The path of the page on which the one who filled in a form proves their address. */
export const FORM_PROOF_PATH = '/api/public/form-proof';

/** `recipientId` is the number of the mail that was made of it, and `id` its id: a restored file gives a number again. */
export const encodeFormProofToken = (keys: TokenKeys, target: ReturnPathTarget, id: string): string =>
  encodeToken(keys, 'form proof', target) + encodeToken(keys, 'form proof', target, id);
/** The mail that the token names, which counts only if it `isFormProofFor` it. */
export const decodeFormProofToken = (keys: TokenKeys, token: string): ReturnPathTarget | null =>
  decodeToken(keys, 'form proof', token.slice(0, TOKEN_LENGTH));
export const isFormProofFor = (keys: TokenKeys, token: string, id: string): boolean =>
  decodeToken(keys, 'form proof', token.slice(TOKEN_LENGTH), id) !== null;

/** The path of the page that confirms a subscription. */
export const CONFIRM_PATH = '/api/public/confirm';

/**
 * `recipientId` is the number of the request in the consent ledger. A restored ledger gives a number again, so a second token is
 * bound to `asked`: who is asked, and for which list. The first one is there so that a wrong link is noticed before a file is read.
 */
export const encodeConfirmToken = (keys: TokenKeys, target: ReturnPathTarget, asked: string): string =>
  encodeToken(keys, 'confirm', target) + encodeToken(keys, 'confirm', target, asked);
/** The request that the token names, which counts only if it `isConfirmTokenFor` it. */
export const decodeConfirmToken = (keys: TokenKeys, token: string): ReturnPathTarget | null =>
  decodeToken(keys, 'confirm', token.slice(0, TOKEN_LENGTH));
export const isConfirmTokenFor = (keys: TokenKeys, token: string, asked: string): boolean =>
  decodeToken(keys, 'confirm', token.slice(TOKEN_LENGTH), asked) !== null;

const CONFIRM_LINK = new RegExp(`((?:${CONFIRM_PATH}\\?token|${FORM_PROOF_PATH}\\?t)=)[A-Za-z0-9_-]+`, 'g');
/** The text without what confirms: it is proof because only the mailbox gets the link. */
export const maskConfirmTokens = (text: string): string => text.replace(CONFIRM_LINK, '$1…');

export const OPEN_PATH = '/t/o';
export const CLICK_PATH = '/t/c';
/** The longest address that is tracked, in UTF-16 code units; in the mail it becomes a third longer. */
export const MAX_TRACKED_URL = 2_000;

export interface TrackingLinks {
  open(target: ReturnPathTarget): string;
  /** `url` is absolute, http or https, and at most `MAX_TRACKED_URL` long. */
  click(target: ReturnPathTarget, url: string): string;
}

/** A click's link contains the address it leads to, and the HMAC covers it: following the link needs no database, and it
 * leads only to what the sender has written into this mail. */
export const createTrackingLinks = (origin: string, keys: TokenKeys): TrackingLinks => ({
  open: (target) => `${origin}${OPEN_PATH}/${encodeToken(keys, 'open', target)}`,
  click: (target, url) => {
    const token = encodeToken(keys, 'click', target, url);
    return `${origin}${CLICK_PATH}/${token}/${Buffer.from(url).toString('base64url')}`;
  },
});

export const readOpenLink = (keys: TokenKeys, token: string): ReturnPathTarget | null =>
  decodeToken(keys, 'open', token);

/** Null for anything that is not, byte by byte, a link made with one of these keys. */
export const readClickLink = (
  keys: TokenKeys,
  token: string,
  encodedUrl: string,
): { readonly target: ReturnPathTarget; readonly url: string } | null => {
  if (encodedUrl.length > 4 * MAX_TRACKED_URL || !/^[A-Za-z0-9_-]+$/.test(encodedUrl)) return null;
  const url = Buffer.from(encodedUrl, 'base64url').toString();
  if (Buffer.from(url).toString('base64url') !== encodedUrl) return null;
  const target = decodeToken(keys, 'click', token, url);
  return target && { target, url };
};

/** The path of the images of mails. */
export const IMAGE_PATH = '/i';

/**
 * The address of an image of the tenant with that number. The token says whose it is, and is bound to the name of the file: whoever
 * guesses at addresses opens no tenant's file. It is the same in all mails, so loading the image says nothing of a person.
 */
export const createImageUrl =
  (origin: string, keys: TokenKeys) =>
  (tenantNumber: number, file: string): string =>
    `${origin}${IMAGE_PATH}/${encodeToken(keys, 'image', { tenantNumber, recipientId: 0 }, file)}/${file}`;

/** The number of the tenant; null for anything that is not, byte by byte, such an address. */
export const readImageUrl = (keys: TokenKeys, token: string, file: string): number | null =>
  decodeToken(keys, 'image', token, file)?.tenantNumber ?? null;

/** It may be behind any host: a template keeps its addresses when the practice moves to another one. */
const IMAGE_ADDRESS = `https?://[^\\s"'<>/]{1,255}${IMAGE_PATH}/${FORM}[A-Za-z0-9_-]{${CODED_LENGTH}}/([0-9a-f]{64})\\.(?:jpg|png|gif)`;
const IMAGE_ADDRESSES = new RegExp(IMAGE_ADDRESS, 'g');
/** Most mails have less; more are not looked at. */
const MAX_IMAGES = 200;

/** The ids of the images that the HTML names by such addresses, each once, in the order of the HTML. */
export const imagesIn = (html: string | null): string[] => {
  if (!html?.includes(`${IMAGE_PATH}/`)) return [];
  const found = new Set<string>();
  for (const [, id = ''] of html.matchAll(IMAGE_ADDRESSES)) {
    if (found.size >= MAX_IMAGES) break;
    found.add(id);
  }
  return [...found];
};

/** Where the HTML shows an image: in `src`, `background` and CSS's `url()`, not where it links to one. */
const IMAGE_SHOWN = new RegExp(
  `((?:\\b(?:src|background)[ \\t\\r\\n]{0,10}=[ \\t\\r\\n]{0,10}|\\burl\\([ \\t]{0,10})["']?)${IMAGE_ADDRESS}`,
  'gi',
);

/** The HTML with other addresses of the images that it shows; null: as it was. */
export const withImages = (html: string, urlOf: (id: string) => string | null): string =>
  html.replace(IMAGE_SHOWN, (whole, before: string, id: string) => {
    const url = urlOf(id);
    return url === null ? whole : before + url;
  });

const OPEN_LINK = new RegExp(`^${OPEN_PATH}/`);
const CLICK_LINK = new RegExp(`^${CLICK_PATH}/[\\w-]+/([\\w-]+)`);
const RECIPIENTS_LINK = new RegExp(`^(?:${UNSUBSCRIBE_PATH}|${PREFERENCES_PATH})/?\\?`);

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

/**
 * What of the address is behind the host of `origin`, in one of the forms that a browser, a proxy and the service take for the same;
 * empty where it is another's. The sender of a mail chooses the form, and http leads to https.
 */
const ownPath = (url: string, origin: string): string => {
  const given = URL.parse(url, origin);
  if (!given?.protocol.startsWith('http')) return '';
  if (given.host.replace(/\.(?=:|$)/, '') !== new URL(origin).host) return '';
  return decoded(given.pathname).replace(/\/{2,}/g, '/') + given.search;
};

/** The address to which the link leads, without the record of an open or click; null where nothing else is left of it. */
export const withoutTracking = (url: string, origin: string): string | null => {
  const path = ownPath(url, origin);
  if (OPEN_LINK.test(path)) return null;
  const encoded = CLICK_LINK.exec(path)?.[1];
  if (encoded === undefined) return url;
  const target = Buffer.from(encoded, 'base64url').toString();
  // None of ours leads elsewhere: its HMAC is not looked at, so anyone may have written it.
  return /^https?:/i.test(target) && ownPath(target, origin) === '' ? target : null;
};

/** Null also for the links by which the recipient unsubscribes and chooses lists. */
export const withoutRecipient = (url: string, origin: string): string | null => {
  const target = withoutTracking(url, origin);
  return target !== null && RECIPIENTS_LINK.test(ownPath(target, origin)) ? null : target;
};
