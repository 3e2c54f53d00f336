// The DNS record of a DKIM key (RFC 6376 §3.6.1).
import type { KeyObject } from 'node:crypto';
import type { DkimSigner } from './signer.ts';

/** RFC 8463 §4: the record holds the raw key, with which its SPKI form ends. */
const ED25519_OCTETS = 32;

/** `v=DKIM1; k=…; p=…` in one piece: whoever writes it into a TXT record splits it into strings of 255 octets. */
export const dkimRecord = (publicKey: KeyObject, algorithm: DkimSigner['algorithm']): string => {
  const info = publicKey.export({ type: 'spki', format: 'der' });
  return algorithm === 'ed25519-sha256'
    ? `v=DKIM1; k=ed25519; p=${info.subarray(-ED25519_OCTETS).toString('base64')}`
    : `v=DKIM1; k=rsa; p=${info.toString('base64')}`;
};
