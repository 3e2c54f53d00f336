import { expect, test } from 'vitest';
import { createTokenBucket } from '#src/relay/smtp/token-bucket.ts';

test('lets ten a second through, one at a time', () => {
  const bucket = createTokenBucket(10);
  const passed: number[] = [];
  for (let now = 0; now <= 1_000; now += 10) if (bucket.take(now)) passed.push(now);
  expect(passed).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000]);
});

test('a pause saves up a tenth of a second and not more', () => {
  const bucket = createTokenBucket(100);
  const burst = Array.from({ length: 20 }, () => bucket.take(60_000)).filter((taken) => taken);
  expect(burst).toHaveLength(10);
});

test('says how long to wait', () => {
  const bucket = createTokenBucket(4);
  expect(bucket.wait(0)).toBe(0);
  bucket.take(0);
  expect(bucket.wait(0)).toBe(250);
  expect(bucket.wait(100)).toBe(150);
});
