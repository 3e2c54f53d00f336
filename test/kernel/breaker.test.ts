import { expect, test } from 'vitest';
import { createBreaker } from '#src/kernel/breaker.ts';
import { DAY } from '#src/kernel/time.ts';
import { upstreamBreakerPolicy } from '#src/relay/upstreams.ts';

const MIDDLE = 0.5; // of chance: the backoff as the policy names it

const opened = () => {
  const breaker = createBreaker(upstreamBreakerPolicy);
  for (let failure = 0; failure < upstreamBreakerPolicy.threshold; failure += 1) breaker.failed(0, MIDDLE);
  return breaker;
};

test('stays closed below the threshold, and a success starts the count again', () => {
  const breaker = createBreaker(upstreamBreakerPolicy);
  for (let round = 0; round < 5; round += 1) {
    breaker.failed(0, MIDDLE);
    breaker.failed(0, MIDDLE);
    breaker.succeeded();
  }
  expect(breaker.state(0)).toBe('closed');
  expect(breaker.mayTry(0)).toBe(true);
  expect(breaker.retryAt()).toBeNull();
});

test('opens at the threshold until the backoff is over', () => {
  const breaker = opened();
  expect(breaker.retryAt()).toBe(1_000);
  expect(breaker.state(999)).toBe('open');
  expect(breaker.mayTry(999)).toBe(false);
  expect(breaker.state(1_000)).toBe('half_open');
});

test('lets exactly one probe through when half-open', () => {
  const breaker = opened();
  expect([breaker.mayTry(1_000), breaker.mayTry(1_000), breaker.mayTry(5_000)]).toEqual([true, false, false]);
});

test('closes when the probe succeeds, and begins with the shortest backoff the next time', () => {
  const breaker = opened();
  breaker.mayTry(1_000);
  breaker.succeeded();
  expect(breaker.state(1_000)).toBe('closed');
  for (let failure = 0; failure < 3; failure += 1) breaker.failed(2_000, MIDDLE);
  expect(breaker.retryAt()).toBe(3_000);
});

test('each failed probe lengthens the backoff, up to half a minute', () => {
  const breaker = opened();
  const waits: number[] = [];
  let now = 1_000;
  for (let probe = 0; probe < 7; probe += 1) {
    expect(breaker.mayTry(now)).toBe(true);
    breaker.failed(now, MIDDLE);
    const retryAt = breaker.retryAt() ?? 0;
    waits.push(retryAt - now);
    now = retryAt;
  }
  expect(waits).toEqual([2_000, 5_000, 10_000, 20_000, 30_000, 30_000, 30_000]);
});

test('stragglers that began before it opened do not lengthen the backoff', () => {
  const breaker = opened();
  breaker.failed(500, MIDDLE);
  breaker.failed(1_500, MIDDLE);
  expect(breaker.retryAt()).toBe(1_000);
});

test('spreads the backoff by a fifth', () => {
  const early = createBreaker(upstreamBreakerPolicy);
  const late = createBreaker(upstreamBreakerPolicy);
  for (let failure = 0; failure < 3; failure += 1) {
    early.failed(0, 0);
    late.failed(0, 0.999_999);
  }
  expect([early.retryAt(), late.retryAt()]).toEqual([800, 1_200]);
});

test('a probe whose result is never reported does not keep it open for ever', () => {
  const breaker = opened();
  expect(breaker.mayTry(1_000)).toBe(true);
  expect(breaker.mayTry(1_000 + upstreamBreakerPolicy.probeLease - 1)).toBe(false);
  expect(breaker.mayTry(1_000 + upstreamBreakerPolicy.probeLease)).toBe(true);
});

test('a clock that is set back does not keep it open', () => {
  const breaker = createBreaker(upstreamBreakerPolicy);
  for (let failure = 0; failure < 3; failure += 1) breaker.failed(DAY, MIDDLE);
  expect(breaker.state(DAY)).toBe('open');
  expect(breaker.state(0)).toBe('half_open');
  expect([breaker.mayTry(0), breaker.mayTry(0)]).toEqual([true, false]);
});

test('describes itself for health', () => {
  expect(createBreaker(upstreamBreakerPolicy).describe(0)).toEqual({
    state: 'closed',
    failures: 0,
    retry_at: null,
  });
  expect(opened().describe(0)).toEqual({ state: 'open', failures: 3, retry_at: '1970-01-01T00:00:01.000Z' });
});
