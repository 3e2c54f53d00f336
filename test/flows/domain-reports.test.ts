// Reports of receivers about the domains of practices, brought over SMTP to the addresses that the published records name, and
// read where owners read them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { domainReportSchema, reportedDomainsSchema } from '#src/insight/domain-reports/schema.ts';
import { DAY } from '#src/kernel/time.ts';
import { dkimRecord } from '#src/mail/dkim-key.ts';
import { aggregateReports } from '#test/fixtures/domain-reports/aggregate-reports.ts';
import { brokenReports, tlsReports } from '#test/fixtures/domain-reports/other-reports.ts';
import { DOMAIN, gzip, mailWith, RELAY, type ReportMail, zip } from '#test/fixtures/domain-reports/write.ts';
import { rsa, signed } from '#test/inbound/checks/scene.ts';
import { type List, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { type DnsZone, startDnsZone } from '#test/support/dns-zone.ts';
import { bring } from '#test/support/reports.ts';
import { talkTo } from '#test/support/smtp-talk.ts';
import { createTestClock, type TestClock } from '#test/support/storage.ts';

type Report = z.infer<typeof domainReportSchema>;
type Reported = z.infer<typeof reportedDomainsSchema>;
type DnsRecords = { records: (Parameters<DnsZone['publish']>[0][number] & { purpose: string })[] };

const NOW = Date.parse('2026-11-21T12:00:00Z');

let dns: DnsZone;
let clock: TestClock;
let app: TestApp;
beforeAll(async () => {
  dns = await startDnsZone();
  clock = createTestClock(NOW);
  app = await startApp({
    clock,
    config: {
      smtp: { inbound: { listen: '127.0.0.1:0' } },
      dns: {
        resolvers: [dns.address],
        authoritative: { listen: '127.0.0.1:0' },
        zones: { addresses: ['127.0.0.1'], spf_addresses: [`${RELAY}/31`] },
      },
    },
  });
  dns.delegate('mail.example.com', app.dnsPort ?? 0);
});
afterAll(async () => {
  await app?.remove();
  await dns?.stop();
});

/** A practice that sends from the domain, and a selector of its keys. */
const practiceAt = async (domain: string): Promise<Sender & { readonly selector: string }> => {
  const sender = await app.createSender({ domain });
  const { body } = await app.request<DnsRecords>(
    'GET',
    `${sender.base}/dns-records`,
    undefined,
    sender.token,
  );
  dns.publish(body.records);
  const checked = await app.request('POST', `${sender.base}/check-dns`, undefined, sender.token);
  expect(checked.body).toMatchObject({ host: domain, pending: false });
  const key = body.records.find(({ purpose }) => purpose === 'dkim');
  return { ...sender, selector: key?.name.split('.')[0] ?? '' };
};

const senderOf = (mail: Buffer): string => /^From:.*@([^>\r\n]+)/m.exec(mail.toString('latin1'))?.[1] ?? '';
/** From now on, mail from this machine is the domain's by SPF, and so is what has a signature with the key of this test. */
const authorize = (domain: string): void => {
  dns.set(domain, 'TXT', 'v=spf1 ip4:127.0.0.1 -all');
  dns.set(`s1._domainkey.${domain}`, 'TXT', dkimRecord(rsa.publicKey, 'rsa-sha256'));
};
const send = (mail: Buffer, mailFrom = `reports@${senderOf(mail)}`) => {
  authorize(mailFrom.replace(/^.*@/, ''));
  return bring(app.inboundPort, 'dmarc@mail.example.com', mail.toString('latin1'), mailFrom);
};
const signedMail = (mail: Buffer): Promise<Buffer> => {
  authorize(senderOf(mail));
  return signed(mail, { domain: senderOf(mail) });
};
/** Over one connection. */
const sendAll = async (reports: readonly ReportMail[], to: string): Promise<void> => {
  const one = await talkTo(app.inboundPort ?? 0);
  await one.hello();
  for (const { form, mail } of reports) {
    authorize(senderOf(mail));
    await one.envelope(`reports@${senderOf(mail)}`, to);
    const isOnTls = tlsReports.some((report) => report.mail === mail);
    const sent = isOnTls ? await signedMail(mail) : mail;
    one.write(`${sent.toString('latin1')}.\r\n`);
    expect(await one.reply(), form).toMatch(/^250 /);
  }
  one.end();
};
const listed = async ({ base }: Sender): Promise<readonly Report[]> => {
  const { body } = await app.request<List<Report>>(
    'GET',
    `${base}/domain-reports?limit=100`,
    undefined,
    app.adminToken,
  );
  return body.data;
};
const reported = async ({ base, token }: Sender): Promise<Reported> => {
  const { body } = await app.request<{ domain_reports: Reported }>(
    'GET',
    `${base}/deliverability`,
    undefined,
    token,
  );
  return body.domain_reports;
};

interface Record {
  readonly source?: string;
  readonly mails?: number;
  readonly from: string;
  readonly selector?: string;
}
let ids = 0;
/** A report in which all that is signed passes, and nothing else does. */
const reportOn = (
  domain: string,
  records: readonly Record[],
  { end = NOW - DAY / 2, id = `r${++ids}` } = {},
) => {
  const rows = records.map(({ source = '192.0.2.1', mails = 1, from, selector }) => {
    const result = selector === undefined ? 'fail' : 'pass';
    const dkim =
      selector === undefined
        ? ''
        : `<dkim><domain>${from}</domain><selector>${selector}</selector><result>pass</result></dkim>`;
    return `<record><row><source_ip>${source}</source_ip><count>${mails}</count><policy_evaluated><disposition>none</disposition><dkim>${result}</dkim><spf>fail</spf></policy_evaluated></row><identifiers><header_from>${from}</header_from></identifiers><auth_results>${dkim}</auth_results></record>`;
  });
  const xml = `<feedback><report_metadata><org_name>Post</org_name><report_id>${id}</report_id><date_range><begin>${(end - DAY) / 1_000}</begin><end>${end / 1_000}</end></date_range></report_metadata><policy_published><domain>${domain}</domain></policy_published>${rows.join('')}</feedback>`;
  const head = {
    from: 'd@receiver.example',
    subject: `Report Domain: ${domain} Submitter: receiver.example`,
  };
  return mailWith(head, gzip('report.xml.gz', xml));
};

test('thirty reports are answered 250; those taken are summed up, and of the others the reason is kept', async () => {
  const praxis = await practiceAt(DOMAIN);
  const all: readonly ReportMail[] = [...aggregateReports, ...tlsReports, ...brokenReports];
  await sendAll(aggregateReports, 'dmarc@mail.example.com');
  await sendAll([...tlsReports, ...brokenReports], 'tls-rpt@mail.example.com');

  const list = await listed(praxis);
  const kept = list.toReversed().map(({ organisation, report_id, reason }) => ({
    organisation,
    report_id,
    reason,
  }));
  expect(kept).toEqual(
    all.map(({ expected }) =>
      'fault' in expected
        ? { organisation: null, report_id: null, reason: expected.fault }
        : { organisation: expected.organisation, report_id: expected.reportId, reason: null },
    ),
  );
  expect(list.filter(({ taken }) => taken)).toHaveLength(25);
  expect(list[0]).toMatchObject({
    domain: DOMAIN,
    sender: 'kaputt.test',
    detail: 'It does not say which period it is about.',
  });

  const rows = aggregateReports.flatMap(({ expected }) => ('rows' in expected ? (expected.rows ?? []) : []));
  const sum = (at: 2 | 3 | 4 | 5 | 6 | 7, of = rows): number => of.reduce((total, row) => total + row[at], 0);
  const fromRelay = rows.filter(([source]) => source === RELAY);
  const found = await reported(praxis);
  expect(found.dmarc).toHaveLength(1);
  expect(found.dmarc[0]).toMatchObject({
    domain: DOMAIN,
    reports: 20,
    last_report_at: '2026-11-21T12:00:00.000Z',
    mails: sum(2),
    passed: sum(3),
    dkim_passed: sum(4),
    spf_passed: sum(5),
    quarantined: sum(6),
    rejected: sum(7),
    // The selector in the reports is not that of this practice.
    ours: { mails: sum(2, fromRelay), passed: sum(3, fromRelay) },
  });
  expect(found.dmarc[0]?.unknown_sources.slice(0, 2)).toMatchObject([
    { address: '192.0.2.77', mails: 15, passed: 0, rejected: 12, spf_domain: DOMAIN },
    { address: '192.0.2.9', mails: 8, rejected: 8 },
  ]);
  expect(found.tls).toMatchObject([
    {
      host: `bounce.${DOMAIN}`,
      succeeded: 7,
      failed: 1,
      failures: [{ type: 'validation-failure', sessions: 1 }],
    },
    {
      host: `in.${DOMAIN}`,
      reports: 4,
      succeeded: 51,
      failed: 13,
      days: [{ day: '2026-11-20', succeeded: 51, failed: 13 }],
    },
  ]);
  expect(found.not_taken).toBe(5);
  expect(found.problems).toEqual([
    expect.stringContaining('from elsewhere failed DMARC'),
    expect.stringContaining(`sessions with bounce.${DOMAIN} failed`),
    expect.stringContaining(`13 of 64 TLS sessions with in.${DOMAIN} failed`),
    expect.stringContaining('5 reports could not be taken'),
  ]);

  await sendAll([...aggregateReports, ...tlsReports], 'dmarc@mail.example.com');
  expect(await reported(praxis)).toEqual(found);
  expect((await listed(praxis)).map(({ repeats, taken }) => repeats === (taken ? 1 : 0))).not.toContain(
    false,
  );
});

test('mail that one of our keys signed is ours wherever it comes from; a selector that is not ours proves nothing', async () => {
  const bakery = await practiceAt('backstube.example');
  const from = 'backstube.example';
  const mail = reportOn(from, [
    { source: '203.0.113.5', mails: 4, from, selector: bakery.selector.toUpperCase() },
    { source: '203.0.113.6', mails: 3, from, selector: 'google' },
    { source: '198.51.100.11', mails: 2, from },
  ]);
  expect(await send(mail)).toMatch(/^250 /);
  expect(await reported(bakery)).toMatchObject({
    dmarc: [
      {
        mails: 9,
        passed: 7,
        ours: { mails: 6, passed: 4 },
        unknown_sources: [{ address: '203.0.113.6', mails: 3, dkim_domain: from }],
      },
    ],
    problems: [expect.stringMatching(/^2 of 6 mails that left here/)],
  });
});

describe('two practices below one domain', () => {
  let mail: Sender;
  let news: Sender;
  beforeAll(async () => {
    mail = await practiceAt('mail.laden.example');
    news = await practiceAt('news.laden.example');
  });
  const mailsBy = async (sender: Sender): Promise<object> =>
    Object.fromEntries((await reported(sender)).dmarc.map(({ domain, mails }) => [domain, mails]));

  test('see what is said of their own host and of the domain above, and nothing of each other', async () => {
    const report = reportOn('laden.example', [
      { from: 'mail.laden.example', mails: 1 },
      { from: 'x.mail.laden.example', mails: 10 },
      { from: 'news.laden.example', mails: 100 },
      { from: 'laden.example', mails: 1_000 },
      { from: 'foreign.example', mails: 10_000 },
    ]);
    expect(await send(report)).toMatch(/^250 /);
    expect(await mailsBy(mail)).toEqual({ 'mail.laden.example': 11, 'laden.example': 1_000 });
    expect(await mailsBy(news)).toEqual({ 'news.laden.example': 100, 'laden.example': 1_000 });
    expect((await listed(news)).map(({ domain, counted }) => [domain, counted])).toEqual([
      ['laden.example', 1_000],
      ['news.laden.example', 100],
    ]);
  });

  test('learn both why a report on that domain cannot be read', async () => {
    const cut = zip('x.zip', 'x.xml', '<feedback><report_metadata>');
    expect(
      await send(
        mailWith({ from: 'd@receiver.example', subject: 'Report Domain: laden.example Submitter: x' }, cut),
      ),
    ).toMatch(/^250 /);
    for (const sender of [mail, news])
      expect((await listed(sender))[0]).toMatchObject({ domain: 'laden.example', reason: 'damaged' });
  });
});

test('a report in the name of another is not counted, and takes the place of no genuine one', async () => {
  const sender = await app.createSender({ name: 'Gefälscht' });
  const host = String(sender.practice.managed_host);
  const genuine = reportOn(host, [{ from: host, mails: 3 }], { id: 'same' });
  const fake = reportOn(host, [{ from: host, mails: 1_000_000 }], { id: 'same' });
  expect(await send(fake, 'd@evil.example')).toMatch(/^250 /);
  // With the same organisation and id, and proved to be another's.
  const evil = Buffer.from(fake.toString('latin1').replace('d@receiver.example', 'd@evil.example'), 'latin1');
  expect(await send(evil)).toMatch(/^250 /);
  expect(await send(genuine)).toMatch(/^250 /);
  expect((await listed(sender)).map(({ sender, taken, reason }) => [sender, taken, reason])).toEqual([
    ['receiver.example', true, null],
    ['evil.example', true, null],
    ['receiver.example', false, 'not_authenticated'],
  ]);
  expect(await reported(sender)).toMatchObject({ dmarc: [{ mails: 1_000_003 }], not_taken: 0 });
});

test('a report is to come again where it cannot be found out whose it is', async () => {
  dns.fail('silent.example', 'SERVFAIL');
  const mail = mailWith({ from: 'd@silent.example', subject: 'x' }, { type: 'text/plain', content: 'x' });
  expect(await send(mail)).toMatch(/^450 /);
  dns.fail('silent.example', null);
});

describe('a report that is accepted and changes nothing', () => {
  const notTaken = async (): Promise<number> => {
    const { body } = await app.request<{ inbound: { domain_reports: { not_taken: number } } }>(
      'GET',
      '/api/admin/health',
      undefined,
      app.adminToken,
    );
    return body.inbound.domain_reports.not_taken;
  };
  const managed = async () => {
    const sender = await app.createSender({ name: 'Ohne Domain' });
    return { sender, host: String(sender.practice.managed_host) };
  };

  test.each(['nowhere.example', 'mail.example.com', 'send.example.com'])(
    'is one about %s, which is the domain of no practice',
    async (domain) => {
      const before = await notTaken();
      expect(await send(reportOn(domain, [{ from: domain }]))).toMatch(/^250 /);
      expect(await notTaken()).toBe(before + 1);
    },
  );

  test.each([
    ['in the future', NOW + 3 * DAY, 'Its period is in the future.'],
    ['older than any report', NOW - 60 * DAY, 'Its period is more than 60 days ago.'],
  ])('is one whose period is %s', async (_, end, detail) => {
    const { sender, host } = await managed();
    expect(await send(reportOn(host, [{ from: host }], { end }))).toMatch(/^250 /);
    expect((await listed(sender))[0]).toMatchObject({ domain: host, reason: 'implausible', detail });
    expect((await reported(sender)).dmarc).toEqual([]);
  });

  test('is mail of a person, unless it names a domain', async () => {
    const { sender, host } = await managed();
    const letter = { type: 'text/plain', content: 'Hello, who reads this address?' };
    expect(await send(mailWith({ from: 'erika@example.org', subject: 'Hello' }, letter))).toMatch(/^250 /);
    expect(await listed(sender)).toEqual([]);
    const named = { from: 'erika@example.org', subject: `Report domain: ${host}` };
    expect(await send(mailWith(named, letter))).toMatch(/^250 /);
    expect(await listed(sender)).toMatchObject([{ reason: 'no_report', sender: 'example.org' }]);
  });
});

test('reports and their sums go when events are too old', async () => {
  const sender = await app.createSender();
  const host = String(sender.practice.managed_host);
  expect(await send(reportOn(host, [{ from: host, mails: 3 }]))).toMatch(/^250 /);
  const tls = {
    'organization-name': 'Post',
    'report-id': '1',
    'date-range': { 'start-datetime': '2026-11-20T00:00:00Z', 'end-datetime': '2026-11-20T23:59:59Z' },
    policies: [
      { policy: { 'policy-domain': `in.${host}` }, summary: { 'total-successful-session-count': 1 } },
    ],
  };
  const part = { type: 'application/tlsrpt+json', content: JSON.stringify(tls) };
  const unsigned = mailWith({ from: 't@receiver.example', subject: `Report Domain: ${host}` }, part);
  expect(await send(unsigned)).toMatch(/^250 /);
  expect((await listed(sender))[0]).toMatchObject({
    reason: 'not_authenticated',
    detail: 'No DKIM signature proves that it is of the domain in From.',
  });
  expect(await send(await signedMail(unsigned))).toMatch(/^250 /);
  const rows = () => {
    const { domain_reports, dmarc_sources, tls_sessions } = app.rowCounts(sender.practice.id);
    return [domain_reports, dmarc_sources, tls_sessions];
  };
  expect(rows()).toEqual([3, 1, 1]);
  clock.set(NOW + 398 * DAY);
  await app.runJob('remove what is old');
  expect(rows()).toEqual([3, 1, 1]);
  clock.set(NOW + 402 * DAY);
  await app.runJob('remove what is old');
  expect(rows()).toEqual([0, 0, 0]);
});
