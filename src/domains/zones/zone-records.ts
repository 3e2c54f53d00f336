// What the operator's zones hold, name by name: SPF (RFC 7208), DMARC (RFC 9989, report authorisation RFC 9990), DKIM
// key targets (RFC 6376), return paths, MTA-STS (RFC 8461) and TLS-RPT (RFC 8460) of the service host, of the managed
// suffix and of a managed host. Which name is in which zone is not decided here.

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

/** What the zones are made of. Names may be in any case, with or without the trailing dot. */
export interface ZoneFacts {
  readonly serviceHost: string;
  readonly managedSuffix: string;
  /** Public IPv4 and IPv6 addresses of the service host; mail leaves from them. */
  readonly addresses: readonly string[];
  /** SPF domains of the relays that the mail leaves by (`spf.relay.example`), none when it leaves from `addresses`. */
  readonly spfIncludes?: readonly string[];
  /** Names of the zones' servers; the service host itself when empty. */
  readonly nameservers: readonly string[];
  /** E-mail address of whoever runs the zones. */
  readonly hostmaster: string;
  readonly mtaSts: MtaStsSettings;
  /** Further records at or below the service host, in its zone. */
  readonly extra?: readonly ResourceRecord[];
  /** The zones' serial (32 bits); grows whenever a record changes. */
  readonly serial: () => number;
  /** The DKIM key record's text behind a token, or null. */
  readonly findToken: (token: string) => string | null;
  readonly findManagedHost: (slug: string) => ManagedHost | null;
}

export interface ManagedHost {
  readonly tokens: readonly string[];
}

/** Addresses, NS, SOA, MX, policies: they change with a move of the operator's, announced an hour ahead. */
const STABLE_TTL_S = 3_600;
/** Key records: short, so that a rotation or a leaked key's revocation is everywhere in five minutes. */
const KEY_TTL_S = 300;
/** How long "there is no such name" may be kept: a token or host asked for too early is found soon after. */
const NEGATIVE_TTL_S = 300;
/** How often a secondary asks, how soon again after a failure, and when it gives up (RFC 1912 §2.2: two weeks). */
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

/** What `include:spf.<service host>` leads to. */
const senderPolicy = (addresses: readonly string[], includes: readonly string[]): string =>
  [
    'v=spf1',
    ...addresses.map((address) => `${isV6(address) ? 'ip6' : 'ip4'}:${address}`),
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

/** Takes mail for the service host and sends with it as return path. */
const returnPathRecords = (name: string, serviceHost: string): ResourceRecord[] => [
  mx(name, serviceHost),
  record('TXT', name, spfText(serviceHost)),
];

/** Reports on failed TLS, for a name that receives mail. */
const tlsReports = (name: string, serviceHost: string): ResourceRecord =>
  record('TXT', `_smtp._tls.${name}`, tlsReportText(serviceHost));

/** The policy itself: others' names lead here. */
const policyRecords = (serviceHost: string, facts: ZoneFacts): ResourceRecord[] => [
  record('TXT', mtaStsTarget(serviceHost), policyRecord(serviceHost, facts.mtaSts)),
  ...addressRecords(mtaStsPolicyTarget(serviceHost), facts.addresses),
];

/** How mail to a name is secured: the policy by aliases, so that it changes in one place. */
const securityRecords = (name: string, serviceHost: string): ResourceRecord[] => [
  record('CNAME', `_mta-sts.${name}`, mtaStsTarget(serviceHost)),
  record('CNAME', `mta-sts.${name}`, mtaStsPolicyTarget(serviceHost)),
  tlsReports(name, serviceHost),
];

/**
 * The host reports and bounces are sent to. Its own SPF is for HELO, the identity of mail from `<>` (RFC 7208 §2.3);
 * `bounce.` is the return path of mail whose host has none.
 */
export const serviceHostRecords = (serviceHost: string, facts: ZoneFacts): ResourceRecord[] => [
  ...addressRecords(serviceHost, facts.addresses),
  ...returnPathRecords(serviceHost, serviceHost),
  record('TXT', spfTarget(serviceHost), senderPolicy(facts.addresses, facts.spfIncludes ?? [])),
  ...returnPathRecords(`bounce.${serviceHost}`, serviceHost),
  mx(`simulator.${serviceHost}`, serviceHost),
  record('TXT', `*._report._dmarc.${serviceHost}`, 'v=DMARC1'),
  ...policyRecords(serviceHost, facts),
  tlsReports(serviceHost, serviceHost),
];

/** At a managed host itself, and at each apex, so that the tree walk of any name below finds one (RFC 9989 §4.10). */
export const dmarcRecord = (name: string, serviceHost: string): ResourceRecord =>
  record('TXT', `_dmarc.${name}`, dmarcText(serviceHost));

export const tokenRecord = (serviceHost: string, token: string, text: string): ResourceRecord =>
  record('TXT', dkimTarget(token, serviceHost), text, KEY_TTL_S);

/** Everything at and below a managed host. It has no address: it sends and receives mail, nothing else. */
export const managedHostRecords = (
  host: string,
  tokens: readonly string[],
  serviceHost: string,
): ResourceRecord[] => {
  const bounce = `bounce.${host}`;
  const inbound = `in.${host}`;
  return [
    ...returnPathRecords(host, serviceHost),
    dmarcRecord(host, serviceHost),
    ...returnPathRecords(bounce, serviceHost),
    mx(inbound, serviceHost),
    ...[host, bounce, inbound].flatMap((name) => securityRecords(name, serviceHost)),
    ...tokens.map((token) => record('CNAME', `${token}._domainkey.${host}`, dkimTarget(token, serviceHost))),
  ];
};
