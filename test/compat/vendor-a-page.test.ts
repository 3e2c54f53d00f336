// The pages of vendor A's lists, whatever each turn finds.
import { expect, test } from 'vitest';
import { pageOf } from '#src/compat/vendor-a/page.ts';

/** One turn for each number; what it finds is one text or nothing. `end`: the last one. */
const pageWith = (foundIn: readonly number[], end: number, limit: number) =>
  pageOf(null, limit, async (from) => {
    const turn = from ?? 0;
    const items = foundIn.includes(turn) ? [`in ${turn}`] : [];
    return { items, next: turn === end ? null : turn + 1 };
  });

test('a page is filled over turns, and says whether there is more', async () => {
  expect(await pageWith([1, 3, 5], 9, 3)).toEqual({ data: ['in 1', 'in 3', 'in 5'], has_more: false });
  expect(await pageWith([1, 3, 5], 9, 2)).toEqual({ data: ['in 1', 'in 3'], has_more: true });
  expect(await pageWith([], 9, 2)).toEqual({ data: [], has_more: false });
});

test('a page that takes long has what was found, or is refused: it never says "more" without an item', async () => {
  expect(await pageWith([1, 3], 1_000_000, 3)).toEqual({ data: ['in 1', 'in 3'], has_more: true });
  await expect(pageWith([], 1_000_000, 3)).rejects.toMatchObject({ code: 'invalid_request' });
});

test('between two turns others have theirs', async () => {
  let others = 0;
  const waiting: boolean[] = [];
  await pageOf(null, 1, async (from) => {
    const turn = from ?? 0;
    waiting.push(others < turn);
    setImmediate(() => {
      others += 1;
    });
    return { items: [], next: turn === 3 ? null : turn + 1 };
  });
  expect(waiting).toEqual([false, false, false, false]);
});
