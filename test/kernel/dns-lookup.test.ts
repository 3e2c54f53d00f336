import { describe, expect, test } from 'vitest';
import { createDnsLookup } from '#src/kernel/dns-lookup.ts';
import { startDnsZone } from '#test/support/dns-zone.ts';

describe('several servers', () => {
  const NAME = 'a.example';
  const ask = async (
    how: 'SERVFAIL' | 'REFUSED' | 'silence' | null,
    second: 'REFUSED' | 'silence' | null,
  ) => {
    const tryMs = [how, second].includes('silence') ? 1_000 : 60_000;
    const [first, other] = [await startDnsZone(), await startDnsZone()];
    try {
      first.fail(NAME, how);
      other.fail(NAME, second);
      other.set(NAME, 'TXT', 'from the other');
      const answer = await createDnsLookup([first.address, other.address], { tryMs }).txt(NAME);
      return { answer, asked: other.asked.length };
    } finally {
      await Promise.all([first.stop(), other.stop()]);
    }
  };
  const found = { kind: 'found', records: [['from the other']] };

  test.each(['SERVFAIL', 'REFUSED', 'silence'] as const)('the next is asked after %s', async (how) => {
    expect((await ask(how, null)).answer).toEqual(found);
  });

  test('no further server is asked after one has answered, also that there is none', async () => {
    expect(await ask(null, null)).toEqual({ answer: { kind: 'none', nameExists: false }, asked: 0 });
  });

  test.each([
    ['SERVFAIL', 'silence', 'servfail'],
    ['silence', 'REFUSED', 'refused'],
    ['silence', 'silence', 'timeout'],
  ] as const)('%s and %s is %s', async (first, second, reason) => {
    expect((await ask(first, second)).answer).toEqual({ kind: 'failed', reason });
  });
});

describe('a service that stops', () => {
  test('waits for no name server: what is asked and what was asked has failed at once', async () => {
    const dns = await startDnsZone();
    try {
      dns.fail('silent.example', 'silence');
      const stop = new AbortController();
      const lookup = createDnsLookup([dns.address], { stopping: stop.signal, tryMs: 300_000 });
      const asked = [lookup.txt('silent.example'), lookup.addresses('silent.example')];
      stop.abort();
      const failed = { kind: 'failed', reason: 'timeout' };
      expect(await Promise.all(asked)).toEqual([failed, failed]);
      const before = dns.asked.length;
      expect(await lookup.mx('good.example')).toEqual(failed);
      expect(dns.asked).toHaveLength(before);
    } finally {
      await dns.stop();
    }
  });
});
