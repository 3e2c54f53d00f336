import { describe, expect, test } from 'vitest';
import { clockChanges, instantOf, instantsOf, offsetAt } from '#src/mail/time-zone.ts';

const HOUR = 3_600_000;
const at = (iso: string): number => Date.parse(iso);
const iso = (time: number): string => new Date(time).toISOString();

const offsets: readonly (readonly [zone: string, at: string, hours: number])[] = [
  ['Europe/Berlin', '2026-01-01T00:00:00Z', 1],
  ['Europe/Berlin', '2026-07-01T00:00:00Z', 2],
  ['America/New_York', '2026-01-01T00:00:00Z', -5],
  ['Asia/Kolkata', '2026-01-01T00:00:00Z', 5.5],
  ['Asia/Kathmandu', '2026-01-01T00:00:00Z', 5.75],
  ['America/St_Johns', '2026-01-01T00:00:00Z', -3.5],
  ['Pacific/Kiritimati', '2026-01-01T00:00:00Z', 14],
  ['UTC', '2026-01-01T00:00:00Z', 0],
];
test.each(offsets)('%s at %s', (zone, time, hours) => {
  expect(offsetAt(zone, at(time))).toBe(hours * HOUR);
});

describe('a local time in Berlin', () => {
  const rows: readonly (readonly [title: string, local: string, instants: readonly string[]])[] = [
    ['in winter', '2026-01-15T10:00:00Z', ['2026-01-15T09:00:00.000Z']],
    ['just before clocks go forward', '2026-03-29T01:59:59Z', ['2026-03-29T00:59:59.000Z']],
    ['that they skip', '2026-03-29T02:00:00Z', []],
    ['just after', '2026-03-29T03:00:00Z', ['2026-03-29T01:00:00.000Z']],
    ['that comes twice', '2026-10-25T02:30:00Z', ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z']],
    ['just after that', '2026-10-25T03:00:00Z', ['2026-10-25T02:00:00.000Z']],
  ];
  test.each(rows)('%s', (_, local, instants) => {
    expect(instantsOf('Europe/Berlin', at(local)).map(iso)).toEqual(instants);
    expect(instantOf('Europe/Berlin', at(local))).toBe(instants[0] === undefined ? null : at(instants[0]));
  });
});

test('a day that a zone skipped', () => {
  // Samoa moved across the date line.
  expect(instantsOf('Pacific/Apia', at('2011-12-30T12:00:00Z'))).toEqual([]);
  expect(instantsOf('Pacific/Apia', at('2011-12-31T12:00:00Z')).map(iso)).toEqual([
    '2011-12-30T22:00:00.000Z',
  ]);
});

describe('changes of clocks', () => {
  const changesOf = (zone: string, from: string, to: string) =>
    clockChanges(zone, at(from), at(to)).map(({ at, from, to }) => [iso(at), from / HOUR, to / HOUR]);

  test('twice a year in Berlin', () => {
    expect(changesOf('Europe/Berlin', '2026-01-01', '2027-01-01')).toEqual([
      ['2026-03-29T01:00:00.000Z', 1, 2],
      ['2026-10-25T01:00:00.000Z', 2, 1],
    ]);
  });

  test('for the month of Ramadan in Morocco', () => {
    expect(changesOf('Africa/Casablanca', '2025-01-01', '2026-01-01')).toEqual([
      ['2025-02-23T02:00:00.000Z', 1, 0],
      ['2025-04-06T02:00:00.000Z', 0, 1],
    ]);
  });

  test('never in India', () => {
    expect(changesOf('Asia/Kolkata', '2026-01-01', '2027-01-01')).toEqual([]);
  });
});
