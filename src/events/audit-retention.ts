// Removes audit entries that are older than they are kept from one file, a bounded number in a transaction.
import type { AnyDb } from '#src/kernel/db/sqlite.ts';
import type { Pace } from '#src/kernel/pace.ts';
import { auditStore } from './audit-store.ts';

/** platform.db, or a tenant's file. */
export interface AuditedFile {
  read<T>(work: (db: AnyDb) => T): Promise<T>;
  write<T>(work: (db: AnyDb) => T): Promise<T>;
}

/** Some 3 ms of a transaction. */
const ENTRIES_PER_TRANSACTION = 1_000;

/** Those written before `before`. Ends between two transactions when `signal` aborts; `pace` may rest after each. */
export const removeOldAudit = async (
  file: AuditedFile,
  before: number,
  signal: AbortSignal,
  pace: Pace,
  entriesPerTransaction = ENTRIES_PER_TRANSACTION,
): Promise<void> => {
  // Most days there is nothing to remove, and then nothing is written.
  const oldest = await file.read((db) => auditStore(db).oldest());
  if (oldest === undefined || oldest >= before) return;
  for (let removed = entriesPerTransaction; removed === entriesPerTransaction && !signal.aborted; )
    removed = await pace(() => file.write((db) => auditStore(db).removeOld(before, entriesPerTransaction)));
};
