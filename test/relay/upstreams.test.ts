import { Writable } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import { createLog, type Log } from '#src/kernel/log.ts';
import { MINUTE } from '#src/kernel/time.ts';
import type { Outcome } from '#src/relay/outcome.ts';
import type { Upstream } from '#src/relay/upstream.ts';
import {
  type Candidate,
  createUpstreams,
  type Decision,
  decideUpstream,
  type Path,
  type UpstreamEntry,
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
let log: Log;
let lines: Record<string, unknown>[];
let stopped: string[];
let upstreams: Upstreams;
/** Of mail that no upstream names. */
let path: Path;

const upstream = (name: string, concurrency: number): Upstream => ({
  name,
  kind: 'smtp',
  address: `${name}.test:25`,
  concurrency,
  smtpUtf8: null,
  learn: async () => {},
  probe: () => Promise.reject(new Error('nothing is asked here')),
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
  log = createLog('info', destination);
  upstreams = open([
    { upstream: upstream('first', 10), acceptIsDelivery: true },
    { upstream: upstream('second', 4), acceptIsDelivery: false },
  ]);
  path = upstreams.pathOf({ tenantId: 'any', lane: 0 });
});

const open = (entries: readonly UpstreamEntry[], slugs: Readonly<Record<string, string>> = {}) =>
  createUpstreams(entries, (id) => slugs[id] ?? null, clock, log);

const take = () => {
  const choice = path.take();
  if (choice === null) throw new Error('no upstream may be tried');
  return choice;
};
const fail = (name: string, times = upstreamBreakerPolicy.threshold) => {
  for (let time = 0; time < times; time++) {
    const choice = take();
    expect(choice.upstream.name).toBe(name);
    path.report(choice, FAILED);
  }
};

describe('which one', () => {
  test('the first of the list while it works', () => {
    for (let time = 0; time < 5; time++) {
      const choice = take();
      expect(choice).toMatchObject({ upstream: { name: 'first' }, acceptIsDelivery: true });
      path.report(choice, ACCEPTED);
    }
    expect(path.capacity(clock.now())).toBe(10);
    path.occupy(7);
    expect(path.capacity(clock.now())).toBe(3);
    path.occupy(5);
    expect(path.capacity(clock.now())).toBe(0);
    expect(path.retryAt(clock.now())).toBeNull();
    expect(lines).toEqual([]);
  });

  test('the next one when the first is set aside, which is logged once', () => {
    fail('first');
    path.occupy(1);
    expect(take().upstream.name).toBe('second');
    expect(path.capacity(clock.now())).toBe(3);
    expect(lines).toEqual([
      expect.objectContaining({
        upstream: 'first',
        msg: 'upstream set aside',
        diagnostic: 'connection refused',
      }),
    ]);
  });

  test('a message that is refused sets no upstream aside', () => {
    for (let time = 0; time < 10; time++) path.report(take(), REFUSED);
    expect(take().upstream.name).toBe('first');
  });

  test('none where all are set aside, and it is known until when', () => {
    fail('first');
    fail('second');
    expect([path.take(), path.capacity(clock.now())]).toEqual([null, 0]);
    const retryAt = path.retryAt(clock.now());
    expect(retryAt).toBeGreaterThan(0);
    expect(retryAt).toBeLessThan(MINUTE);
  });

  test('a caller that found none at a moment learns until when, however late it asks', () => {
    fail('first');
    fail('second');
    const now = clock.now();
    expect(path.capacity(now)).toBe(0);
    clock.set(MINUTE);
    expect(path.retryAt(now)).toBeGreaterThan(now);
    expect(path.retryAt(clock.now())).toBeNull();
  });
});

describe('coming back', () => {
  beforeEach(() => {
    fail('first');
    fail('second');
    clock.set(MINUTE);
  });

  test('one message alone finds out', () => {
    expect(path.capacity(clock.now())).toBe(1);
    path.occupy(1);
    expect(path.capacity(clock.now())).toBe(0);
    const probe = take();
    expect(probe.upstream.name).toBe('first');
    path.report(probe, ACCEPTED);
    path.occupy(-1);
    expect(path.capacity(clock.now())).toBe(10);
    expect(lines.at(-1)).toMatchObject({ upstream: 'first', msg: 'upstream is back' });
  });

  test('a probe that fails sets it aside again', () => {
    path.report(take(), FAILED);
    expect(upstreams.describe()[0]).toMatchObject({ name: 'first', state: 'open' });
  });
});

test('one set aside is found to be back although a later one carries the mail', () => {
  fail('first');
  path.report(take(), ACCEPTED);
  clock.set(MINUTE);
  const probe = take();
  expect(probe.upstream.name).toBe('first');
  expect(take().upstream.name).toBe('second');
  path.report(probe, ACCEPTED);
  expect(take().upstream.name).toBe('first');
});

describe('mail that upstreams name', () => {
  const named = () =>
    open(
      [
        { upstream: upstream('all', 10), acceptIsDelivery: false },
        { upstream: upstream('bulk', 4), acceptIsDelivery: false, for: { streams: ['marketing'] } },
        { upstream: upstream('clinic', 4), acceptIsDelivery: false, for: { practices: ['klinik', 'id-2'] } },
        {
          upstream: upstream('letters', 4),
          acceptIsDelivery: false,
          for: { streams: ['marketing'], practices: ['klinik'] },
        },
      ],
      { 'id-1': 'klinik', 'id-2': 'praxis', 'id-3': 'verein' },
    );
  const orderOf = (of: Path): string[] => {
    const order: string[] = [];
    for (let choice = of.take(); choice !== null; choice = of.take()) {
      if (order.at(-1) !== choice.upstream.name) order.push(choice.upstream.name);
      of.report(choice, FAILED);
    }
    return order;
  };

  test.each([
    { of: { tenantId: 'id-1', lane: 0 }, order: ['clinic', 'all'] },
    { of: { tenantId: 'id-1', lane: 1 }, order: ['bulk', 'clinic', 'letters', 'all'] },
    { of: { tenantId: 'id-2', lane: 0 }, order: ['clinic', 'all'] },
    { of: { tenantId: 'id-2', lane: 1 }, order: ['bulk', 'clinic', 'all'] },
    { of: { tenantId: 'id-3', lane: 0 }, order: ['all'] },
    { of: { tenantId: 'id-3', lane: 1 }, order: ['bulk', 'all'] },
    { of: { tenantId: 'unknown', lane: 0 }, order: ['all'] },
  ] as const)('$of.tenantId in lane $of.lane goes by $order', ({ of, order }) => {
    expect(orderOf(named().pathOf(of))).toEqual(order);
  });

  test('has its own capacity while its upstream is set aside, and shares that of the next', () => {
    const ways = named();
    const [letters, marketing] = [
      ways.pathOf({ tenantId: 'id-3', lane: 0 }),
      ways.pathOf({ tenantId: 'id-3', lane: 1 }),
    ];
    expect([letters.capacity(0), marketing.capacity(0)]).toEqual([10, 4]);
    marketing.occupy(4);
    expect([letters.capacity(0), marketing.capacity(0)]).toEqual([10, 0]);
    for (let time = 0; time < upstreamBreakerPolicy.threshold; time++) {
      const choice = marketing.take();
      if (choice) marketing.report(choice, FAILED);
    }
    // What waits on the one path will go to the upstream of the other.
    expect([letters.capacity(0), marketing.capacity(0)]).toEqual([6, 6]);
    letters.occupy(6);
    expect([letters.capacity(0), marketing.capacity(0)]).toEqual([0, 0]);
  });
});

test('a practice whose slug is not known at first is asked for again', () => {
  const slugs: Record<string, string> = {};
  const ways = open(
    [
      { upstream: upstream('all', 10), acceptIsDelivery: false },
      { upstream: upstream('clinic', 4), acceptIsDelivery: false, for: { practices: ['klinik'] } },
    ],
    slugs,
  );
  const of = { tenantId: 'id-1', lane: 0 } as const;
  expect(ways.pathOf(of).take()?.upstream.name).toBe('all');
  slugs['id-1'] = 'klinik';
  expect(ways.pathOf(of).take()?.upstream.name).toBe('clinic');
});

test('mail to the simulator goes to what carries it, and to no upstream', () => {
  expect(upstreams.simulator.take()).toBeNull();
  upstreams.simulateBy(upstream('simulator', 4));
  expect(upstreams.simulator.take()?.upstream.name).toBe('simulator');
  expect(upstreams.describe().map(({ name }) => name)).toEqual(['first', 'second']);
});

test('each is described with its breaker and its own facts', () => {
  expect(upstreams.describe()).toEqual([
    {
      name: 'first',
      kind: 'smtp',
      delivered_on: 'accept',
      never_delivered: null,
      state: 'closed',
      failures: 0,
      retry_at: null,
      dsn: null,
    },
    {
      name: 'second',
      kind: 'smtp',
      delivered_on: 'dsn',
      never_delivered: null,
      state: 'closed',
      failures: 0,
      retry_at: null,
      dsn: null,
    },
  ]);
});

describe('recipients that become `delivered` by notices alone', () => {
  const UNKNOWN = null;
  /** Offers what `offered` says once it was looked at, or has taken a mail. */
  const noticing = (offered: boolean | null, notices: UpstreamEntry['notices']): Upstreams => {
    let dsn: boolean | null = UNKNOWN;
    const probe = async () => {
      dsn = offered;
      return { ok: true, failedAt: null, error: null, dsn, transcript: [], tls: null };
    };
    const one = { ...upstream('relay', 1), probe, describe: () => ({ dsn }) };
    return open([{ upstream: one, acceptIsDelivery: false, notices }]);
  };
  const warned = () => lines.filter(({ msg }) => String(msg).includes('ever `delivered`'));
  const whyOf = (ways: Upstreams) => ways.states().map(({ neverDelivered }) => neverDelivered);

  test('never do where nothing listens, which is known at once', () => {
    expect(whyOf(noticing(true, 'unheard'))).toEqual(['no_listener']);
  });

  test('never do where the relay offers none, which the log says once', async () => {
    const ways = noticing(false, 'heard');
    expect([whyOf(ways), warned().length]).toEqual([[null], 0]);
    await ways.lookForNotices();
    await ways.lookForNotices();
    expect(whyOf(ways)).toEqual(['no_dsn']);
    expect(warned()).toMatchObject([{ upstream: 'relay' }]);
    expect(ways.describe()).toMatchObject([{ never_delivered: 'no_dsn' }]);
  });

  test('never do where only a mail finds out that it offers none', async () => {
    const ways = noticing(false, 'heard');
    const way = ways.pathOf({ tenantId: 'id-1', lane: 0 });
    await ways.probe('relay');
    const choice = way.take();
    if (choice) way.report(choice, ACCEPTED);
    expect(warned()).toHaveLength(1);
  });

  test.each<[string, boolean | null, UpstreamEntry['notices']]>([
    ['it offers them', true, 'heard'],
    ['it could not be asked', UNKNOWN, 'heard'],
    ['something else counts as delivery', false, undefined],
  ])('may where %s', async (_, offered, notices) => {
    const ways = noticing(offered, notices);
    await ways.lookForNotices();
    expect([whyOf(ways), warned()]).toEqual([[null], []]);
  });
});

test('stopping stops all', async () => {
  await upstreams.stop();
  expect(stopped.sort()).toEqual(['first', 'second']);
});

const closed = (upstream: string): Candidate<string> => ({ upstream, state: 'closed', retryAt: null });
const halfOpen = (upstream: string): Candidate<string> => ({ upstream, state: 'half_open', retryAt: 5 });
const setAside = (upstream: string, retryAt: number | null): Candidate<string> => ({
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
      candidates: [setAside('a', 9), closed('b')],
      choice: { kind: 'use', upstream: 'b' },
    },
    {
      name: 'to a healthy one before any probe',
      candidates: [halfOpen('a'), closed('b')],
      choice: { kind: 'use', upstream: 'b' },
    },
    {
      name: 'as a probe where none is healthy',
      candidates: [setAside('a', 9), halfOpen('b'), halfOpen('c')],
      choice: { kind: 'probe', upstream: 'b' },
    },
    {
      name: 'nowhere before the first may be tried',
      candidates: [setAside('a', 9), setAside('b', 7)],
      choice: { kind: 'wait', until: 7 },
    },
    {
      name: 'nowhere, without a known end',
      candidates: [setAside('a', null)],
      choice: { kind: 'wait', until: null },
    },
    { name: 'nowhere without upstreams', candidates: [], choice: { kind: 'wait', until: null } },
  ])('$name', ({ candidates, choice }) => {
    expect(decideUpstream(candidates)).toEqual(choice);
  });
});
