import { expect, test } from 'vitest';
import { DAY, HOUR, MINUTE } from '#src/kernel/time.ts';
import {
  type FailureKind,
  mayOrderAt,
  renewAtOf,
  waitAfter,
  warnAtOf,
} from '#src/operations/certificates/rules.ts';

const NOW = 1_800_000_000_000;
const days = (many: number) => ({ from: 0, to: many * DAY });

test.each([
  ['of 90 days, the latest', 90, 0, 60],
  ['of 90 days, the earliest', 90, 1, 57],
  ['of six days', 6, 0, 4],
])('a certificate %s is renewed after two thirds of its time', (_, lifetime, random, at) => {
  expect(renewAtOf(days(lifetime), random) / DAY).toBeCloseTo(at, 5);
});

test.each([
  [90, 21],
  [365, 21],
  [6, 1.5],
])('of one of %d days is warned %d days before its end', (lifetime, before) => {
  expect(warnAtOf(days(lifetime))).toBe((lifetime - before) * DAY);
});

test.each<[FailureKind, number, number, number]>([
  ['pointing', 1, 0, 5 * MINUTE],
  ['pointing', 20, 0, HOUR],
  ['unreachable', 2, 0, 30 * MINUTE],
  ['refused', 1, 0, HOUR],
  ['refused', 3, 0, 4 * HOUR],
  ['refused', 1_000, 0, DAY],
  ['limited', 1, 3 * DAY, 3 * DAY],
])('after %s, failure %d, asked to wait %d ms: %d ms at least', (kind, failures, asked, wait) => {
  expect(waitAfter(kind, failures, asked, 0)).toBe(wait);
  expect(waitAfter(kind, failures, asked, 1)).toBe(wait * 1.2);
});

test('five failed checks of a name within an hour, at which an authority shuts it out, are never reached', () => {
  let at = 0;
  const times = [1, 2, 3, 4, 5, 6].map((failures) => {
    const now = at;
    at += waitAfter('refused', failures, 0, 0);
    return now;
  });
  expect(times.filter((time) => time < HOUR)).toHaveLength(1);
});

test.each([
  ['nothing was asked for', 0, 'a.example', null, 0],
  ['its name was asked for four times today', 4, 'a.example', null, DAY],
  ['others were', 4, 'b.example', null, 0],
])('an order is free or waits where %s', (_, count, name, first, wait) => {
  const orders = Array.from({ length: count }, () => ({ at: NOW, name: 'a.example', first: null }));
  expect(mayOrderAt(orders, { name, first }, 40, NOW) - NOW).toBe(wait);
});

test('first certificates below one registered domain wait for the week’s room; renewals and other domains do not', () => {
  const orders = Array.from({ length: 40 }, (_, index) => ({
    at: NOW - DAY + index,
    name: `n${index}.example.com`,
    first: 'example.com',
  }));
  const at = (first: string | null) => mayOrderAt(orders, { name: 'new.example.com', first }, 40, NOW);
  expect(at('example.com')).toBe(NOW + 6 * DAY);
  expect(at('example.org')).toBe(NOW);
  expect(at(null)).toBe(NOW);
});
