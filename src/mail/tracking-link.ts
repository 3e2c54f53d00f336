// The links by which opens and clicks of one copy are noticed. A click's link bears the address it leads to, under the
// HMAC: following it reads nothing, works as long as the key does, and leads nowhere that a sender has not written into
// that very mail. Pure.
import type { KeyObject } from 'node:crypto';
import { decodeCopyToken, encodeCopyToken } from './copy-token.ts';
import type { ReturnPathTarget } from './verp.ts';

export const OPEN_PATH = '/t/o';
export const CLICK_PATH = '/t/c';
/** UTF-16 code units of an address that is still led through here: what stands in a mail becomes a third longer. */
export const MAX_TRACKED_URL = 2_000;

/** Makes the links of copies. `origin` as in `https://mail.example.com`; `key` is derived for this alone. */
export interface TrackingLinks {
  open(target: ReturnPathTarget): string;
  /** `url`: absolute, http or https, at most MAX_TRACKED_URL long. */
  click(target: ReturnPathTarget, url: string): string;
}

export const createTrackingLinks = (origin: string, key: KeyObject): TrackingLinks => ({
  open: (target) => `${origin}${OPEN_PATH}/${encodeCopyToken(key, 'open', target)}`,
  click: (target, url) => {
    const token = encodeCopyToken(key, 'click', target, url);
    return `${origin}${CLICK_PATH}/${token}/${Buffer.from(url).toString('base64url')}`;
  },
});

export const readOpenLink = (key: KeyObject, token: string): ReturnPathTarget | null =>
  decodeCopyToken(key, 'open', token);

/** Null for anything that is not, byte by byte, a link made with this key. */
export const readClickLink = (
  key: KeyObject,
  token: string,
  encodedUrl: string,
): { readonly target: ReturnPathTarget; readonly url: string } | null => {
  if (encodedUrl.length > 4 * MAX_TRACKED_URL || !/^[A-Za-z0-9_-]+$/.test(encodedUrl)) return null;
  const url = Buffer.from(encodedUrl, 'base64url').toString();
  // One form for each link: other spellings of the spare bits are not ours.
  if (Buffer.from(url).toString('base64url') !== encodedUrl) return null;
  const target = decodeCopyToken(key, 'click', token, url);
  return target && { target, url };
};
