// Which names a practice can take as its own sending domain. Whether it is theirs is for the DNS to prove. Pure.

import { AppError } from '#src/kernel/errors.ts';
import { domainName } from '#src/mail/address.ts';
import { organizationalDomain } from '../records/wanted-records.ts';

export interface ServiceNames {
  readonly serviceHost: string;
  readonly managedSuffix: string;
}

/**
 * Names below it must fit too: `<token>._domainkey.` (36 characters, RFC 1035 §2.3.4: 253 in all), and the return path
 * with its token before `@bounce.` (43 characters, RFC 5321 §4.5.3.1.3: 254 in all).
 */
const MAX_LENGTH = 200;

const isAtOrBelow = (domain: string, name: string): boolean => `.${domain}`.endsWith(`.${name}`);

export type DomainVerdict =
  | { readonly domain: string }
  /** What is wrong with it, and what was expected. */
  | { readonly problem: string };

/** `text` as people type it; the domain is in lower-case A-labels. */
export const readCustomDomain = (
  text: string,
  { serviceHost, managedSuffix }: ServiceNames,
): DomainVerdict => {
  const domain = domainName(text.trim().replace(/\.$/, ''));
  if (domain === null) return { problem: 'expected a domain of your own, such as example.org' };
  if (isAtOrBelow(domain, serviceHost) || isAtOrBelow(domain, managedSuffix))
    return { problem: 'expected a domain of your own: this one is the service’s' };
  if (organizationalDomain(domain) === null)
    return { problem: 'expected a domain of your own: below this one anyone can have a name' };
  if (domain.length > MAX_LENGTH)
    return {
      problem: `expected at most ${MAX_LENGTH} characters, because the records stand at names below it`,
    };
  return { domain };
};

// The custom domain of a request's body, for whoever takes one.

/** In lower-case A-labels. Throws `invalid_request` naming `body.domain`. */
export const requireCustomDomain = (text: string, names: ServiceNames): string => {
  const verdict = readCustomDomain(text, names);
  if ('domain' in verdict) return verdict.domain;
  throw new AppError('invalid_request', 'The domain cannot be used as a sending domain.', {
    extra: { fields: [{ path: 'body.domain', message: verdict.problem }] },
  });
};
