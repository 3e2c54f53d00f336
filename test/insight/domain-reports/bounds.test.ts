// What a stranger who writes reports can make this service do.
// @module-tag slow
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { findReport } from '#src/insight/domain-reports/find-report.ts';
import { createDomainReports } from '#src/insight/domain-reports/receive.ts';
import { domainReportStore } from '#src/insight/domain-reports/store.ts';
import { MAX_SOURCES, type SourceSum, sumSources } from '#src/insight/domain-reports/sum-report.ts';
import { createLog } from '#src/kernel/log.ts';
import { SECOND } from '#src/kernel/time.ts';
import type { AggregateRecord } from '#src/mail/dmarc-report.ts';
import { mailWith, words } from '#test/fixtures/domain-reports/write.ts';
import { type ZipPart, zipOf } from '#test/fixtures/zip-file.ts';
import { createTestClock, openTenantDb, openTestStorage, temporaryDirectory } from '#test/support/storage.ts';

const MIB = 1_024 * 1_024;
const head = { from: 'd@receiver.example', subject: 'report' };
const mailOf = (content: Buffer | string) => mailWith(head, { type: 'application/octet-stream', content });
const start = '<feedback><report_metadata><org_name>A</org_name>';
const zipped = (...parts: ZipPart[]) => mailOf(zipOf(parts));
const xml = { name: 'a.xml', content: start };

describe('what is packed or nested beyond measure is not read', () => {
  const rows: readonly (readonly [what: string, mail: Buffer, reason: string])[] = [
    ['a gzip file in a gzip file', mailOf(gzipSync(gzipSync(Buffer.alloc(7 * MIB)))), 'no_report'],
    ['a gzip file that unpacks to 16 MiB', mailOf(gzipSync(Buffer.alloc(16 * MIB, ' '))), 'too_large'],
    [
      'a zip file with an entry of 9 MiB',
      zipped({ name: 'a.xml', content: Buffer.alloc(9 * MIB, ' ') }),
      'too_large',
    ],
    ['a zip file whose entry lies about its size', zipped({ ...xml, claimedSize: 10 }), 'damaged'],
    [
      'a zip file with 21 files',
      zipped(...Array.from({ length: 21 }, (_, n) => ({ ...xml, name: `${n}.xml` }))),
      'forbidden',
    ],
    ['a zip file with a path that leaves it', zipped({ ...xml, name: '../../a.xml' }), 'damaged'],
    ['an encrypted zip file', zipped({ ...xml, flags: 1 }), 'forbidden'],
    ['a mail of 5 MiB', mailOf(Buffer.alloc(4 * MIB)), 'too_large'],
    ['JSON of 2 MiB', mailOf(gzipSync(`{"policies":[${'1,'.repeat(MIB)}1]}`)), 'too_large'],
    ['JSON that is nested 300,000 deep', mailOf(gzipSync(`{"a":${'['.repeat(300_000)}`)), 'damaged'],
    ['elements that are nested a million deep', mailOf(gzipSync(start + '<a>'.repeat(MIB))), 'damaged'],
    [
      'a document type declaration',
      mailOf(`<!DOCTYPE feedback SYSTEM "http://127.0.0.1/">${start}`),
      'forbidden',
    ],
    ['an element that never ends', mailOf(gzipSync(`${start}<a b="${'x'.repeat(4 * MIB)}`)), 'damaged'],
    ['a document of another kind', mailOf('<?xml version="1.0"?><svg></svg>'), 'no_report'],
  ];
  test.each(rows)('%s', async (_, mail, reason) => {
    await expect(findReport(mail)).rejects.toMatchObject({ name: 'ReportFault', reason });
  });
});

const own = { relays: [], selectors: new Set<string>(), hosts: new Set<string>() };
const recordFrom = (source: string, mails = 1): AggregateRecord => ({
  source,
  mails,
  disposition: 'none',
  dkimPassed: false,
  spfPassed: false,
  headerFrom: null,
  signatures: [],
  spfDomain: null,
});
const addressesFrom = (first: number, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `10.0.${(first + n) >> 8}.${(first + n) & 255}`);

