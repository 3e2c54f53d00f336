import { expect, test } from 'vitest';
import { createBell } from '#src/followers/activity/bell.ts';

const LONG_MS = 60_000;

test('rung while nobody waits, it wakes the next who does, once', async () => {
  const bell = createBell();
  bell.ring();
  bell.ring();
  expect(await bell.wait(LONG_MS)).toBe(true);
  expect(await bell.wait(1)).toBe(false);
});

test('rung while somebody waits, it wakes them, and nobody after', async () => {
  const bell = createBell();
  const waiting = bell.wait(LONG_MS);
  bell.ring();
  expect(await waiting).toBe(true);
  expect(await bell.wait(1)).toBe(false);
});

test('a time that is over rings nothing', async () => {
  const bell = createBell();
  expect([await bell.wait(1), await bell.wait(1)]).toEqual([false, false]);
  bell.ring();
  expect(await bell.wait(LONG_MS)).toBe(true);
});

test('ended, it wakes whoever waits and whoever will', async () => {
  const bell = createBell();
  const waiting = bell.wait(LONG_MS);
  expect(bell.signal.aborted).toBe(false);
  bell.end();
  expect([await waiting, await bell.wait(LONG_MS), await bell.wait(LONG_MS)]).toEqual([true, true, true]);
  expect(bell.signal.aborted).toBe(true);
});
