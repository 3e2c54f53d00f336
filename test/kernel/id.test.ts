import { expect, test, vi } from 'vitest';
import { newId } from '#src/kernel/id.ts';

const COUNT = 100_000;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const millisecondsOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

test('ids are UUIDs of version 7 that bear the time they were made', () => {
  const before = Date.now();
  const id = newId();
  expect(id).toMatch(UUID_V7);
  expect(millisecondsOf(id)).toBeGreaterThanOrEqual(before);
});

test('a hundred thousand ids made at once are different, well formed and in the order they were made', () => {
  const ids = Array.from({ length: COUNT }, newId);
  expect(ids.filter((id) => !UUID_V7.test(id))).toEqual([]);
  expect(ids.findIndex((id, index) => index > 0 && id <= (ids[index - 1] ?? ''))).toBe(-1);
  expect(new Set(ids.map((id) => id.slice(19))).size).toBe(COUNT);
});

test('within one millisecond, and when the clock goes back, the order holds', () => {
  // Not before the ids that this process has made so far.
  const start = millisecondsOf(newId()) + 1_000;
  const clock = vi.spyOn(Date, 'now');
  try {
    clock.mockReturnValue(start);
    // More than one counter holds: 2^12 ids, of which at least the upper half is free at the start.
    const ids = Array.from({ length: 10_000 }, newId);
    clock.mockReturnValue(start - 60_000);
    ids.push(newId(), newId());
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ids.length);
    expect(millisecondsOf(ids[0] ?? '')).toBe(start);
    expect(millisecondsOf(ids.at(-1) ?? '')).toBeLessThan(start + 10);
  } finally {
    clock.mockRestore();
  }
});
