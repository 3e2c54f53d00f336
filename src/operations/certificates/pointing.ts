// Looks by our own DNS lookup whether a name leads here, before an authority is asked for it: a check that is bound to fail would only
// use up its limits.
import { randomBytes } from 'node:crypto';
import type { DnsLookup } from '#src/kernel/dns-lookup.ts';
import type { Challenges } from './challenges.ts';
import { Failure } from './failure.ts';

export interface PointingDeps {
  readonly lookup: Pick<DnsLookup, 'addresses' | 'txt'>;
  readonly challenges: Challenges;
  /** Public addresses of the service, as configured. */
  readonly addresses: readonly string[];
  /** Leads here by definition: where no addresses are configured, others are compared with its own. */
  readonly ownHost: string;
}

const plain = (address: string): string =>
  address.includes(':') ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;

const addressesOf = async (name: string, lookup: PointingDeps['lookup']): Promise<readonly string[]> => {
  const found = await lookup.addresses(name);
  if (found.kind === 'found') return found.records.map(plain);
  if (found.kind === 'failed')
    throw new Failure(
      'pointing',
      `the DNS does not say where ${name} leads (${found.reason})`,
      'See dns.resolvers, and the name servers of the domain.',
    );
  throw new Failure(
    'pointing',
    `${name} has no address in the DNS`,
    'Publish an A record, or AAAA, that leads to this service; sendwerk dns check shows what is missing.',
  );
};

const byAddress = async (name: string, deps: PointingDeps): Promise<void> => {
  const { lookup, addresses, ownHost } = deps;
  const found = await addressesOf(name, lookup);
  if (addresses.length === 0 && name === ownHost) return;
  const here = addresses.length > 0 ? addresses.map(plain) : await addressesOf(ownHost, lookup);
  const elsewhere = found.filter((address) => !here.includes(address));
  if (elsewhere.length === 0) return;
  throw new Failure(
    'pointing',
    `${name} leads to ${elsewhere.join(', ')}, and this service is at ${here.join(', ')}`,
    addresses.length > 0
      ? 'Mend the A and AAAA records of the name, or dns.zones.addresses.'
      : `Mend the A and AAAA records of the name, or set dns.zones.addresses to the addresses of this service.`,
  );
};

/** Publishes a text where that of the authority will be, and looks whether it is found. */
const byRecord = async (name: string, { lookup, challenges }: PointingDeps): Promise<void> => {
  const text = randomBytes(16).toString('base64url');
  const withdraw = challenges.publishText(name, text);
  try {
    const record = challenges.recordOf(name);
    const found = await lookup.txt(record);
    if (found.kind === 'found' && found.records.some((strings) => strings.join('') === text)) return;
    throw new Failure(
      'pointing',
      `the TXT record ${record} that this service publishes is not found in the DNS`,
      'Delegate the zone to this service (NS records; sendwerk dns check), or set tls.acme.challenge to http-01.',
    );
  } finally {
    withdraw();
  }
};

/** Rejects with Failure where it does not. */
export const requirePointing = (
  name: string,
  challenge: 'http-01' | 'dns-01',
  deps: PointingDeps,
): Promise<void> => (challenge === 'dns-01' ? byRecord(name, deps) : byAddress(name, deps));
