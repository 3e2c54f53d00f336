import { describe, expect, test } from 'vitest';
import {
  judgeSet,
  type SetType,
  type WantedSet,
  wantedReverse,
  wantedSets,
} from '#src/domains/zones/zone-check.ts';
import type { Lookup } from '#src/kernel/dns-lookup.ts';
import { sampleZones } from '#test/domains/dns/sample-zones.ts';

const zones = sampleZones({ managedSuffix: 'a.post.example', nameservers: ['ns.a.post.example'] });
const contents = {
  tokens: [{ token: 'aaa', text: 'v=DKIM1; p=x' }],
  managedHosts: [{ slug: 'berg', tokens: ['aaa'] }],
};
const sets = wantedSets(zones.apexes.flatMap((apex) => [...zones.zoneRecords(apex, contents)]));

describe('what is asked for', () => {
  test('every set of both zones, each once, though both hold the delegation', () => {
    const keys = sets.map(({ type, name }) => `${type} ${name}`);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys).toContain('NS a.post.example');
    expect(keys).toContain('TXT dns-check._report._dmarc.post.example');
    expect(keys).toContain('CNAME aaa._domainkey.berg.a.post.example');
    expect(sets.find(({ name }) => name === 'ns.a.post.example')?.values).toEqual([
      '192.0.2.10',
      '2001:db8::10',
    ]);
  });

  test.each<[name: string, required: boolean]>([
    ['post.example', true],
    ['spf.post.example', true],
    ['bounce.post.example', true],
    ['aaa.dkim.post.example', true],
    ['in.berg.a.post.example', true],
    ['_dmarc.berg.a.post.example', true],
    ['simulator.post.example', false],
    ['_mta-sts.post.example', false],
    ['mta-sts.in.berg.a.post.example', false],
    ['_smtp._tls.bounce.berg.a.post.example', false],
    ['dns-check._report._dmarc.post.example', false],
  ])('%s is required: %s', (name, required) => {
    const found = sets.filter((set) => set.name === name);
    expect([...new Set(found.map((set) => set.required))]).toEqual([required]);
  });

  test('an IPv6 address is the same however it is written', () => {
    const odd = sampleZones({ addresses: ['2001:DB8:0:0::10'] });
    const asked = wantedSets(odd.zoneRecords('post.example', { tokens: [], managedHosts: [] }));
    expect(asked.find(({ type, name }) => type === 'A/AAAA' && name === 'post.example')?.values).toEqual([
      '2001:db8::10',
    ]);
    expect(wantedReverse('2001:DB8::0010', 'post.example').name).toBe('2001:db8::10');
  });
});

describe('what an answer is worth', () => {
  const want = (type: SetType, ...values: string[]): WantedSet => ({
    type,
    name: 'x.example',
    values,
    required: true,
  });
  const found = (...records: string[]): Lookup<string> => ({ kind: 'found', records });
  const none: Lookup<string> = { kind: 'none', nameExists: false };
  const failed = (reason: 'servfail' | 'refused' | 'timeout' | 'malformed'): Lookup<string> => ({
    kind: 'failed',
    reason,
  });
  const spf = 'v=spf1 include:spf.post.example ~all';
  test.each<[sentence: string, wanted: WantedSet, answer: Lookup<string>, status: string, hint: RegExp]>([
    ['the same set', want('NS', 'ns1', 'ns2'), found('ns2', 'ns1'), 'ok', /^$/],
    [
      'one name server too many',
      want('NS', 'ns1'),
      found('ns1', 'ns2'),
      'wrong',
      /delegate x\.example to ns1 /,
    ],
    ['one too few', want('NS', 'ns1', 'ns2'), found('ns1'), 'wrong', /delegate x\.example to ns1, ns2 /],
    ['no delegation', want('NS', 'ns1'), none, 'missing', /In the zone above, delegate/],
    [
      'another address besides',
      want('A/AAAA', '192.0.2.1'),
      found('192.0.2.1', '192.0.2.9'),
      'wrong',
      /dns\.zones/,
    ],
    ['any address where none is configured', want('A/AAAA'), found('192.0.2.1'), 'ok', /^$/],
    ['none where none is configured', want('A/AAAA'), none, 'missing', /dns\.zones\.addresses/],
    ['another MX', want('MX', '10 post.example'), found('10 mx.example'), 'wrong', /Load the zone again/],
    ['another MX besides', want('MX', '10 a'), found('10 a', '20 b'), 'wrong', /Load the zone again/],
    ['the text', want('TXT', 'a'), found('a'), 'ok', /^$/],
    ['the text among others', want('TXT', 'a'), found('b', 'a'), 'ok', /^$/],
    ['SPF among other texts', want('TXT', spf), found('google-site', spf), 'ok', /^$/],
    ['SPF twice', want('TXT', spf), found(spf, 'V=SPF1 -all'), 'wrong', /Load the zone again/],
    ['what only begins like SPF', want('TXT', spf), found(spf, 'v=spf10 -all'), 'ok', /^$/],
    ['another text', want('TXT', 'a'), found('b'), 'wrong', /Load the zone again/],
    ['one of two texts', want('TXT', 'a', 'b'), found('b'), 'wrong', /Load the zone again/],
    ['the alias', want('CNAME', 'a.example'), found('a.example'), 'ok', /^$/],
    ['no alias', want('CNAME', 'a.example'), none, 'missing', /Load the zone again/],
    ['another primary', want('SOA', 'ns1'), found('ns9'), 'wrong', /Load the zone again/],
    ['one of the reverse names', want('PTR', 'post.example'), found('a.example', 'post.example'), 'ok', /^$/],
    [
      'another reverse name',
      want('PTR', 'post.example'),
      found('a.example'),
      'wrong',
      /reverse name to post\.example/,
    ],
    ['no reverse name', want('PTR', 'post.example'), none, 'missing', /provider of x\.example/],
    ['SERVFAIL', want('MX', '10 a'), failed('servfail'), 'error', /DS record/],
    ['REFUSED', want('MX', '10 a'), failed('refused'), 'error', /does not serve this zone/],
    ['no answer', want('MX', '10 a'), failed('timeout'), 'error', /port 53/],
    ['an odd answer', want('MX', '10 a'), failed('malformed'), 'error', /could not be read/],
  ])('%s', (_sentence, wanted, answer, status, hint) => {
    const checked = judgeSet(wanted, answer, false);
    expect(checked.status).toBe(status);
    expect(checked.hint).toMatch(hint);
  });

  test('where the daemon serves the zones itself, nothing is to be loaded', () => {
    expect(judgeSet(want('TXT', 'a'), none, true).hint).toMatch(/built-in name server/);
  });

  test('of very many records found, ten are shown', () => {
    const many = found(...Array.from({ length: 50 }, (_, index) => `text ${index}`));
    expect(judgeSet(want('TXT', 'a'), many, false).found).toHaveLength(10);
  });
});
