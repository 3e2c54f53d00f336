// Which names a practice can use as its custom domain. The DNS proves whether the name is its own. Pure.

import freeMailDomains from 'free-email-domains';
import { AppError } from '#src/kernel/errors.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { domainName } from '#src/mail/address.ts';
import { organizationalDomain } from '#src/mail/organizational-domain.ts';

export interface ServiceNames {
  readonly serviceHost: string;
  readonly managedSuffix: string;
}

/**
 * Leaves room for the names below the domain: `<token>._domainkey.` (36 of 253 characters, RFC 1035 §2.3.4) and the
 * return path with its token before `@bounce.` (43 of 254 characters, RFC 5321 §4.5.3.1.3).
 */
const MAX_LENGTH = 200;

const isAtOrBelow = (domain: string, name: string): boolean => `.${domain}`.endsWith(`.${name}`);

const mailboxProviders: ReadonlySet<string> = new Set(freeMailDomains);

/** The domain in a web address or an e-mail address; null where the text is neither. */
const domainWithin = (text: string): string | null => {
  if (!/[/@:]/.test(text)) return null;
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text}`);
  return domainName(url?.hostname.replace(/^www\./, '') ?? '');
};

export type DomainVerdict =
  | { readonly domain: string }
  /** Says what is expected. */
  | { readonly problem: Text };

/** `text` is what a person typed. The domain in the result is in lower-case A-labels. */
export const readCustomDomain = (
  text: string,
  { serviceHost, managedSuffix }: ServiceNames,
): DomainVerdict => {
  const typed = text.trim();
  const meant = domainWithin(typed);
  if (meant !== null) return { problem: say`expected a domain alone: write ${meant}` };
  const domain = domainName(typed.replace(/\.$/, ''));
  if (domain === null) return { problem: say`expected a domain of your own, such as example.org` };
  if (isAtOrBelow(domain, serviceHost) || isAtOrBelow(domain, managedSuffix))
    return { problem: say`expected a domain of your own: this one is the service’s` };
  const organization = organizationalDomain(domain);
  if (organization === null)
    return { problem: say`expected a domain of your own: below this one anyone can have a name` };
  if (mailboxProviders.has(domain) || mailboxProviders.has(organization))
    return {
      problem: say`expected a domain of your own: ${organization} belongs to a provider of mailboxes, and only it can publish the records`,
    };
  if (domain.length > MAX_LENGTH)
    return {
      problem: say`expected at most ${MAX_LENGTH} characters, because records are published at names below it`,
    };
  return { domain };
};

/** Returns A-labels in lower case. Throws `invalid_request` naming `body.domain`. */
export const requireCustomDomain = (text: string, names: ServiceNames): string => {
  const verdict = readCustomDomain(text, names);
  if ('domain' in verdict) return verdict.domain;
  throw new AppError('invalid_request', say`The domain cannot be used as a sending domain.`, {
    extra: { fields: [{ path: 'body.domain', message: verdict.problem }] },
  });
};