describe('the sources of a day', () => {
  test('are the ones with the most mail, and the sum of all others', async () => {
    const { db } = await openTenantDb();
    const store = domainReportStore(db);
    const report = (addresses: readonly string[]): SourceSum[] => {
      const records = addresses.map((source, n) => recordFrom(source, n === 299 ? 50 : 1));
      return sumSources(records, own).sums;
    };
    const first = report(addressesFrom(0, 300));
    expect(first[0]).toMatchObject({ source: '10.0.1.43', mails: 50 });
    expect(first.at(-1)).toMatchObject({ source: '', mails: 100 });
    for (const sum of [...first, ...report(addressesFrom(1_000, 300))]) store.addSource('a.example', 1, sum);
    const rows = db.prepare('SELECT count(*) AS rows, sum(mails) AS mails FROM dmarc_sources').get();
    expect(rows).toEqual({ rows: MAX_SOURCES + 1, mails: 2 * 349 });
    expect(store.unknownSources('a.example', 1, 10)[0]).toMatchObject({ source: '10.0.1.43', mails: 50 });
  });
});

const envelope = { mailFrom: '', clientAddress: '', helo: '', protocol: 'ESMTP', sessionId: '1' };
const opened = async () => {
  const clock = createTestClock(Date.parse('2026-11-21T12:00:00Z'));
  const storage = await openTestStorage(await temporaryDirectory());
  const log = createLog('error', { write: () => undefined });
  const proveAuthor = async () => ({ domain: 'receiver.example', isSigned: false, isUncertain: false });
  const receive = createDomainReports({ storage, clock, log }, proveAuthor, () => []);
  const send = (clientAddress: string, content = mailOf('Hello')) =>
    receive({ kind: 'dmarc', content, envelope: { ...envelope, clientAddress } });
  return { clock, send };
};

test('a client that sends many has to wait, and keeps others from nothing', async () => {
  const { clock, send } = await opened();
  for (let sent = 0; sent < 300; sent += 1) expect(await send('192.0.2.1')).toBe('not_taken');
  expect(await send('192.0.2.1')).toBe('busy');
  expect(await send('192.0.2.2')).toBe('not_taken');
  clock.set(clock.now() + 6 * SECOND);
  expect(await send('192.0.2.1')).toBe('not_taken');
});

test('of what unpacks to much, no more is read than a CPU can do beside its work', async () => {
  const { clock, send } = await opened();
  const packed = gzipSync(Buffer.alloc(2 * MIB, ' '));
  const part = { type: 'application/gzip', content: packed };
  // With its own half MiB and 6 of what it unpacks to: the fourth part is not unpacked.
  const bomb = mailWith(head, words('x'.repeat(0.4 * MIB)), part, part, part, part);
  for (let sent = 0; sent < 9; sent += 1) expect(await send(`192.0.2.${sent}`, bomb)).toBe('not_taken');
  expect(await send('192.0.2.10', bomb)).toBe('busy');
  expect(await send('192.0.2.10')).toBe('not_taken');
  clock.set(clock.now() + 10 * SECOND);
  expect(await send('192.0.2.10', bomb)).toBe('not_taken');
});

test('of reports beyond a thousand a day nothing is kept, and what no one proves takes no place of them', async () => {
  const { db } = await openTenantDb();
  const store = domainReportStore(db);
  const add = (n: number, received_at: number, fault: 'not_authenticated' | null = null) =>
    store.add(
      {
        id: `${n}`,
        kind: 'dmarc',
        domain: 'a.example',
        organisation: 'A',
        report_id: `${n}`,
        begins_at: 0,
        ends_at: 1,
        sender: 'receiver.example',
        counted: 0,
        unreadable: 0,
        fault,
        fault_detail: null,
        received_at,
      },
      1_000,
    );
  for (let n = 0; n < 100; n += 1) expect(add(2_000 + n, 1_000, 'not_authenticated')).toBe('added');
  expect(add(3_000, 1_000, 'not_authenticated')).toBe('full');
  for (let n = 0; n < 1_000; n += 1) expect(add(n, 1_000)).toBe('added');
  expect(add(1_000, 1_000)).toBe('full');
  expect(add(5, 1_000)).toBe('repeated');
  expect(store.list(null, 2_000)).toHaveLength(1_100);
});
