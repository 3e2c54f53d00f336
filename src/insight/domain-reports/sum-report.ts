// Sums up what a report says by source and day.
import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net';
import { DAY } from '#src/kernel/time.ts';
import type { AggregateRecord } from '#src/mail/dmarc-report.ts';
import type { ReportHead } from '#src/mail/domain-report.ts';
import type { TlsFailure, TlsPolicyReport } from '#src/mail/tls-report.ts';

export interface SourceSum {
  /** An IP address in canonical form; empty: all further sources. */
  readonly source: string;
  /** 1: mail of this service, by the address of its relay or by a signature with one of the tenant's keys. */
  readonly is_known: 0 | 1;
  mails: number;
  /** DMARC: at least one of the next two. */
  passed: number;
  dkim_passed: number;
  spf_passed: number;
  quarantined: number;
  rejected: number;
  /** The domain that signed the last record, and the domain of its MAIL FROM. */
  dkim_domain: string | null;
  spf_domain: string | null;
}

export interface OwnMail {
  /** Addresses and networks of the relays, as the SPF record of the service has them. */
  readonly relays: readonly string[];
  /** Selectors of the tenant's keys, in lower case. */
  readonly selectors: ReadonlySet<string>;
  /** The hosts that they are of. */
  readonly hosts: ReadonlySet<string>;
}

export const MAX_SOURCES = 200;

/**
 * The number of the UTC day that most of the period is in; a period of more than a day counts as its first 24 hours. Many
 * receivers begin their day at their own midnight.
 */
export const dayOf = ({ begin, end }: Pick<ReportHead, 'begin' | 'end'>): number =>
  Math.floor((begin + Math.min(end - begin, DAY) / 2) / DAY);

const isSignedByUs = ({ signatures }: AggregateRecord, { selectors, hosts }: OwnMail): boolean =>
  signatures.some(
    ({ domain, selector, passed }) =>
      passed && hosts.has(domain) && (selector === '' || selectors.has(selector)),
  );

const add = (
  sum: SourceSum,
  { mails, dkimPassed, spfPassed, disposition, signatures, spfDomain }: AggregateRecord,
) => {
  sum.mails += mails;
  sum.passed += dkimPassed || spfPassed ? mails : 0;
  sum.dkim_passed += dkimPassed ? mails : 0;
  sum.spf_passed += spfPassed ? mails : 0;
  sum.quarantined += disposition === 'quarantine' ? mails : 0;
  sum.rejected += disposition === 'reject' ? mails : 0;
  sum.dkim_domain = (signatures.find(({ passed }) => passed) ?? signatures[0])?.domain ?? sum.dkim_domain;
  sum.spf_domain = spfDomain ?? sum.spf_domain;
};

/**
 * The one form of each address; null where it is none. A report may have 20,000: the arithmetic of kernel/ip-networks.ts would
 * take half a second.
 */
const canonicalAddress = (text: string): string | null => {
  if (isIP(text) === 0 || text.includes('%')) return null;
  if (isIPv4(text)) return text;
  const { address } = new SocketAddress({ family: 'ipv6', address: text });
  const mapped = address.replace(/^::ffff:/, '');
  return isIPv4(mapped) ? mapped : address;
};

const familyOf = (address: string) => (isIPv4(address) ? 'ipv4' : 'ipv6');

const listOf = (networks: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const network of networks) {
    const [base = '', prefix] = network.split('/');
    if (prefix === undefined) list.addAddress(base, familyOf(base));
    else list.addSubnet(base, Number(prefix), familyOf(base));
  }
  return list;
};

const SUMMED = ['mails', 'passed', 'dkim_passed', 'spf_passed', 'quarantined', 'rejected'] as const;

const emptySum = (source: string, is_known: 0 | 1): SourceSum => ({
  source,
  is_known,
  mails: 0,
  passed: 0,
  dkim_passed: 0,
  spf_passed: 0,
  quarantined: 0,
  rejected: 0,
  dkim_domain: null,
  spf_domain: null,
});

/** The sources with the most mail first, at most `MAX_SOURCES`; then one or two sums of the others. */
export const sumSources = (
  records: readonly AggregateRecord[],
  own: OwnMail,
): { readonly sums: SourceSum[]; readonly unreadable: number } => {
  const sums = new Map<string, SourceSum>();
  const relays = listOf(own.relays);
  const addresses = new Map<string, { readonly source: string; readonly isRelay: boolean } | null>();
  let unreadable = 0;
  for (const record of records) {
    let address = addresses.get(record.source);
    if (address === undefined) {
      const source = canonicalAddress(record.source);
      address = source === null ? null : { source, isRelay: relays.check(source, familyOf(source)) };
      addresses.set(record.source, address);
    }
    if (address === null) {
      unreadable += 1;
      continue;
    }
    const isKnown = address.isRelay || isSignedByUs(record, own) ? 1 : 0;
    const key = `${address.source} ${isKnown}`;
    const sum = sums.get(key) ?? emptySum(address.source, isKnown);
    sums.set(key, sum);
    add(sum, record);
  }
  const sorted = [...sums.values()].sort((a, b) => b.mails - a.mails);
  const others = [emptySum('', 0), emptySum('', 1)] as const;
  for (const sum of sorted.slice(MAX_SOURCES))
    for (const name of SUMMED) others[sum.is_known][name] += sum[name];
  const kept = [...sorted.slice(0, MAX_SOURCES), ...others.filter(({ mails }) => mails > 0)];
  return { sums: kept, unreadable };
};

export type TlsResult = 'succeeded' | 'failed' | TlsFailure;

/** Sessions by their result; each failure is counted in `failed` and by its type. */
export const sumSessions = (policies: readonly TlsPolicyReport[]): Map<TlsResult, number> => {
  const sums = new Map<TlsResult, number>();
  const count = (result: TlsResult, sessions: number): void => {
    if (sessions > 0) sums.set(result, (sums.get(result) ?? 0) + sessions);
  };
  for (const { succeeded, failed, failures } of policies) {
    count('succeeded', succeeded);
    count('failed', failed);
    for (const { type, sessions } of failures) count(type, sessions);
  }
  return sums;
};
