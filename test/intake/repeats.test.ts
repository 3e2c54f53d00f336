import { describe, expect, test } from 'vitest';
import { createRepeats } from '#src/intake/repeats.ts';

const IN_PROGRESS = { code: 'idempotency_in_progress', status: 409 };

/** Work that ends when it is told to. */
const slowWork = () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  let begun = 0;
  return {
    work: () => {
      begun += 1;
      return promise;
    },
    end: () => resolve('done'),
    begun: () => begun,
  };
};

describe('requests of one key', () => {
  test('wait for the first, each in its turn', async () => {
    const repeats = createRepeats();
    const order: number[] = [];
    const first = slowWork();
    const answers = [
      repeats.inTurn('a', 'k', async () => order.push(await first.work().then(() => 1))),
      repeats.inTurn('a', 'k', async () => order.push(2)),
      repeats.inTurn('a', 'k', async () => order.push(3)),
    ];
    first.end();
    await Promise.all(answers);
    expect(order).toEqual([1, 2, 3]);
  });

  test('that have waited too long are told so, and do nothing, then or later', async () => {
    const repeats = createRepeats(1);
    const first = slowWork();
    const second = slowWork();
    const running = repeats.inTurn('a', 'k', first.work);
    await expect(repeats.inTurn('a', 'k', second.work)).rejects.toMatchObject(IN_PROGRESS);
    first.end();
    expect(await running).toBe('done');
    expect(await repeats.inTurn('a', 'k', async () => 'third')).toBe('third');
    expect(second.begun()).toBe(0);
  });

  test('go on after one that failed', async () => {
    const repeats = createRepeats();
    const failing = repeats.inTurn('a', 'k', () => Promise.reject(new Error('no disk')));
    const next = repeats.inTurn('a', 'k', async () => 'next');
    await expect(failing).rejects.toThrow('no disk');
    expect(await next).toBe('next');
  });
});

test.each([
  ['another key', 'a', 'l'],
  ['another practice', 'b', 'k'],
  ['no key', 'a', null],
])('%s waits for nobody', async (_, scope, key) => {
  const repeats = createRepeats(1);
  const first = slowWork();
  const running = repeats.inTurn('a', 'k', first.work);
  expect(await repeats.inTurn(scope, key, async () => 'at once')).toBe('at once');
  first.end();
  await running;
});
