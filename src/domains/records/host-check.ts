// What a sending host needs in the DNS, and what was found of it: the shapes that records, checks, alerts and overviews
// share.

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
/** `error`: it could not be found out (SERVFAIL, no answer), or what is wrong is on the service's side. */
export type RecordStatus = (typeof recordStatuses)[number];

/** A record to publish. Names and values are without trailing dots, TXT values whole, not split into strings. */
export interface WantedRecord {
  readonly purpose: RecordPurpose;
  readonly type: 'CNAME' | 'MX' | 'TXT';
  readonly name: string;
  /** Of an MX the host; `priority` stands beside it. */
  readonly value: string;
  /** Of an MX, else null. */
  readonly priority: number | null;
  readonly required: boolean;
  /** What to heed when publishing it; English, one or two sentences. Empty where nothing. */
  readonly hint: string;
}

/** `value` is what should stand there afterwards: what was found, merged with what is wanted (SPF, DMARC). */
export interface CheckedRecord extends WantedRecord {
  readonly status: RecordStatus;
  /** As found, one entry a record: `10 mail.example.org` for an MX. */
  readonly found: readonly string[];
  /** What is wrong and what to do; where all is well, advice or empty. */
  readonly hint: string;
}

/** Something in the DNS that should not be there. */
export interface DnsConflict {
  readonly purpose: 'apex_mx';
  readonly type: 'MX';
  readonly name: string;
  readonly found: readonly string[];
  readonly hint: string;
}

export interface WantedRecords {
  readonly host: string;
  readonly records: readonly WantedRecord[];
  /** For receiving mail, and for how others' mail to the host is secured: all optional. */
  readonly inbound: readonly WantedRecord[];
}

export interface HostCheck {
  readonly host: string;
  readonly records: readonly CheckedRecord[];
  readonly inbound: readonly CheckedRecord[];
  readonly conflicts: readonly DnsConflict[];
  /** All required records are ok and there is no conflict. */
  readonly ok: boolean;
  /** Every DKIM token is ok: the proof of control. */
  readonly dkimVerified: boolean;
}

/** A key's record as the host is to bear it. */
export interface HostKey {
  /** Token or imported selector. */
  readonly selector: string;
  /** Text of the TXT that verifies what it signs. */
  readonly record: string;
  /** Published by the tenant as a TXT of its own, not by a CNAME to the service. */
  readonly imported: boolean;
}

/** What the records of a host are made of. All names are lower-case A-labels. */
export interface HostFacts {
  readonly host: string;
  readonly kind: 'managed' | 'custom';
  readonly serviceHost: string;
  readonly keys: readonly HostKey[];
  readonly bimi: { readonly logoUrl: string | null; readonly certificateUrl: string | null };
}
