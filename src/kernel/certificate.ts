// A certificate with its key, and how a listener gets the one that it shows.
import type { SecureContext } from 'node:tls';

/** PEM; the certificate with its chain. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateSource {
  /** Shown to clients that name no host, or one without a certificate of its own. */
  readonly current: () => Certificate;
  /** The same; null where it is self-signed, because there is no other, or none yet. */
  readonly issued: () => Certificate | null;
  /** The one for the name that a client asks for (SNI, RFC 6066 §3); null: the current one. */
  readonly contextFor: (name: string) => SecureContext | null;
  /** `use` gets each certificate that takes the place of the current one. It holds for handshakes from then on. */
  readonly watch: (use: (certificate: Certificate) => void) => void;
}

/** No newer server or client needs older versions (RFC 8996). */
export const LEAST_TLS = 'TLSv1.2';
