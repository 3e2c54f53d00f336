import { describe, expect, test } from 'vitest';
import { createRateLimit, networkOf } from '#src/domains/dns/rate-limit.ts';

test.each<[sentence: string, address: string, network: string]>([
  ['IPv4 counts by /24', '192.0.2.77', '192.0.2'],
  ['IPv4 seen through IPv6 counts as IPv4', '::ffff:192.0.2.77', '192.0.2'],
  ['IPv6 counts by /56', '2001:db8:1:2ab:3:4:5:6', '2001:db8:1:200'],
  ['zeros left out are counted', '2001:db8::1', '2001:db8:0:0'],
  ['zeros in front as well', '::1', '0:0:0:0'],
  ['zeros at the end as well', '2001:db8:0:ff::', '2001:db8:0:0'],
  ['a link is no part of it', 'fe80::1%eth0', 'fe80:0:0:0'],
])('%s', (_sentence, address, network) => expect(networkOf(address)).toBe(network));

describe('the limit', () => {
  const create = (networks = 10) => {
    const clock = { at: 0 };
    return { clock, limit: createRateLimit({ perSecond: 2, burst: 3, networks, now: () => clock.at }) };
  };
  const takes = (count: number, take: () => boolean): boolean[] => Array.from({ length: count }, take);

  test('a burst passes, the next does not, and half a second later one does', () => {
    const { clock, limit } = create();
    expect(takes(4, () => limit.take('a'))).toEqual([true, true, true, false]);
    clock.at = 500;
    expect(takes(2, () => limit.take('a'))).toEqual([true, false]);
  });

  test('silence earns no more than a burst', () => {
    const { clock, limit } = create();
    limit.take('a');
    clock.at = 3_600_000;
    expect(takes(4, () => limit.take('a'))).toEqual([true, true, true, false]);
  });

  test('one network does not take from another', () => {
    const { limit } = create();
    takes(5, () => limit.take('a'));
    expect(limit.take('b')).toBe(true);
  });

  test('it remembers a bounded number, those that asked last', () => {
    const { limit } = create(10);
    takes(4, () => limit.take('kept'));
    for (let index = 0; index < 1_000; index += 1) {
      limit.take(`network ${index}`);
      expect(limit.take('kept')).toBe(false);
    }
    expect(limit.size()).toBe(10);
  });
});
