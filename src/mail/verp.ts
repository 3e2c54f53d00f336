// The return path of one copy (VERP): `b+<token>@bounce.<domain>`. The token names tenant and recipient (and through
// the recipient the message) and bears an HMAC bound to the domain: reports come unauthenticated from anywhere, and
// whoever could forge a token could suppress any address. Base32 in lower case, because local parts get folded.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
/** Form of the token; another layout or key would bear another. */
const FORM = '1';
const TENANT_BYTES = 4;
const RECIPIENT_BYTES = 6;
/** 80 bits: a guess succeeds once in 10^24. */
const MAC_BYTES = 10;
const PAYLOAD_BYTES = TENANT_BYTES + RECIPIENT_BYTES;
const TOKEN_CHARS = ((PAYLOAD_BYTES + MAC_BYTES) * 8) / 5;
const LOCAL_PART = new RegExp(`^b[+=-]${FORM}([a-z2-7]{${TOKEN_CHARS}})$`);
/** The whole address, within a text. */
const ANYWHERE = new RegExp(
  `(?<![a-z0-9])b[+=-]${FORM}[a-z2-7]{${TOKEN_CHARS}}@bounce\\.[a-z0-9-]{1,63}(?:\\.[a-z0-9-]{1,63}){1,8}`,
  'gi',
);

export interface ReturnPathTarget {
  readonly tenantNumber: number;
  readonly recipientId: number;
}

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

/** Return path without angle brackets. `domain` is the From domain in A-labels. */
export const encodeReturnPath = (key: KeyObject, target: ReturnPathTarget, domain: string): string => {
  const payload = Buffer.alloc(PAYLOAD_BYTES);
  payload.writeUIntBE(target.tenantNumber, 0, TENANT_BYTES);
  payload.writeUIntBE(target.recipientId, TENANT_BYTES, RECIPIENT_BYTES);
  const token = encodeBase32(Buffer.concat([payload, macOf(key, payload, domain)]));
  return `b+${FORM}${token}@bounce.${domain}`;
};

/** Whether somebody means a return path by it, genuine or not: an address people have made up would not begin so. */
export const looksLikeReturnPath = (localPart: string): boolean => /^b[+=-]/i.test(localPart);

/** Everything in a text that has the form of a return path, each once, at most `limit`. */
export const returnPathsIn = (text: string, limit: number): string[] => {
  const found = new Set<string>();
  for (const [path] of text.matchAll(ANYWHERE)) {
    if (found.size === limit) break;
    found.add(path.toLowerCase());
  }
  return [...found];
};

/** What a return path names; null for anything that this key has not made. */
export const decodeReturnPath = (key: KeyObject, address: string): ReturnPathTarget | null => {
  const at = address.lastIndexOf('@');
  const token = LOCAL_PART.exec(address.slice(0, at).toLowerCase())?.[1];
  const host = address.slice(at + 1).toLowerCase();
  if (token === undefined || !host.startsWith('bounce.')) return null;
  const bytes = decodeBase32(token);
  const payload = bytes.subarray(0, PAYLOAD_BYTES);
  const mac = macOf(key, payload, host.slice('bounce.'.length));
  if (!timingSafeEqual(mac, bytes.subarray(PAYLOAD_BYTES))) return null;
  return {
    tenantNumber: payload.readUIntBE(0, TENANT_BYTES),
    recipientId: payload.readUIntBE(TENANT_BYTES, RECIPIENT_BYTES),
  };
};
