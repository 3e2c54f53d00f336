import { describe, expect, test } from 'vitest';
import type { ResourceRecord } from '#src/domains/zones/resource-record.ts';
import { rsaText, sampleZones } from '#test/domains/dns/sample-zones.ts';

/** Short text of a record without its owner. */
const brief = (record: ResourceRecord): string => {
  if (record.type === 'SOA') return `SOA ${record.data.mname} ${record.data.rname} ${record.data.serial}`;
  if (record.type === 'MX') return `MX ${record.data.preference} ${record.data.exchange}`;
  return `${record.type} ${record.data}`;
};

const dmarc = 'TXT v=DMARC1; p=none; adkim=r; aspf=r; rua=mailto:dmarc@post.example';
const spf = 'TXT v=spf1 include:spf.post.example ~all';
const soa = 'SOA ns1.post.example dns\\.admin.post.example 2026112001';
const delegation = ['NS ns1.post.example', 'NS ns2.elsewhere.example'];
const addresses = ['A 192.0.2.10', 'AAAA 2001:db8::10'];
const tlsReports = 'TXT v=TLSRPTv1; rua=mailto:tls-rpt@post.example';
const policy = 'CNAME _mta-sts.post.example';
const policyHost = 'CNAME mta-sts.post.example';
const mx = 'MX 10 post.example';

/** 'none': not in our zones; 'unknown': no such name. */
type Found = string[] | 'none' | 'unknown';

const rows: [sentence: string, name: string, found: Found][] = [
  ['the service host has all of its own', 'post.example', [soa, ...delegation, ...addresses, mx, spf]],
  ['names are compared without regard to case', 'POST.Example', [soa, ...delegation, ...addresses, mx, spf]],
  [
    'a trailing dot changes nothing',
    'spf.post.example.',
    ['TXT v=spf1 ip4:192.0.2.10 ip6:2001:db8::10 ~all'],
  ],
  ['a token is its key record', 'aaa.dkim.post.example', [`TXT ${rsaText}`]],
  ['an unknown token is no name', 'zzz.dkim.post.example', 'unknown'],
  ['below a token there is nothing', 'x.aaa.dkim.post.example', 'unknown'],
  ['a token is not what it ends in', 'x-aaa.dkim.post.example', 'unknown'],
  ['what tokens hang from exists, empty', 'dkim.post.example', []],
  ['what the report wildcard hangs from exists', '_report._dmarc.post.example', []],
  ['the service host has a policy of its own, of which reports are below', '_dmarc.post.example', [dmarc]],
  ['reports about a domain may come', 'praxis-berg.de._report._dmarc.post.example', ['TXT v=DMARC1']],
  ['the wildcard can be asked for by its own name', '*._report._dmarc.post.example', ['TXT v=DMARC1']],
  ['a name server in the zone has addresses', 'ns1.post.example', addresses],
  ['a name server elsewhere is not ours', 'ns2.elsewhere.example', 'none'],
  ['the return path of last resort receives and may send', 'bounce.post.example', [mx, spf]],
  ['the simulator receives', 'simulator.post.example', [mx]],
  [
    'the policy of transport security has an id',
    '_mta-sts.post.example',
    [expect.stringMatching(/^TXT v=STSv1; id=[0-9a-f]{32}$/)],
  ],
  ['that policy is served by the service', 'mta-sts.post.example', addresses],
  ['reports on failed TLS go to the service', '_smtp._tls.post.example', [tlsReports]],
  ['what those hang from exists, empty', '_tls.post.example', []],
  ['the service host has no other names', 'www.post.example', 'unknown'],
  ['the managed suffix is an apex', 'praxis.example', [soa, ...delegation]],
  ['the managed suffix has a policy', '_dmarc.praxis.example', [dmarc]],
  ['a managed host sends, is somewhere, and has no MX', 'berg.praxis.example', [...addresses, spf]],
  ['a managed host has a policy', '_dmarc.berg.praxis.example', [dmarc]],
  ['its return path receives and may send', 'bounce.berg.praxis.example', [mx, spf]],
  ['its inbox receives', 'in.berg.praxis.example', [mx]],
  ...['in.berg', 'bounce.berg'].flatMap((name): typeof rows => [
    [`mail to ${name} has the service's policy`, `_mta-sts.${name}.praxis.example`, [policy]],
    [`mail to ${name} has it served`, `mta-sts.${name}.praxis.example`, [policyHost]],
    [`reports on TLS to ${name} go to the service`, `_smtp._tls.${name}.praxis.example`, [tlsReports]],
    [`what reports on ${name} hang from exists, empty`, `_tls.${name}.praxis.example`, []],
  ]),
  ['nobody sends to the managed host', '_mta-sts.berg.praxis.example', 'unknown'],
  ['a policy has no policy', '_mta-sts.mta-sts.berg.praxis.example', 'unknown'],
  ['its keys point to their tokens', 'aaa._domainkey.berg.praxis.example', ['CNAME aaa.dkim.post.example']],
  ['what its keys hang from exists, empty', '_domainkey.berg.praxis.example', []],
  ['a key of another is none of its own', 'zzz._domainkey.berg.praxis.example', 'unknown'],
  ['a managed host has no other names', 'www.berg.praxis.example', 'unknown'],
  ['below its inbox there is nothing', 'x.in.berg.praxis.example', 'unknown'],
  ['an unknown host is no name', 'tal.praxis.example', 'unknown'],
  ['nor is anything below it', 'bounce.tal.praxis.example', 'unknown'],
  ['an underscore is no host', '_x.praxis.example', 'unknown'],
  ['the parent of a zone is not ours', 'example', 'none'],
  ['the root is not ours', '', 'none'],
  ['a name that only ends alike is not ours', 'notpost.example', 'none'],
];

