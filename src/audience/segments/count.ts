// How many people of lists fit conditions, each person once: read in small pieces, so that others have their turns in between.
import type { AudienceContext } from '#src/audience/context.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { createSlices } from '#src/kernel/slices.ts';
import { type Filter, fits, valuesOf } from '../campaigns/filter.ts';
import { namedList } from '../lists/change.ts';
import { type CountedRow, countStore, RANGES } from './count-store.ts';

export interface SegmentCount {
  /** On the lists, whatever their status. */
  readonly people: number;
  /** Those among them who fit by one of their subscriptions. */
  readonly matching: number;
  /** Those who fit and are subscribed by that subscription now. */
  readonly active: number;
  /** Those who are subscribed, and to whom no mail has left that was measured with their consent. */
  readonly untracked: number;
}

/** Those of the lists that are not archived, each once. Throws `not_found` for one that does not exist. */
export const openLists = (db: TenantDb, ids: readonly string[]): number[] =>
  [...new Set(ids)].flatMap((id) => {
    const { seq, archived_at } = namedList(db, id);
    return archived_at === null ? [seq] : [];
  });

/** Rejects with `not_found` for a list that does not exist. */
export const countSegment = async (
  { files, clock }: Pick<AudienceContext, 'files' | 'clock'>,
  tenantId: string,
  listIds: readonly string[],
  filter: Filter,
): Promise<SegmentCount> => {
  const pause = createSlices();
  const now = clock.now();
  const lists = await files.read(tenantId, (db) => openLists(db, listIds));
  const count = { people: 0, matching: 0, active: 0, untracked: 0 };
  const look = (person: readonly CountedRow[]): void => {
    count.people += 1;
    const fitting = person.filter((row) => fits(filter, valuesOf(row), row.confirmed_at, { ...row, now }));
    if (fitting.length > 0) count.matching += 1;
    if (fitting.some(({ status }) => status === 'active')) count.active += 1;
    const active = person.filter(({ status }) => status === 'active');
    if (active.length > 0 && active.every(({ tracked_at }) => tracked_at === null)) count.untracked += 1;
  };
  for (let range = 0; range < RANGES && lists.length > 0; range += 1) {
    await pause();
    const rows = await files.read(tenantId, (db) => countStore(db).rows(lists, range));
    const people = Map.groupBy(rows, ({ address_hash }) => address_hash.toString('latin1'));
    for (const person of people.values()) look(person);
  }
  return count;
};
