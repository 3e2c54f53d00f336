import { Writable } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '#src/kernel/log.ts';
import { MINUTE } from '#src/kernel/time.ts';
import type { Outcome } from '#src/relay/outcome.ts';
import type { Upstream } from '#src/relay/upstream.ts';
import {
  type Candidate,
  createUpstreams,
  type Decision,
  decideUpstream,
  type Upstreams,
  upstreamBreakerPolicy,
} from '#src/relay/upstreams.ts';
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
let upstreams: Upstreams;

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
  upstreams = createUpstreams(
    [
      { upstream: upstream('first', 10), acceptIsDelivery: true },
      { upstream: upstream('second', 4), acceptIsDelivery: false },
    ],
    clock,
    createLog('info', destination),
  );
});

const take = () => {
  const choice = upstreams.take();
  if (choice === null) throw new Error('no upstream may be tried');
  return choice;
};
const fail = (name: string, times = upstreamBreakerPolicy.threshold) => {
  for (let time = 0; time < times; time++) {
    const choice = take();
    expect(choice.upstream.name).toBe(name);
    upstreams.report(choice, FAILED);
  }
};

describe('which one', () => {
  test('the first of the list while it works', () => {
    for (let time = 0; time < 5; time++) {
      const choice = take();
      expect(choice).toMatchObject({ upstream: { name: 'first' }, acceptIsDelivery: true });
      upstreams.report(choice, ACCEPTED);
    }
    expect(upstreams.capacity(0, clock.now())).toBe(10);
    expect(upstreams.capacity(7, clock.now())).toBe(3);
    expect(upstreams.capacity(12, clock.now())).toBe(0);
    expect(upstreams.retryAt(clock.now())).toBeNull();
    expect(lines).toEqual([]);
  });

  test('the next one when the first is set aside, which is logged once', () => {
    fail('first');
    expect(take().upstream.name).toBe('second');
    expect(upstreams.capacity(1, clock.now())).toBe(3);
    expect(lines).toEqual([
      expect.objectContaining({
        upstream: 'first',
        msg: 'upstream set aside',
        diagnostic: 'connection refused',
      }),
    ]);
  });

  test('a message that is refused sets no upstream aside', () => {
    for (let time = 0; time < 10; time++) upstreams.report(take(), REFUSED);
    expect(take().upstream.name).toBe('first');
  });

  test('none where all are set aside, and it is known until when', () => {
    fail('first');
    fail('second');
    expect([upstreams.take(), upstreams.capacity(0, clock.now())]).toEqual([null, 0]);
    const retryAt = upstreams.retryAt(clock.now());
    expect(retryAt).toBeGreaterThan(0);
    expect(retryAt).toBeLessThan(MINUTE);
  });

  test('a caller that found none at a moment learns until when, however late it asks', () => {
    fail('first');
    fail('second');
    const now = clock.now();
    expect(upstreams.capacity(0, now)).toBe(0);
    clock.set(MINUTE);
    expect(upstreams.retryAt(now)).toBeGreaterThan(now);
    expect(upstreams.retryAt(clock.now())).toBeNull();
  });
});

describe('coming back', () => {
  beforeEach(() => {
    fail('first');
    fail('second');
    clock.set(MINUTE);
  });

  test('one message alone finds out', () => {
    expect([upstreams.capacity(0, clock.now()), upstreams.capacity(1, clock.now())]).toEqual([1, 0]);
    const probe = take();
    expect(probe.upstream.name).toBe('first');
    upstreams.report(probe, ACCEPTED);
    expect(upstreams.capacity(0, clock.now())).toBe(10);
    expect(lines.at(-1)).toMatchObject({ upstream: 'first', msg: 'upstream is back' });
  });

  test('a probe that fails sets it aside again', () => {
    upstreams.report(take(), FAILED);
    expect(upstreams.describe()[0]).toMatchObject({ name: 'first', state: 'open' });
  });
});

test('one set aside is found to be back although a later one carries the mail', () => {
  fail('first');
  upstreams.report(take(), ACCEPTED);
  clock.set(MINUTE);
  const probe = take();
  expect(probe.upstream.name).toBe('first');
  expect(take().upstream.name).toBe('second');
  upstreams.report(probe, ACCEPTED);
  expect(take().upstream.name).toBe('first');
});

test('each is described with its breaker and its own facts', () => {
  expect(upstreams.describe()).toEqual([
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
  await upstreams.stop();
  expect(stopped.sort()).toEqual(['first', 'second']);
});

const closed = (upstream: string): Candidate<string> => ({ upstream, state: 'closed', retryAt: null });
const halfOpen = (upstream: string): Candidate<string> => ({ upstream, state: 'half_open', retryAt: 5 });
const open = (upstream: string, retryAt: number | null): Candidate<string> => ({
  upstream,
  state: 'open',
  retryAt,
});

describe('decideUpstream sends the next message', () => {
  test.each<{ name: string; candidates: Candidate<string>[]; choice: Decision<string> }>([
    {
      name: 'to the first healthy one',
      candidates: [closed('a'), closed('b')],
      choice: { kind: 'use', upstream: 'a' },
    },
    {
      name: 'past one that is set aside',
      candidates: [open('a', 9), closed('b')],
      choice: { kind: 'use', upstream: 'b' },
    },
    {
      name: 'to a healthy one before any probe',
      candidates: [halfOpen('a'), closed('b')],
      choice: { kind: 'use', upstream: 'b' },
    },
    {
      name: 'as a probe where none is healthy',
      candidates: [open('a', 9), halfOpen('b'), halfOpen('c')],
      choice: { kind: 'probe', upstream: 'b' },
    },
    {
      name: 'nowhere before the first may be tried',
      candidates: [open('a', 9), open('b', 7)],
      choice: { kind: 'wait', until: 7 },
    },
    {
      name: 'nowhere, without a known end',
      candidates: [open('a', null)],
      choice: { kind: 'wait', until: null },
    },
    { name: 'nowhere without upstreams', candidates: [], choice: { kind: 'wait', until: null } },
  ])('$name', ({ candidates, choice }) => {
    expect(decideUpstream(candidates)).toEqual(choice);
  });
});
