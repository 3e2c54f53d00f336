import { getDomain } from 'tldts';

/**
 * The organizational domain of a host by the Public Suffix List: SPF and DMARC for the whole domain are there.
 * Suffixes that companies offer (github.io) count, as they do for receivers. Null for a public suffix itself (`de`,
 * `co.uk`). `host` is in A-labels.
 */
export const organizationalDomain = (host: string): string | null =>
  getDomain(host, { allowPrivateDomains: true, validateHostname: false });
