import { describe, expect, test } from 'vitest';
import { clientKey, createRateCheck, createRateLimiter, perMinute } from '#src/kernel/rate-limit.ts';
import { say } from '#src/kernel/say.ts';
import { MINUTE } from '#src/kernel/time.ts';
import { createTestClock } from '#test/support/storage.ts';

const limit = { perSecond: 2, burst: 4 };

describe('token bucket', () => {
  test('a burst is allowed, then as many as come in', () => {
    const limiter = createRateLimiter();
    const allowed = Array.from({ length: 6 }, () => limiter.take('a', 1000, limit).allowed);
    expect(allowed).toEqual([true, true, true, true, false, false]);
    expect(limiter.take('a', 1499, limit).allowed).toBe(false);
    expect(limiter.take('a', 1500, limit).allowed).toBe(true);
    expect(limiter.take('a', 1500, limit).allowed).toBe(false);
  });

  test('the verdict says what is left and how long it takes', () => {
    const limiter = createRateLimiter();
    expect(limiter.take('a', 0, limit)).toEqual({
      allowed: true,
      remaining: 3,
      resetSeconds: 1,
      retryAfterSeconds: 0,
    });
    for (let taken = 0; taken < 3; taken += 1) limiter.take('a', 0, limit);
    expect(limiter.take('a', 0, limit)).toEqual({
      allowed: false,
      remaining: 0,
      resetSeconds: 2,
      retryAfterSeconds: 1,
    });
  });

  test('a request may cost several', () => {
    const limiter = createRateLimiter();
    expect(limiter.take('a', 0, limit, 3)).toMatchObject({ allowed: true, remaining: 1 });
    expect(limiter.take('a', 0, limit, 4)).toMatchObject({ allowed: false, retryAfterSeconds: 2 });
    expect(limiter.take('a', 0, limit)).toMatchObject({ allowed: true, remaining: 0 });
  });

  test('a long pause fills the bucket, not more', () => {
    const limiter = createRateLimiter();
    limiter.take('a', 0, limit);
    expect(limiter.take('a', 1_000_000, limit).remaining).toBe(3);
  });

  test('keys do not share', () => {
    const limiter = createRateLimiter();
    for (let taken = 0; taken < 5; taken += 1) limiter.take('a', 0, limit);
    expect(limiter.take('b', 0, limit).allowed).toBe(true);
  });

  test('a clock set back takes nothing away', () => {
    const limiter = createRateLimiter();
    limiter.take('a', 10_000, limit);
    expect(limiter.take('a', 0, limit)).toMatchObject({ allowed: true, remaining: 2 });
  });

  test('a limit lowered while running holds at once', () => {
    const limiter = createRateLimiter();
    limiter.take('a', 0, { perSecond: 100, burst: 500 });
    expect(limiter.take('a', 0, limit).remaining).toBe(3);
  });

  test('a rate below one a second says the wait', () => {
    const limiter = createRateLimiter();
    const slow = { perSecond: 10 / 60, burst: 1 };
    limiter.take('a', 0, slow);
    expect(limiter.take('a', 0, slow).retryAfterSeconds).toBe(6);
  });

  test('a flood of keys is bounded, and keys in use keep their bucket', () => {
    const limiter = createRateLimiter(100);
    for (let taken = 0; taken < 4; taken += 1) limiter.take('busy', 0, limit);
    for (let other = 0; other < 10_000; other += 1) {
      limiter.take(`flood ${other}`, 0, limit);
      if (other % 10 === 0) expect(limiter.take('busy', 0, limit).allowed).toBe(false);
    }
    expect(limiter.size).toBeLessThanOrEqual(100);
  });
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::7', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('the client at %s has the key %s', (address, key) => {
  expect(clientKey(address)).toBe(key);
});

test('each key has its number a minute, and the refusal says when to come again', () => {
  const clock = createTestClock();
  const check = createRateCheck(clock, () => perMinute(3), say`Too many.`);
  for (let time = 0; time < 3; time++) check('a@example.org');
  expect(() => check('a@example.org')).toThrow(
    expect.objectContaining({ code: 'rate_limited', message: 'Too many.', extra: { retry_after: 20 } }),
  );
  check('b@example.org');
  clock.set(clock.now() + MINUTE);
  for (let time = 0; time < 3; time++) check('a@example.org');
  expect(() => check('a@example.org')).toThrow();
});

test('a limit that the operator changes holds at once', () => {
  let limit = perMinute(1);
  const check = createRateCheck(createTestClock(), () => limit, say`Too many.`);
  check('a@example.org');
  expect(() => check('a@example.org')).toThrow();
  limit = perMinute(2);
  check('b@example.org');
  check('b@example.org');
  expect(() => check('b@example.org')).toThrow();
});
