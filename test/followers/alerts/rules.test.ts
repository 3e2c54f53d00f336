// What alerts tell of, how events are added up, and what follows from an attempt.
import { describe, expect, test } from 'vitest';
import { eventTypes } from '#src/events/catalogue.ts';
import {
  type AlertPolicy,
  add,
  alertEvents,
  countOf,
  defaultEvents,
  isFailingTooLong,
  nextAttemptAt,
  type ReportedEvent,
  verdictOf,
} from '#src/followers/alerts/rules.ts';
import { maskUrl } from '#src/kernel/secret.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#src/kernel/time.ts';

const policy: AlertPolicy = {
  gather: MINUTE,
  waits: [5 * SECOND, 5 * MINUTE, 30 * MINUTE],
  jitter: 0.2,
  disableAfter: 5 * DAY,
};

test('by default they report what the specification names', () => {
  expect(defaultEvents).toEqual([
    'message.hard_bounced',
    'message.soft_bounced',
    'message.spam_complaint',
    'message.failed',
    'message.content_blocked',
  ]);
});

test('they may report everything but what people do with a mail', () => {
  const unspoken = eventTypes.filter((type) => !(alertEvents as readonly string[]).includes(type));
  expect(unspoken).toEqual(['message.opened', 'message.clicked']);
});

const told = (fields: Partial<ReportedEvent> = {}): ReportedEvent => ({
  type: 'message.hard_bounced',
  at: 1_000,
  recipient: 'erika.muster@praxis.example',
  data: {},
  ...fields,
});

describe('a sample', () => {
  test('names who it is about only so that who knows them recognizes them, and why', () => {
    const data = {
      enhanced_code: '5.1.1',
      smtp_code: 550,
      rule: 'unknown_address',
      diagnostic: '550 5.1.1 <erika.muster@praxis.example>: no such user: Ihr Termin beim Urologen',
    };
    expect(countOf(told({ data })).samples).toEqual([
      { who: 'e…@praxis.example', why: ['5.1.1', 'unknown_address'] },
    ]);
  });
  test.each([
    ['the reply code where there is no better one', { smtp_code: 554 }, ['554']],
    [
      'the rules that blocked the content',
      { content_reasons: ['a', 'b', 'c', 'd', 'e'] },
      ['a', 'b', 'c', 'd'],
    ],
    ['nothing more where nothing is known', {}, []],
  ])('tells %s', (_, data, why) => {
    expect(countOf(told({ data })).samples).toEqual([{ who: 'e…@praxis.example', why }]);
  });
  test.each(
    alertEvents.filter((type) => !defaultEvents.includes(type) && type !== 'message.delivery_delayed'),
  )('of %s would tell of somebody for nothing: there is none', (type) => {
    expect(countOf(told({ type })).samples).toEqual([]);
  });
  test('that says nothing is none', () => {
    expect(countOf(told({ type: 'message.content_blocked', recipient: null })).samples).toEqual([]);
  });
});

describe('a sum', () => {
  test('counts all and spans from the first to the last', () => {
    const sum = add(add(undefined, countOf(told({ at: 2_000 }))), countOf(told({ at: 1_000 })));
    expect(sum).toMatchObject({ count: 2, firstAt: 1_000, lastAt: 2_000 });
  });
  test('shows five different ones at most', () => {
    const of = (name: string) => countOf(told({ recipient: `${name}@example.org` }));
    const names = ['anna', 'ada', 'ben', 'carla', 'dora', 'emil', 'fritz'];
    const sum = names.map(of).reduce((all, one) => add(all, one));
    expect(sum.count).toBe(7);
    expect(sum.samples.map(({ who }) => who?.[0])).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});

describe('the next attempt', () => {
  test.each([
    [1, 5 * SECOND],
    [2, 5 * MINUTE],
    [3, 30 * MINUTE],
    [4, 30 * MINUTE],
    [400, 30 * MINUTE],
  ])('after number %i comes after %i ms', (attempt, wait) => {
    expect(nextAttemptAt(attempt, 1_000, policy, 0.5)).toBe(1_000 + wait);
    expect(nextAttemptAt(attempt, 0, policy, 0)).toBe(0.8 * wait);
  });
});

const answered = (status: number, retryAfter: number | null = null, excerpt = '') =>
  ({ kind: 'answered', status, excerpt, retryAfter }) as const;

describe('an answer', () => {
  test.each([
    [200, { kind: 'delivered' }],
    [204, { kind: 'delivered' }],
    [302, { kind: 'retry', error: 'answered 302; redirects are not followed', notBefore: 0 }],
    [400, { kind: 'retry', error: 'answered 400', notBefore: 0 }],
    [403, { kind: 'retry', error: 'answered 403', notBefore: 0 }],
    [404, { kind: 'retry', error: 'answered 404', notBefore: 0 }],
    [410, { kind: 'gone', error: 'answered 410' }],
    [500, { kind: 'retry', error: 'answered 500', notBefore: 0 }],
  ])('of %i', (status, verdict) => {
    expect(verdictOf(answered(status))).toEqual(verdict);
  });
  test.each([
    [404, 'no_service', 'gone'],
    [404, 'no_team', 'gone'],
    [404, 'channel_not_found', 'gone'],
    [410, 'channel_is_archived', 'gone'],
    [403, 'invalid_token', 'retry'],
    [404, 'no_service here', 'retry'],
    [500, 'no_service', 'retry'],
  ])('of %i with `%s` keeps the words: %s', (status, words, kind) => {
    expect(verdictOf(answered(status, null, words))).toMatchObject({
      kind,
      error: `answered ${status}: ${words}`,
    });
  });
  test('that is a page, or long, is not kept whole', () => {
    expect(verdictOf(answered(404, null, '<html><title>Not Found'))).toMatchObject({ error: 'answered 404' });
    expect(verdictOf(answered(500, null, '😀'.repeat(300)))).toMatchObject({
      error: `answered 500: ${'😀'.repeat(200)}`,
    });
  });
  test('may ask for patience', () => {
    expect(verdictOf(answered(429, 30 * SECOND))).toMatchObject({ kind: 'retry', notBefore: 30 * SECOND });
  });
  test('that does not come is tried for again', () => {
    const outcome = { kind: 'failed', error: 'timed out', timedOut: true } as const;
    expect(verdictOf(outcome)).toEqual({ kind: 'retry', error: 'timed out', notBefore: 0 });
  });
});

test('failing for too long counts from the first failure after the last success', () => {
  expect(isFailingTooLong(HOUR, HOUR + 5 * DAY - 1, policy)).toBe(false);
  expect(isFailingTooLong(HOUR, HOUR + 5 * DAY, policy)).toBe(true);
});

test.each([
  ['https://hooks.slack.com/services/T0/B0/secret', 'https://hooks.slack.com/services/…'],
  ['https://chat.example/hooks/secret', 'https://chat.example/hooks/…'],
  ['https://chat.example/secret', 'https://chat.example/…'],
  ['https://chat.example/secret/', 'https://chat.example/…'],
  ['https://chat.example/?token=secret', 'https://chat.example/…'],
  [
    'https://prod-1.westeurope.logic.azure.com:8443/workflows/a/triggers/manual/paths/invoke?sig=secret',
    'https://prod-1.westeurope.logic.azure.com:8443/workflows/…',
  ],
])('%s is shown as %s', (url, shown) => {
  expect(maskUrl(url)).toBe(shown);
});
