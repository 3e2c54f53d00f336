import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { AppError } from '#src/kernel/errors.ts';
import { decodeCursor, encodeCursor, listQuery, pageOf, toPage } from '#src/kernel/list.ts';

describe('cursors', () => {
  test.each([0, 1, 255, 4_294_967_296, 1_700_000_000_000, 999_999_999_999_999])(
    '%d comes back',
    (position) => {
      const cursor = encodeCursor(position);
      expect(cursor).toMatch(/^[\w-]+$/);
      expect(decodeCursor(cursor)).toBe(position);
    },
  );

  test('no cursor is no position', () => {
    expect(decodeCursor(undefined)).toBeNull();
  });

  const encoded = (text: string): string => Buffer.from(text).toString('base64url');
  test.each([
    ['empty', ''],
    ['not base64', '!!!'],
    ['a bare number', '17'],
    ['another form', encoded('q17')],
    ['no number', encoded('p')],
    ['a negative number', encoded('p-1')],
    ['a fraction', encoded('p1.5')],
    ['an exponent', encoded('p1e9')],
    ['a number beyond what is exact', encoded('p9999999999999999')],
    ['two lines', encoded('p1\n')],
    ['SQL', encoded('p1 OR 1=1')],
  ])('%s is refused as an invalid request', (_, cursor) => {
    expect(() => decodeCursor(cursor)).toThrow(AppError);
    try {
      decodeCursor(cursor);
    } catch (error) {
      expect(error).toMatchObject({ code: 'invalid_request', extra: { fields: [{ path: 'query.cursor' }] } });
    }
  });
});

describe('pages', () => {
  const rows = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
  const page = (count: number, limit: number) => toPage(rows(count), limit, (row) => row, String);

  test.each([
    { name: 'an empty list', count: 0, data: [], next: null },
    { name: 'fewer than a page', count: 1, data: ['1'], next: null },
    { name: 'exactly a page', count: 2, data: ['1', '2'], next: null },
    { name: 'one more than a page', count: 3, data: ['1', '2'], next: 2 },
  ])('$name', ({ count, data, next }) => {
    expect(page(count, 2)).toEqual({ data, next_cursor: next === null ? null : encodeCursor(next) });
  });

  test('going from page to page shows every row once', () => {
    const all = rows(23);
    const seen: string[] = [];
    let cursor: string | null | undefined;
    while (cursor !== null) {
      const after = decodeCursor(cursor) ?? 0;
      const shown = toPage(all.filter((row) => row > after).slice(0, 6), 5, (row) => row, String);
      seen.push(...shown.data);
      cursor = shown.next_cursor;
    }
    expect(seen).toEqual(all.map(String));
  });
});

describe('pages of a list that is at hand', () => {
  const rows = ['a', 'b', 'c', 'd', 'e'];
  const shout = (row: string): string => row.toUpperCase();

  test.each([
    { name: 'the first', cursor: undefined, limit: 2, data: ['A', 'B'], next: 2 },
    { name: 'one in the midst', cursor: 2, limit: 2, data: ['C', 'D'], next: 4 },
    { name: 'the last, in part', cursor: 4, limit: 2, data: ['E'], next: null },
    { name: 'the last, whole', cursor: 3, limit: 2, data: ['D', 'E'], next: null },
    { name: 'all at once', cursor: undefined, limit: 5, data: ['A', 'B', 'C', 'D', 'E'], next: null },
    { name: 'one beyond the end', cursor: 9, limit: 2, data: [], next: null },
  ])('$name', ({ cursor, limit, data, next }) => {
    const query = { limit, ...(cursor === undefined ? {} : { cursor: encodeCursor(cursor) }) };
    expect(pageOf(rows, query, shout)).toEqual({
      data,
      next_cursor: next === null ? null : encodeCursor(next),
    });
  });
});

test.each([
  { given: {}, limit: 50 },
  { given: { limit: '7' }, limit: 7 },
  { given: { limit: '200' }, limit: 200 },
  { given: { limit: '0' }, limit: null },
  { given: { limit: '201' }, limit: null },
  { given: { limit: '1.5' }, limit: null },
  { given: { limit: 'ten' }, limit: null },
])('a query of $given asks for $limit', ({ given, limit }) => {
  expect(z.object(listQuery).safeParse(given).data?.limit ?? null).toBe(limit);
});
