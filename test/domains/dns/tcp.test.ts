import { once } from 'node:events';
import { type Duplex, duplexPair } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { serveConnection } from '#src/domains/dns/tcp.ts';

const IDLE_MS = 10_000;
const QUERY = Buffer.from('0003616263', 'hex');
/** Waits until what was written has arrived: streams pass it on by next tick, which is not faked. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a connection', () => {
  let client: Duplex;
  let server: Duplex;
  let asked: string[];
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    [client, server] = duplexPair();
    asked = [];
    serveConnection(server, IDLE_MS, (query) => {
      asked.push(query.toString());
      return Buffer.alloc(1_000, 'x');
    });
  });
  afterEach(() => {
    server.destroy();
    vi.useRealTimers();
  });

  test('lives on with each query', async () => {
    client.resume();
    for (let round = 0; round < 3; round += 1) {
      vi.advanceTimersByTime(IDLE_MS - 1);
      client.write(QUERY);
      await settle();
    }
    expect(asked).toEqual(['abc', 'abc', 'abc']);
    expect(server.destroyed).toBe(false);
    vi.advanceTimersByTime(IDLE_MS);
    expect(server.destroyed).toBe(true);
  });

  test('does not live on with pieces of one', async () => {
    client.resume();
    for (const octet of QUERY.subarray(0, 4)) {
      vi.advanceTimersByTime(IDLE_MS / 4);
      client.write(Buffer.from([octet]));
      await settle();
    }
    expect(server.destroyed).toBe(true);
  });

  test('is not asked more of while its answers are not taken', async () => {
    const queries = 10_000;
    client.end(Buffer.concat(Array<Buffer>(queries).fill(QUERY)));
    await settle();
    // As many as the stream's buffer holds of 1,002 octets each, and the one that filled it.
    expect(asked.length).toBeLessThanOrEqual(Math.ceil(server.writableHighWaterMark / 1_002) + 1);
    let received = 0;
    client.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    await once(client, 'end');
    expect(asked).toHaveLength(queries);
    expect(received).toBe(queries * 1_002);
  });
});
