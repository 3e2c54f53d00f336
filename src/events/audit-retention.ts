// Removes audit entries that are older than they are kept: in platform.db and in every tenant's file, a bounded number
// in a transaction, one file after the other, because the files share their places with those who wait for an answer.
import type { DurableFile } from '#src/db/durable-file.ts';
import type { AnyDb, PlatformDb } from '#src/db/sqlite.ts';
import type { TenantFiles } from '#src/db/tenant-files.ts';
import type { Job } from '#src/kernel/job.ts';
import type { Clock } from '#src/kernel/time.ts';
import { auditStore } from './audit-store.ts';

export interface AuditRetentionDeps {
  readonly platform: DurableFile<PlatformDb>;
  readonly files: TenantFiles;
  /** Tenants in the order of their numbers, after `afterNumber`. */
  readonly listTenants: (
    afterNumber: number,
    limit: number,
  ) => Promise<readonly { readonly number: number; readonly id: string }[]>;
  /** How long an entry is kept, ms. */
  readonly keep: () => number;
  readonly clock: Clock;
}

/** Some 3 ms of a transaction. */
const ENTRIES_PER_TRANSACTION = 1_000;
const TENANTS_PER_PAGE = 100;

interface AuditedFile {
  read<T>(work: (db: AnyDb) => T): Promise<T>;
  write<T>(work: (db: AnyDb) => T): Promise<T>;
}

const removeOldOf = async (
  file: AuditedFile,
  before: number,
  signal: AbortSignal,
  entriesPerTransaction: number,
): Promise<void> => {
  // Most days there is nothing to remove, and then nothing is written.
  const oldest = await file.read((db) => auditStore(db).oldest());
  if (oldest === undefined || oldest >= before) return;
  for (let removed = entriesPerTransaction; removed === entriesPerTransaction && !signal.aborted; )
    removed = await file.write((db) => auditStore(db).removeOld(before, entriesPerTransaction));
};

/** A file that fails does not keep the others from their turn; the job fails at its end. */
export const auditRetentionJob = (
  { platform, files, listTenants, keep, clock }: AuditRetentionDeps,
  entriesPerTransaction = ENTRIES_PER_TRANSACTION,
): Job => ({
  name: 'remove old audit entries',
  schedule: '17 3 * * *',
  run: async (signal) => {
    const before = clock.now() - keep();
    const failures: unknown[] = [];
    const removeFrom = (file: AuditedFile): Promise<unknown> =>
      removeOldOf(file, before, signal, entriesPerTransaction).catch((error) => failures.push(error));
    await removeFrom(platform);
    for (let after = 0; !signal.aborted; ) {
      const tenants = await listTenants(after, TENANTS_PER_PAGE);
      const last = tenants.at(-1);
      if (!last) break;
      for (const { id } of tenants) {
        if (signal.aborted) break;
        await removeFrom({
          read: (work) => files.read(id, work),
          write: (work) => files.write(id, work),
        });
      }
      after = last.number;
    }
    if (failures.length > 0)
      throw new AggregateError(failures, 'the old audit entries of some files are left');
  },
});
