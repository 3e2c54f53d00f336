import { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { createConnections } from '#src/domains/dns/tcp.ts';

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
