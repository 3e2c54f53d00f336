// Exports and removes many suppressions. Written in small transactions, so that others run in between; after a
// crash the same call can be repeated without harm.

import { type AuditEntry, auditStore } from '#src/events/audit-store.ts';
import type { Caller } from '#src/kernel/access.ts';
import type { Change } from '#src/kernel/change.ts';
import { type CsvReading, csvTable } from '#src/kernel/csv-file.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { TenantKey } from '#src/kernel/keys.ts';
import type { Clock } from '#src/kernel/time.ts';
import { removeSuppression } from './change.ts';
import { isVisible, requireMayChange, visiblePlaces } from './place.ts';
import { auditedSuppression, presentSuppression } from './schema.ts';
import { type SuppressionRow, suppressionStore } from './store.ts';

/** A transaction of this size blocks the event loop for about 5 ms. */
const ROWS_PER_TRANSACTION = 200;
const ROWS_PER_PAGE = 1_000;

export interface SuppressionDeps {
  readonly files: TenantFiles;
  readonly clock: Clock;
  /** The key of `addressHash`. */
  readonly suppressionKey: TenantKey;
}

/** The caller and the tenant. */
export interface By {
  readonly tenantId: string;
  readonly caller: Caller;
  readonly change: Change;
}

/** Returns at least one slice, so that the audit has what was asked for also where nothing is there to remove. */
const slicesOf = <T>(items: readonly T[]): T[][] =>
  Array.from({ length: Math.max(1, Math.ceil(items.length / ROWS_PER_TRANSACTION)) }, (_, index) =>
    items.slice(index * ROWS_PER_TRANSACTION, (index + 1) * ROWS_PER_TRANSACTION),
  );

const COLUMNS = [
  'address',
  'scope',
  'project',
  'route',
  'reason',
  'note',
  'source_message_id',
  'created_at',
  'id',
] as const;

const cellsOf = (db: TenantDb, row: SuppressionRow): (string | null)[] => {
  const { project_slug, route_slug, ...shown } = presentSuppression(db, row);
  const record = { ...shown, project: project_slug, route: route_slug };
  return COLUMNS.map((column) => record[column]);
};

const everything = { scope: null, reason: null, text: null, projectId: null, routeId: null };

/** The whole list as CSV, oldest first; it can be imported again. */
export const exportSuppressions = (reading: CsvReading): AsyncGenerator<string> =>
  csvTable(reading, COLUMNS, (db, after, caller) => {
    const filter = { ...everything, within: visiblePlaces(db, caller) };
    const { rows, next } = suppressionStore(db).findAfter(filter, after, ROWS_PER_PAGE);
    return { made: rows.map((row) => cellsOf(db, row)), next };
  });

type IsToGo = (row: SuppressionRow) => boolean;

/** The rows that exist, are to go and that the caller sees. Throws `forbidden` where the caller may not remove one. */
const removable = (
  db: TenantDb,
  ids: readonly string[],
  { caller, isToGo }: { readonly caller: Caller; readonly isToGo: IsToGo },
): SuppressionRow[] =>
  ids.flatMap((id) => {
    const row = suppressionStore(db).byId(id);
    if (!row || !isVisible(db, row, caller) || !isToGo(row)) return [];
    requireMayChange(db, row, caller);
    return [row];
  });

const removalOf = (db: TenantDb, tenantId: string, rows: readonly SuppressionRow[]): AuditEntry => ({
  target: { type: 'practice', id: tenantId },
  before: { suppressions: rows.map((row) => auditedSuppression(db, row)) },
  after: { suppressions: [] },
});

/**
 * The ids of the removed rows. Throws `forbidden`, and removes none, where the caller may not remove one. `isToGo` is asked in
 * the transaction that removes: the reason of a row may have become a complaint since its id was read.
 */
export const removeSuppressions = async (
  { files, clock }: SuppressionDeps,
  ids: readonly string[],
  { tenantId, caller, change }: By,
  isToGo: IsToGo = () => true,
): Promise<ReadonlySet<string>> => {
  await files.read(tenantId, (db) => removable(db, ids, { caller, isToGo }));
  const removed = new Set<string>();
  for (const slice of slicesOf(ids)) {
    const rows = await files.write(tenantId, (db) => {
      const found = removable(db, slice, { caller, isToGo });
      for (const row of found) removeSuppression(db, row, clock.now());
      auditStore(db).record(change, removalOf(db, tenantId, found), clock.now());
      return found;
    });
    for (const { id } of rows) removed.add(id);
  }
  return removed;
};
