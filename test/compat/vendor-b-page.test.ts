import { expect, test } from 'vitest';
import { pageOf } from '#src/compat/vendor-b/lookups/page.ts';

/** Of a list without an end. */
const endless = (items: readonly number[]) => (before: number | null) =>
  Promise.resolve({ items, next: (before ?? 1_000_000) - 1 });

test('a list whose end is too far is refused where the page is not full', async () => {
  await expect(pageOf(endless([]), { count: 1, offset: 0 })).rejects.toMatchObject({
    code: 'invalid_request',
    hint: expect.stringContaining('fromdate'),
  });
  await expect(pageOf(endless([7]), { count: 40, offset: 1 })).rejects.toThrow('too much to look through');
});

test('a page that is full is answered, and one before the end', async () => {
  expect(await pageOf(endless([7]), { count: 2, offset: 1 })).toEqual({ total: 40, page: [7, 7] });
  const short = () => Promise.resolve({ items: [7], next: null });
  expect(await pageOf(short, { count: 2, offset: 0 })).toEqual({ total: 1, page: [7] });
  expect(await pageOf(short, { count: 2, offset: 5 })).toEqual({ total: 1, page: [] });
});
