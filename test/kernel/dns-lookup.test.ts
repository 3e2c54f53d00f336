import { describe, expect, test } from 'vitest';
import { createDnsLookup } from '#src/kernel/dns-lookup.ts';
import { startDnsZone } from '#test/support/dns-zone.ts';

/** Without a word from anybody a question fails after 12 s. */
const AT_ONCE_MS = 5_000;

describe('a service that stops', () => {
  test('waits for no name server: what is asked and what was asked has failed at once', {
    timeout: AT_ONCE_MS,
  }, async () => {
    const dns = await startDnsZone();
    try {
      dns.fail('silent.example', 'silence');
      const stop = new AbortController();
      const lookup = createDnsLookup([dns.address], { stopping: stop.signal, tryMs: 30_000 });
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
