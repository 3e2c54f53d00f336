// Why there is no new certificate, in words for the operator, with what to do about it.
import type { FailureKind } from './rules.ts';

const LONGEST = 300;

/** What others say goes into health and log as one short line. */
export const tidy = (text: string): string =>
  text
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(0, LONGEST);

export class Failure extends Error {
  readonly kind: FailureKind;
  readonly hint: string;
  /** ms for which the authority wants to be left alone. */
  readonly retryAfterMs: number;
  /** RFC 8555 §6.7; empty where it is none. */
  readonly type: string;

  constructor(kind: FailureKind, message: string, hint: string, retryAfterMs = 0, type = '') {
    super(message);
    this.kind = kind;
    this.hint = hint;
    this.retryAfterMs = retryAfterMs;
    this.type = type;
  }
}

const byHttp = (name: string): string =>
  `Port 80 of ${name} must reach http.tls.redirect of this service from everywhere, by each address of the name: see firewall and A and AAAA records.`;
const byDns = (name: string): string =>
  `The TXT record of _acme-challenge.${name} must be found from everywhere: see whether its zone is delegated to this service (sendwerk dns check).`;

/** `type`: the problem of RFC 8555 §6.7, or `unreachable`. */
export const hintFor = (type: string, challenge: 'http-01' | 'dns-01', name: string): string => {
  switch (type) {
    case 'unreachable':
      return 'The authority could not be asked: see that this machine reaches tls.acme.directory by HTTPS, and whether the authority has an outage.';
    case 'caa':
      return `A CAA record of ${name} or above it names other authorities: add this one, or take the record away.`;
    case 'rateLimited':
      return 'A limit of the authority is reached: nothing is to be done but to wait.';
    case 'externalAccountRequired':
      return 'The authority wants an account that it knows: set tls.acme.eab to what it gives.';
    case 'accountDoesNotExist':
      return 'The authority has forgotten the account: the next attempt makes another.';
    case 'userActionRequired':
      return 'The authority has new terms of service: read them at its site.';
    case 'rejectedIdentifier':
    case 'unsupportedIdentifier':
      return `The authority gives no certificates for ${name}: ask it why, or take another one.`;
    case 'invalidContact':
    case 'unsupportedContact':
      return 'The authority does not take the address: set another tls.acme.email.';
    default:
      return challenge === 'dns-01' ? byDns(name) : byHttp(name);
  }
};
