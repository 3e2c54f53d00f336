// How many people of lists fit conditions, each person once: read in small pieces, so that others have their turns in between.
import type { AudienceContext } from '#src/audience/context.ts';
import { createSlices } from '#src/kernel/slices.ts';
import { type Filter, fits, valuesOf } from '../campaigns/filter.ts';
import { type Person, peopleStore } from '../campaigns/people-store.ts';
import { namedList } from '../lists/change.ts';

/** A read of this many rows takes some 5 ms. */
const ROWS_PER_READ = 250;

export interface SegmentCount {
  /** On the lists, whatever their status. */
  readonly people: number;
  /** Those among them who fit by one of their subscriptions. */
  readonly matching: number;
  /** Those who fit and are subscribed by that subscription now. */
  readonly active: number;
}

/** Rejects with `not_found` for a list that does not exist. */
export const countSegment = async (
  { files }: Pick<AudienceContext, 'files'>,
  tenantId: string,
  listIds: readonly string[],
  filter: Filter,
): Promise<SegmentCount> => {
  const pause = createSlices();
  const lists = await files.read(tenantId, (db) =>
    [...new Set(listIds)].flatMap((id) => {
      const { seq, archived_at } = namedList(db, id);
      return archived_at === null ? [seq] : [];
    }),
  );
  const count = { people: 0, matching: 0, active: 0 };
  const look = (person: Person): void => {
    count.people += 1;
    const fitting = person.filter((row) => fits(filter, valuesOf(row), row.confirmed_at));
    if (fitting.length > 0) count.matching += 1;
    if (fitting.some(({ status }) => status === 'active')) count.active += 1;
  };
  const size = Math.ceil(ROWS_PER_READ / Math.max(1, lists.length));
  let last: Buffer | null = null;
  for (let isMore = lists.length > 0; isMore; ) {
    await pause();
    const page: Person[] = await files.read(tenantId, (db) => peopleStore(db).after(lists, last, size));
    for (const person of page) look(person);
    last = page.at(-1)?.[0].address_hash ?? last;
    isMore = page.length === size;
  }
  return count;
};
