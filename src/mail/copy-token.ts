// A token in the links of one copy: names tenant and recipient, and bears an HMAC over them, over what the link is for, and
// over whatever else it must not be changed in. Nobody can make one up, or turn one into another. Pure.
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

export type Purpose = 'unsubscribe' | 'open' | 'click';

const macOf = (key: KeyObject, purpose: Purpose, payload: Buffer, bound: string): Buffer =>
  createHmac('sha256', key)
    .update(`${purpose}|${FORM}|`)
    .update(payload)
    .update(bound)
    .digest()
    .subarray(0, MAC_BYTES);

/** 36 characters that need no escaping in a URL. `key` is derived for that purpose alone. */
export const encodeCopyToken = (
  key: KeyObject,
  purpose: Purpose,
  target: ReturnPathTarget,
  bound = '',
): string => {
  const payload = Buffer.alloc(PAYLOAD_BYTES);
  payload.writeUIntBE(target.tenantNumber, 0, TENANT_BYTES);
  payload.writeUIntBE(target.recipientId, TENANT_BYTES, RECIPIENT_BYTES);
  return FORM + Buffer.concat([payload, macOf(key, purpose, payload, bound)]).toString('base64url');
};

/** Whom a token names; null for anything that this key has not made for that purpose and those `bound` words. */
export const decodeCopyToken = (
  key: KeyObject,
  purpose: Purpose,
  token: string,
  bound = '',
): ReturnPathTarget | null => {
  if (!TOKEN.test(token)) return null;
  const bytes = Buffer.from(token.slice(FORM.length), 'base64url');
  const payload = bytes.subarray(0, PAYLOAD_BYTES);
  const isOurs = timingSafeEqual(macOf(key, purpose, payload, bound), bytes.subarray(PAYLOAD_BYTES));
  // One form for each token: other spellings of the spare bits are not ours.
  if (!isOurs || bytes.toString('base64url') !== token.slice(FORM.length)) return null;
  return {
    tenantNumber: payload.readUIntBE(0, TENANT_BYTES),
    recipientId: payload.readUIntBE(TENANT_BYTES, RECIPIENT_BYTES),
  };
};
