// Compares the public DNS with what the operator's zones hold: which record sets to look up, and how to judge each
// answer. Pure: `sendwerk dns check` does the lookups.

import type { Lookup, LookupFailure } from '#src/kernel/dns-lookup.ts';
import { isSpf } from '../check/spf-record.ts';
import { type ResourceRecord, toComparable } from './resource-record.ts';

export type SetType = 'SOA' | 'NS' | 'A/AAAA' | 'MX' | 'TXT' | 'CNAME' | 'PTR';
/** `SPF`: not a record set, but what receivers make of a relay's addresses (relay-senders.ts). */
type CheckedType = SetType | 'SPF';

/**
 * A record set that a name must have. Values are text: `10 mx.example` for an MX, the name server for a SOA.
 */
export interface WantedSet {
  readonly type: SetType;
  /** A PTR has the address here. */
  readonly name: string;
  /** Empty: any value is right. */
  readonly values: readonly string[];
  /** True: without it mail is lost or refused. */
  readonly required: boolean;
}

export interface CheckedSet extends Omit<WantedSet, 'type'> {
  readonly type: CheckedType;
  readonly status: 'ok' | 'wrong' | 'missing' | 'error';
  readonly found: readonly string[];
  /** What to do; empty if the set is right. */
  readonly hint: string;
}

/** The probe for any name below a wildcard. */
const WILDCARD_PROBE = 'dns-check';
/** Transport security, reports, the simulator and the keys of evidence: mail works without them. */
const OPTIONAL = /^(?:_?mta-sts|_smtp\._tls|simulator|_consent-keys|[^.]+\._report\._dmarc)\./;
/** Bounds what is printed of a broken zone. */
const MAX_FOUND = 10;

/** Brings the spellings of an IPv6 address into one. */
export const plainAddress = (address: string): string =>
  address.includes(':') ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;

const typeOf = ({ type }: ResourceRecord): SetType => (type === 'A' || type === 'AAAA' ? 'A/AAAA' : type);

const textOf = (record: ResourceRecord): string => {
  switch (record.type) {
    case 'A':
    case 'AAAA':
      return plainAddress(record.data);
    case 'NS':
    case 'CNAME':
      return toComparable(record.data);
    case 'TXT':
      return record.data;
    case 'MX':
      return `${record.data.preference} ${record.data.exchange}`;
    case 'SOA':
      return record.data.mname;
    default:
      return record satisfies never;
  }
};

/** The record sets of these records in their order, each once. */
export const wantedSets = (records: Iterable<ResourceRecord>): WantedSet[] => {
  const sets = new Map<string, { type: SetType; name: string; values: Set<string> }>();
  for (const record of records) {
    const type = typeOf(record);
    const name = record.name.replace(/^\*/, WILDCARD_PROBE);
    const set = sets.get(`${type} ${name}`) ?? { type, name, values: new Set<string>() };
    set.values.add(textOf(record));
    sets.set(`${type} ${name}`, set);
  }
  return [...sets.values()].map(({ type, name, values }) => ({
    type,
    name,
    values: [...values],
    required: !OPTIONAL.test(name),
  }));
};

/** An address of the service host must lead back to its name: receivers compare it with EHLO. */
export const wantedReverse = (address: string, serviceHost: string): WantedSet => ({
  type: 'PTR',
  name: plainAddress(address),
  values: [serviceHost],
  required: false,
});

const isRight = ({ type, values }: WantedSet, found: readonly string[]): boolean => {
  const hasAll = values.every((value) => found.includes(value));
  if (type === 'PTR' || values.length === 0) return hasAll;
  // Others may publish texts at the name too, but only one SPF record is allowed (RFC 7208 §4.5).
  if (type === 'TXT') return hasAll && (!values.some(isSpf) || found.filter(isSpf).length === 1);
  return hasAll && found.length === values.length;
};

export const failures: Readonly<Record<LookupFailure, string>> = {
  servfail:
    'The resolver got no usable answer from the name servers of this zone (SERVFAIL): are they up, and does the zone above have a DS record left over?',
  refused:
    'Refused: a server named in the delegation does not serve this zone, or the resolver is not for you.',
  timeout: 'No server answered in time: is port 53 open for UDP and TCP?',
  malformed: 'The answer could not be read.',
};

const remedies: Readonly<Partial<Record<SetType, (set: WantedSet) => string>>> = {
  NS: ({ name, values }) =>
    `In the zone above, delegate ${name} to ${values.join(', ')} (with their addresses as glue where their names lie in it), or name the servers that are right in dns.zones.nameservers.`,
  'A/AAAA': () => 'Compare dns.zones.addresses with what is published.',
  PTR: ({ name, values }) =>
    `The provider of ${name} can set its reverse name to ${values.join(', ')}: many receivers refuse mail from an address without one.`,
};

const load = (builtIn: boolean): string =>
  builtIn
    ? 'The built-in name server holds this: the answer came from another one, or from a cache. See the NS row of the zone.'
    : 'Load the zone again from the output of `sendwerk dns zone`.';

/** `builtIn`: the daemon serves the zones itself. */
export const judgeSet = (wanted: WantedSet, answer: Lookup<string>, builtIn: boolean): CheckedSet => {
  if (answer.kind === 'failed')
    return { ...wanted, status: 'error', found: [], hint: failures[answer.reason] };
  const found = answer.kind === 'found' ? answer.records : [];
  if (answer.kind === 'found' && isRight(wanted, found)) return { ...wanted, status: 'ok', found, hint: '' };
  const status = answer.kind === 'found' ? 'wrong' : 'missing';
  const hint = remedies[wanted.type]?.(wanted) ?? load(builtIn);
  return { ...wanted, status, found: found.slice(0, MAX_FOUND), hint };
};
