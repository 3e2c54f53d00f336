// Shapes shared by records, checks, alerts and overviews: what a sending host needs in the DNS, and what was found of
// it.
import { inEnglish, type Speak, type Text } from '#src/kernel/say.ts';

export const purposes = [
  'dkim',
  'dkim_imported',
  'spf',
  'mail_from_mx',
  'mail_from_spf',
  'dmarc',
  'dmarc_subdomain',
  'bimi',
  'inbound_mx',
  'mta_sts',
  'mta_sts_policy',
  'tls_rpt',
] as const;
export type RecordPurpose = (typeof purposes)[number];

export const recordStatuses = ['ok', 'missing', 'mismatch', 'multiple', 'proxied', 'error'] as const;
/** `error`: the lookup failed (SERVFAIL, no answer), or the fault is on the service's side. */
export type RecordStatus = (typeof recordStatuses)[number];

/** A record to publish. Names and values have no trailing dots; TXT values are not split into strings. */
export interface WantedRecord {
  readonly purpose: RecordPurpose;
  readonly type: 'CNAME' | 'MX' | 'TXT';
  readonly name: string;
  /** The value of an MX is the host; its `priority` is separate. */
  readonly value: string;
  /** An MX has one; it is null for other types. */
  readonly priority: number | null;
  readonly required: boolean;
  /** Advice on publishing the record: one or two sentences, or nothing. */
  readonly hint: Text;
}

/** `value` is the record to publish in the end: what was found, merged with what is wanted (SPF, DMARC). */
export interface CheckedRecord extends WantedRecord {
  readonly status: RecordStatus;
  /** One entry a record, as found: `10 mail.example.org` for an MX. */
  readonly found: readonly string[];
  /** What is wrong and what to do. If the record is right: advice, or nothing. */
  readonly hint: Text;
}

/** A record that must not exist. */
export interface DnsConflict {
  readonly purpose: 'apex_mx';
  readonly type: 'MX';
  readonly name: string;
  readonly found: readonly string[];
  readonly hint: Text;
}

export interface WantedRecords {
  readonly host: string;
  readonly records: readonly WantedRecord[];
  /** Records for receiving mail, and for securing what others send to the host. All are optional. */
  readonly inbound: readonly WantedRecord[];
}

export interface HostCheck {
  readonly host: string;
  readonly records: readonly CheckedRecord[];
  readonly inbound: readonly CheckedRecord[];
  readonly conflicts: readonly DnsConflict[];
  /** All required records are ok, and nothing conflicts. */
  readonly ok: boolean;
  /** Every DKIM token is ok, which proves that the tenant controls the domain. */
  readonly dkimVerified: boolean;
}

/** A DKIM key of the host, as published. */
export interface HostKey {
  /** The token, or the selector of an imported key. */
  readonly selector: string;
  /** Text of the TXT record. */
  readonly record: string;
  /** The tenant publishes the TXT itself, instead of a CNAME to the service. */
  readonly imported: boolean;
}

/** What the records of a host are made from. All names are lower-case A-labels. */
export interface HostFacts {
  readonly host: string;
  readonly kind: 'managed' | 'custom';
  readonly serviceHost: string;
  readonly keys: readonly HostKey[];
  readonly bimi: { readonly logoUrl: string | null; readonly certificateUrl: string | null };
}

/** Advice in that language; in English where a part of it is not known in the other. */
export const adviceIn = (speak: Speak, advice: Text): string =>
  (speak.knows(advice) ? speak : inEnglish)(advice);

/** A record as it is shown. */
export const withAdvice = <R extends { readonly hint: Text }>(speak: Speak, record: R) => ({
  ...record,
  hint: adviceIn(speak, record.hint),
});
