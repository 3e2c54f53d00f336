// Who gives way where all places of a listener are taken.
import { expect, test } from 'vitest';
import { placeToGive } from '#src/smtp/places.ts';

test.each([
  ['the longest idle one of the client with the most', 'a5 a3 b1 c2', 'd', 'a3'],
  ['of clients with as many, the longest idle one', 'a5 a3 b4 b2 c1', 'd', 'b2'],
  ['one of its own for a client that has the most', 'a5 a3 b1', 'a', 'a3'],
  ['any of both for a client that would have as many', 'a5 b4 b3', 'a', 'b3'],
  ['none that waits for our reply', 'a∞ a7 b1', 'c', 'a7'],
  ['one of a client with fewer, where the others wait for our reply', 'a∞ a∞ b1', 'c', 'b1'],
  ['none where all wait for our reply', 'a∞ b∞', 'c', null],
])('%s', (_, places, newcomer, given) => {
  const all = places.split(' ').map((name) => ({
    name,
    client: name.slice(0, 1),
    activeAt: name.endsWith('∞') ? Number.POSITIVE_INFINITY : Number(name.slice(1)),
  }));
  expect(placeToGive(all, newcomer)?.name ?? null).toBe(given);
});
