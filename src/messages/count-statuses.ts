// How many messages that a search finds have each status. What an index counts takes some milliseconds at once; everything else
// is walked through newest first, in slices between which the event loop serves others, and not for longer than is worth it.
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { createSlices } from '#src/kernel/slices.ts';
import { type Status, statuses } from './rules.ts';
import { type MessageFilter, messageSearchStore } from './search-store.ts';
import { clausesOf } from './search-text.ts';

export interface StatusCount {
  readonly status: Status;
  readonly count: number;
  /** There may be more. */
  readonly at_least: boolean;
}

const ENOUGH = 10_000;
/** A search compares texts for some 8 ms in each of them. */
const MAX_SLICES = 25;

const isIndexed = (filter: MessageFilter): boolean =>
  filter.campaign === null && clausesOf(filter).length === 0;

const fromIndex = (db: TenantDb, filter: MessageFilter): StatusCount[] =>
  statuses.map((status) => {
    const count = messageSearchStore(db).countOfStatus(filter, status, ENOUGH + 1);
    return { status, count: Math.min(count, ENOUGH), at_least: count > ENOUGH };
  });

/** All statuses, in their order. `filterOf` is asked in each slice, and throws where the caller may not see what it names. */
export const countStatuses = async (
  files: TenantFiles,
  tenantId: string,
  filterOf: (db: TenantDb) => MessageFilter,
): Promise<StatusCount[]> => {
  const pause = createSlices();
  const totals = new Map<Status, number>();
  let left = ENOUGH;
  let before: number | null = null;
  for (let slice = 0; slice < MAX_SLICES; slice += 1) {
    const page = await files.read(tenantId, (db) => {
      const filter = filterOf(db);
      if (isIndexed(filter)) return fromIndex(db, filter);
      return messageSearchStore(db).count(filter, before, left);
    });
    if ('length' in page) return page;
    for (const [status, count] of page.counts) {
      totals.set(status, (totals.get(status) ?? 0) + count);
      left -= count;
    }
    before = page.before;
    if (before === null || left === 0) break;
    await pause();
  }
  return statuses.map((status) => ({
    status,
    count: totals.get(status) ?? 0,
    at_least: before !== null,
  }));
};
