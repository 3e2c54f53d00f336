import { expect, test } from 'vitest';
import { failureOf, isSuccess } from '#src/kernel/outbound/outbound.ts';

test.each<[number, string | null]>([
  [200, null],
  [204, null],
  [299, null],
  [199, 'answered 199'],
  [300, 'answered 300; redirects are not followed'],
  [308, 'answered 308; redirects are not followed'],
  [399, 'answered 399; redirects are not followed'],
  [400, 'answered 400'],
  [410, 'answered 410'],
  [503, 'answered 503'],
])('an answer of %i failed of: %s', (status, words) => {
  const outcome = { kind: 'answered', status } as const;
  expect([failureOf(outcome), isSuccess(outcome)]).toEqual([words, words === null]);
});

test('what had no answer failed of what the exchange says', () => {
  const outcome = { kind: 'failed', error: 'the connection was refused' } as const;
  expect([failureOf(outcome), isSuccess(outcome)]).toEqual(['the connection was refused', false]);
});
