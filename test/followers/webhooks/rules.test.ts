import { describe, expect, test } from 'vitest';
import {
  disablingOf,
  isLast,
  isTooMany,
  nextAttemptAt,
  type Outcome,
  orderKeyOf,
  verdictOf,
  type WebhookPolicy,
} from '#src/followers/webhooks/rules.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#src/kernel/time.ts';

const MIDDLE = 0.5;
/** The default. */
const policy: WebhookPolicy = {
  waits: [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR],
  jitter: 0.2,
  disableAfter: 5 * DAY,
};
const answered = (status: number, retryAfter: number | null = null): Outcome => ({
  kind: 'answered',
  status,
  retryAfter,
});
const refused: Outcome = { kind: 'failed', error: 'connection refused' };

describe('the schedule', () => {
  test('is that of the policy, counted from the end of each attempt', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((attempts) => nextAttemptAt(policy, attempts, 1_000, MIDDLE));
    expect(waits.map((at) => at - 1_000)).toEqual(policy.waits);
  });

  test.each([
    [0, 4 * SECOND],
    [0.25, 4.5 * SECOND],
    [0.9999, 6 * SECOND],
  ])('is spread by the share: %d', (random, wait) => {
    expect(nextAttemptAt(policy, 1, 0, random)).toBeCloseTo(wait, -1);
  });

  test('has eight attempts, and a ninth only where the end of the eighth is unknown', () => {
    expect([7, 8].map((attempts) => isLast(policy, attempts))).toEqual([false, true]);
    expect([8, 9, 10].map((attempts) => isTooMany(policy, attempts))).toEqual([false, false, true]);
  });

  test('one that was replayed while it was in flight starts its schedule again', () => {
    expect(nextAttemptAt(policy, 0, 7, MIDDLE)).toBe(7);
  });
});

describe('what becomes of a delivery', () => {
  const verdict = (outcome: Outcome, attempts = 1, event = 'message.sent') =>
    verdictOf(outcome, attempts, { event, policy, now: 0, random: MIDDLE });

  test.each<[string, Outcome, number, ReturnType<typeof verdict>]>([
    ['200 delivers', answered(200), 1, 'delivered'],
    ['204 delivers', answered(204), 1, 'delivered'],
    ['299 delivers', answered(299), 8, 'delivered'],
    ['a success delivers whatever else it says', answered(200, DAY), 1, 'delivered'],
    ['199 is no success', answered(199), 1, { retryAt: 5 * SECOND }],
    ['a redirect is followed nowhere', answered(302), 1, { retryAt: 5 * SECOND }],
    ['404 is tried again', answered(404), 2, { retryAt: 5 * MINUTE }],
    ['403 is tried again where no mail was received', answered(403), 2, { retryAt: 5 * MINUTE }],
    ['500 is tried again', answered(500), 3, { retryAt: 30 * MINUTE }],
    ['no answer is tried again', refused, 7, { retryAt: 10 * HOUR }],
    ['410 ends it at once', answered(410), 1, 'gone'],
    ['… whatever it asks for', answered(410, HOUR), 1, 'gone'],
    ['the eighth failure ends it', answered(500), 8, 'failed'],
    ['… also where it is to be tried later', answered(429, HOUR), 8, 'failed'],
    ['Retry-After puts it off', answered(429, HOUR), 1, { retryAt: HOUR }],
    ['… but brings nothing forward', answered(503, SECOND), 3, { retryAt: 30 * MINUTE }],
    ['… nor puts it off for longer than a day', answered(429, 30 * DAY), 1, { retryAt: DAY }],
  ])('%s', (_, outcome, attempts, expected) => {
    expect(verdict(outcome, attempts)).toEqual(expected);
  });

  test.each<[string, Outcome, number, ReturnType<typeof verdict>]>([
    ['403 rejects it at once', answered(403), 1, 'rejected'],
    ['… whatever it asks for', answered(403, HOUR), 8, 'rejected'],
    ['any other refusal is tried again', answered(401), 1, { retryAt: 5 * SECOND }],
    ['410 still says that the receiver is gone', answered(410), 1, 'gone'],
  ])('of a mail received: %s', (_, outcome, attempts, expected) => {
    expect(verdict(outcome, attempts, 'inbound.received')).toEqual(expected);
  });
});

test.each<[string, ReturnType<typeof verdictOf>, number, ReturnType<typeof disablingOf>]>([
  ['a success never disables', 'delivered', 9 * DAY, null],
  ['failing for less than the time does not', 'failed', 5 * DAY - 1, null],
  ['a failure after the time does', 'failed', 5 * DAY, 'failing'],
  ['… also one that is tried again', { retryAt: 1 }, 5 * DAY, 'failing'],
  ['410 does at once', 'gone', 0, 'gone'],
  ['a mail that is not wanted never does', 'rejected', 9 * DAY, null],
])('disabling: %s', (_, verdict, since, expected) => {
  expect(disablingOf(verdict, 0, since, policy)).toBe(expected);
});

describe('the key that keeps deliveries in order', () => {
  const suppression = (address: string | null, id: string, data = {}) =>
    orderKeyOf({
      message_seq: 0,
      id: 'e',
      data_json: JSON.stringify({ suppression: { id, address, ...data } }),
    });

  test('of a message’s events is the message', () => {
    expect(orderKeyOf({ message_seq: 7, id: 'e', data_json: null })).toBe(7);
  });

  test('of suppressions is the address, below those of messages', () => {
    const one = suppression('a@example.org', '1', { scope: 'team' });
    expect(suppression('a@example.org', '2', { scope: 'route' })).toBe(one);
    expect(suppression('b@example.org', '1')).not.toBe(one);
    expect(one).toBeLessThan(0);
    expect(Number.isSafeInteger(one)).toBe(true);
  });

  test('of one whose address has been erased is the suppression itself', () => {
    expect(suppression(null, '1')).toBe(suppression(null, '1'));
    expect(suppression(null, '1')).not.toBe(suppression(null, '2'));
  });
});
