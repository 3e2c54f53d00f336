import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ResourceRecord } from '#src/domains/zones/resource-record.ts';
import { zoneFile } from '#src/domains/zones/resource-record.ts';
import type { ZoneContents } from '#src/domains/zones/zone.ts';
import { edText, rsaText, sampleZones } from '#test/domains/dns/sample-zones.ts';

const run = promisify(execFile);
const managedHosts = [
  { slug: 'berg', tokens: ['aaa', 'bbb'] },
  { slug: 'spf', tokens: ['ccc'] },
  { slug: 'a b', tokens: [] },
];
const contents: ZoneContents = {
  tokens: [
    { token: 'aaa', text: rsaText },
    { token: 'bbb', text: edText },
    { token: 'bad token', text: 'left out' },
  ],
  managedHosts,
};
const text = (name: string, data: string): ResourceRecord => ({ name, type: 'TXT', ttl: 60, data });

describe('lines', () => {
  test.each<[string, ResourceRecord, string]>([
    [
      'names are absolute',
      { name: 'a.example', type: 'CNAME', ttl: 60, data: 'b.example' },
      'a.example. 60 IN CNAME b.example.',
    ],
    [
      'MX has its preference',
      { name: 'a.example', type: 'MX', ttl: 60, data: { preference: 10, exchange: 'b.example' } },
      'a.example. 60 IN MX 10 b.example.',
    ],
    ['text is quoted', text('a.example', 'v=spf1 -all; x'), 'a.example. 60 IN TXT "v=spf1 -all; x"'],
    ['quotes and backslashes are escaped', text('a.example', 'a"b\\c'), 'a.example. 60 IN TXT "a\\"b\\\\c"'],
    ['a line feed cannot start a line', text('a.example', 'a\nb'), 'a.example. 60 IN TXT "a\\010b"'],
    ['other octets are numbers', text('a.example', 'ä'), 'a.example. 60 IN TXT "\\195\\164"'],
    ['no text is an empty string', text('a.example', ''), 'a.example. 60 IN TXT ""'],
    [
      '255 octets are one string',
      text('a.example', 'a'.repeat(255)),
      `a.example. 60 IN TXT "${'a'.repeat(255)}"`,
    ],
    ['256 are two', text('a.example', 'a'.repeat(256)), `a.example. 60 IN TXT "${'a'.repeat(255)}" "a"`],
  ])('%s', (_sentence, record, line) => expect([...zoneFile([record])]).toEqual([`${line}\n`]));
});

describe('whole zones', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'zone-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each<[string, Parameters<typeof sampleZones>[0]]>([
    ['apart', {}],
    ['one for both', { managedSuffix: 'post.example' }],
    ['the suffix below', { managedSuffix: 'a.b.post.example' }],
    ['the service host below', { serviceHost: 'mx.praxis.example', nameservers: [] }],
    ['name servers in both', { nameservers: ['ns1.post.example', 'ns.praxis.example'] }],
  ])('named takes them: %s', { tags: 'debian/bind9-utils' }, async (_sentence, facts) => {
    const zones = sampleZones(facts);
    for (const apex of zones.apexes) {
      const path = join(folder, apex);
      writeFileSync(path, [...zoneFile(zones.zoneRecords(apex, contents))].join(''));
      const said = await run('named-checkzone', [
        '-k',
        'fail',
        '-m',
        'fail',
        '-M',
        'fail',
        '-i',
        'local',
        apex,
        path,
      ]);
      expect(said.stdout).toBe(`zone ${apex}/IN: loaded serial 2026112001\nOK\n`);
    }
  });

  test.each<[string, Parameters<typeof sampleZones>[0]]>([
    ['apart', {}],
    ['one for both', { managedSuffix: 'post.example' }],
    ['the suffix below', { managedSuffix: 'a.b.post.example' }],
  ])('the listener says the same: %s', (_sentence, facts) => {
    const zones = sampleZones({
      ...facts,
      findManagedHost: (slug) => managedHosts.find((host) => host.slug === slug) ?? null,
    });
    const printed = zones.apexes.flatMap((apex) => {
      const records = [...zones.zoneRecords(apex, contents)];
      return records.filter((record) => zones.resolveName(record.name)?.zone === apex);
    });
    expect(printed.length).toBeGreaterThan(20);
    for (const record of printed) expect(zones.resolveName(record.name)?.records).toContainEqual(record);
    for (const { name } of printed)
      expect(printed.filter((record) => record.name === name)).toEqual(zones.resolveName(name)?.records);
    expect(printed.map((record) => record.name)).not.toContain('ccc._domainkey.spf.post.example');
  });

  test('the zone above delegates the one below, with the addresses of the name servers in it', () => {
    const zones = sampleZones({ managedSuffix: 'a.post.example', nameservers: ['ns.a.post.example'] });
    const lines = [...zoneFile(zones.zoneRecords('post.example', contents))];
    expect(lines.filter((line) => line.includes('a.post.example.'))).toEqual([
      'post.example. 3600 IN SOA ns.a.post.example. dns\\.admin.post.example. 2026112001 3600 600 1209600 300\n',
      'post.example. 3600 IN NS ns.a.post.example.\n',
      'a.post.example. 3600 IN NS ns.a.post.example.\n',
      'ns.a.post.example. 3600 IN A 192.0.2.10\n',
      'ns.a.post.example. 3600 IN AAAA 2001:db8::10\n',
    ]);
  });
});
