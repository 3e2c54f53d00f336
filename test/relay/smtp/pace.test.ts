import { expect, test } from 'vitest';
import { createPace } from '#src/relay/smtp/upstream.ts';

/** What may be in preparation after a second in which the server has taken so many messages, evenly. */
const preparedAt = (perSecond: number): number => {
  let now = 0;
  const pace = createPace(() => now);
  for (let message = 1; message <= perSecond; message++) {
    now = (message * 1_000) / perSecond;
    pace.count();
  }
  return pace.prepared();
};

test.each([
  [1, 32],
  [100, 32],
  [600, 60],
  [1_200, 120],
  [10_000, 128],
])('a server that takes %i messages a second has %i of the next prepared', (perSecond, prepared) => {
  expect(preparedAt(perSecond)).toBe(prepared);
});

test('after a pause a server begins with as few as a slow one', () => {
  let now = 0;
  const pace = createPace(() => now);
  for (let message = 0; message < 500; message++) {
    now += 1;
    pace.count();
  }
  expect(pace.prepared()).toBe(100);
  now += 60_000;
  pace.count();
  expect(pace.prepared()).toBe(32);
});
