// Removes old data from one tenant's file, in transactions of a few milliseconds with pauses in between. After a crash or
// the end of the daemon the next night removes the rest. Progress is not stored, because each night reads from the start.
// Rows of messages are kept without what they say of people (pseudonymise.ts).

import { tenantStore } from '#src/accounts/tenants/store.ts';
import { oldEvents } from '#src/events/store.ts';
import type { Each, TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { TenantKey } from '#src/kernel/keys.ts';
import type { KeptFor, OldRows, StoredRow } from '#src/kernel/old-rows.ts';
import type { Pace } from '#src/kernel/pace.ts';
import { pseudonymise } from './pseudonymise.ts';
import { choiceOf, nextBatch, periodsInForce } from './rules.ts';
import { retentionStore } from './store.ts';

export interface RemoveOldDeps {
  readonly files: Pick<TenantFiles, 'read' | 'write'>;
  /** How long the installation keeps data, ms. */
  readonly installation: KeptFor;
  /** What the rooms hand in. Events are removed after it, because it may refer to them. */
  readonly oldRows: readonly OldRows[];
  /** The key of `addressHash`. */
  readonly key: TenantKey;
  readonly now: number;
  readonly pace: Pace;
  readonly rowsPerBatch?: number;
}

/** What the practice has chosen, where that is shorter. */
/** How long rows of the tenant are kept, ms. */
export const keptFor = (db: TenantDb, installation: KeptFor): KeptFor => ({
  ...installation,
  ...periodsInForce(choiceOf(tenantStore(db).practice()), installation),
});

/** Rows of one kind, in the order of their keys, which is also that of their time. */
export interface Rows {
  readonly after: (db: TenantDb, key: number) => Each<StoredRow>;
  readonly remove: (db: TenantDb, keys: readonly number[]) => void;
}

/** Removes the rows that are older than `before`. */
export const removeRows = async (
  tenantId: string,
  rows: Rows,
  before: number,
  { files, now, pace, rowsPerBatch }: Pick<RemoveOldDeps, 'files' | 'now' | 'pace' | 'rowsPerBatch'>,
  signal: AbortSignal,
): Promise<void> => {
  for (let after: number | null = 0; after !== null && !signal.aborted; ) {
    const from: number = after;
    after = await pace(async () => {
      const batch = await files.read(tenantId, (db) =>
        nextBatch(rows.after(db, from), { before, now }, rowsPerBatch),
      );
      if (batch.keys.length > 0) await files.write(tenantId, (db) => rows.remove(db, batch.keys));
      return batch.after;
    });
  }
};

export const removeOld = async (
  tenantId: string,
  deps: RemoveOldDeps,
  signal: AbortSignal,
): Promise<void> => {
  const { files, installation, key, now, oldRows, pace } = deps;
  const kept = await files.read(tenantId, (db) => keptFor(db, installation));
  for (const rows of [...oldRows, oldEvents])
    await removeRows(
      tenantId,
      {
        after: (db, key) => retentionStore(db).rowsAfter(rows, key),
        remove: (db, keys) => retentionStore(db).remove(rows, keys),
      },
      now - rows.keptFor(kept),
      deps,
      signal,
    );
  await pseudonymise(tenantId, { files, key, before: now - kept.messages, now, pace }, signal);
};
