import { describe, expect, test } from 'vitest';
import { findReport } from '#src/insight/domain-reports/find-report.ts';
import { dayOf, type SourceSum, sumSessions, sumSources } from '#src/insight/domain-reports/sum-report.ts';
import { DAY, toIso } from '#src/kernel/time.ts';
import { aggregateReports } from '#test/fixtures/domain-reports/aggregate-reports.ts';
import { brokenReports, tlsReports } from '#test/fixtures/domain-reports/other-reports.ts';
import { DOMAIN, RELAY, type Row, SELECTOR } from '#test/fixtures/domain-reports/write.ts';

const own = { relays: [`${RELAY}/32`], selectors: new Set([SELECTOR]), hosts: new Set([DOMAIN]) };
const rowOf = (sum: SourceSum): Row => [
  sum.source,
  sum.is_known,
  sum.mails,
  sum.passed,
  sum.dkim_passed,
  sum.spf_passed,
  sum.quarantined,
  sum.rejected,
];

const read = async (mail: Buffer) => {
  const { kind, report } = await findReport(mail);
  const head = {
    organisation: report.organisation,
    reportId: report.reportId,
    day: toIso(dayOf(report) * DAY).slice(0, 10),
  };
  if (kind === 'tls') {
    const sessions = Object.fromEntries(sumSessions(report.policies));
    return { ...head, domain: report.policies[0]?.domain, sessions };
  }
  const { sums, unreadable } = sumSources(report.records, own);
  const left = report.unreadable + unreadable;
  return {
    ...head,
    domain: report.domain,
    rows: sums.map(rowOf),
    ...(left > 0 ? { unreadable: left } : {}),
  };
};

test('thirty reports are written here', () => {
  expect(aggregateReports.length + tlsReports.length + brokenReports.length).toBe(30);
});

describe('an aggregate report is read and summed up', () => {
  test.each(aggregateReports)('$form', async ({ mail, expected }) => {
    expect(await read(mail)).toEqual(expected);
  });
});

describe('a report about TLS is read and summed up', () => {
  test.each(tlsReports)('$form', async ({ mail, expected }) => {
    expect(await read(mail)).toEqual(expected);
  });
});

describe('a broken report is not taken', () => {
  test.each(brokenReports)('$form', async ({ mail, expected }) => {
    await expect(read(mail)).rejects.toMatchObject({
      reason: 'fault' in expected ? expected.fault : null,
    });
  });
});
