import { expect, test } from 'vitest';
import { type Condition, fits, valuesOf } from '#src/audience/campaigns/filter.ts';

const erika = valuesOf({
  address: 'erika@example.org',
  name: 'Erika Müller',
  data_json: JSON.stringify({
    ort: 'Köln',
    titel: '',
    geburtstag: '24.12.1980',
    seit: '2026-01-31T09:00:00Z',
  }),
});

const rows: readonly [says: string, condition: Condition, holds: boolean][] = [
  ['case does not matter', { field: 'ort', op: 'is', value: 'KÖLN' }, true],
  ['nor how an umlaut is written', { field: 'ort', op: 'is', value: 'Ko\u0308ln' }, true],
  ['a part is not the whole', { field: 'ort', op: 'is', value: 'Köl' }, false],
  ['another value is not it', { field: 'ort', op: 'is_not', value: 'Bonn' }, true],
  ['nor is a missing one', { field: 'land', op: 'is_not', value: 'Bonn' }, true],
  ['the name is a value', { field: 'name', op: 'contains', value: 'müller' }, true],
  ['so is the address', { field: 'email', op: 'contains', value: '@example.org' }, true],
  ['a beginning', { field: 'name', op: 'starts_with', value: 'erika' }, true],
  ['the end is no beginning', { field: 'name', op: 'starts_with', value: 'müller' }, false],
  ['a value exists', { field: 'ort', op: 'exists' }, true],
  ['an empty one does not', { field: 'titel', op: 'exists' }, false],
  ['an empty one is missing', { field: 'titel', op: 'missing' }, true],
  ['what objects inherit is no value', { field: 'constructor', op: 'missing' }, true],
  ['a German date is before', { field: 'geburtstag', op: 'before', value: '1981-01-01' }, true],
  ['a day is not before itself', { field: 'seit', op: 'before', value: '2026-01-31' }, false],
  ['nor after itself', { field: 'seit', op: 'after', value: '2026-01-31' }, false],
  ['a day is after the one before', { field: 'seit', op: 'after', value: '30.01.2026' }, true],
  ['what is no date is never after', { field: 'ort', op: 'after', value: '1900-01-01' }, false],
];

test.each(rows)('%s', (_, condition, holds) => {
  expect(fits([condition], erika, null)).toBe(holds);
});

test('all conditions must hold, and none is no condition', () => {
  const [ort, titel]: Condition[] = [
    { field: 'ort', op: 'exists' },
    { field: 'titel', op: 'exists' },
  ];
  expect(fits([], erika, null)).toBe(true);
  expect(fits([ort as Condition, titel as Condition], erika, null)).toBe(false);
});

test('a subscriber without a name has the one among their values', () => {
  const row = { address: 'erika@example.org', name: null, data_json: '{"name":"Erika","email":"x"}' };
  expect(valuesOf(row)).toEqual({ name: 'Erika', email: 'erika@example.org' });
});

test.each([
  ['subscribed_before', '2026-07-02', true],
  ['subscribed_before', '2026-07-01', false],
  ['subscribed_after', '30.06.2026', true],
  ['subscribed_after', '2026-07-01', false],
] as const)('%s %s of who is subscribed since 1 July: %s', (op, value, holds) => {
  expect(fits([{ op, value }], erika, Date.parse('2026-07-01T22:00:00Z'))).toBe(holds);
  expect(fits([{ op, value }], erika, null), 'who has never confirmed').toBe(false);
});

const DAY = 86_400_000;
const now = 100 * DAY;
const atDay = (tracked: number | null, opened: number | null = null, clicked: number | null = null) => ({
  tracked_at: tracked === null ? null : tracked * DAY,
  opened_at: opened === null ? null : opened * DAY,
  clicked_at: clicked === null ? null : clicked * DAY,
  now,
});
test.each([
  ['was never tracked', atDay(null), []],
  ['was sent mail long ago', atDay(50), []],
  ['was sent mail and did nothing', atDay(95), ['neither']],
  ['opened an earlier one long ago', atDay(95, 60), ['neither']],
  ['opened', atDay(95, 96), ['opened']],
  ['followed a link', atDay(95, 96, 96), ['opened', 'clicked']],
  ['opened at the first moment of that time', atDay(80, 90), ['opened']],
] as const)('of who %s within ten days', (_, reading, expected) => {
  const ops = (['opened', 'clicked', 'neither'] as const).filter((op) =>
    fits([{ op, days: 10 }], erika, null, reading),
  );
  expect(ops).toEqual(expected);
});
