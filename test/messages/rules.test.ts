import { describe, expect, test } from 'vitest';
import {
  advance,
  afterDelay,
  isToBeSent,
  messageStatus,
  type Status,
  statuses,
} from '#src/messages/rules.ts';

/** Lowest first; `failed` and `suppressed` are ends beside it. */
const ladder: readonly Status[] = [
  'pending',
  'queued',
  'delivery_delayed',
  'processed',
  'delivered',
  'auto_replied',
  'opened',
  'clicked',
  'unsubscribed',
  'soft_bounced',
  'hard_bounced',
  'spam_complaint',
];
const ends: readonly Status[] = ['failed', 'suppressed'];

test('a delay told of later takes back what was thought to have arrived, and nothing more', () => {
  const moved = new Set<Status>(['pending', 'queued', 'processed', 'delivered']);
  for (const status of statuses)
    expect([status, afterDelay(status)]).toEqual([status, moved.has(status) ? 'delivery_delayed' : status]);
});

test('only what nobody has heard the end of is to be sent', () => {
  expect(statuses.filter(isToBeSent)).toEqual(['pending', 'queued', 'delivery_delayed']);
});

describe('the way of one recipient', () => {
  test.each<{ from: Status; signal: string; next: Status; to: Status }>([
    { from: 'pending', signal: 'is due', next: 'queued', to: 'queued' },
    { from: 'queued', signal: 'is taken by the upstream', next: 'processed', to: 'processed' },
    { from: 'queued', signal: 'is deferred', next: 'delivery_delayed', to: 'delivery_delayed' },
    {
      from: 'delivery_delayed',
      signal: 'is deferred again',
      next: 'delivery_delayed',
      to: 'delivery_delayed',
    },
    { from: 'delivery_delayed', signal: 'is taken after all', next: 'processed', to: 'processed' },
    { from: 'queued', signal: 'has a bad address', next: 'hard_bounced', to: 'hard_bounced' },
    { from: 'delivery_delayed', signal: 'has a bad address', next: 'hard_bounced', to: 'hard_bounced' },
    { from: 'queued', signal: 'is refused by policy', next: 'soft_bounced', to: 'soft_bounced' },
    { from: 'delivery_delayed', signal: 'is refused by policy', next: 'soft_bounced', to: 'soft_bounced' },
    { from: 'queued', signal: 'has used up its attempts', next: 'failed', to: 'failed' },
    { from: 'delivery_delayed', signal: 'has used up its attempts', next: 'failed', to: 'failed' },
    { from: 'processed', signal: 'is delivered', next: 'delivered', to: 'delivered' },
    { from: 'processed', signal: 'bounces later', next: 'hard_bounced', to: 'hard_bounced' },
    { from: 'delivered', signal: 'bounces later', next: 'soft_bounced', to: 'soft_bounced' },
    { from: 'processed', signal: 'is answered by a machine', next: 'auto_replied', to: 'auto_replied' },
    { from: 'delivered', signal: 'is answered by a machine', next: 'auto_replied', to: 'auto_replied' },
    { from: 'processed', signal: 'is opened', next: 'opened', to: 'opened' },
    { from: 'delivered', signal: 'is opened', next: 'opened', to: 'opened' },
    { from: 'opened', signal: 'is clicked', next: 'clicked', to: 'clicked' },
    { from: 'clicked', signal: 'is opened again', next: 'opened', to: 'clicked' },
    { from: 'opened', signal: 'is unsubscribed', next: 'unsubscribed', to: 'unsubscribed' },
    { from: 'unsubscribed', signal: 'is clicked late', next: 'clicked', to: 'unsubscribed' },
    { from: 'clicked', signal: 'is complained about', next: 'spam_complaint', to: 'spam_complaint' },
    { from: 'opened', signal: 'is delivered late', next: 'delivered', to: 'opened' },
    { from: 'hard_bounced', signal: 'is delivered late', next: 'delivered', to: 'hard_bounced' },
    { from: 'hard_bounced', signal: 'bounces softly late', next: 'soft_bounced', to: 'hard_bounced' },
    { from: 'spam_complaint', signal: 'bounces late', next: 'hard_bounced', to: 'spam_complaint' },
    { from: 'suppressed', signal: 'is opened', next: 'opened', to: 'suppressed' },
    { from: 'failed', signal: 'is taken after all', next: 'processed', to: 'failed' },
    { from: 'failed', signal: 'is suppressed', next: 'suppressed', to: 'failed' },
  ])('$from: one that $signal is $to', ({ from, next, to }) => {
    expect(advance(from, next)).toBe(to);
  });
});

test('every status is on the ladder or an end', () => {
  expect([...statuses].sort()).toEqual([...ladder, ...ends].sort());
});

test('a status never moves down, and repeating a signal changes nothing', () => {
  for (const [rank, from] of ladder.entries()) {
    for (const [other, next] of ladder.entries()) {
      expect(advance(from, next), `${from} then ${next}`).toBe(rank >= other ? from : next);
      expect(advance(advance(from, next), next)).toBe(advance(from, next));
    }
  }
});

test('ends are ends', () => {
  for (const end of ends) for (const next of statuses) expect(advance(end, next)).toBe(end);
});

/** Small and repeatable: a linear congruential generator. */
const createRandom = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

test('any order of signals, each any number of times, ends in the same status', () => {
  const random = createRandom(1);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const shuffled = <T>(list: readonly T[]): T[] =>
    list
      .map((item) => ({ item, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  for (let round = 0; round < 500; round++) {
    const signals = Array.from({ length: 1 + Math.floor(random() * 6) }, () => pick(ladder));
    const end = signals.reduce(advance, 'queued' as Status);
    for (let order = 0; order < 8; order++) {
      const repeated = shuffled([...signals, ...signals.filter(() => random() < 0.5)]);
      expect(repeated.reduce(advance, 'queued' as Status), `${signals} as ${repeated}`).toBe(end);
    }
  }
});

describe('the status of a message', () => {
  test.each<{ name: string; recipients: Status[]; status: Status }>([
    { name: 'one recipient', recipients: ['processed'], status: 'processed' },
    { name: 'the highest counts', recipients: ['queued', 'delivered', 'processed'], status: 'delivered' },
    {
      name: 'a bounce counts before a click',
      recipients: ['clicked', 'soft_bounced'],
      status: 'soft_bounced',
    },
    { name: 'a failure counts before a click', recipients: ['clicked', 'failed'], status: 'failed' },
    {
      name: 'a failure counts before a soft bounce',
      recipients: ['soft_bounced', 'failed'],
      status: 'failed',
    },
    {
      name: 'a complaint counts before a failure',
      recipients: ['failed', 'spam_complaint'],
      status: 'spam_complaint',
    },
    { name: 'one suppressed of two', recipients: ['suppressed', 'pending'], status: 'pending' },
    { name: 'all suppressed', recipients: ['suppressed', 'suppressed'], status: 'suppressed' },
  ])('$name: $recipients is $status', ({ recipients, status }) => {
    expect(messageStatus(recipients)).toBe(status);
    expect(messageStatus([...recipients].reverse())).toBe(status);
  });
});
