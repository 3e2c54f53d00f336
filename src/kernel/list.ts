// The one form of lists (`{data, next_cursor}`) and of their cursors: opaque to the caller, a position to the store.
import { z } from 'zod';
import { say } from '#src/kernel/say.ts';
import { AppError } from './errors.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

export const listQuery = {
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_LIMIT)
    .default(DEFAULT_LIMIT)
    .describe('how many at most, 1 to 200')
    .meta({ examples: [20] }),
  cursor: z.string().max(100).optional().describe('`next_cursor` of the page before'),
};

/** Named after what it lists, where that has a name in the API's description. */
export const listOf = <S extends z.ZodType>(item: S) => {
  const list = z.strictObject({ data: z.array(item), next_cursor: z.string().nullable() });
  const id = item.meta()?.id;
  return id === undefined ? list : list.meta({ id: `${id}List` });
};

/** A position is a non-negative integer that grows or shrinks from row to row. */
export const encodeCursor = (position: number): string => Buffer.from(`p${position}`).toString('base64url');

/** Undefined where it is no cursor of ours. */
export const readCursor = (cursor: string): number | undefined => {
  const position = /^p(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString())?.[1];
  return position === undefined ? undefined : Number(position);
};

/** Null without a cursor; throws `invalid_request` for one that is not ours. */
export const decodeCursor = (cursor: string | undefined): number | null => {
  if (cursor === undefined) return null;
  const position = readCursor(cursor);
  if (position === undefined) {
    throw new AppError('invalid_request', say`The cursor is not one that this service gave.`, {
      extra: {
        fields: [{ path: 'query.cursor', message: say`expected the next_cursor of the page before` }],
      },
    });
  }
  return position;
};

/** Page of `rows`, which were asked for with a limit of `limit + 1`. */
export const toPage = <R, T>(
  rows: readonly R[],
  limit: number,
  position: (row: R) => number,
  present: (row: R) => T,
): { data: T[]; next_cursor: string | null } => {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    data: shown.map(present),
    next_cursor: rows.length > limit && last !== undefined ? encodeCursor(position(last)) : null,
  };
};

/** Page of a short list that is in memory as a whole; the position is the place in it. */
export const pageOf = <R, T>(
  rows: readonly R[],
  query: { readonly limit: number; readonly cursor?: string | undefined },
  present: (row: R) => T,
): { data: T[]; next_cursor: string | null } => {
  const start = decodeCursor(query.cursor) ?? 0;
  const places = rows
    .slice(start, start + query.limit + 1)
    .map((row, index) => ({ row, place: start + index + 1 }));
  return toPage(
    places,
    query.limit,
    ({ place }) => place,
    ({ row }) => present(row),
  );
};
