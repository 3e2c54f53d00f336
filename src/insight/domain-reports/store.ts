// Reports about a tenant's domains, and their sums by source and day. Rows are bounded for each day, for anyone may send reports.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { OldRows } from '#src/kernel/old-rows.ts';
import { DAY } from '#src/kernel/time.ts';
import type { reportFaults } from '#src/mail/domain-report.ts';
import { MAX_SOURCES, type SourceSum, type TlsResult } from './sum-report.ts';

export interface DomainReportRow {
  seq: number;
  id: string;
  kind: 'dmarc' | 'tls';
  domain: string;
  organisation: string | null;
  report_id: string | null;
  begins_at: number | null;
  ends_at: number | null;
  sender: string | null;
  counted: number;
  unreadable: number;
  repeats: number;
  fault: (typeof reportFaults)[number] | null;
  fault_detail: string | null;
  received_at: number;
}

export type NewDomainReport = Omit<DomainReportRow, 'seq' | 'repeats'>;

type Counts = Omit<SourceSum, 'source' | 'is_known'>;

/** What is said of mail in a domain's name; `is_known` as in SourceSum. */
export interface DomainSum extends Omit<Counts, 'dkim_domain' | 'spf_domain'> {
  domain: string;
  is_known: 0 | 1;
}

export interface ReportedDomain {
  domain: string;
  kind: DomainReportRow['kind'];
  /** Those that were taken. */
  reports: number;
  /** The faults without those that anyone may have sent. */
  faults: number;
  last_at: number | null;
}

/** The bound for one received day: far more than there are receivers who report. */
const MAX_REPORTS_A_DAY = 1_000;
/** Beside them, of reports that nothing proves, which anyone may send. */
const MAX_UNPROVED_A_DAY = 100;

const COLUMNS = [
  'id',
  'kind',
  'domain',
  'organisation',
  'report_id',
  'begins_at',
  'ends_at',
  'sender',
  'counted',
  'unreadable',
  'fault',
  'fault_detail',
  'received_at',
] as const satisfies (keyof NewDomainReport)[];

const BY_DAY = `seq AS key, day * ${DAY} AS at, day * ${DAY} AS since, 100 AS bytes, 0 AS held`;
const asEvents = (scan: string, remove: string): OldRows => ({
  keptFor: ({ events }) => events,
  scan,
  remove: [remove],
});
/** What receivers report: days come nearly in the order of their rows. */
export const oldReports: readonly OldRows[] = [
  asEvents(
    `SELECT seq AS key, received_at AS at, received_at AS since, 200 AS bytes, 0 AS held FROM domain_reports
     WHERE seq > ? ORDER BY seq`,
    'DELETE FROM domain_reports WHERE seq = ?',
  ),
  asEvents(
    `SELECT ${BY_DAY} FROM dmarc_sources WHERE seq > ? ORDER BY seq`,
    'DELETE FROM dmarc_sources WHERE seq = ?',
  ),
  asEvents(
    `SELECT ${BY_DAY} FROM tls_sessions WHERE seq > ? ORDER BY seq`,
    'DELETE FROM tls_sessions WHERE seq = ?',
  ),
];

