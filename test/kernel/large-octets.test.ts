import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeEach, expect, test } from 'vitest';
import { freeNow, largeOctets, lend, letGoUnused, usedOf } from '#src/kernel/large-octets.ts';

const LARGE = 40_000;
const KEPT_BYTES = 33_554_432;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** What other tests of the process have left is freed behind a collection, perhaps in the middle of a test. */
beforeEach(() => {
  let [before, now] = [Number.POSITIVE_INFINITY, process.memoryUsage().arrayBuffers];
  while (now < before) {
    collect();
    [before, now] = [now, process.memoryUsage().arrayBuffers];
  }
});

/** How much memory outside of V8's heap comes with what `make` returns. */
const bytesOf = <T>(make: () => T): { made: T; bytes: number } => {
  const before = process.memoryUsage().arrayBuffers;
  const made = make();
  return { made, bytes: process.memoryUsage().arrayBuffers - before };
};

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
  [
    'a part of what is used again',
    largeOctets(2 * LARGE)
      .fill('a')
      .subarray(0, LARGE),
  ],
])('%s stay as they are', (_, octets) => {
  const before = octets.toString();
  freeNow(octets);
  expect(octets.toString()).toBe(before);
});

test('memory that was freed is used again, and no view of it from before sees what is in it then', () => {
  const first = largeOctets(1_000_000).fill('a');
  const part = first.subarray(10, 20);
  freeNow(first);
  expect(first.length).toBe(0);
  const { made, bytes } = bytesOf(() => largeOctets(990_000));
  expect(bytes).toBe(0);
  expect(made.length).toBe(990_000);
  made.fill('b');
  expect(part.length).toBe(0);
  expect(first.length).toBe(0);
  freeNow(made);
});

test('two at once never have the same memory', () => {
  freeNow(largeOctets(LARGE));
  const one = largeOctets(LARGE).fill('a');
  const other = largeOctets(LARGE).fill('b');
  expect(one.includes('b')).toBe(false);
  freeNow(one);
  freeNow(other);
});

test('at most so much is kept, and it is let go when nothing was taken for a while', () => {
  letGoUnused();
  letGoUnused();
  const many = Array.from({ length: 2 * (KEPT_BYTES / 1_048_576) }, () => largeOctets(1_048_576));
  const { bytes: freed } = bytesOf(() => {
    for (const one of many) freeNow(one);
  });
  expect(freed).toBe(-KEPT_BYTES);
  // Some were taken before the first call.
  expect(bytesOf(letGoUnused).bytes).toBe(0);
  expect(bytesOf(letGoUnused).bytes).toBe(-KEPT_BYTES);
});

test('a part that alone is used frees all, and comes back from another thread as it was', () => {
  const { made: whole } = bytesOf(() => largeOctets(KEPT_BYTES + LARGE));
  const used = usedOf(whole, 10, LARGE + 10);
  const { bytes } = bytesOf(() => freeNow(used));
  expect(bytes).toBeLessThan(-KEPT_BYTES);
  const { buffer, length } = largeOctets(LARGE).fill('a');
  const back = lend(buffer.transfer(), length);
  expect(back.toString()).toBe('a'.repeat(LARGE));
  freeNow(back);
  expect(back.length).toBe(0);
});
