// A DKIM key (RFC 6376, RFC 8463): what signs, and the record that verifies it.
import type { KeyObject } from 'node:crypto';

/** Ready to sign: parsed once, used for many messages. */
export interface DkimSigner {
  readonly algorithm: 'rsa-sha256' | 'ed25519-sha256';
  /** `d=`, A-labels. */
  readonly domain: string;
  /** `s=`. */
  readonly selector: string;
  readonly privateKey: KeyObject;
}

/** The raw key stands in the last 32 bytes of its SubjectPublicKeyInfo (RFC 8410 §4). */
const ED25519_KEY_BYTES = 32;

/** Text of the TXT record (RFC 6376 §3.6.1): RSA as SubjectPublicKeyInfo, Ed25519 as the bare key (RFC 8463 §3). */
export const dkimRecord = (publicKey: KeyObject, algorithm: DkimSigner['algorithm']): string => {
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  return algorithm === 'rsa-sha256'
    ? `v=DKIM1; k=rsa; p=${spki.toString('base64')}`
    : `v=DKIM1; k=ed25519; p=${spki.subarray(-ED25519_KEY_BYTES).toString('base64')}`;
};
