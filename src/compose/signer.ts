// A DKIM key ready to sign (RFC 6376, RFC 8463): parsed once, used for many messages.
import type { KeyObject } from 'node:crypto';

export interface DkimSigner {
  readonly algorithm: 'rsa-sha256' | 'ed25519-sha256';
  /** `d=`, A-labels. */
  readonly domain: string;
  /** `s=`. */
  readonly selector: string;
  readonly privateKey: KeyObject;
}
