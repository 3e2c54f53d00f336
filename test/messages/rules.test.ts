import { describe, expect, test } from 'vitest';
import {
  after,
  currentSignal,
  eventOf,
  isToBeSent,
  messageStatus,
  type Signal,
  type SignalEvent,
  type Status,
  signalOf,
  signals,
  statuses,
  statusOf,
} from '#src/messages/rules.ts';

/** By rank, the lowest first; `failed` and `suppressed` are ends beside it. */
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

/** One that each of the signals was events of, in that order. */
const signalAfter = (...events: readonly Signal[]): Signal => events.reduce(after);

describe('a signal after another', () => {
  const rows: readonly [from: Signal, signal: Signal, to: Status, event: string][] = [
    ['scheduled', 'queued', 'queued', 'message.created'],
    ['queued', 'accepted', 'processed', 'message.sent'],
    ['queued', 'deferred', 'delivery_delayed', 'message.delivery_delayed'],
    ['deferred', 'deferred', 'delivery_delayed', 'message.delivery_delayed'],
    ['deferred', 'accepted', 'processed', 'message.sent'],
    ['queued', 'hard_bounced', 'hard_bounced', 'message.hard_bounced'],
    ['deferred', 'hard_bounced', 'hard_bounced', 'message.hard_bounced'],
    ['queued', 'soft_bounced', 'soft_bounced', 'message.soft_bounced'],
    ['deferred', 'soft_bounced', 'soft_bounced', 'message.soft_bounced'],
    ['queued', 'failed', 'failed', 'message.failed'],
    ['deferred', 'failed', 'failed', 'message.failed'],
    ['queued', 'suppressed', 'suppressed', 'message.suppressed'],
    ['accepted', 'presumed', 'delivered', 'message.delivered'],
    ['accepted', 'delivered', 'delivered', 'message.delivered'],
    ['accepted', 'delayed', 'delivery_delayed', 'message.delivery_delayed'],
    ['presumed', 'delayed', 'delivery_delayed', 'message.delivery_delayed'],
    ['delayed', 'delivered', 'delivered', 'message.delivered'],
    ['accepted', 'hard_bounced', 'hard_bounced', 'message.hard_bounced'],
    ['delivered', 'hard_bounced', 'hard_bounced', 'message.hard_bounced'],
    ['delayed', 'hard_bounced', 'hard_bounced', 'message.hard_bounced'],
    ['accepted', 'soft_bounced', 'soft_bounced', 'message.soft_bounced'],
    ['delivered', 'soft_bounced', 'soft_bounced', 'message.soft_bounced'],
    ['delayed', 'soft_bounced', 'soft_bounced', 'message.soft_bounced'],
    ['accepted', 'auto_replied', 'auto_replied', 'message.auto_replied'],
    ['delivered', 'auto_replied', 'auto_replied', 'message.auto_replied'],
    ['accepted', 'opened', 'opened', 'message.opened'],
    ['delayed', 'opened', 'opened', 'message.opened'],
    ['auto_replied', 'opened', 'opened', 'message.opened'],
    ['accepted', 'clicked', 'clicked', 'message.clicked'],
    ['opened', 'clicked', 'clicked', 'message.clicked'],
    ['clicked', 'opened', 'clicked', 'message.opened'],
    ['accepted', 'spam_complaint', 'spam_complaint', 'message.spam_complaint'],
    ['hard_bounced', 'spam_complaint', 'spam_complaint', 'message.spam_complaint'],
    ['clicked', 'unsubscribed', 'unsubscribed', 'message.unsubscribed'],
    ['unsubscribed', 'clicked', 'unsubscribed', 'message.clicked'],
  ];
  test.each(rows)('%s, then %s: %s by %s', (from, signal, status, event) => {
    expect([statusOf(after(from, signal)), eventOf(signal)]).toEqual([status, event]);
  });
});

test("the relay's 2xx after a notice of delay does not undo the notice, but a report of delivery does", () => {
  expect(statusOf(signalAfter('delayed', 'accepted', 'presumed'))).toBe('delivery_delayed');
  expect(statusOf(signalAfter('delayed', 'accepted', 'delivered'))).toBe('delivered');
});

test('every status has a rank, and no signal leaves a final status', () => {
  expect([...statuses].sort()).toEqual([...ladder, 'failed', 'suppressed'].sort());
  for (const signal of signals) expect(statusOf(after('failed', signal))).toBe('failed');
  for (const signal of signals.filter((one) => one !== 'failed'))
    expect(statusOf(after('suppressed', signal))).toBe('suppressed');
});

test('signals have the order of the decisions, except the delay after the hand-over', () => {
  const asked = signals.filter((one) => one !== 'delayed' && one !== 'presumed').map(statusOf);
  expect(asked).toEqual([...ladder, 'suppressed', 'failed']);
});

test('mail is to be sent only while no signal has ended it', () => {
  expect(signals.filter(isToBeSent)).toEqual(['scheduled', 'queued', 'deferred']);
});

test('the current signal follows from the status and the stored events', () => {
  for (const signal of signals) {
    const events: SignalEvent[] = [
      { type: eventOf(signal), own: !['delayed', 'delivered'].includes(signal) },
    ];
    expect(currentSignal(statusOf(signal), () => events)).toBe(signal);
    if (signal !== 'scheduled' && signal !== 'queued') expect(events.map(signalOf)).toEqual([signal]);
  }
  expect(signalOf({ type: 'message.subscription', own: false })).toBeNull();
});

/** Small and repeatable: a linear congruential generator. */
const createRandom = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

test('signals in any order and any number end in the same status', () => {
  const random = createRandom(1);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const shuffled = <T>(list: readonly T[]): T[] =>
    list
      .map((item) => ({ item, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  for (let round = 0; round < 1_000; round++) {
    const came = Array.from({ length: 1 + Math.floor(random() * 8) }, () => pick(signals));
    const end = statusOf(came.reduce(after, 'queued'));
    for (let order = 0; order < 8; order++) {
      const repeated = shuffled([...came, ...came.filter(() => random() < 0.5)]);
      expect(statusOf(repeated.reduce(after, 'queued')), `${came} as ${repeated}`).toBe(end);
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
