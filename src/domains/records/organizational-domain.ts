// The organizational domain of a host, by the Public Suffix List that comes with tldts: where SPF and DMARC of a host
// below it stand. Suffixes that firms give out below (github.io) count as suffixes, as they do for receivers. Pure.
import { getDomain } from 'tldts';

/** Null for what is itself a public suffix (`de`, `co.uk`): nobody's own. `host` in A-labels. */
export const organizationalDomain = (host: string): string | null =>
  getDomain(host, { allowPrivateDomains: true, validateHostname: false });
