// @module-tag debian/bind9-utils

import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  CheckedRecord,
  HostCheck,
  HostFacts,
  RecordPurpose,
  WantedRecord,
} from '#src/domains/records/host-check.ts';
import { apexOf, wantedRecords } from '#src/domains/records/wanted-records.ts';
import { type ZoneExport, zoneExport } from '#src/domains/records/zone-export.ts';
import type { ResourceRecord } from '#src/domains/zones/resource-record.ts';
import { zoneFile } from '#src/domains/zones/resource-record.ts';
import { said } from '#src/kernel/say.ts';
import { dkimRecord } from '#src/mail/dkim-key.ts';

const run = promisify(execFile);
const SERVICE = 'mail.sendwerk.test';
const SERIAL = 1_790_000_000;
const token = (letter: string): string => letter.repeat(24);
const tokens = ['a', 'b', 'c'].map((letter) => ({ selector: token(letter), record: '', imported: false }));
const NO_BIMI = { logoUrl: null, certificateUrl: null };
const LOGO = { logoUrl: 'https://example.org/logo.svg', certificateUrl: 'https://example.org/vmc.pem' };

const factsOf = (host: string, more: Partial<HostFacts> = {}): HostFacts => ({
  host,
  kind: 'custom',
  serviceHost: SERVICE,
  keys: tokens,
  bimi: NO_BIMI,
  ...more,
});

const exportOf = (facts: HostFacts, more: Partial<ZoneExport> = {}): string =>
  zoneExport({
    apex: apexOf(facts),
    serviceHost: SERVICE,
    kind: facts.kind,
    wanted: wantedRecords(facts),
    hasLogo: facts.bimi.logoUrl !== null,
    check: null,
    nameservers: ['ns1.dns.test', 'ns2.dns.test'],
    serial: SERIAL,
    ...more,
  });

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'zone-export-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const written = (text: string): string => {
  const path = join(folder, 'zone');
  writeFileSync(path, text);
  return path;
};

/** What BIND reads out of the file, one line a record, without SOA and NS of the apex. */
const readByBind = async (apex: string, text: string): Promise<string[]> => {
  const path = written(text);
  // By default it looks up the names in other zones, which no server answers here.
  const said = await run('named-checkzone', ['-i', 'local', apex, path]);
  expect(said.stdout).toMatch(/\nOK\n$|^OK\n$/);
  const { stdout } = await run('named-compilezone', [
    '-q',
    '-i',
    'none',
    '-s',
    'full',
    '-o',
    '-',
    apex,
    path,
  ]);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' '))
    .filter((line) => !/^\S+ \d+ IN (?:SOA|NS) /.test(line))
    .toSorted();
};

const linesOf = (records: readonly WantedRecord[]): string[] =>
  records
    .map(({ name, type, value, priority }): ResourceRecord => {
      const data = type === 'MX' ? { preference: priority, exchange: value } : value;
      return { name, type, ttl: 3_600, data } as ResourceRecord;
    })
    .map((record) => [...zoneFile([record])].join('').trimEnd())
    .toSorted();

const allOf = (facts: HostFacts): WantedRecord[] => {
  const { records, inbound } = wantedRecords(facts);
  return [...records, ...inbound];
};

const IMPORTED = dkimRecord(generateKeyPairSync('rsa', { modulusLength: 4_096 }).publicKey, 'rsa-sha256');
const long = (characters: number): string =>
  `${`${'l'.repeat(60)}.`.repeat(Math.floor((characters - 8) / 61))}${'m'.repeat((characters - 8) % 61)}.example`.replace(
    '..',
    '.',
  );

const hosts: readonly (readonly [sentence: string, facts: HostFacts])[] = [
  ['an apex', factsOf('example.org', { bimi: LOGO })],
  ['a subdomain', factsOf('news.example.org', { bimi: LOGO })],
  ['a name below a public suffix of two labels', factsOf('post.praxis.co.uk', { bimi: LOGO })],
  ['an IDN', factsOf('xn--mnchen-3ya.example', { bimi: LOGO })],
  [
    'an imported key of 4096 bits',
    factsOf('example.org', {
      keys: [{ selector: 's1', record: IMPORTED, imported: true }, ...tokens],
      bimi: LOGO,
    }),
  ],
  ['the longest name that leaves room for what is below it', factsOf(long(215), { bimi: LOGO })],
  ['a domain that the service host is below', factsOf('sendwerk.test', { bimi: LOGO })],
  [
    'a logo whose address has all that a zone file gives a meaning',
    factsOf('example.org', {
      bimi: {
        logoUrl: 'https://example.org/"a;b\\c(d)$INCLUDE\n@ 60 IN A 192.0.2.66\r\n\tä\0/logo.svg',
        certificateUrl: null,
      },
    }),
  ],
  ['a managed host', factsOf('praxis.send.example.com', { kind: 'managed', bimi: LOGO })],
];

