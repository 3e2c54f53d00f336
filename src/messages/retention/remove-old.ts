// Removes old data from one tenant's file, in transactions of a few milliseconds with pauses in between. After a crash or
// the end of the daemon the next night removes the rest. Progress is not stored, because each night reads from the start.
// Rows of messages are kept without what they say of people (pseudonymise.ts).

import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { Each, TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { TenantKey } from '#src/kernel/keys.ts';
import type { Pace } from '#src/kernel/pace.ts';
import { DAY } from '#src/kernel/time.ts';
import { pseudonymise } from './pseudonymise.ts';
import { choiceOf, nextBatch, type Periods, periodsInForce, type StoredRow } from './rules.ts';
import { type Removable, removables, retentionStore } from './store.ts';

/** How long the installation keeps data, in ms. */
export interface Installation extends Periods {
  readonly inbound: number;
  readonly webhook_deliveries: number;
}

export interface RemoveOldDeps {
  readonly files: Pick<TenantFiles, 'read' | 'write'>;
  readonly installation: Installation;
  /** The key of `addressHash`. */
  readonly key: TenantKey;
  readonly now: number;
  readonly pace: Pace;
  readonly rowsPerBatch?: number;
}

/** A bulk's content is stored minutes before its messages; only content older than this can have lost its bulk. */
const UNUSED_CONTENT_MS = DAY;

const cutoffs = (
  db: TenantDb,
  { installation, now }: RemoveOldDeps,
): Record<Removable | 'messages', number> => {
  const inForce = periodsInForce(choiceOf(tenantStore(db).practice()), installation);
  return {
    bodies: now - inForce.bodies,
    attachments: now - inForce.attachments,
    sharedContents: now - UNUSED_CONTENT_MS,
    captures: now - inForce.bodies,
    operatorMails: now - installation.inbound,
    // A delivery describes its event, so it is kept no longer than the event.
    deliveries: now - Math.min(installation.webhook_deliveries, inForce.events),
    events: now - inForce.events,
    domainReports: now - inForce.events,
    dmarcSources: now - inForce.events,
    tlsSessions: now - inForce.events,
    messages: now - inForce.messages,
  };
};

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
  const { files, key, now, pace } = deps;
  const before = await files.read(tenantId, (db) => cutoffs(db, deps));
  for (const name of removables)
    await removeRows(
      tenantId,
      {
        after: (db, key) => retentionStore(db).rowsAfter(name, key),
        remove: (db, keys) => retentionStore(db).remove(name, keys),
      },
      before[name],
      deps,
      signal,
    );
  await pseudonymise(tenantId, { files, key, before: before.messages, now, pace }, signal);
};
