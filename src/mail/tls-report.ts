// Reads a report about TLS sessions (RFC 8460 §4.4) as senders write them. Pure.
import { countOf, hostOf, ReportFault, type ReportHead, reportHead, wordsOf } from './domain-report.ts';

/** RFC 8460 §4.3. */
export const tlsFailures = [
  'starttls-not-supported',
  'certificate-host-mismatch',
  'certificate-expired',
  'certificate-not-trusted',
  'validation-failure',
  'tlsa-invalid',
  'dnssec-invalid',
  'dane-required',
  'sts-policy-fetch-error',
  'sts-policy-invalid',
  'sts-webpki-invalid',
  'other',
] as const;
export type TlsFailure = (typeof tlsFailures)[number];

export interface TlsPolicyReport {
  /** The host that mail was sent to. */
  readonly domain: string;
  /** Sessions. */
  readonly succeeded: number;
  readonly failed: number;
  readonly failures: readonly { readonly type: TlsFailure; readonly sessions: number }[];
}

export interface TlsReport extends ReportHead {
  readonly policies: readonly TlsPolicyReport[];
  /** How many policies could not be read. */
  readonly unreadable: number;
}

const MAX_POLICIES = 1_000;
const MAX_DETAILS = 1_000;

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};
/** Where there is one, some programs write it without a list. */
const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];

const failureOf = (value: unknown): TlsFailure => {
  const name = wordsOf(value).toLowerCase().replaceAll('_', '-');
  return tlsFailures.find((known) => known === name) ?? 'other';
};

/** Null where it cannot be read. */
const readPolicy = (value: unknown): TlsPolicyReport | null => {
  const { policy, summary, 'failure-details': details } = fieldsOf(value);
  const domain = hostOf(fieldsOf(policy)['policy-domain']);
  const succeeded = countOf(fieldsOf(summary)['total-successful-session-count'] ?? 0);
  const failed = countOf(fieldsOf(summary)['total-failure-session-count'] ?? 0);
  if (domain === null || succeeded === null || failed === null) return null;
  const failures = listOf(details)
    .slice(0, MAX_DETAILS)
    .map((detail) => ({
      type: failureOf(fieldsOf(detail)['result-type']),
      sessions: countOf(fieldsOf(detail)['failed-session-count'] ?? 1) ?? 1,
    }));
  return { domain, succeeded, failed, failures };
};

/** @throws ReportFault */
export const readTlsReport = (text: string): TlsReport => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new ReportFault('damaged', 'It is no complete JSON.', error);
  }
  const report = fieldsOf(parsed);
  if (!('policies' in report)) throw new ReportFault('no_report', 'The JSON is no report about TLS.');
  const range = fieldsOf(report['date-range']);
  const head = reportHead({
    organisation: report['organization-name'],
    reportId: report['report-id'],
    begin: range['start-datetime'],
    end: range['end-datetime'],
  });
  const read = listOf(report.policies).slice(0, MAX_POLICIES).map(readPolicy);
  const policies = read.filter((policy) => policy !== null);
  if (policies.length === 0)
    throw new ReportFault('incomplete', 'None of its policies says which host how many sessions were with.');
  return { ...head, policies, unreadable: read.length - policies.length };
};
