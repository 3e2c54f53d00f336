// The key that signs evidence of consent (Ed25519, RFC 8032), and how its public half is published: as a JWK (RFC 7517, RFC 8037) in
// a set by HTTPS, and as a TXT record with the tags of DKIM's keys (RFC 8463). A former key stays published with the time at which
// it was replaced, so that what it signed before can still be checked.
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { z } from 'zod';
import { toIso } from './time.ts';

/** The beginning of an Ed25519 key in PKCS #8 (RFC 8410 §7), before its 32 bytes. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** `pem`: the key that the configuration names; null: it is made of `seed`, 32 bytes derived for the purpose `consent evidence`. */
export const evidenceKeyOf = (pem: string | null, seed: Buffer): KeyObject =>
  createPrivateKey(pem ?? { key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });

export const isEvidenceKey = (pem: string): boolean => {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'ed25519';
  } catch {
    return false;
  }
};

/** SHA-256 of the public key as DER, in hex. */
export const fingerprintOf = (publicKey: KeyObject): string =>
  createHash('sha256')
    .update(publicKey.export({ format: 'der', type: 'spki' }))
    .digest('hex');

export interface PublicEvidenceKey {
  readonly algorithm: 'Ed25519';
  readonly public_key: string;
  readonly fingerprint: string;
}

export const publicKeyOf = (key: KeyObject): PublicEvidenceKey => {
  const publicKey = createPublicKey(key);
  return {
    algorithm: 'Ed25519',
    public_key: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    fingerprint: fingerprintOf(publicKey),
  };
};

export const signText = (key: KeyObject, text: string): string =>
  sign(null, Buffer.from(text), key).toString('base64');

/** What is wrong with a signature; null: nothing. */
export const signatureFault = (
  { public_key, fingerprint, value }: PublicEvidenceKey & { readonly value: string },
  text: string,
): string | null => {
  try {
    const key = createPublicKey(public_key);
    if (key.asymmetricKeyType !== 'ed25519' || fingerprintOf(key) !== fingerprint)
      return 'the public key is not the one of its fingerprint';
    if (verify(null, Buffer.from(text), key, Buffer.from(value, 'base64'))) return null;
  } catch {
    return 'the public key cannot be read';
  }
  return 'the signature is wrong: the evidence was changed after it was made';
};

/** A key that signs, or signed until it was replaced. Times in ms. */
export interface PublishedKey {
  readonly fingerprint: string;
  /** The 32 bytes in base64url (RFC 8037 §2). */
  readonly x: string;
  readonly since: number;
  /** Null: it signs. */
  readonly until: number | null;
}

/** The key in the form in which it is published from `since` on. */
export const publishedKeyOf = (key: KeyObject, since: number): PublishedKey => {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return { fingerprint: fingerprintOf(createPublicKey(key)), x, since, until: null };
};

const jwkSchema = z.object({
  kty: z.literal('OKP'),
  crv: z.literal('Ed25519'),
  x: z.base64url().describe('the public key'),
  use: z.literal('sig'),
  alg: z.literal('EdDSA'),
  kid: z.string().describe('fingerprint: SHA-256 of the public key as DER, in hex'),
  iat: z.int().describe('since when it is published, in seconds'),
  exp: z.int().optional().describe('when it was replaced, in seconds; absent: it signs'),
});

/** RFC 7517 §5. `iat` and `exp` are those of OpenID Federation 1.0 §8.7 for keys that are kept published. */
export const jwkSetSchema = z.object({ keys: z.array(jwkSchema) }).meta({ id: 'ConsentKeys' });

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1_000);

export const jwkSetOf = (keys: readonly PublishedKey[]): z.infer<typeof jwkSetSchema> => ({
  keys: keys.map(({ x, fingerprint, since, until }) => ({
    kty: 'OKP',
    crv: 'Ed25519',
    x,
    use: 'sig',
    alg: 'EdDSA',
    kid: fingerprint,
    iat: seconds(since),
    ...(until === null ? {} : { exp: seconds(until) }),
  })),
});

/** Null where 32 bytes are no key. The fingerprint is computed here, never taken from what was published. */
const keyOf = (x: string, since: number, until: number | null): PublishedKey | null => {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return { fingerprint: fingerprintOf(key), x, since, until };
  } catch {
    return null;
  }
};

/** Those of a JWK set that are of this kind; null where the text is none. */
export const keysOfJwkSet = (json: string): readonly PublishedKey[] | null => {
  try {
    const { keys } = z.object({ keys: z.array(z.unknown()) }).parse(JSON.parse(json));
    return keys.flatMap((one) => {
      const { data } = jwkSchema.safeParse(one);
      const key = data && keyOf(data.x, data.iat * 1_000, data.exp === undefined ? null : data.exp * 1_000);
      return key ? [key] : [];
    });
  } catch {
    return null;
  }
};

/** The path of the set below the public origin, and the label of the TXT records before its host. */
export const KEYS_PATH = '/.well-known/consent-keys.json';
const LABEL = '_consent-keys';
const VERSION = 'v=CONSENT1';

/** Null where the origin's host is an address. */
export const keysNameOf = (origin: string): string | null => {
  const { hostname } = new URL(origin);
  return /^[\d.]+$|^\[/.test(hostname) ? null : `${LABEL}.${hostname.replace(/\.$/, '')}`;
};

/** `v=CONSENT1; k=ed25519; p=<base64>; since=2026-11-23T18:00:00.000Z`, and `until` of a former one. */
export const keyRecord = ({ x, since, until }: PublishedKey): string =>
  [
    VERSION,
    'k=ed25519',
    `p=${Buffer.from(x, 'base64url').toString('base64')}`,
    `since=${toIso(since)}`,
    ...(until === null ? [] : [`until=${toIso(until)}`]),
  ].join('; ');

/** Null where the text is no such record: others may be at the name too. */
export const keyOfRecord = (text: string): PublishedKey | null => {
  const [version, ...tags] = text.split(';').map((part) => part.trim());
  if (version !== VERSION) return null;
  const values = new Map(tags.map((tag) => [tag.split('=', 1)[0], tag.slice(tag.indexOf('=') + 1)]));
  const timeOf = (name: string): number => Date.parse(values.get(name) ?? '');
  const x = Buffer.from(values.get('p') ?? '', 'base64').toString('base64url');
  return values.get('k') === 'ed25519' && !Number.isNaN(timeOf('since'))
    ? keyOf(x, timeOf('since'), values.has('until') ? timeOf('until') : null)
    : null;
};
