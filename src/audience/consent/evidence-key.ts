// The key that signs evidence, and what of it is public.
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** Of an Ed25519 key in PKCS #8 (RFC 8410 §7), before its 32 bytes. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** `seed`: 32 bytes, derived for the purpose `consent evidence`. */
export const evidenceKeyOf = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });

const fingerprintOf = (publicKey: KeyObject): string =>
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
