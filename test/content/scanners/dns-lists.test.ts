import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDnsLists, type DnsLists } from '#src/content/scanners/dns-lists.ts';
import { createGuard } from '#src/content/scanners/guard.ts';
import { createDnsLookup } from '#src/kernel/dns-lookup.ts';
import { createLog } from '#src/kernel/log.ts';
import { MINUTE } from '#src/kernel/time.ts';
import { type DnsZone, startDnsZone } from '#test/support/dns-zone.ts';
import { createTestClock, type TestClock } from '#test/support/storage.ts';

const DBL = 'dbl.spamhaus.org';
const KEYED = 'abcdefghijklmnopqrstuvwxyz.dbl.dq.spamhaus.net';
const SURBL = 'multi.surbl.org';
const OWN = 'block.example.net';

let dns: DnsZone;
let clock: TestClock;
let timeout: number;
beforeEach(async () => {
  dns = await startDnsZone();
  clock = createTestClock();
  timeout = 60_000;
});
afterEach(() => dns.stop());

const listsOf = (...zones: readonly string[]): DnsLists =>
  createDnsLists(
    zones.map((zone) => ({
      zone,
      guard: createGuard({ name: zone, places: 4, timeout, clock, log: createLog('silent') }),
    })),
    createDnsLookup([dns.address], { tryMs: timeout }),
    clock,
  );

describe('what is asked', () => {
  test.each<[zone: string, hosts: string, asked: string]>([
    [DBL, 'evil.example', 'evil.example'],
    [DBL, 'a.b.evil.example', 'evil.example a.b.evil.example'],
    [SURBL, 'a.b.evil.example', 'evil.example'],
    [SURBL, 'www.evil.co.uk', 'evil.co.uk'],
    [SURBL, 'someone.github.io', 'someone.github.io'],
    [SURBL, 'a.evil.example b.evil.example', 'evil.example'],
    [SURBL, 'xn--bse-ula.example', 'xn--bse-ula.example'],
    [SURBL, '192.0.2.17', '17.2.0.192'],
    [DBL, '192.0.2.17', ''],
    [SURBL, '[2001:db8::1]', ''],
    [SURBL, 'localhost com', ''],
    [OWN, 'a.evil.example', 'evil.example a.evil.example'],
  ])('of %s for %s: %s', async (zone, hosts, asked) => {
    expect(await listsOf(zone).scan(hosts.split(' '))).toEqual({ state: 'ok', listed: [] });
    const expected = asked === '' ? [] : asked.split(' ').map((name) => `${name}.${zone}`);
    expect(dns.asked.toSorted()).toEqual(expected.toSorted());
  });

  test('nothing for a message without links', async () => {
    expect(await listsOf(DBL).scan([])).toEqual({ state: 'skipped', listed: [] });
    expect(dns.asked).toEqual([]);
  });

  test('no more than twenty names of a message', async () => {
    const hosts = Array.from({ length: 200 }, (_, index) => `www.d${index}.example`);
    await listsOf(DBL).scan(['first.example', ...hosts]);
    expect(dns.asked).toHaveLength(20);
  });

  test('each name once in five minutes', async () => {
    const lists = listsOf(SURBL);
    await lists.scan(['evil.example']);
    clock.set(clock.now() + 5 * MINUTE - 1);
    await lists.scan(['www.evil.example']);
    expect(dns.asked).toHaveLength(1);
    clock.set(clock.now() + 1);
    await lists.scan(['evil.example']);
    expect(dns.asked).toHaveLength(2);
  });
});

describe('what is found', () => {
  const listing = (host: string, list: string, weight: number) => ({ host, list, weight });

  test('hosts with the list that names them, without the subscriber’s key', async () => {
    dns.set(`evil.example.${KEYED}`, 'A', '127.0.1.4');
    dns.set(`evil.example.${SURBL}`, 'A', '127.0.0.64');
    const { state, listed } = await listsOf(KEYED, SURBL).scan(['good.example', 'www.evil.example']);
    expect(state).toBe('ok');
    expect(listed.toSorted((one, other) => one.weight - other.weight)).toEqual([
      listing('www.evil.example', 'multi.surbl', 30),
      listing('www.evil.example', 'dbl.spamhaus', 100),
    ]);
  });

  test('the worse listing of a host and its domain', async () => {
    dns.set(`bad.host.example.${DBL}`, 'A', '127.0.1.5');
    dns.set(`host.example.${DBL}`, 'A', '127.0.1.102');
    expect((await listsOf(DBL).scan(['bad.host.example'])).listed).toEqual([
      listing('bad.host.example', 'dbl.spamhaus', 100),
    ]);
  });

  test('an address in a link', async () => {
    dns.set(`17.2.0.192.${SURBL}`, 'A', '127.0.0.16');
    expect((await listsOf(SURBL).scan(['192.0.2.17'])).listed).toEqual([
      listing('192.0.2.17', 'multi.surbl', 100),
    ]);
  });

  test('again from memory', async () => {
    dns.set(`evil.example.${DBL}`, 'A', '127.0.1.2');
    const lists = listsOf(DBL);
    const first = await lists.scan(['evil.example']);
    dns.clear();
    expect(await lists.scan(['evil.example'])).toEqual(first);
  });
});

