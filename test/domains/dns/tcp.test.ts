import { once } from 'node:events';
import { Duplex, duplexPair } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createConnections, serveConnection } from '#src/domains/dns/tcp.ts';

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

const open = (): Duplex => new Duplex({ read: () => {}, write: (_chunk, _encoding, done) => done() });
const closed = (connections: readonly Duplex[]): number[] =>
  connections.flatMap(({ destroyed }, index) => (destroyed ? [index] : []));

const setUp = () => {
  const connections = createConnections({ all: 6, perClient: 3 });
  const admit = (client: string, count: number): Duplex[] =>
    Array.from({ length: count }, () => {
      const connection = open();
      connections.admit(connection, client);
      return connection;
    });
  return { connections, admit };
};

test('a client has so many, and the oldest makes room for the next', () => {
  const { connections, admit } = setUp();
  const mine = admit('a', 5);
  expect(closed(mine)).toEqual([0, 1]);
  expect(connections.size()).toBe(3);
});

test('the one that asked last stays', () => {
  const { connections, admit } = setUp();
  const mine = admit('a', 3);
  if (mine[0]) connections.touch(mine[0]);
  const more = admit('a', 2);
  expect(closed([...mine, ...more])).toEqual([1, 2]);
});

test('one client takes none from another while there is room', () => {
  const { connections, admit } = setUp();
  const others = admit('b', 3);
  admit('a', 10);
  expect(closed(others)).toEqual([]);
  expect(connections.size()).toBe(6);
});

test('where all are taken, the one silent longest makes room, whoever has it', () => {
  const { connections, admit } = setUp();
  const first = admit('a', 2);
  const second = admit('b', 2);
  const third = admit('c', 2);
  for (const connection of first) connections.touch(connection);
  const late = admit('d', 1);
  expect(closed([...first, ...second, ...third, ...late])).toEqual([2]);
  expect(connections.size()).toBe(6);
});

test('one that closes by itself is forgotten, and not taken back by a late query', async () => {
  const { connections, admit } = setUp();
  const [mine] = admit('a', 1);
  mine?.destroy();
  await new Promise((resolve) => setImmediate(resolve));
  expect(connections.size()).toBe(0);
  if (mine) connections.touch(mine);
  expect(connections.size()).toBe(0);
});

test('all are cut at the end', () => {
  const { connections, admit } = setUp();
  const all = [...admit('a', 2), ...admit('b', 1)];
  connections.cutAll();
  expect(closed(all)).toEqual([0, 1, 2]);
  expect(connections.size()).toBe(0);
});
