// A page of vendor A's lists: it goes on from an item, so a page without one that says "more" would be a page without end.
// Lists are read in turns of a few milliseconds, between which other requests have theirs.
import { setImmediate } from 'node:timers/promises';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';

/** So many turns take about a second of the event loop. */
const MAX_TURNS = 64;

interface Turn<T> {
  readonly items: readonly T[];
  /** Where the next turn begins; null at the end. */
  readonly next: number | null;
}

/**
 * `read` reads up to so many items from a position on; it may read fewer, even none, although more are left. Throws
 * `invalid_request` where turn after turn reads none.
 */
export const pageOf = async <T>(
  start: number | null,
  limit: number,
  read: (from: number | null, wanted: number) => Promise<Turn<T>>,
): Promise<{ readonly data: readonly T[]; readonly has_more: boolean }> => {
  const items: T[] = [];
  let from = start;
  for (let turns = 0; turns < MAX_TURNS; turns += 1) {
    // One more than fits shows whether there is a next page.
    const turn = await read(from, limit + 1 - items.length);
    items.push(...turn.items);
    if (turn.next === null || items.length > limit)
      return { data: items.slice(0, limit), has_more: items.length > limit };
    from = turn.next;
    await setImmediate();
  }
  if (items.length > 0) return { data: items.slice(0, limit), has_more: true };
  throw new AppError(
    'invalid_request',
    say`None of the messages that were looked at is of a project that you may see.`,
    {
      hint: say`Use GET /api/practices/{id}/messages/search, which goes on by \`next_cursor\`.`,
      extra: { fields: [{ path: 'query', message: say`one call looks no further` }] },
    },
  );
};