const found = (zones: ReturnType<typeof sampleZones>, name: string): Found => {
  const resolved = zones.resolveName(name);
  if (!resolved) return 'none';
  return resolved.exists ? resolved.records.map(brief) : 'unknown';
};

describe('zones that stand apart', () => {
  const zones = sampleZones();
  test.each(rows)('%s: %s', (_sentence, name, expected) => expect(found(zones, name)).toEqual(expected));

  test('the zone of a name is told, with its SOA', () => {
    expect(zones.resolveName('tal.praxis.example')?.zone).toBe('praxis.example');
    expect(zones.resolveName('tal.praxis.example')?.soa.name).toBe('praxis.example');
    expect(zones.resolveName('x.post.example')?.zone).toBe('post.example');
  });

  test('records carry the owner they were asked for', () => {
    const name = 'berg.de._report._dmarc.post.example';
    expect(zones.resolveName(name)?.records.map((record) => record.name)).toEqual([name]);
  });

  test('keys may be kept for five minutes, "no such name" as well', () => {
    expect(zones.resolveName('aaa.dkim.post.example')?.records[0]?.ttl).toBe(300);
    expect(zones.resolveName('x.post.example')?.soa.data.minimum).toBe(300);
  });
});

describe('one zone for both', () => {
  const asked: string[] = [];
  const zones = sampleZones({
    managedSuffix: 'post.example',
    findManagedHost: (slug) => {
      asked.push(slug);
      return { tokens: ['aaa'] };
    },
  });
  test.each<[string, string, Found]>([
    ['the apex has a policy too', '_dmarc.post.example', [dmarc]],
    ['a managed host is beside them', 'berg.post.example', [...addresses, spf]],
    [
      'a managed host cannot take the sender policy',
      'spf.post.example',
      ['TXT v=spf1 ip4:192.0.2.10 ip6:2001:db8::10 ~all'],
    ],
    ['nor the keys', 'dkim.post.example', []],
    ['nor the names below them', 'in.dkim.post.example', 'unknown'],
    ['nor a name server', 'ns1.post.example', addresses],
    ['nor the names below it', 'in.ns1.post.example', 'unknown'],
  ])('%s: %s', (_sentence, name, expected) => expect(found(zones, name)).toEqual(expected));

  test('there is one apex, and the registry was asked for nothing the zone holds itself', () => {
    expect(zones.apexes).toEqual(['post.example']);
    expect(asked).not.toContain('dkim');
    expect(['spf', 'dkim', 'ns1', 'berg'].map(zones.isReservedSlug)).toEqual([true, true, true, false]);
  });
});

describe('the keys of evidence', () => {
  const published = (keysName: string | null): ReturnType<typeof sampleZones> =>
    sampleZones({ keysName, findEvidenceKeys: () => ['one', 'two'] });

  test.each([
    ['at the name of the service host', '_consent-keys.post.example', ['TXT one', 'TXT two']],
    ['below it, where the origin is', '_consent-keys.www.post.example', ['TXT one', 'TXT two']],
    ['below the managed suffix', '_consent-keys.app.praxis.example', ['TXT one', 'TXT two']],
    ['not outside of the zones', '_consent-keys.elsewhere.example', 'none'],
  ])('are served %s', (_, name, expected) => {
    const zones = published(name);
    expect(found(zones, name)).toEqual(expected);
    const contents = { tokens: [], managedHosts: [] };
    const listed = zones.apexes.flatMap((apex) => [...zones.zoneRecords(apex, contents)].map(brief));
    expect(listed.filter((text) => /^TXT (?:one|two)$/.test(text))).toEqual(
      expected === 'none' ? [] : expected,
    );
  });

  test('have a name above them that exists, and that no practice can take', () => {
    const zones = published('_consent-keys.app.praxis.example');
    expect(found(zones, 'app.praxis.example')).toEqual([]);
    expect(zones.isReservedSlug('app')).toBe(true);
    expect(found(published(null), '_consent-keys.post.example')).toBe('unknown');
  });
});