export const domainReportStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<NewDomainReport>(
    `INSERT INTO domain_reports (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map((name) => `:${name}`).join(', ')})`,
  );
  const repeat = db.prepare<NewDomainReport>(
    `UPDATE domain_reports SET repeats = repeats + 1
     WHERE domain = :domain AND kind = :kind AND organisation = :organisation AND report_id = :report_id
       AND begins_at = :begins_at AND ends_at = :ends_at AND sender = :sender AND fault IS NULL`,
  );
  const received = db
    .prepare<[number, 0 | 1], number>(
      `SELECT count(*) FROM domain_reports WHERE received_at >= ? AND (fault IS 'not_authenticated') = ?`,
    )
    .pluck();
  const addSource = db.prepare<SourceSum & { domain: string; day: number }>(
    `INSERT INTO dmarc_sources (domain, day, source, is_known, mails, passed, dkim_passed, spf_passed, quarantined,
       rejected, dkim_domain, spf_domain)
     VALUES (:domain, :day,
       CASE WHEN EXISTS (SELECT 1 FROM dmarc_sources
                         WHERE domain = :domain AND day = :day AND source = :source AND is_known = :is_known)
         OR (SELECT count(*) FROM dmarc_sources WHERE domain = :domain AND day = :day) < ${MAX_SOURCES}
       THEN :source ELSE '' END,
       :is_known, :mails, :passed, :dkim_passed, :spf_passed, :quarantined, :rejected, :dkim_domain, :spf_domain)
     ON CONFLICT (day, domain, source, is_known) DO UPDATE SET
       mails = mails + excluded.mails, passed = passed + excluded.passed,
       dkim_passed = dkim_passed + excluded.dkim_passed, spf_passed = spf_passed + excluded.spf_passed,
       quarantined = quarantined + excluded.quarantined, rejected = rejected + excluded.rejected,
       dkim_domain = coalesce(excluded.dkim_domain, dkim_domain), spf_domain = coalesce(excluded.spf_domain, spf_domain)`,
  );
  const addSessions = db.prepare<[string, number, string, number]>(
    `INSERT INTO tls_sessions (host, day, result, sessions) VALUES (?, ?, ?, ?)
     ON CONFLICT (day, host, result) DO UPDATE SET sessions = sessions + excluded.sessions`,
  );
  const list = db.prepare<[number, number], DomainReportRow>(
    'SELECT * FROM domain_reports WHERE seq < ? ORDER BY seq DESC LIMIT ?',
  );
  const reported = db.prepare<[number], ReportedDomain>(
    `SELECT domain, kind, count(*) FILTER (WHERE fault IS NULL) AS reports, 
       count(*) FILTER (WHERE fault <> 'not_authenticated') AS faults,
       max(received_at) FILTER (WHERE fault IS NULL) AS last_at
     FROM domain_reports WHERE received_at >= ? GROUP BY domain, kind ORDER BY domain`,
  );
  const domainSums = db.prepare<[number], DomainSum>(
    `SELECT domain, is_known, sum(mails) AS mails, sum(passed) AS passed, sum(dkim_passed) AS dkim_passed,
       sum(spf_passed) AS spf_passed, sum(quarantined) AS quarantined, sum(rejected) AS rejected
     FROM dmarc_sources WHERE day >= ? GROUP BY domain, is_known ORDER BY domain, is_known`,
  );
  // With max(day), SQLite takes the columns that are not summed from the row of that day.
  const unknownSources = db.prepare<[string, number, number], Omit<SourceSum, 'is_known'>>(
    `SELECT source, mails, passed, dkim_passed, spf_passed, quarantined, rejected, dkim_domain, spf_domain FROM (
       SELECT source, sum(mails) AS mails, sum(passed) AS passed, sum(dkim_passed) AS dkim_passed,
         sum(spf_passed) AS spf_passed, sum(quarantined) AS quarantined, sum(rejected) AS rejected,
         dkim_domain, spf_domain, max(day)
       FROM dmarc_sources WHERE domain = ? AND day >= ? AND is_known = 0 AND source <> '' GROUP BY source)
     ORDER BY mails DESC, source LIMIT ?`,
  );
  const sessions = db.prepare<[number], { host: string; day: number; result: TlsResult; sessions: number }>(
    'SELECT host, day, result, sessions FROM tls_sessions WHERE day >= ? ORDER BY host, day',
  );
  return {
    /** `full`: too many came since `dayStart` (ms), and this one is not kept. */
    add: (report: NewDomainReport, dayStart: number): 'added' | 'repeated' | 'full' => {
      if (report.fault === null && repeat.run(report).changes > 0) return 'repeated';
      const isUnproved = report.fault === 'not_authenticated';
      const most = isUnproved ? MAX_UNPROVED_A_DAY : MAX_REPORTS_A_DAY;
      if ((received.get(dayStart, isUnproved ? 1 : 0) ?? 0) >= most) return 'full';
      insert.run(report);
      return 'added';
    },
    addSource: (domain: string, day: number, sum: SourceSum): void => {
      addSource.run({ ...sum, domain, day });
    },
    addSessions: (host: string, day: number, result: TlsResult, count: number): void => {
      addSessions.run(host, day, result, count);
    },
    /** Newest first, before that number. */
    list: (before: number | null, limit: number): DomainReportRow[] =>
      list.all(before ?? Number.MAX_SAFE_INTEGER, limit),
    /** Domains of the reports received since then (ms). */
    reported: (since: number): ReportedDomain[] => reported.all(since),
    /** The sums since that day. */
    domainSums: (day: number): DomainSum[] => domainSums.all(day),
    /** Those with the most mail. */
    unknownSources: (domain: string, day: number, limit: number): Omit<SourceSum, 'is_known'>[] =>
      unknownSources.all(domain, day, limit),
    sessions: (day: number) => sessions.all(day),
  };
});