describe('BIND takes the file and finds in it exactly the records that are wanted', () => {
  test.each(hosts)('%s', async (_sentence, facts) => {
    const text = exportOf(facts);
    expect(text).toMatch(/^[\n -~]+$/);
    expect(text).not.toMatch(/^\$/m);
    expect(Buffer.byteLength(text)).toBeLessThan(256 * 1_024);
    expect(await readByBind(apexOf(facts), text)).toEqual(linesOf(allOf(facts)));
  });

  test('and so it is with as much found as a check can hold', async () => {
    const found = Array.from({ length: 10 }, () => `\n${'ä'.repeat(998)}"`);
    const facts = factsOf('example.org', { bimi: LOGO });
    const all = wantedRecords(facts);
    const bad = (record: WantedRecord): CheckedRecord => ({
      ...record,
      status: 'mismatch',
      found,
      hint: said(`${'x'.repeat(5_000)}\n@ 60 IN A 192.0.2.66`),
    });
    const check: HostCheck = {
      host: facts.host,
      records: all.records.map(bad),
      inbound: all.inbound.map(bad),
      conflicts: [],
      ok: false,
      dkimVerified: false,
    };
    const text = exportOf(facts, { check });
    expect(Buffer.byteLength(text)).toBeLessThan(256 * 1_024);
    expect(await readByBind('example.org', text)).toEqual(
      linesOf(allOf(facts).filter(({ type }) => type !== 'TXT')),
    );
  });
});

describe('name servers', () => {
  const placeholders = ['ns1.name-server.invalid.', 'ns2.name-server.invalid.'];
  test.each<[string, string[], string[]]>([
    ['are those of the zone', ['ns1.dns.test', 'ns2.dns.test'], ['ns1.dns.test.', 'ns2.dns.test.']],
    [
      'without those within it, which would need addresses',
      ['ns.example.org', 'ns2.dns.test'],
      ['ns2.dns.test.'],
    ],
    ['are placeholders where all are within it', ['ns.example.org'], placeholders],
    ['are placeholders where none are known', [], placeholders],
    [
      'without names that no host has',
      ['a b.test', 'q\\"r.test', 'x\\010y.test', 'ns1.dns.test'],
      ['ns1.dns.test.'],
    ],
    [
      'are so many at the most',
      Array.from({ length: 2_000 }, (_, number) => `ns${number}.dns.test`),
      Array.from({ length: 13 }, (_, number) => `ns${number}.dns.test.`),
    ],
  ])('%s', async (_sentence, nameservers, expected) => {
    const text = exportOf(factsOf('example.org'), { nameservers });
    const shown = [...text.matchAll(/^example\.org\. 3600 IN NS (\S+)$/gm)].map(([, name]) => name);
    expect(shown).toEqual(expected);
    expect(text).toContain(
      `\nexample.org. 3600 IN SOA ${expected[0]} hostmaster.example.org. ${SERIAL} 3600 600 1209600 300\n`,
    );
    await readByBind('example.org', text);
  });
});

