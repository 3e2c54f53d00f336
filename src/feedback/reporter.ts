// Whether a complaint that came by mail counts for the guardrail. Anyone can write an abuse report about a mail that they have seen, so
// it counts only where SPF or DKIM proves that it is from a feedback source: the provider of the recipient's mailbox, which is
// the owner of the recipient's domain or of the hosts that take its mail, or a source that the configuration names. Any other
// complaint ends mail to the address all the same, and is shown.

import type { Lookup, MxAnswer } from '#src/kernel/dns-lookup.ts';
import { addressDomain } from '#src/mail/address.ts';
import type { Address } from '#src/mail/mailbox.ts';
import { organizationalDomain } from '#src/mail/organizational-domain.ts';

/** What SPF and DKIM prove of a mail. */
export interface SenderProof {
  readonly domains: readonly string[];
  /** Something could not be found out. */
  readonly isUncertain: boolean;
}

/** How to find out who has sent a report; asked for complaints alone. Nothing rejects. */
export interface Reporter {
  readonly proof: () => Promise<SenderProof>;
  /** MX records of a domain. */
  readonly mailHosts: (domain: string) => Promise<Lookup<MxAnswer>>;
}

/** `not_checked`: the DNS did not say. */
export type Standing = 'proven' | 'not_proven' | 'not_checked';

/** Relaxed alignment (RFC 9989 §4.10.2). */
const ownerOf = (host: string): string => organizationalDomain(host) ?? host;

const isAligned = (proven: readonly string[], sources: readonly string[]): boolean => {
  const owners = new Set(sources.map(ownerOf));
  return proven.some((domain) => owners.has(ownerOf(domain)));
};

/** `address`: whom the mail went to that is complained about. `sources`: the domains of known feedback sources. */
export const standingOf = async (
  { proof, mailHosts }: Reporter,
  address: string,
  sources: readonly string[],
): Promise<Standing> => {
  const { domains, isUncertain } = await proof();
  const unproven = (isUnknown: boolean): Standing => (isUnknown ? 'not_checked' : 'not_proven');
  if (domains.length === 0) return unproven(isUncertain);
  const recipientDomain = addressDomain(address as Address);
  if (isAligned(domains, [...sources, recipientDomain])) return 'proven';
  const hosts = await mailHosts(recipientDomain);
  const names = hosts.kind === 'found' ? hosts.records.map(({ exchange }) => exchange) : [];
  return isAligned(domains, names) ? 'proven' : unproven(isUncertain || hosts.kind === 'failed');
};
