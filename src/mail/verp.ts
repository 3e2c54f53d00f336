// The return path of one copy (VERP): `b+<token>@bounce.<domain>`. The token has the tenant, the recipient (which leads to
// the message) and an HMAC bound to the domain. Reports are not authenticated, so a forged token could suppress any address.
// The token is base32 in lower case, because servers change the case of local parts. Pure.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
/** The version of the token's layout and key. */
const FORM = '1';
const TENANT_BYTES = 4;
const RECIPIENT_BYTES = 6;
export const TARGET_BYTES = TENANT_BYTES + RECIPIENT_BYTES;
/** 80 bits: one guess in 10^24 succeeds. */
const MAC_BYTES = 10;
const TOKEN_CHARS = ((TARGET_BYTES + MAC_BYTES) * 8) / 5;
const LOCAL_PART = new RegExp(`^b[+=-]${FORM}([a-z2-7]{${TOKEN_CHARS}})$`);
/** A whole return path in a text. */
const ANYWHERE = new RegExp(
  `(?<![a-z0-9])b[+=-]${FORM}[a-z2-7]{${TOKEN_CHARS}}@bounce\\.[a-z0-9-]{1,63}(?:\\.[a-z0-9-]{1,63}){1,8}`,
  'gi',
);

export interface ReturnPathTarget {
  readonly tenantNumber: number;
  readonly recipientId: number;
}

export const encodeTarget = ({ tenantNumber, recipientId }: ReturnPathTarget): Buffer => {
  const bytes = Buffer.alloc(TARGET_BYTES);
  bytes.writeUIntBE(tenantNumber, 0, TENANT_BYTES);
  bytes.writeUIntBE(recipientId, TENANT_BYTES, RECIPIENT_BYTES);
  return bytes;
};

export const decodeTarget = (bytes: Buffer): ReturnPathTarget => ({
  tenantNumber: bytes.readUIntBE(0, TENANT_BYTES),
  recipientId: bytes.readUIntBE(TENANT_BYTES, RECIPIENT_BYTES),
});

const encodeBase32 = (bytes: Buffer): string => {
  let text = '';
  for (let bit = 0; bit < bytes.length * 8; bit += 5) {
    const index = bit >> 3;
    const window = ((bytes[index] ?? 0) << 8) | (bytes[index + 1] ?? 0);
    text += ALPHABET[(window >> (11 - (bit & 7))) & 31];
  }
  return text;
};

const decodeBase32 = (text: string): Buffer => {
  const bytes = Buffer.alloc((text.length * 5) >> 3);
  let window = 0;
  let bits = 0;
  let length = 0;
  for (const char of text) {
    window = ((window << 5) | ALPHABET.indexOf(char)) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[length++] = (window >> bits) & 0xff;
    }
  }
  return bytes;
};

const macOf = (key: KeyObject, payload: Buffer, domain: string): Buffer =>
  createHmac('sha256', key)
    .update(`return-path|${FORM}|${domain.toLowerCase()}|`)
    .update(payload)
    .digest()
    .subarray(0, MAC_BYTES);

/** The return path without angle brackets. `domain` is the From domain in A-labels. */
export const encodeReturnPath = (key: KeyObject, target: ReturnPathTarget, domain: string): string => {
  const payload = encodeTarget(target);
  const token = encodeBase32(Buffer.concat([payload, macOf(key, payload, domain)]));
  return `b+${FORM}${token}@bounce.${domain}`;
};

/** Whether a local part is meant as a return path, genuine or not. People do not choose addresses that begin so. */
export const looksLikeReturnPath = (localPart: string): boolean => /^b[+=-]/i.test(localPart);

/** All that looks like a return path in a text, each once, at most `limit`. */
export const returnPathsIn = (text: string, limit: number): string[] => {
  const found = new Set<string>();
  for (const [path] of text.matchAll(ANYWHERE)) {
    if (found.size === limit) break;
    found.add(path.toLowerCase());
  }
  return [...found];
};

/** Null for every address that was not made with this key. */
export const decodeReturnPath = (key: KeyObject, address: string): ReturnPathTarget | null => {
  const at = address.lastIndexOf('@');
  const token = LOCAL_PART.exec(address.slice(0, at).toLowerCase())?.[1];
  const host = address.slice(at + 1).toLowerCase();
  if (token === undefined || !host.startsWith('bounce.')) return null;
  const bytes = decodeBase32(token);
  const payload = bytes.subarray(0, TARGET_BYTES);
  const mac = macOf(key, payload, host.slice('bounce.'.length));
  return timingSafeEqual(mac, bytes.subarray(TARGET_BYTES)) ? decodeTarget(payload) : null;
};
