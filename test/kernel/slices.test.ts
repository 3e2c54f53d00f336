import { describe, expect, test } from 'vitest';
import { workThrough } from '#src/kernel/slices.ts';

describe('work over many items', () => {
  test('begins and answers in their order, whatever order it ends in', async () => {
    const items = Array.from({ length: 300 }, (_, index) => index);
    const begun: number[] = [];
    const results = await workThrough(items, async (item) => {
      begun.push(item);
      for (let turn = 0; turn < (item * 7) % 11; turn += 1)
        await new Promise((resolve) => setImmediate(resolve));
      return item * 2;
    });
    expect(begun).toEqual(items);
    expect(results).toEqual(items.map((item) => item * 2));
  });

  test('has 64 in flight, and never more', async () => {
    let underWay = 0;
    let most = 0;
    await workThrough(Array.from({ length: 500 }), async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
    });
    expect(most).toBe(64);
  });

  test('over no items ends at once', async () => {
    expect(await workThrough([], async () => 1)).toEqual([]);
  });

  test('that takes long yields the event loop in between', async () => {
    let others = 0;
    let running = true;
    const other = () => {
      others += 1;
      if (running) setImmediate(other);
    };
    setImmediate(other);
    await workThrough(Array.from({ length: 20 }), () => {
      const end = performance.now() + 6;
      while (performance.now() < end);
      return Promise.resolve();
    });
    running = false;
    expect(others).toBeGreaterThanOrEqual(18);
  });
});
