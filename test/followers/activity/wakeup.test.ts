import { expect, test } from 'vitest';
import { createWakeup } from '#src/followers/activity/live.ts';

const LONG_MS = 60_000;

test('woken before anyone waits, it wakes the next one who waits, once', async () => {
  const wakeup = createWakeup();
  wakeup.wake();
  wakeup.wake();
  expect(await wakeup.wait(LONG_MS)).toBe(true);
  expect(await wakeup.wait(1)).toBe(false);
});

test('woken during a wait, it ends that wait and no later one', async () => {
  const wakeup = createWakeup();
  const waiting = wakeup.wait(LONG_MS);
  wakeup.wake();
  expect(await waiting).toBe(true);
  expect(await wakeup.wait(1)).toBe(false);
});

test('a wait that ran out wakes nothing', async () => {
  const wakeup = createWakeup();
  expect([await wakeup.wait(1), await wakeup.wait(1)]).toEqual([false, false]);
  wakeup.wake();
  expect(await wakeup.wait(LONG_MS)).toBe(true);
});

test('ended, it ends the present wait and each later one', async () => {
  const wakeup = createWakeup();
  const waiting = wakeup.wait(LONG_MS);
  expect(wakeup.signal.aborted).toBe(false);
  wakeup.end();
  expect([await waiting, await wakeup.wait(LONG_MS), await wakeup.wait(LONG_MS)]).toEqual([true, true, true]);
  expect(wakeup.signal.aborted).toBe(true);
});
