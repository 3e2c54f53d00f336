// The records of the operator's zones, name by name: SPF (RFC 7208), DMARC (RFC 9989, report authorisation RFC 9990),
// DKIM key targets (RFC 6376), return paths, MTA-STS (RFC 8461) and TLS-RPT (RFC 8460) of the service host, the managed
// suffix and a managed host. zone.ts decides which name is in which zone.

import {
  dkimTarget,
  dmarcText,
  mtaStsPolicyTarget,
  mtaStsTarget,
  spfTarget,
  spfText,
  tlsReportText,
} from '../records/wanted-records.ts';
import { type MtaStsSettings, policyRecord } from './mta-sts.ts';
import type { MxRecord, PlainRecord, ResourceRecord, SoaRecord } from './resource-record.ts';

/** What the zones are made from. Names may be in any case, with or without the trailing dot. */
export interface ZoneFacts {
  readonly serviceHost: string;
  readonly managedSuffix: string;
  /** Public IPv4 and IPv6 addresses of the service host; mail leaves from them. */
  readonly addresses: readonly string[];
  /** SPF domains of the relays that send the mail (`spf.relay.example`), and addresses or networks of others. */
  readonly spfIncludes?: readonly string[];
  readonly spfAddresses?: readonly string[];
  /** Names of the zones' servers; empty means the service host itself. */
  readonly nameservers: readonly string[];
  /** E-mail address of the zones' operator. */
  readonly hostmaster: string;
  readonly mtaSts: MtaStsSettings;
  /** Further records at or below the service host, in its zone. */
  readonly extra?: readonly ResourceRecord[];
  /** Where the keys of evidence of consent are published, if that is in the zones; null: nowhere. */
  readonly keysName?: string | null;
  /** Their texts. */
  readonly findEvidenceKeys?: () => readonly string[];
  /** Texts at `_acme-challenge.` names (RFC 8555 §8.4), while a certificate authority checks them; the name is in lower case. */
  readonly findChallenges?: ((name: string) => readonly string[]) | undefined;
  /** The zones' serial (32 bits); grows whenever a record changes. */
  readonly serial: () => number;
  /** The text of a token's DKIM key record, or null. */
  readonly findToken: (token: string) => string | null;
  readonly findManagedHost: (slug: string) => ManagedHost | null;
}

export interface ManagedHost {
  readonly tokens: readonly string[];
}

/**
 * Addresses, NS, SOA, MX and policies change only when the operator moves, which is announced an hour ahead.
 */
const STABLE_TTL_S = 3_600;
/** Short, so that a rotation or a revoked key reaches everyone within five minutes. */
const KEY_TTL_S = 300;
/**
 * How long "no such name" may be cached: a token or host that was looked up too early is found soon after.
 */
const NEGATIVE_TTL_S = 300;
/**
 * How often a secondary server asks, when it retries after a failure, and when it gives up (RFC 1912 §2.2: two weeks).
 */
const REFRESH_S = 3_600;
const RETRY_S = 600;
const EXPIRE_S = 1_209_600;
const MX_PREFERENCE = 10;

const record = (type: PlainRecord['type'], name: string, data: string, ttl = STABLE_TTL_S): PlainRecord => ({
  name,
  type,
  ttl,
  data,
});

const mx = (name: string, exchange: string): MxRecord => ({
  name,
  type: 'MX',
  ttl: STABLE_TTL_S,
  data: { preference: MX_PREFERENCE, exchange },
});

const isV6 = (address: string): boolean => address.includes(':');

export const addressRecords = (name: string, addresses: readonly string[]): ResourceRecord[] =>
  addresses.map((address) => record(isV6(address) ? 'AAAA' : 'A', name, address));

/** The record that `include:spf.<service host>` leads to. */
const senderPolicy = ({ addresses, spfAddresses = [], spfIncludes: includes = [] }: ZoneFacts): string =>
  [
    'v=spf1',
    ...[...addresses, ...spfAddresses].map((address) => `${isV6(address) ? 'ip6' : 'ip4'}:${address}`),
    ...includes.map((domain) => `include:${domain}`),
    '~all',
  ].join(' ');

/** `a.b@example.org` as a name: `a\.b.example.org`. */
const toRname = (mailbox: string): string => {
  const at = mailbox.lastIndexOf('@');
  if (at < 0) return mailbox.replace(/\.$/, '');
  return `${mailbox.slice(0, at).replaceAll('.', '\\.')}.${mailbox.slice(at + 1)}`;
};

