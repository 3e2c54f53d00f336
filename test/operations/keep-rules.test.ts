import { expect, test } from 'vitest';
import { type Keep, parseKeep } from '#src/kernel/config/keep.ts';
import { type Made, toRemove } from '#src/operations/keep-rules.ts';

const keep = (text: string): Keep => {
  const parsed = parseKeep(text);
  if (parsed === null) throw new Error(`${text} was not understood`);
  return parsed;
};
const made = (...ids: readonly string[]): Made[] =>
  ids.map((id) => ({
    id,
    madeAt: Date.parse(`${id.replace('!', '')}:00Z`),
    isWhole: !id.endsWith('!'),
    lost: [],
  }));
/** One each night at 2 o'clock, for a year, up to a Monday. */
const YEAR = made(
  ...Array.from({ length: 365 }, (_, day) =>
    new Date(Date.UTC(2025, 10, 25 + day, 2)).toISOString().slice(0, 16),
  ),
);
const keptOf = (backups: readonly Made[], text: string): string[] => {
  const removed = toRemove(backups, keep(text));
  return backups.map(({ id }) => id).filter((id) => !removed.includes(id));
};

test.each([
  ['7d4w12m', { days: 7, weeks: 4, months: 12 }],
  ['12m7d', { days: 7, weeks: 0, months: 12 }],
  ['1d', { days: 1, weeks: 0, months: 0 }],
])('%s is understood', (text, expected) => expect(parseKeep(text)).toEqual(expected));

test.each(['', '7', 'd', '0d', '7d7d', '7 d', '-7d', '7y', '12345d'])('"%s" is not', (text) =>
  expect(parseKeep(text)).toBeNull(),
);

test('of each of the last days, weeks and months the newest is kept', () => {
  expect(keptOf(YEAR, '3d2w3m').map((id) => id.slice(0, 10))).toEqual([
    '2026-09-30',
    '2026-10-31',
    '2026-11-22', // the Sunday of the week before
    '2026-11-23',
    '2026-11-24',
  ]);
  expect(keptOf(YEAR, '7d4w12m')).toHaveLength(7 + 3 + 11 - 1);
});

test('days without a backup count for nothing', () => {
  expect(
    keptOf(made('2026-01-01T02:00', '2026-03-01T02:00', '2026-03-01T14:00', '2026-09-01T02:00'), '2d'),
  ).toEqual(['2026-03-01T14:00', '2026-09-01T02:00']);
});

test('the last whole one stays, whatever its age', () => {
  expect(keptOf(made('2020-01-01T02:00'), '1d')).toEqual(['2020-01-01T02:00']);
  expect(keptOf(made('2020-01-01T02:00', '2026-01-02T02:00!', '2026-01-03T02:00!'), '1d')).toHaveLength(3);
});

test('one that lacks a tenant goes once there is a newer whole one, and takes no place of a day', () => {
  expect(keptOf(made('2026-01-01T02:00', '2026-01-01T14:00!', '2026-01-09T02:00'), '2d')).toEqual([
    '2026-01-01T02:00',
    '2026-01-09T02:00',
  ]);
});

test('all of the last 48 hours are kept, so that a backup by hand takes none away', () => {
  expect(
    keptOf(
      made(
        '2026-01-01T02:00',
        '2026-01-02T02:00',
        '2026-01-02T14:00',
        '2026-01-03T02:00',
        '2026-01-03T10:00',
      ),
      '1d',
    ),
  ).toEqual(['2026-01-02T02:00', '2026-01-02T14:00', '2026-01-03T02:00', '2026-01-03T10:00']);
});

test('the last one that has a practice which the newest lacks stays as long as any other, and then goes', () => {
  const backups = (newest: string): Made[] => [
    ...made('2026-01-01T02:00', '2026-01-02T02:00').map((one) => ({ ...one, lost: ['a'] })),
    ...made('2026-01-03T02:00').map((one) => ({ ...one, lost: ['b'] })),
    ...made(newest),
  ];
  expect(keptOf(backups('2026-01-20T02:00'), '1d3w')).toEqual([
    '2026-01-02T02:00',
    '2026-01-03T02:00',
    '2026-01-20T02:00',
  ]);
  expect(keptOf(backups('2026-02-20T02:00'), '1d3w')).not.toContain('2026-01-02T02:00');
});

test('nothing is removed where there is nothing', () => expect(toRemove([], keep('1d'))).toEqual([]));
