// The token of an unsubscribe link: names tenant and recipient of one copy, and bears an HMAC, so that nobody can
// unsubscribe others (RFC 8058 §3.1 asks for a part that is hard to forge). It never expires: people dig out old mail.
// Pure.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { ReturnPathTarget } from './verp.ts';

/** Form of the token; another layout or key would bear another. */
const FORM = '1';
const TENANT_BYTES = 4;
const RECIPIENT_BYTES = 6;
const MAC_BYTES = 16;
const PAYLOAD_BYTES = TENANT_BYTES + RECIPIENT_BYTES;
/** Without padding; the last character's spare bits are zero. */
const TOKEN = new RegExp(`^${FORM}[A-Za-z0-9_-]{${Math.ceil(((PAYLOAD_BYTES + MAC_BYTES) * 4) / 3)}}$`);

const macOf = (key: KeyObject, payload: Buffer): Buffer =>
  createHmac('sha256', key).update(`unsubscribe|${FORM}|`).update(payload).digest().subarray(0, MAC_BYTES);

/** 36 characters that need no escaping in a URL. `key` is derived for this alone. */
export const encodeUnsubscribeToken = (key: KeyObject, target: ReturnPathTarget): string => {
  const payload = Buffer.alloc(PAYLOAD_BYTES);
  payload.writeUIntBE(target.tenantNumber, 0, TENANT_BYTES);
  payload.writeUIntBE(target.recipientId, TENANT_BYTES, RECIPIENT_BYTES);
  return FORM + Buffer.concat([payload, macOf(key, payload)]).toString('base64url');
};

/** Whom a token names; null for anything that this key has not made. */
export const decodeUnsubscribeToken = (key: KeyObject, token: string): ReturnPathTarget | null => {
  if (!TOKEN.test(token)) return null;
  const bytes = Buffer.from(token.slice(FORM.length), 'base64url');
  const payload = bytes.subarray(0, PAYLOAD_BYTES);
  const isOurs = timingSafeEqual(macOf(key, payload), bytes.subarray(PAYLOAD_BYTES));
  // One form for each token: other spellings of the spare bits are not ours.
  if (!isOurs || bytes.toString('base64url') !== token.slice(FORM.length)) return null;
  return {
    tenantNumber: payload.readUIntBE(0, TENANT_BYTES),
    recipientId: payload.readUIntBE(TENANT_BYTES, RECIPIENT_BYTES),
  };
};

/** Where the link's page and its one-click POST are. */
export const UNSUBSCRIBE_PATH = '/api/public/unsub';

/** Makes the links of copies. `origin` as in `https://mail.example.com`. */
export const createUnsubscribeUrl =
  (origin: string, key: KeyObject) =>
  (target: ReturnPathTarget): string =>
    `${origin}${UNSUBSCRIBE_PATH}?t=${encodeUnsubscribeToken(key, target)}`;
