// What receivers report about a practice's domains, for its report on deliverability and for the list of reports.
import type { z } from 'zod';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { DAY, toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { tlsFailures } from '#src/mail/tls-report.ts';
import type { domainReportSchema, reportedDomainsSchema } from './schema.ts';
import { type DomainReportRow, type DomainSum, domainReportStore } from './store.ts';

type ReportedDomains = z.infer<typeof reportedDomainsSchema>;
type ReportedMail = ReportedDomains['dmarc'][number];
type ReportedHost = ReportedDomains['tls'][number];

const SHOWN_SOURCES = 10;

type Sums = Omit<DomainSum, 'domain' | 'is_known'>;
const NAMES = ['mails', 'passed', 'dkim_passed', 'spf_passed', 'quarantined', 'rejected'] as const;
const total = (sums: readonly Sums[]): Sums => {
  const zero: Sums = { mails: 0, passed: 0, dkim_passed: 0, spf_passed: 0, quarantined: 0, rejected: 0 };
  for (const sum of sums) for (const name of NAMES) zero[name] += sum[name];
  return zero;
};

const problemsOf = ({ dmarc, tls, not_taken }: Omit<ReportedDomains, 'problems'>): string[] => [
  ...dmarc.flatMap(({ domain, mails, passed, ours }) => {
    const ownFailed = ours.mails - ours.passed;
    const othersFailed = mails - passed - ownFailed;
    return [
      ...(ownFailed > 0
        ? [
            `${ownFailed} of ${ours.mails} mails that left here in the name of ${domain} failed DMARC: check its DKIM and SPF records.`,
          ]
        : []),
      ...(othersFailed > 0
        ? [
            `${othersFailed} mails in the name of ${domain} from elsewhere failed DMARC; some may have been forwarded. Where their sources are yours, sign their mail by DKIM; where not, a policy of quarantine or reject stops them.`,
          ]
        : []),
    ];
  }),
  ...tls.flatMap(({ host, succeeded, failed }) =>
    failed > 0
      ? [`${failed} of ${succeeded + failed} TLS sessions with ${host} failed: see its failures.`]
      : [],
  ),
  ...(not_taken > 0
    ? [`${not_taken} reports could not be taken: GET …/domain-reports says of each why.`]
    : []),
];

/** The domains of the UTC days since `since` (ms). */
export const reportedDomainsOf = (db: TenantDb, since: number): ReportedDomains => {
  const store = domainReportStore(db);
  const firstDay = Math.floor(since / DAY);
  const received = store.reported(since);
  const reportsOf = (kind: DomainReportRow['kind'], domain: string) => {
    const found = received.find((one) => one.kind === kind && one.domain === domain);
    return { reports: found?.reports ?? 0, last_report_at: toIsoOrNull(found?.last_at ?? null) };
  };
  const namesOf = (kind: DomainReportRow['kind'], summed: readonly string[]): string[] => {
    const reported = received.filter((one) => one.kind === kind && one.reports > 0);
    return [...new Set([...reported.map(({ domain }) => domain), ...summed])].sort();
  };

  const sums = store.domainSums(firstDay);
  const dmarc = namesOf(
    'dmarc',
    sums.map(({ domain }) => domain),
  ).map((domain): ReportedMail => {
    const ofDomain = sums.filter((sum) => sum.domain === domain);
    const { mails, passed, ...rest } = total(ofDomain);
    const own = total(ofDomain.filter(({ is_known }) => is_known === 1));
    return {
      domain,
      ...reportsOf('dmarc', domain),
      mails,
      passed,
      ...rest,
      pass_rate: mails === 0 ? null : passed / mails,
      ours: { mails: own.mails, passed: own.passed },
      unknown_sources: store
        .unknownSources(domain, firstDay, SHOWN_SOURCES)
        .map(({ source, ...counts }) => ({ address: source, ...counts })),
    };
  });

  const sessions = store.sessions(firstDay);
  const tls = namesOf(
    'tls',
    sessions.map(({ host }) => host),
  ).map((host): ReportedHost => {
    const ofHost = sessions.filter((one) => one.host === host);
    const sum = (result: string, day?: number): number =>
      ofHost
        .filter((one) => one.result === result && (day === undefined || one.day === day))
        .reduce((count, one) => count + one.sessions, 0);
    return {
      host,
      ...reportsOf('tls', host),
      succeeded: sum('succeeded'),
      failed: sum('failed'),
      failures: tlsFailures.flatMap((type) => {
        const count = sum(type);
        return count > 0 ? [{ type, sessions: count }] : [];
      }),
      days: [...new Set(ofHost.map(({ day }) => day))].map((day) => ({
        day: toIso(day * DAY).slice(0, 10),
        succeeded: sum('succeeded', day),
        failed: sum('failed', day),
      })),
    };
  });
  const shown = { dmarc, tls, not_taken: received.reduce((count, { faults }) => count + faults, 0) };
  return { ...shown, problems: problemsOf(shown) };
};

export const presentDomainReport = (row: DomainReportRow): z.infer<typeof domainReportSchema> => ({
  id: row.id,
  kind: row.kind,
  domain: row.domain,
  organisation: row.organisation,
  report_id: row.report_id,
  begins_at: toIsoOrNull(row.begins_at),
  ends_at: toIsoOrNull(row.ends_at),
  sender: row.sender,
  received_at: toIso(row.received_at),
  counted: row.counted,
  unreadable: row.unreadable,
  repeats: row.repeats,
  taken: row.fault === null,
  reason: row.fault,
  detail: row.fault_detail,
});
