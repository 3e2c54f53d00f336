// The return path of one copy (VERP): `b+<token>@bounce.<domain>`. The token has the tenant, the recipient (which leads to
// the message) and an HMAC bound to the domain. Reports are not authenticated, so a forged token could suppress any address.
// The token is base32 in lower case, because servers change the case of local parts. Pure.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { type TokenKeys, tenantOfToken } from './token-keys.ts';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
/** The version of the token's layout and key. */
const FORM = '1';
const TENANT_BYTES = 4;
const RECIPIENT_BYTES = 6;
export const TARGET_BYTES = TENANT_BYTES + RECIPIENT_BYTES;
/** 80 bits: one guess in 10^24 succeeds. */
const MAC_BYTES = 10;
const TOKEN_CHARS = ((TARGET_BYTES + MAC_BYTES) * 8) / 5;
const TOKEN = `${FORM}[a-z2-7]{${TOKEN_CHARS}}`;
const WHOLE_TOKEN = new RegExp(`^${TOKEN}$`);
const LOCAL_PART = new RegExp(`^([bu])[+=-](${TOKEN})$`);
/** A whole return path in a text. */
const ANYWHERE = new RegExp(
  `(?<![a-z0-9])b[+=-]${TOKEN}@bounce\\.[a-z0-9-]{1,63}(?:\\.[a-z0-9-]{1,63}){1,8}`,
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

/** What a token is for: none counts for another purpose. */
type Purpose = 'return-path' | 'unsubscribe' | 'feedback';
const purposeOf = { b: 'return-path', u: 'unsubscribe' } as const;

const macOf = (key: KeyObject, purpose: Purpose, payload: Buffer, domain: string): Buffer =>
  createHmac('sha256', key)
    .update(`${purpose}|${FORM}|${domain.toLowerCase()}|`)
    .update(payload)
    .digest()
    .subarray(0, MAC_BYTES);

const encodeToken = (keys: TokenKeys, purpose: Purpose, target: ReturnPathTarget, domain: string): string => {
  const payload = encodeTarget(target);
  const mac = macOf(keys.own(target.tenantNumber), purpose, payload, domain);
  return FORM + encodeBase32(Buffer.concat([payload, mac]));
};

const decodeToken = (
  keys: TokenKeys,
  purpose: Purpose,
  token: string,
  domain: string,
): ReturnPathTarget | null => {
  const bytes = decodeBase32(token.slice(FORM.length));
  const payload = bytes.subarray(0, TARGET_BYTES);
  const target = decodeTarget(payload);
  const tenantNumber = tenantOfToken(keys, target.tenantNumber, (key) =>
    timingSafeEqual(macOf(key, purpose, payload, domain), bytes.subarray(TARGET_BYTES)),
  );
  return tenantNumber === null ? null : { ...target, tenantNumber };
};

/** The return path without angle brackets. `domain` is the From domain in A-labels. */
export const encodeReturnPath = (keys: TokenKeys, target: ReturnPathTarget, domain: string): string =>
  `b+${encodeToken(keys, 'return-path', target, domain)}@bounce.${domain}`;

/** Addresses and tokens of one copy that come back by mail. `domain` as of `encodeReturnPath`. */
export interface CopyAddresses {
  /** Mail there unsubscribes. It has no plus sign: some programs make a space of it in a mailto address. */
  unsubscribe(target: ReturnPathTarget, domain: string): string;
  /** Complaints about any copy go there (RFC 9477). It is below the domain in From, so that its signature covers it (§3.1.1). */
  complaints(domain: string): string;
  /** The id by which a complaint names the copy; no one else can make it (RFC 9477 §3.2). */
  feedbackId(target: ReturnPathTarget): string;
}

/** The local part of the address for complaints. */
export const COMPLAINTS = 'fbl';

export const createCopyAddresses = (keys: TokenKeys): CopyAddresses => ({
  unsubscribe: (target, domain) => `u-${encodeToken(keys, 'unsubscribe', target, domain)}@bounce.${domain}`,
  complaints: (domain) => `${COMPLAINTS}@bounce.${domain}`,
  feedbackId: (target) => encodeToken(keys, 'feedback', target, ''),
});

/** Null for every text that was not made with one of these keys. */
export const decodeFeedbackId = (keys: TokenKeys, text: string): ReturnPathTarget | null => {
  const token = text.trim().toLowerCase();
  return WHOLE_TOKEN.test(token) ? decodeToken(keys, 'feedback', token, '') : null;
};

/** Whether a local part is meant as one of ours, genuine or not. People do not choose addresses that begin so. */
export const looksLikeReturnPath = (localPart: string): boolean => /^[bu][+=-]/i.test(localPart);

/** All that looks like a return path in a text, each once, at most `limit`. */
export const returnPathsIn = (text: string, limit: number): string[] => {
  const found = new Set<string>();
  for (const [path] of text.matchAll(ANYWHERE)) {
    if (found.size === limit) break;
    found.add(path.toLowerCase());
  }
  return [...found];
};

const decodeAddress = (keys: TokenKeys, letter: 'b' | 'u', address: string): ReturnPathTarget | null => {
  const at = address.lastIndexOf('@');
  const [, found, token] = LOCAL_PART.exec(address.slice(0, at).toLowerCase()) ?? [];
  const host = address.slice(at + 1).toLowerCase();
  if (token === undefined || found !== letter || !host.startsWith('bounce.')) return null;
  return decodeToken(keys, purposeOf[letter], token, host.slice('bounce.'.length));
};

/** Null for every address that was not made with one of these keys. */
export const decodeReturnPath = (keys: TokenKeys, address: string): ReturnPathTarget | null =>
  decodeAddress(keys, 'b', address);
/** Reads the address by which one unsubscribes; null as before. */
export const decodeUnsubscribeAddress = (keys: TokenKeys, address: string): ReturnPathTarget | null =>
  decodeAddress(keys, 'u', address);
