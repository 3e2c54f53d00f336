import { Writable } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '#src/kernel/log.ts';
import { MINUTE } from '#src/kernel/time.ts';
import type { Outcome } from '#src/relay/outcome.ts';
import type { Upstream } from '#src/relay/upstream.ts';
import { createWaysOut, upstreamBreakerPolicy, type WaysOut } from '#src/relay/ways-out.ts';
import { createTestClock, type TestClock } from '#test/support/storage.ts';

const ACCEPTED: Outcome = {
  kind: 'accepted',
  reply: { code: 250, enhanced: null, text: 'queued' },
  dsnRequested: false,
};
const FAILED: Outcome = { kind: 'upstream_failure', reply: null, diagnostic: 'connection refused' };
const REFUSED: Outcome = { kind: 'deferred', reply: null, diagnostic: '451 later' };

let clock: TestClock;
let lines: Record<string, unknown>[];
let stopped: string[];
let ways: WaysOut;

const upstream = (name: string, concurrency: number): Upstream => ({
  name,
  kind: 'smtp',
  concurrency,
  transmit: () => Promise.reject(new Error('nothing is sent here')),
  describe: () => ({ connections: 0 }),
  stop: async () => {
    stopped.push(name);
  },
});

beforeEach(() => {
  clock = createTestClock(0);
  lines = [];
  stopped = [];
  const destination = new Writable({
    write: (chunk, _, done) => {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  ways = createWaysOut(
    [
      { upstream: upstream('first', 10), acceptIsDelivery: true },
      { upstream: upstream('second', 4), acceptIsDelivery: false },
    ],
    clock,
    createLog('info', destination),
  );
});

const take = () => {
  const way = ways.take();
  if (way === null) throw new Error('there is no way out');
  return way;
};
const fail = (name: string, times = upstreamBreakerPolicy.threshold) => {
  for (let time = 0; time < times; time++) {
    const way = take();
    expect(way.upstream.name).toBe(name);
    ways.report(way, FAILED);
  }
};

describe('which one', () => {
  test('the first of the list while it works', () => {
    for (let time = 0; time < 5; time++) {
      const way = take();
      expect(way).toMatchObject({ upstream: { name: 'first' }, acceptIsDelivery: true });
      ways.report(way, ACCEPTED);
    }
    expect(ways.capacity(0, clock.now())).toBe(10);
    expect(ways.capacity(7, clock.now())).toBe(3);
    expect(ways.capacity(12, clock.now())).toBe(0);
    expect(ways.retryAt(clock.now())).toBeNull();
    expect(lines).toEqual([]);
  });

  test('the next one when the first is set aside, and that is said once', () => {
    fail('first');
    expect(take().upstream.name).toBe('second');
    expect(ways.capacity(1, clock.now())).toBe(3);
    expect(lines).toEqual([
      expect.objectContaining({
        upstream: 'first',
        msg: 'upstream set aside',
        diagnostic: 'connection refused',
      }),
    ]);
  });

  test('a message that is refused sets nobody aside', () => {
    for (let time = 0; time < 10; time++) ways.report(take(), REFUSED);
    expect(take().upstream.name).toBe('first');
  });

  test('none where all are set aside, and it is known until when', () => {
    fail('first');
    fail('second');
    expect([ways.take(), ways.capacity(0, clock.now())]).toEqual([null, 0]);
    const retryAt = ways.retryAt(clock.now());
    expect(retryAt).toBeGreaterThan(0);
    expect(retryAt).toBeLessThan(MINUTE);
  });

  test('who found none at a moment learns until when, however late it asks', () => {
    fail('first');
    fail('second');
    const now = clock.now();
    expect(ways.capacity(0, now)).toBe(0);
    clock.set(MINUTE);
    expect(ways.retryAt(now)).toBeGreaterThan(now);
    expect(ways.retryAt(clock.now())).toBeNull();
  });
});

describe('coming back', () => {
  beforeEach(() => {
    fail('first');
    fail('second');
    clock.set(MINUTE);
  });

  test('one message alone finds out', () => {
    expect([ways.capacity(0, clock.now()), ways.capacity(1, clock.now())]).toEqual([1, 0]);
    const probe = take();
    expect(probe.upstream.name).toBe('first');
    ways.report(probe, ACCEPTED);
    expect(ways.capacity(0, clock.now())).toBe(10);
    expect(lines.at(-1)).toMatchObject({ upstream: 'first', msg: 'upstream is back' });
  });

  test('a probe that fails sets it aside again', () => {
    ways.report(take(), FAILED);
    expect(ways.describe()[0]).toMatchObject({ name: 'first', state: 'open' });
  });
});

test('one set aside is found to be back although a later one carries the mail', () => {
  fail('first');
  ways.report(take(), ACCEPTED);
  clock.set(MINUTE);
  const probe = take();
  expect(probe.upstream.name).toBe('first');
  expect(take().upstream.name).toBe('second');
  ways.report(probe, ACCEPTED);
  expect(take().upstream.name).toBe('first');
});

test('each is described with its breaker and its own facts', () => {
  expect(ways.describe()).toEqual([
    {
      name: 'first',
      kind: 'smtp',
      delivered_on: 'accept',
      state: 'closed',
      failures: 0,
      retry_at: null,
      connections: 0,
    },
    {
      name: 'second',
      kind: 'smtp',
      delivered_on: 'dsn',
      state: 'closed',
      failures: 0,
      retry_at: null,
      connections: 0,
    },
  ]);
});

test('stopping stops all', async () => {
  await ways.stop();
  expect(stopped.sort()).toEqual(['first', 'second']);
});
