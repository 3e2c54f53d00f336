// What the operator has to enter elsewhere so that the world finds the service: at the provider of the domain above, and at that
// of the machine. Pure.
import type { PlainRecord } from '#src/domains/zones/resource-record.ts';
import { entriesOf } from './configuration.ts';
import type { Answers } from './questions.ts';

/** An hour, as the zones themselves. */
const TTL_S = 3_600;

const isBelow = (name: string, zone: string): boolean => name === zone || name.endsWith(`.${zone}`);

/** The records of the zones above; empty where another name server has the zones whole. */
export const delegationRecords = ({
  dns,
  host,
  managed_suffix,
  nameserver,
  addresses,
}: Answers): PlainRecord[] => {
  if (dns === 'own') return [];
  const zones = [host, managed_suffix];
  // A name server within a delegated zone is found by the glue that the zone above has (RFC 1034 §4.2.1).
  const isGlued = zones.some((zone) => isBelow(nameserver, zone));
  return [
    ...zones.map((name): PlainRecord => ({ name, ttl: TTL_S, type: 'NS', data: nameserver })),
    ...(isGlued ? entriesOf(addresses) : []).map(
      (data): PlainRecord => ({
        name: nameserver,
        ttl: TTL_S,
        type: data.includes(':') ? 'AAAA' : 'A',
        data,
      }),
    ),
  ];
};

/** Reverse names, which whoever gave the machine its addresses sets (RFC 1912 §2.1). */
export const reverseNames = ({
  addresses,
  host,
}: Answers): readonly (readonly [address: string, name: string])[] =>
  entriesOf(addresses).map((address) => [address, host]);
