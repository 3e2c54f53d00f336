// Why there was no answer, in words for the tenant whose receiver it is. Nothing of it is taken from the error itself,
// whose texts name addresses and files of the operator. Pure.

/** A failure that has its words already. */
export class OutboundFailure extends Error {}

export const TIMED_OUT = 'no answer within the time';
export const STOPPING = 'the service was stopping';

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed without an answer',
  EPIPE: 'the connection was closed without an answer',
  ETIMEDOUT: 'the host could not be reached in time',
  EHOSTUNREACH: 'the host could not be reached',
  ENETUNREACH: 'the host could not be reached',
  EADDRNOTAVAIL: 'the host could not be reached',
  EHOSTDOWN: 'the host could not be reached',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate comes from an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'the certificate comes from an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate comes from an authority that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate comes without those between it and a trusted authority',
  CERT_REVOKED: 'the certificate was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host name',
  EPROTO: 'TLS 1.2 or later could not be agreed on',
  HPE_HEADER_OVERFLOW: 'the headers of the answer are too long',
};

/** Codes with many members. */
const families: readonly (readonly [beginning: string, says: string])[] = [
  ['ERR_SSL_', 'TLS 1.2 or later could not be agreed on'],
  ['ERR_TLS_', 'TLS 1.2 or later could not be agreed on'],
  ['HPE_', 'the answer is not HTTP'],
];

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

export const failureWords = (error: unknown): string => {
  if (error instanceof OutboundFailure) return error.message;
  const code = codeOf(error);
  return (
    words[code] ??
    families.find(([beginning]) => code.startsWith(beginning))?.[1] ??
    'the request could not be sent'
  );
};
