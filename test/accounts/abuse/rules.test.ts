import { describe, expect, test } from 'vitest';
import {
  hasRoomFor,
  MAX_OPEN,
  MAX_OPEN_PER_REPORTER,
  moveTo,
  type Stage,
  stageAfter,
  stages,
  whyFull,
} from '#src/accounts/abuse/rules.ts';

describe('stages', () => {
  test.each<[Stage, Stage, ReturnType<typeof moveTo>]>([
    ['open', 'open', 'unchanged'],
    ['open', 'investigating', 'reached'],
    ['open', 'closed', 'refused'],
    ['investigating', 'open', 'refused'],
    ['investigating', 'investigating', 'unchanged'],
    ['investigating', 'closed', 'reached'],
    ['closed', 'open', 'refused'],
    ['closed', 'investigating', 'refused'],
    ['closed', 'closed', 'unchanged'],
  ])('from %s to %s: %s', (from, to, expected) => {
    expect(moveTo(from, to)).toBe(expected);
  });

  test('each leads to the next, the last to none', () => {
    expect(stages.map(stageAfter)).toEqual(['investigating', 'closed', null]);
  });
});

test('reported mails take 256 MiB together', () => {
  const most = 256 * 1024 ** 2;
  expect(hasRoomFor(10, most - 10)).toBe(true);
  expect(hasRoomFor(11, most - 10)).toBe(false);
});

describe('room for a report', () => {
  test.each<[string, number, number, ReturnType<typeof whyFull>]>([
    ['the first one', 0, 0, null],
    ['the last one of all', MAX_OPEN - 1, 0, null],
    ['one more', MAX_OPEN, 0, 'service'],
    ['the last one of an address', MAX_OPEN_PER_REPORTER - 1, MAX_OPEN_PER_REPORTER - 1, null],
    ['one more of it', MAX_OPEN_PER_REPORTER, MAX_OPEN_PER_REPORTER, 'reporter'],
    ['one more of it where there is room for none', MAX_OPEN, MAX_OPEN_PER_REPORTER, 'service'],
  ])('%s', (_, open, ofReporter, expected) => {
    expect(whyFull(open, ofReporter)).toBe(expected);
  });
});
