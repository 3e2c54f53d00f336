import { describe, expect, test } from 'vitest';
import type { HeardEvent } from '#src/events/store.ts';
import { type CopyFacts, canBeRead, type Hit, isBurst, isTooSoon } from '#src/feedback/tracking/rules.ts';

const hit = (kind: Hit['kind'], at: number): Hit => ({
  kind,
  at,
  ip: null,
  userAgent: null,
  url: null,
  machine: null,
});
const sent = (at: number): HeardEvent => ({ type: 'message.sent', at, own: true });

describe('too soon after the hand-over', () => {
  test.each<[string, Hit, readonly HeardEvent[], boolean]>([
    ['an open at once', hit('open', 1_000), [sent(1_000)], true],
    ['an open before 5 s are over', hit('open', 5_999), [sent(1_000)], true],
    ['an open after 5 s', hit('open', 6_000), [sent(1_000)], false],
    ['a click before 10 s are over', hit('click', 10_999), [sent(1_000)], true],
    ['a click after 10 s', hit('click', 11_000), [sent(1_000)], false],
    ['a click before the hand-over was written down', hit('click', 500), [sent(1_000)], true],
    ['a click while the end of the attempt is unknown', hit('click', 500), [], false],
    [
      'a click after the first copy, long before a second',
      hit('click', 60_000),
      [sent(0), sent(900_000)],
      false,
    ],
    [
      'a click after an open that was the first sign of the hand-over',
      hit('click', 6_000),
      [sent(1_000), { type: 'message.opened', at: 1_000, own: false }],
      false,
    ],
    ['a click at the second copy', hit('click', 905_000), [sent(0), sent(900_000)], true],
    [
      'a click at the time the relay reports the delivery',
      hit('click', 60_000),
      [{ type: 'message.delivered', at: 60_000, own: false }],
      false,
    ],
  ])('%s: %j', (_, one, events, expected) => {
    expect(isTooSoon(one, events)).toBe(expected);
  });
});

test.each<[string, string[], boolean]>([
  ['three links', ['a', 'b', 'c'], true],
  ['two links', ['a', 'b', 'a', 'b'], false],
  ['one link many times', ['a', 'a', 'a', 'a'], false],
  ['none', [], false],
])('%s at once are a burst: %j', (_, urls, expected) => {
  expect(isBurst(urls.map((url) => ({ url })))).toBe(expected);
});

test.each<[string, CopyFacts, boolean]>([
  ['handed over', { attempts: 1, queuedAttempts: null, isEnded: false }, true],
  ['that waits for its first attempt', { attempts: 0, queuedAttempts: 0, isEnded: false }, false],
  ['in flight for the first time', { attempts: 0, queuedAttempts: 1, isEnded: false }, true],
  ['that waits for another attempt', { attempts: 1, queuedAttempts: 1, isEnded: false }, true],
  ['cancelled before its first attempt', { attempts: 0, queuedAttempts: null, isEnded: true }, false],
  ['given up after attempts', { attempts: 9, queuedAttempts: null, isEnded: true }, true],
  [
    'reported on before its attempt was written down',
    { attempts: 0, queuedAttempts: null, isEnded: false },
    true,
  ],
])('a copy %s can be read: %j', (_, facts, expected) => {
  expect(canBeRead(facts)).toBe(expected);
});