export const soaRecord = (apex: string, mname: string, facts: ZoneFacts): SoaRecord => ({
  name: apex,
  type: 'SOA',
  ttl: STABLE_TTL_S,
  data: {
    mname,
    rname: toRname(facts.hostmaster),
    serial: facts.serial() >>> 0,
    refresh: REFRESH_S,
    retry: RETRY_S,
    expire: EXPIRE_S,
    minimum: NEGATIVE_TTL_S,
  },
});

export const nsRecords = (apex: string, nameservers: readonly string[]): ResourceRecord[] =>
  nameservers.map((nameserver) => record('NS', apex, nameserver));

/** Gone within seconds, and asked for once. */
const CHALLENGE_TTL_S = 1;

export const challengeRecords = (name: string, { findChallenges }: ZoneFacts): ResourceRecord[] =>
  name.startsWith('_acme-challenge.')
    ? (findChallenges?.(name) ?? []).map((text) => record('TXT', name, text, CHALLENGE_TTL_S))
    : [];

/** A name that receives mail for the service host and sends mail as a return path. */
const returnPathRecords = (name: string, serviceHost: string): ResourceRecord[] => [
  mx(name, serviceHost),
  record('TXT', name, spfText(serviceHost)),
];

/** The address for reports on failed TLS, for a name that receives mail. */
const tlsReports = (name: string, serviceHost: string): ResourceRecord =>
  record('TXT', `_smtp._tls.${name}`, tlsReportText(serviceHost));

/** The policy itself; the names of other hosts lead here. */
const policyRecords = (serviceHost: string, facts: ZoneFacts): ResourceRecord[] => [
  record('TXT', mtaStsTarget(serviceHost), policyRecord(serviceHost, facts.mtaSts)),
  ...addressRecords(mtaStsPolicyTarget(serviceHost), facts.addresses),
];

/** Secures mail to a name. The policy is reached by CNAMEs, so that it changes in one place. */
const securityRecords = (name: string, serviceHost: string): ResourceRecord[] => [
  record('CNAME', `_mta-sts.${name}`, mtaStsTarget(serviceHost)),
  record('CNAME', `mta-sts.${name}`, mtaStsPolicyTarget(serviceHost)),
  tlsReports(name, serviceHost),
];

/**
 * The host that receives reports and bounces. Its own SPF is for HELO, the identity of mail from `<>` (RFC 7208 §2.3);
 * `bounce.` is the return path of mail whose host has none.
 */
export const serviceHostRecords = (serviceHost: string, facts: ZoneFacts): ResourceRecord[] => [
  ...addressRecords(serviceHost, facts.addresses),
  ...returnPathRecords(serviceHost, serviceHost),
  record('TXT', spfTarget(serviceHost), senderPolicy(facts)),
  ...returnPathRecords(`bounce.${serviceHost}`, serviceHost),
  mx(`simulator.${serviceHost}`, serviceHost),
  record('TXT', `*._report._dmarc.${serviceHost}`, 'v=DMARC1'),
  ...policyRecords(serviceHost, facts),
  tlsReports(serviceHost, serviceHost),
];

/**
 * Published at each managed host and at each apex, so that the tree walk of any name below finds one (RFC 9989 §4.10).
 */
export const dmarcRecord = (name: string, serviceHost: string): ResourceRecord =>
  record('TXT', `_dmarc.${name}`, dmarcText(serviceHost));

export const tokenRecord = (serviceHost: string, token: string, text: string): ResourceRecord =>
  record('TXT', dkimTarget(token, serviceHost), text, KEY_TTL_S);

export const evidenceKeyRecords = ({ keysName, findEvidenceKeys }: ZoneFacts): ResourceRecord[] =>
  keysName ? (findEvidenceKeys?.() ?? []).map((text) => record('TXT', keysName, text, KEY_TTL_S)) : [];

/**
 * All records at and below a managed host. Mail is received at `in.` only, so the host itself has no MX. It has the service's
 * addresses: some receivers take a domain in From for invented that has neither, and who writes to it all the same reaches the
 * listener, whose reply says where to write (RFC 5321 §5.1). A null MX (RFC 7505) would make receivers refuse its mail.
 */
export const managedHostRecords = (
  host: string,
  tokens: readonly string[],
  serviceHost: string,
  addresses: readonly string[],
): ResourceRecord[] => {
  const bounce = `bounce.${host}`;
  const inbound = `in.${host}`;
  return [
    ...addressRecords(host, addresses),
    record('TXT', host, spfText(serviceHost)),
    dmarcRecord(host, serviceHost),
    ...returnPathRecords(bounce, serviceHost),
    mx(inbound, serviceHost),
    ...[bounce, inbound].flatMap((name) => securityRecords(name, serviceHost)),
    ...tokens.map((token) => record('CNAME', `${token}._domainkey.${host}`, dkimTarget(token, serviceHost))),
  ];
};
