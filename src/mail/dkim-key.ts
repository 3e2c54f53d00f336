// A DKIM key (RFC 6376, RFC 8463): the private key that signs, and the DNS record that verifies its signatures. Pure.
import type { KeyObject } from 'node:crypto';

/** A parsed key, which is kept and used for many messages. */
export interface DkimSigner {
  readonly algorithm: 'rsa-sha256' | 'ed25519-sha256';
  /** `d=`, A-labels. */
  readonly domain: string;
  /** `s=`. */
  readonly selector: string;
  readonly privateKey: KeyObject;
}

/** The raw key is the last 32 bytes of its SubjectPublicKeyInfo (RFC 8410 §4). */
const ED25519_KEY_BYTES = 32;

/** The text of the TXT record (RFC 6376 §3.6.1). RSA keys are in SubjectPublicKeyInfo, Ed25519 keys are bare (RFC 8463 §3). */
export const dkimRecord = (publicKey: KeyObject, algorithm: DkimSigner['algorithm']): string => {
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  return algorithm === 'rsa-sha256'
    ? `v=DKIM1; k=rsa; p=${spki.toString('base64')}`
    : `v=DKIM1; k=ed25519; p=${spki.subarray(-ED25519_KEY_BYTES).toString('base64')}`;
};
