import { expect, test } from 'vitest';
import { createDueTimes, type DueTimes } from '#src/kernel/work/pump.ts';

const takeAll = (times: DueTimes, now: number): string[] => {
  const taken: string[] = [];
  for (let due = times.takeDue(now); due !== null; due = times.takeDue(now))
    taken.push(`${due.key}${due.at}`);
  return taken;
};

test('what is due is taken once, the earliest first, and nothing before its time', () => {
  const times = createDueTimes();
  times.set('b', 2);
  times.set('a', 1);
  times.set('c', 3);
  expect(takeAll(times, 2)).toEqual(['a1', 'b2']);
  expect(takeAll(times, 2)).toEqual([]);
  expect([times.size(), times.nextAt(), times.at('a'), times.at('c')]).toEqual([1, 3, null, 3]);
});

test('a time that is set again replaces the one before, earlier or later; null takes it away', () => {
  const times = createDueTimes();
  times.set('a', 5);
  times.set('a', 9);
  times.set('b', 8);
  times.set('b', 4);
  times.set('c', 1);
  times.set('c', null);
  expect(times.nextAt()).toBe(4);
  expect(takeAll(times, 100)).toEqual(['b4', 'a9']);
});

test('lowering never makes it later', () => {
  const times = createDueTimes();
  times.lower('a', 5);
  times.lower('a', 7);
  expect(times.at('a')).toBe(5);
  times.lower('a', 3);
  expect(takeAll(times, 100)).toEqual(['a3']);
});

test('times that are set again and again do not stay in memory', () => {
  const times = createDueTimes();
  for (let n = 0; n < 50_000; n++) times.set(`k${n % 10}`, 1_000_000 + n);
  expect(times.size()).toBe(10);
  expect(times.held()).toBeLessThan(2_000);
  expect(times.nextAt()).toBe(1_049_990);
});

test('against a plain list, whatever is done', () => {
  let seed = 11;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return (seed >>> 8) % below;
  };
  const times = createDueTimes();
  const plain = new Map<string, number>();
  for (let now = 0; now < 20_000; now++) {
    const key = `k${random(12)}`;
    const at = now + random(60) - 10;
    const verb = random(4);
    if (verb === 0) {
      times.set(key, null);
      plain.delete(key);
    } else if (verb === 1) {
      times.lower(key, at);
      plain.set(key, Math.min(plain.get(key) ?? at, at));
    } else {
      times.set(key, at);
      plain.set(key, at);
    }
    const earliest = plain.size === 0 ? null : Math.min(...plain.values());
    expect(times.nextAt()).toBe(earliest);
    const taken = times.takeDue(now);
    expect(taken?.at ?? null).toBe(earliest !== null && earliest <= now ? earliest : null);
    if (taken) {
      expect(plain.get(taken.key)).toBe(taken.at);
      plain.delete(taken.key);
    }
    expect(times.size()).toBe(plain.size);
  }
});
