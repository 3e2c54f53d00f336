// What receivers report of mail in the domain's name (DMARC), and of the encryption of mail to it (TLS).
import type { ReportedDomains } from '#api';
import { Card, Facts, Time } from '#dashboard/parts/basics.tsx';
import { Empty, Note } from '#dashboard/parts/feedback.tsx';
import { type Column, Table } from '#dashboard/parts/table.tsx';
import { number, percent, translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

type OfDomain = ReportedDomains['dmarc'][number];
type Source = OfDomain['unknown_sources'][number];

const sourceColumns = (): readonly Column<Source>[] => {
  const w = translated(words);
  return [
    { head: w.address, isMain: true, cell: ({ address }) => <code>{address}</code> },
    { head: w.signedAs, cell: ({ dkim_domain, spf_domain }) => dkim_domain ?? spf_domain ?? '–' },
    { head: w.mails, align: 'end', cell: ({ mails }) => number(mails) },
    { head: w.passed, align: 'end', cell: ({ passed }) => number(passed) },
    { head: w.stopped, align: 'end', cell: ({ quarantined, rejected }) => number(quarantined + rejected) },
  ];
};

const Domain = ({ of }: { readonly of: OfDomain }) => {
  const w = translated(words);
  return (
    <div class="stack">
      <h3>{of.domain}</h3>
      <Facts
        facts={[
          [w.reports, number(of.reports)],
          [w.lastReport, of.last_report_at && <Time at={of.last_report_at} />],
          [w.mails, number(of.mails)],
          [w.passed, of.pass_rate === null ? null : `${number(of.passed)} (${percent(of.pass_rate)})`],
          [w.ours, w.ofThese(number(of.ours.passed), number(of.ours.mails))],
          [w.stopped, number(of.quarantined + of.rejected)],
        ]}
      />
      {of.unknown_sources.length > 0 && (
        <>
          <p>{w.unknownText}</p>
          <Table
            caption={w.unknown}
            columns={sourceColumns()}
            rows={of.unknown_sources}
            rowKey={({ address }) => address}
          />
        </>
      )}
    </div>
  );
};

export const Reports = ({ reports }: { readonly reports: ReportedDomains }) => {
  const w = translated(words);
  const { dmarc, tls, problems, not_taken } = reports;
  return (
    <Card title={w.reportsTitle}>
      <p class="quiet">{w.reportsText}</p>
      {problems.map((problem) => (
        <Note key={problem} kind="warn">
          <span lang="en">{problem}</span>
        </Note>
      ))}
      {dmarc.length === 0 && tls.length === 0 && <Empty title={w.noReports} text={w.noReportsText} />}
      <div class="stack">
        {dmarc.map((of) => (
          <Domain key={of.domain} of={of} />
        ))}
        {tls.map(({ host, succeeded, failed }) => (
          <p key={host}>
            <strong>{host}</strong> {w.sessions(number(succeeded), number(failed))}
          </p>
        ))}
        {not_taken > 0 && <p class="quiet">{w.notTaken(number(not_taken))}</p>}
      </div>
    </Card>
  );
};
