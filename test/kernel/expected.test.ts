import { describe, expect, test } from 'vitest';
import { duration, durationBetween, formatDuration, parseDuration } from '#src/kernel/expected.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#src/kernel/time.ts';

describe('durations', () => {
  test.each([
    ['0s', 0, '0s'],
    ['500ms', 500, '500ms'],
    ['1500ms', 1_500, '1500ms'],
    ['90s', 90 * SECOND, '90s'],
    ['60s', MINUTE, '1m'],
    ['5m', 5 * MINUTE, '5m'],
    ['72h', 72 * HOUR, '3d'],
    ['25h', 25 * HOUR, '25h'],
    ['30d', 30 * DAY, '30d'],
    ['3650d', 3_650 * DAY, '3650d'],
  ])('%s is %d ms and written %s', (text, milliseconds, written) => {
    expect(parseDuration(text)).toBe(milliseconds);
    expect(formatDuration(milliseconds)).toBe(written);
    expect(parseDuration(written)).toBe(milliseconds);
  });

  test.each([
    '',
    '5',
    'm',
    '-5m',
    '5 m',
    '5M',
    '1.5h',
    '5y',
    '1h30m',
    '3651d',
    '999999999999d',
    ' 5m',
    '5m\n',
  ])('%j is none', (text) => expect(parseDuration(text)).toBeNull());

  test('the schema gives milliseconds and keeps to its bounds', () => {
    expect(duration.parse('5m')).toBe(300_000);
    expect(durationBetween(SECOND, MINUTE).parse('1m')).toBe(60_000);
    expect(durationBetween(SECOND, MINUTE).safeParse('61s').error?.issues[0]?.message).toBe(
      'a duration (ms, s, m, h, d) from 1s to 1m',
    );
    expect(duration.safeParse(5).success).toBe(false);
  });
});