describe('a list with an unusable answer', () => {
  test.each<[says: string, spoil: () => void]>([
    ['asks for a resolver of one’s own', () => dns.set(`evil.example.${DBL}`, 'A', '127.255.255.254')],
    ['was asked too often', () => dns.set(`evil.example.${DBL}`, 'A', '127.255.255.255')],
    ['is answered for by somebody else', () => dns.set(`evil.example.${DBL}`, 'A', '198.51.100.7')],
    ['fails', () => dns.fail(DBL, 'SERVFAIL')],
    ['refuses', () => dns.fail(DBL, 'REFUSED')],
    [
      'is silent',
      () => {
        dns.fail(DBL, 'silence');
        timeout = 200;
      },
    ],
    [
      'lists the world',
      () => {
        dns.set(`evil.example.${DBL}`, 'A', '127.0.1.2');
        dns.set(`invalid.${DBL}`, 'A', '127.0.1.2');
      },
    ],
    [
      'answers errors to what it should not know',
      () => {
        dns.set(`evil.example.${DBL}`, 'A', '127.0.1.2');
        dns.set(`invalid.${DBL}`, 'A', '127.255.255.254');
      },
    ],
  ])('%s: it has failed', async (_, spoil) => {
    spoil();
    const lists = listsOf(DBL);
    expect(await lists.scan(['evil.example'])).toEqual({ state: 'failed', listed: [] });
    expect(lists.health()).toMatchObject({ name: 'dnsbl', state: 'ok', failures: 1 });
  });

  test('is asked again the next time', async () => {
    dns.set(`evil.example.${DBL}`, 'A', '127.255.255.255');
    const lists = listsOf(DBL);
    await lists.scan(['evil.example']);
    dns.set(`evil.example.${DBL}`, 'A', '127.0.1.2');
    expect(await lists.scan(['evil.example'])).toMatchObject({ state: 'ok', listed: [{ weight: 100 }] });
  });

  test('does not affect other lists', async () => {
    dns.fail(DBL, 'SERVFAIL');
    dns.set(`evil.example.${SURBL}`, 'A', '127.0.0.8');
    expect(await listsOf(DBL, SURBL).scan(['evil.example'])).toEqual({
      state: 'failed',
      listed: [{ host: 'evil.example', list: 'multi.surbl', weight: 100 }],
    });
  });

  test('is not asked for some seconds after three failures, and health shows the worst list', async () => {
    dns.fail(DBL, 'SERVFAIL');
    const lists = listsOf(SURBL, DBL);
    for (let round = 0; round < 3; round += 1) await lists.scan([`d${round}.example`]);
    const before = dns.asked.length;
    expect((await lists.scan(['another.example'])).state).toBe('failed');
    expect(dns.asked.slice(before)).toEqual([`another.example.${SURBL}`]);
    expect(lists.health()).toMatchObject({ state: 'failing', failures: 3 });
  });
});

describe('a probe', () => {
  test('accepts a list that does not contain the forbidden name', async () => {
    const lists = listsOf(DBL, SURBL);
    await lists.probe();
    expect(lists.health()).toMatchObject({ state: 'ok', failures: 0 });
    expect(dns.asked.toSorted()).toEqual([`invalid.${DBL}`, `invalid.${SURBL}`]);
  });

  test('asks again each time', async () => {
    const lists = listsOf(DBL);
    await lists.probe();
    dns.fail(DBL, 'SERVFAIL');
    await lists.probe();
    expect(lists.health().failures).toBe(1);
  });

  test('recognizes a list that refuses', async () => {
    dns.set(`invalid.${DBL}`, 'A', '127.255.255.254');
    const lists = listsOf(DBL);
    await lists.probe();
    expect(lists.health().failures).toBe(1);
  });
});
