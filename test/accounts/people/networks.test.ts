import { describe, expect, test } from 'vitest';
import { canonicalNetwork, isWithin, withoutHost } from '#src/accounts/people/networks.ts';

describe('one form for each network', () => {
  test.each<[string, string | null]>([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1/32', '192.0.2.1'],
    ['192.0.2.0/24', '192.0.2.0/24'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['128.0.0.0/1', '128.0.0.0/1'],
    ['2001:DB8::', '2001:db8::'],
    ['2001:db8:0:0:0::/32', '2001:db8::/32'],
    ['2001:db8::1/128', '2001:db8::1'],
    ['::/0', '::/0'],
    ['::1', '::1'],
    ['1:2:3:4:5:6:7:8', '1:2:3:4:5:6:7:8'],
    ['::ffff:192.0.2.0/120', '192.0.2.0/24'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['192.0.2.1/24', null],
    ['2001:db8::1/64', null],
    ['192.0.2.0/33', null],
    ['2001:db8::/129', null],
    ['192.0.2.0/', null],
    ['192.0.2.0/024', null],
    ['192.0.2.0/-1', null],
    ['192.0.2.0/24/24', null],
    ['192.0.2', null],
    ['192.0.02.1', null],
    ['fe80::1%eth0', null],
    ['example.org', null],
    ['', null],
    ['/24', null],
  ])('%j is %j', (text, canonical) => {
    expect(canonicalNetwork(text)).toBe(canonical);
  });
});

describe('an address without what names its host', () => {
  test.each<[string, string | null]>([
    ['192.0.2.255', '192.0.2.0'],
    ['192.0.2.0', '192.0.2.0'],
    ['0.0.0.1', '0.0.0.0'],
    ['255.255.255.255', '255.255.255.0'],
    ['::ffff:192.0.2.129', '192.0.2.0'],
    ['::ffff:c000:281', '192.0.2.0'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::'],
    ['2001:DB8::6', '2001:db8::'],
    ['fe80::1%eth0', 'fe80::'],
    ['::1', '::'],
    // 6to4: the host's IPv4 address stands in the first 48 bits.
    ['2002:c000:0281::1', '2002:c000:200::'],
    ['192.0.2.1/24', null],
    ['2001:db8::/32', null],
    ['192.0.2', null],
    ['192.0.2.1:443', null],
    ['unknown', null],
    ['', null],
  ])('of %j is %j', (text, kept) => {
    expect(withoutHost(text)).toBe(kept);
  });
});

describe('what lies in which', () => {
  test.each<[string, string[], boolean]>([
    ['192.0.2.1', ['192.0.2.1'], true],
    ['192.0.2.2', ['192.0.2.1'], false],
    ['192.0.2.255', ['192.0.2.0/24'], true],
    ['192.0.3.0', ['192.0.2.0/24'], false],
    ['192.0.3.0', ['192.0.2.0/24', '192.0.3.0/32'], true],
    ['203.0.113.9', ['0.0.0.0/0'], true],
    ['2001:db8::1', ['0.0.0.0/0'], false],
    ['203.0.113.9', ['::/0'], false],
    ['2001:db8:1::5', ['2001:db8::/32'], true],
    ['2001:db9::5', ['2001:db8::/32'], false],
    ['2001:db8:0:0:8000::', ['2001:db8::/65'], false],
    ['2001:db8:0:0:7fff::', ['2001:db8::/65'], true],
    ['::ffff:192.0.2.1', ['192.0.2.0/24'], true],
    ['fe80::1%eth0', ['fe80::/10'], true],
    ['192.0.2.0/25', ['192.0.2.0/24'], true],
    ['192.0.2.0/23', ['192.0.2.0/24'], false],
    ['', ['0.0.0.0/0', '::/0'], false],
    ['192.0.2.1', [], false],
    ['192.0.2.1', ['nonsense', '192.0.2.0/99'], false],
  ])('%j in %j: %j', (inner, networks, is) => {
    expect(isWithin(inner, networks)).toBe(is);
  });
});
