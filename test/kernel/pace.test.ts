import { expect, test } from 'vitest';
import { createPace } from '#src/kernel/pace.ts';

/** Rests that end at once, after works that take what the test says. */
const scene = (stop = new AbortController()) => {
  let now = 0;
  const rests: number[] = [];
  const pace = createPace(stop.signal, undefined, {
    now: () => now,
    rest: async (length, signal) => {
      expect(signal).toBe(stop.signal);
      rests.push(length);
      now += length;
    },
  });
  const work = (milliseconds: number) =>
    pace(async () => {
      now += milliseconds;
      return milliseconds;
    });
  const pass = (milliseconds: number) => {
    now += milliseconds;
  };
  return { pace, work, rests, pass };
};

test('work is followed by a rest of three times its length', async () => {
  const { work, rests, pass } = scene();
  expect(await work(10)).toBe(10);
  // What others do in between is none of its work.
  pass(500);
  await work(40);
  expect(rests).toEqual([30, 120]);
});

test('what is shorter than a timer adds up', async () => {
  const { work, rests } = scene();
  for (let turn = 0; turn < 8; turn++) await work(0.25);
  expect(rests).toEqual([2.25, 2.25]);
});

test('no rest is longer than a second', async () => {
  const { work, rests } = scene();
  await work(60_000);
  await work(1);
  expect(rests).toEqual([1_000, 3]);
});

test('no part of a work made of works is rested after twice', async () => {
  const { pace, work, rests, pass } = scene();
  await pace(async () => {
    pass(5);
    await work(10);
    await work(10);
    pass(7);
  });
  expect(rests).toEqual([45, 30, 21]);
});

test('what fails is rested after, and fails', async () => {
  const { pace, work, rests } = scene();
  const failing = pace(async () => {
    await work(1);
    throw new Error('EIO');
  });
  await expect(failing).rejects.toThrow('EIO');
  expect(rests).toEqual([3]);
});
