// The token of an unsubscribe link: hard to forge, so that nobody can unsubscribe others (RFC 8058 §3.1). It never expires:
// people dig out old mail. Pure.
import type { KeyObject } from 'node:crypto';
import { decodeCopyToken, encodeCopyToken } from './copy-token.ts';
import type { ReturnPathTarget } from './verp.ts';

/** `key` is derived for this alone. */
export const encodeUnsubscribeToken = (key: KeyObject, target: ReturnPathTarget): string =>
  encodeCopyToken(key, 'unsubscribe', target);

/** Whom a token names; null for anything that this key has not made. */
export const decodeUnsubscribeToken = (key: KeyObject, token: string): ReturnPathTarget | null =>
  decodeCopyToken(key, 'unsubscribe', token);

/** What has the form of such a token in List-Unsubscribe (RFC 2369 §3.2), at most `limit`. */
export const unsubscribeTokensIn = (field: string, limit: number): string[] =>
  [...field.matchAll(/[?&]t=([A-Za-z0-9_-]{36})(?![A-Za-z0-9_-])/g)]
    .slice(0, limit)
    .flatMap(([, token]) => token ?? []);

/** Where the link's page and its one-click POST are. */
export const UNSUBSCRIBE_PATH = '/api/public/unsub';

/** Makes the links of copies. `origin` as in `https://mail.example.com`. */
export const createUnsubscribeUrl =
  (origin: string, key: KeyObject) =>
  (target: ReturnPathTarget): string =>
    `${origin}${UNSUBSCRIBE_PATH}?t=${encodeUnsubscribeToken(key, target)}`;
