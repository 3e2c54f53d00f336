import { describe, expect, test } from 'vitest';
import { monthOf, utcDay } from '#src/accounts/counters/rules.ts';
import { DAY } from '#src/kernel/time.ts';

const at = (iso: string): number => Date.parse(iso);

describe('a UTC day', () => {
  const days: readonly (readonly [iso: string, day: number])[] = [
    ['1970-01-01T00:00:00.000Z', 0],
    ['1970-01-01T23:59:59.999Z', 0],
    ['1970-01-02T00:00:00.000Z', 1],
    ['2026-11-21T00:30:00.000+01:00', 20_777],
    ['2026-11-21T01:30:00.000+01:00', 20_778],
  ];
  test.each(days)('%s lies in day %i', (iso, day) => {
    expect(utcDay(at(iso))).toBe(day);
  });
});

describe('a UTC month', () => {
  const months: readonly (readonly [iso: string, name: string, days: number])[] = [
    ['2026-11-01T00:00:00.000Z', '2026-11', 30],
    ['2026-11-30T23:59:59.999Z', '2026-11', 30],
    ['2026-12-01T00:30:00.000+01:00', '2026-11', 30],
    ['2026-12-31T12:00:00.000Z', '2026-12', 31],
    ['2028-02-29T12:00:00.000Z', '2028-02', 29],
    ['2027-02-01T00:00:00.000Z', '2027-02', 28],
  ];
  test.each(months)('%s lies in %s, which has %i days', (iso, name, days) => {
    const month = monthOf(at(iso));
    expect(month).toEqual({
      name,
      nextFirstDay: utcDay(at(`${name}-01T00:00:00.000Z`)) + days,
    });
  });

  test('ends where the next one begins', () => {
    const november = monthOf(at('2026-11-15T00:00:00.000Z'));
    expect(monthOf(november.nextFirstDay * DAY).name).toBe('2026-12');
    expect(monthOf(november.nextFirstDay * DAY - 1).name).toBe('2026-11');
  });
});
