// Block lists of client addresses, asked of a real name server.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ClientLists, createClientLists } from '#src/content/scanners/client-lists.ts';
import { createDnsLookup } from '#src/kernel/dns-lookup.ts';
import { createLog } from '#src/kernel/log.ts';
import { type DnsZone, startDnsZone } from '#test/support/dns-zone.ts';
import { createTestClock } from '#test/support/storage.ts';

const ZEN = 'zen.spamhaus.org';
const KEYED = 'abcdefghijklmnopqrstuvwxyz.zen.dq.spamhaus.net';
const OWN = 'block.example.net';

let dns: DnsZone;
let logged: string[];
beforeEach(async () => {
  dns = await startDnsZone();
  logged = [];
});
afterEach(() => dns.stop());

const listsOf = (...zones: readonly string[]): ClientLists =>
  createClientLists({
    zones,
    lookup: createDnsLookup([dns.address]),
    timeout: 60_000,
    places: 4,
    clock: createTestClock(),
    log: createLog('warn', { write: (line) => void logged.push(line) }),
  });

test.each([
  ['8.8.4.4', `4.4.8.8.${ZEN}`],
  ['2a00:1450:4001:82a::2003', `3.0.0.2.0.0.0.0.0.0.0.0.0.0.0.0.a.2.8.0.1.0.0.4.0.5.4.1.0.0.a.2.${ZEN}`],
])('%s is asked for as %s, once', async (address, name) => {
  const lists = listsOf(ZEN);
  expect(await lists.listing(address)).toBeNull();
  expect(await lists.listing(address)).toBeNull();
  expect(dns.asked).toEqual([name]);
  dns.set(name, 'A', '127.0.0.4');
  expect(await listsOf(ZEN).listing(address)).toBe('zen.spamhaus');
});

test('the first list that has it is named, without the subscriber’s key', async () => {
  dns.set(`4.4.8.8.${KEYED}`, 'A', '127.0.0.2');
  dns.set(`4.4.8.8.${OWN}`, 'A', '127.0.0.2');
  expect(await listsOf('other.example.net', KEYED, OWN).listing('8.8.4.4')).toBe('zen.spamhaus');
});

test.each(['127.0.0.1', '10.1.2.3', '192.168.1.1', '::1', 'fe80::1', 'fd00::1'])(
  '%s is not asked for',
  async (address) => {
    expect(await listsOf(OWN).listing(address)).toBeNull();
    expect(dns.asked).toEqual([]);
  },
);

test.each([
  ['an error code', '127.255.255.254'],
  ['an address outside of 127.0.0.0/8', '203.0.113.9'],
])('%s blocks no one, and is logged', async (_, code) => {
  dns.set(`4.4.8.8.${OWN}`, 'A', code);
  expect(await listsOf(OWN).listing('8.8.4.4')).toBeNull();
  expect(logged.join()).toContain('does not answer as a list does');
});

test('a list that has every address blocks no one', async () => {
  dns.set(`4.4.8.8.${OWN}`, 'A', '127.0.0.2');
  dns.set(`1.0.0.127.${OWN}`, 'A', '127.0.0.2');
  expect(await listsOf(OWN).listing('8.8.4.4')).toBeNull();
  expect(logged.join()).toContain('lists what no list may');
});

test('a list that does not answer blocks no one', async () => {
  await dns.stop();
  expect(await listsOf(OWN).listing('8.8.4.4')).toBeNull();
  dns = await startDnsZone();
});
