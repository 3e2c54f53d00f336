import { expect, test } from 'vitest';
import { freeNow } from '#src/kernel/gathered.ts';

const LARGE = 40_000;

test('large octets of their own are empty when they are freed', () => {
  const octets = Buffer.allocUnsafeSlow(LARGE);
  freeNow(octets);
  expect(octets.length).toBe(0);
});

test.each([
  ['small ones', Buffer.allocUnsafeSlow(1_000).fill('a')],
  [
    'a part of a larger memory',
    Buffer.allocUnsafeSlow(2 * LARGE)
      .fill('a')
      .subarray(0, LARGE),
  ],
])('%s stay as they are', (_, octets) => {
  const before = octets.toString();
  freeNow(octets);
  expect(octets.toString()).toBe(before);
});
