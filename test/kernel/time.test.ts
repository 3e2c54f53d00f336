import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { DAY, jitter, sleep, systemClock, toIso, toIsoOrNull } from '#src/kernel/time.ts';

test('times are shown in UTC with milliseconds', () => {
  expect(toIso(0)).toBe('1970-01-01T00:00:00.000Z');
  expect(toIso(DAY + 1)).toBe('1970-01-02T00:00:00.001Z');
  expect(toIsoOrNull(null)).toBeNull();
  expect(toIsoOrNull(0)).toBe('1970-01-01T00:00:00.000Z');
});

test('the system clock returns integer milliseconds', () => {
  expect(Number.isSafeInteger(systemClock.now())).toBe(true);
});

test.each([
  { value: 1_000, share: 0.2, random: 0, result: 800 },
  { value: 1_000, share: 0.2, random: 0.5, result: 1_000 },
  { value: 1_000, share: 0.2, random: 0.999_999, result: 1_200 },
  { value: 1_000, share: 0, random: 0.9, result: 1_000 },
  { value: 0, share: 0.5, random: 0.9, result: 0 },
  { value: 3, share: 0.1, random: 0.75, result: 3 },
])('$value spread by $share at chance $random is $result', ({ value, share, random, result }) => {
  expect(jitter(value, share, random)).toBe(result);
});

describe('sleep', () => {
  const LONG = DAY;

  test('ends at once when its signal aborts, and leaves no listener behind', async () => {
    const abort = new AbortController();
    const slept = sleep(LONG, abort.signal);
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(1);
    abort.abort();
    await slept;
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
  });

  test('does not begin with an aborted signal', async () => {
    await sleep(LONG, AbortSignal.abort());
  });

  test('takes its listener away when its time is over', async () => {
    const abort = new AbortController();
    await sleep(1, abort.signal);
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
  });
});
