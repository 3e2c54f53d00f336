// A lookup as the resolver function that libraries of mail authentication take: records in the shapes of node:dns, errors with
// its codes, by which they distinguish "there is none" from "it could not be found out".
import type { Lookup, LookupFailure, ZoneLookup } from './dns-lookup.ts';

export type DnsResolver = (name: string, type: string) => Promise<string[][] | string[]>;

export type ResolvedLookup = Pick<ZoneLookup, 'txt' | 'cname' | 'mx' | 'addresses' | 'reverse'>;

const CODES: Readonly<Record<LookupFailure, string>> = {
  servfail: 'ESERVFAIL',
  refused: 'EREFUSED',
  timeout: 'ETIMEOUT',
  malformed: 'EBADRESP',
};

const codeOf = (answer: Exclude<Lookup<unknown>, { kind: 'found' }>): string => {
  if (answer.kind === 'failed') return CODES[answer.reason];
  return answer.nameExists ? 'ENODATA' : 'ENOTFOUND';
};

const recordsOf = <T>(answer: Lookup<T>): readonly T[] => {
  if (answer.kind === 'found') return answer.records;
  const code = codeOf(answer);
  throw Object.assign(new Error(code), { code });
};

/** The address that `…in-addr.arpa` or `…ip6.arpa` means (RFC 1035 §3.5, RFC 3596 §2.5). */
const reversedAddress = (name: string): string => {
  const [labels = '', family] = name.toLowerCase().split(/\.(in-addr|ip6)\.arpa$/);
  const parts = labels.split('.').reverse();
  return family === 'in-addr' ? parts.join('.') : (parts.join('').match(/.{1,4}/g) ?? []).join(':');
};

const ofFamily = (answer: Lookup<string>, isIpv6: boolean): string[] => {
  const found = recordsOf(answer).filter((address) => address.includes(':') === isIpv6);
  return found.length > 0 ? found : [...recordsOf<string>({ kind: 'none', nameExists: true })];
};

export const resolverOf =
  (lookup: ResolvedLookup): DnsResolver =>
  async (name, type) => {
    switch (type) {
      case 'TXT':
        return recordsOf(await lookup.txt(name)).map((strings) => [...strings]);
      case 'A':
      case 'AAAA':
        return ofFamily(await lookup.addresses(name), type === 'AAAA');
      case 'MX': {
        const found = recordsOf(await lookup.mx(name));
        // The declared type has no place for the records of an MX, which are objects as those of node:dns.
        return found.map(({ exchange, preference }) => ({ exchange, priority: preference })) as never;
      }
      case 'CNAME':
        return [...recordsOf(await lookup.cname(name))];
      case 'PTR':
        return [...recordsOf(await lookup.reverse(reversedAddress(name)))];
      default:
        return [];
    }
  };
