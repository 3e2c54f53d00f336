// Pages of vendor B's lists: `count` after `offset`, with the number of all. Lists are read newest first in slices, between
// which other requests have their turn, and no further than a page may reach.
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import { DAY } from '#src/kernel/time.ts';

const MAX_COUNT = 500;
/** The vendor's maximum: where more are there, `TotalCount` says this many. */
export const MAX_TOTAL = 10_000;
/** A list whose filters let little through ends after these; each is a few milliseconds of the event loop. */
const MAX_SLICES = 40;
export const ROWS_PER_SLICE = 500;

const FILTER_LENGTH = 200;
/** Compared with what is kept; SQLite would end a text at NUL. */
export const filterText = z
  .string()
  .max(FILTER_LENGTH)
  .regex(/^[^\0]*$/, 'NUL is not allowed')
  .optional();

const timeOrDay = z
  .union([z.iso.datetime({ offset: true, local: true }), z.iso.date()])
  .optional()
  .describe('a day, or a time; in UTC unless it has an offset');

export const periodShape = { fromdate: timeOrDay, todate: timeOrDay };

/** Other filters are ignored, as there. */
export const pagedQuery = <S extends z.ZodRawShape>(shape: S) =>
  z
    .looseObject({
      count: z.coerce.number().int().min(1).max(MAX_COUNT).default(100),
      offset: z.coerce.number().int().min(0).max(MAX_TOTAL).default(0),
      ...shape,
    })
    .refine(({ count, offset }) => Number(count) + Number(offset) <= MAX_TOTAL, {
      path: ['offset'],
      message: `must be at most ${MAX_TOTAL} together with count`,
    });

const DAY_ALONE = /^\d{4}-\d\d-\d\d$/;
const timeOf = (text: string): number =>
  Date.parse(DAY_ALONE.test(text) || /(?:Z|[+-]\d\d:\d\d)$/i.test(text) ? text : `${text}Z`);

/** The period in ms; a day at its end is included whole. */
export const periodOf = ({
  fromdate,
  todate,
}: {
  readonly fromdate?: string | undefined;
  readonly todate?: string | undefined;
}): { readonly from: number | null; readonly before: number | null } => ({
  from: fromdate === undefined ? null : timeOf(fromdate),
  before: todate === undefined ? null : timeOf(todate) + (DAY_ALONE.test(todate) ? DAY : 0),
});

export const isWithin = (at: number, { from, before }: ReturnType<typeof periodOf>): boolean =>
  (from === null || at >= from) && (before === null || at < before);

export interface Slice<T> {
  readonly items: readonly T[];
  /** Where the next slice begins; null at the end. */
  readonly next: number | null;
}

/** An empty or short page would say that there are no others. */
const requireEnd = (isFull: boolean, next: number | null): void => {
  if (isFull || next === null) return;
  throw new AppError('invalid_request', say`There is too much to look through with these filters.`, {
    hint: say`Narrow it: messages by fromdate and todate, bounces by fromdate or messageid. The native lists go on from page to page.`,
    extra: { fields: [{ path: 'query', message: say`lets too little through` }] },
  });
};

/** `read` reads what comes before a position. Throws `invalid_request` where the page is not full and the end was not reached. */
export const pageOf = async <T>(
  read: (before: number | null) => Promise<Slice<T>>,
  { count, offset }: { readonly count: number; readonly offset: number },
): Promise<{ readonly total: number; readonly page: readonly T[] }> => {
  const page: T[] = [];
  let total = 0;
  let before: number | null = null;
  for (let slices = 0; slices < MAX_SLICES && total < MAX_TOTAL; slices += 1) {
    const { items, next }: Slice<T> = await read(before);
    page.push(...items.slice(Math.max(0, offset - total), Math.max(0, offset + count - total)));
    total += items.length;
    before = next;
    if (next === null) break;
    await setImmediate();
  }
  requireEnd(page.length === count || total >= MAX_TOTAL, before);
  return { total: Math.min(total, MAX_TOTAL), page };
};