describe('what is found already', () => {
  const facts = factsOf('news.example.org', { bimi: LOGO });
  const { records, inbound } = wantedRecords(facts);
  const checkWith = (
    purpose: RecordPurpose,
    status: CheckedRecord['status'],
    more: Partial<CheckedRecord>,
  ): HostCheck => {
    const asFound = (record: WantedRecord): CheckedRecord =>
      record.purpose === purpose
        ? { ...record, status, found: [], hint: said('HINT'), ...more }
        : { ...record, status: 'missing', found: [], hint: said('') };
    return {
      host: facts.host,
      records: records.map(asFound),
      inbound: inbound.map(asFound),
      conflicts: [],
      ok: false,
      dkimVerified: false,
    };
  };
  const merged = 'v=spf1 include:old.test include:spf.mail.sendwerk.test -all';

  const leftOut: readonly (readonly [RecordPurpose, CheckedRecord['status'], string, string])[] = [
    ['spf', 'mismatch', merged, `; example.org. 3600 IN TXT "${merged}"`],
    ['spf', 'multiple', merged, `; example.org. 3600 IN TXT "${merged}"`],
    ['spf', 'ok', 'v=spf1 redirect=x.test', '; example.org. 3600 IN TXT "v=spf1 redirect=x.test"'],
    ['dmarc', 'mismatch', 'v=DMARC1; p=reject', '; _dmarc.example.org. 3600 IN TXT "v=DMARC1; p=reject"'],
    [
      'dmarc_subdomain',
      'ok',
      'v=DMARC1; p=reject',
      '; _dmarc.news.example.org. 3600 IN TXT "v=DMARC1; p=reject"',
    ],
    ['mail_from_spf', 'multiple', merged, `; bounce.news.example.org. 3600 IN TXT "${merged}"`],
  ];
  test.each(leftOut)('%s that is %s is left out, and said', async (purpose, status, value, line) => {
    const text = exportOf(facts, { check: checkWith(purpose, status, { value, found: ['x'] }) });
    expect(text.split('\n')).toContain(line);
    expect(await readByBind('example.org', text)).toEqual(
      linesOf(allOf(facts).filter((record) => record.purpose !== purpose)),
    );
    // An advice that goes with a record that is right stays with the check.
    expect(text.includes('HINT')).toBe(status !== 'ok');
  });

  test("the host's DMARC record says what that of its domain says", async () => {
    const value = 'v=DMARC1; p=reject';
    const text = exportOf(facts, { check: checkWith('dmarc_subdomain', 'missing', { value }) });
    expect(await readByBind('example.org', text)).toContain(
      `_dmarc.news.example.org. 3600 IN TXT "${value}"`,
    );
  });

  test('a record that could not be looked up is left out: there may be one', async () => {
    const text = exportOf(facts, { check: checkWith('dmarc', 'error', {}) });
    expect(text).toContain('; Left out, because it could not be found out whether there is one. HINT\n');
    expect(await readByBind('example.org', text)).toEqual(
      linesOf(allOf(facts).filter(({ purpose }) => purpose !== 'dmarc')),
    );
  });

  test('no policy is shown for a host while that of its domain is not known', () => {
    const text = exportOf(facts, { check: checkWith('dmarc_subdomain', 'error', {}) });
    expect(text).toContain('whether there is one. HINT\n');
    expect(text).not.toContain('_dmarc.news.example.org. 3600');
  });

  test.each<[RecordPurpose, CheckedRecord['status'], string]>([
    ['mail_from_mx', 'multiple', '10 mx.other.test'],
    ['dkim', 'proxied', '192.0.2.1'],
    ['mta_sts', 'mismatch', 'elsewhere.test'],
  ])('of %s that is %s it says what is in the way', async (purpose, status, found) => {
    const text = exportOf(facts, { check: checkWith(purpose, status, { found: [found] }) });
    const [record] = allOf(facts).filter((wanted) => wanted.purpose === purpose);
    expect(text).toContain(
      `; Before the import, remove what is at ${record?.name}: ${found}\n${record?.name}.`,
    );
    expect(await readByBind('example.org', text)).toEqual(linesOf(allOf(facts)));
  });

  test('a wrong TXT elsewhere does not touch the record of the same purpose that is missing', () => {
    const check = checkWith('tls_rpt', 'missing', {});
    const inboundChecked = check.inbound.map((record) =>
      record.name === '_smtp._tls.in.news.example.org' ? { ...record, status: 'multiple' as const } : record,
    );
    const text = exportOf(facts, { check: { ...check, inbound: inboundChecked } });
    expect(text).not.toMatch(/^_smtp\._tls\.in\./m);
    expect(text).toMatch(/^_smtp\._tls\.bounce\./m);
  });
});

describe('words for those who read it', () => {
  test.each<[string, HostFacts, Partial<ZoneExport>, string, boolean]>([
    [
      'a managed host needs no import',
      factsOf('a.send.test', { kind: 'managed' }),
      {},
      'serves them itself',
      true,
    ],
    ['a custom one does', factsOf('example.org'), {}, 'serves them itself', false],
    [
      'before the first check it warns of a second SPF',
      factsOf('example.org'),
      {},
      'never checked here',
      true,
    ],
    ['SOA and NS are explained', factsOf('example.org'), {}, 'an import leaves yours as they are', true],
    [
      'a logo that was not set is left to be done by hand',
      factsOf('example.org'),
      {},
      '; default._bimi.example.org. 3600 IN TXT "v=BIMI1; l=https://example.org/logo.svg;"',
      true,
    ],
  ])('%s', (_sentence, facts, more, words, isThere) => {
    expect(exportOf(facts, more).includes(words)).toBe(isThere);
  });

  test('every CNAME asks not to be proxied, and nothing else does', () => {
    const lines = exportOf(factsOf('example.org')).split('\n');
    const unproxied = lines.filter((line) => line.endsWith(' ; cf_tags=cf-proxied:false'));
    expect(unproxied).toEqual(lines.filter((line) => / IN CNAME /.test(line)));
    expect(unproxied.length).toBeGreaterThanOrEqual(3);
  });
});