describe('zones in one another', () => {
  const below = sampleZones({ managedSuffix: 'a.b.post.example' });
  const above = sampleZones({ serviceHost: 'mx.eu.praxis.example', nameservers: [] });
  const own = 'mx.eu.praxis.example';
  test.each<[string, typeof below, string, Found, string]>([
    ['the suffix below is an apex', below, 'a.b.post.example', [soa, ...delegation], 'a.b.post.example'],
    ['its hosts are in it', below, 'berg.a.b.post.example', [...addresses, spf], 'a.b.post.example'],
    ['a name in between exists', below, 'b.post.example', [], 'post.example'],
    ['keys stay above', below, 'bbb.dkim.post.example', [expect.stringContaining('ed25519')], 'post.example'],
    [
      'the service host below is an apex',
      above,
      own,
      [
        expect.stringMatching(/^SOA mx\.eu/),
        `NS ${own}`,
        ...addresses,
        `MX 10 ${own}`,
        `TXT v=spf1 include:spf.${own} ~all`,
      ],
      own,
    ],
    ['its keys are in it', above, `aaa.dkim.${own}`, [`TXT ${rsaText}`], own],
    ['a name in between is no managed host', above, 'eu.praxis.example', [], 'praxis.example'],
    [
      'hosts stay above',
      above,
      'berg.praxis.example',
      [...addresses, `TXT v=spf1 include:spf.${own} ~all`],
      'praxis.example',
    ],
  ])('%s', (_sentence, zones, name, expected, zone) => {
    expect(found(zones, name)).toEqual(expected);
    expect(zones.resolveName(name)?.zone).toBe(zone);
  });
});

describe('transport security', () => {
  const names = ['post.example', 'in.berg.praxis.example', 'bounce.berg.praxis.example'];
  const idOf = (changed: Parameters<typeof sampleZones>[0]): unknown =>
    found(sampleZones(changed), '_mta-sts.post.example');
  const settings = { mode: 'testing', maxAge: 604_800_000 } as const;

  test('in mode none the names stay, so that others find that the policy they keep is withdrawn', () => {
    const zones = sampleZones({ mtaSts: { mode: 'none', maxAge: 604_800_000 } });
    for (const name of names)
      for (const label of ['_mta-sts', 'mta-sts', '_smtp._tls'])
        expect(found(zones, `${label}.${name}`)).not.toBe('unknown');
    expect(idOf({ mtaSts: { ...settings, mode: 'none' } })).not.toEqual(idOf({ mtaSts: settings }));
  });

  test('the id changes with the policy and with nothing else', () => {
    const id = idOf({ mtaSts: settings });
    expect(
      idOf({ mtaSts: { ...settings }, serial: () => 7, addresses: [], hostmaster: 'x@y.example' }),
    ).toEqual(id);
    expect(idOf({ mtaSts: { ...settings, mode: 'enforce' } })).not.toEqual(id);
    expect(idOf({ mtaSts: { ...settings, maxAge: 86_400_000 } })).not.toEqual(id);
  });
});

describe('further records', () => {
  const key = (name: string, data: string) => ({ name, type: 'TXT' as const, ttl: 3_600, data });
  test('stand at the service host, several at a name too, and keep slugs off it', () => {
    const extra = [
      key('_DC.post.example', 'p=1'),
      key('_dc.post.example', 'p=2'),
      key('key.post.example', 'x'),
    ];
    const zones = sampleZones({ extra, managedSuffix: 'post.example' });
    expect(found(zones, '_dc.post.example')).toEqual(['TXT p=1', 'TXT p=2']);
    expect(zones.isReservedSlug('key')).toBe(true);
  });
  test.each(['key.example.org', 'key.praxis.example'])('cannot stand at %s', (name) =>
    expect(() => sampleZones({ extra: [key(name, 'x')] })).toThrow('not in the zone post.example'),
  );
});

describe('names at their longest', () => {
  test('every record of the longest host in the longest zones is a name', () => {
    const apex = (first: string): string => `${first}.${'a'.repeat(63)}.${'b'.repeat(48)}`;
    expect(apex('p')).toHaveLength(114);
    const longest = 'z'.repeat(63);
    const managedHosts = [{ slug: longest, tokens: [longest] }];
    const zones = sampleZones({ serviceHost: apex('s'), managedSuffix: apex('p') });
    const names = zones.apexes.flatMap((zone) =>
      [...zones.zoneRecords(zone, { tokens: [{ token: longest, text: 'x' }], managedHosts })].map(
        ({ name }) => name,
      ),
    );
    expect(Math.max(...names.map((name) => name.length))).toBe(253);
  });
});

describe('facts', () => {
  test('a single label can be a zone', () => {
    expect(found(sampleZones({ serviceHost: 'localhost' }), 'dkim.localhost')).toEqual([]);
  });
  test("the relays' policies are included", () => {
    const zones = sampleZones({ spfIncludes: ['spf.relay.example'] });
    expect(found(zones, 'spf.post.example')).toEqual([
      'TXT v=spf1 ip4:192.0.2.10 ip6:2001:db8::10 include:spf.relay.example ~all',
    ]);
  });
  test.each([
    '',
    'a..b',
    'a b.example',
    '-a.example',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(60)}example`,
  ])('the service host cannot be %j', (serviceHost) =>
    expect(() => sampleZones({ serviceHost })).toThrow('not a host name'),
  );
});
