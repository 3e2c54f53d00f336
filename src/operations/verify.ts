// Whether a backup is what it says: each file by its checksum, by SQLite's own check of its pages and references, by the number of its
// rows, and by the chain of its consent ledger. Nothing of it is written.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hashDatabase } from '#src/kernel/db/copy-database.ts';
import { type AnyDb, openReadOnly, type PlatformDb, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { PLATFORM_NAME } from '#src/kernel/db/storage.ts';
import type { Tables } from './backup.ts';
import type { Backup } from './backup-directory.ts';
import { faultsOf, rowsOf } from './file-store.ts';
import { type BackupFile, tenantFile } from './manifest.ts';

export interface Fault {
  /** The path below the backup. */
  readonly file: string;
  readonly what: string;
}

export interface VerifyOptions {
  readonly tables: Tables & {
    /** What is wrong with the chain of the tenant's consent ledger; null: nothing. */
    readonly ledgerFault: (db: TenantDb) => string | null;
  };
  /** The id of the one tenant whose file is checked; absent: the registry and all tenants. */
  readonly only?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress: (done: number, total: number) => void;
}

export interface Verified {
  readonly files: number;
  readonly bytes: number;
  readonly faults: readonly Fault[];
}

const differing = (here: BackupFile['counts'], noted: BackupFile['counts']): string[] =>
  [...new Set([...Object.keys(here), ...Object.keys(noted)])]
    .filter((name) => here[name] !== noted[name])
    .map((name) => `${name} is ${here[name] ?? 0}, and was ${noted[name] ?? 0} when the backup was made`);

const contentFaults = <D extends AnyDb>(
  path: string,
  noted: BackupFile,
  look: (db: D) => { counts: BackupFile['counts']; more: readonly string[] },
): string[] => {
  const db = openReadOnly<D>(path);
  try {
    const { counts, more } = look(db);
    return [...faultsOf(db), ...differing(counts, noted.counts), ...more];
  } finally {
    db.close();
  }
};

/** Rejects only where it was stopped. */
const fileFaults = async <D extends AnyDb>(
  path: string,
  noted: BackupFile,
  look: (db: D) => { counts: BackupFile['counts']; more: readonly string[] },
  signal: AbortSignal | undefined,
): Promise<string[]> => {
  try {
    const { size } = await stat(path);
    if (size !== noted.bytes)
      return [`it has ${size} bytes, and had ${noted.bytes} when the backup was made`];
    if ((await hashDatabase(path, signal)) !== noted.sha256) return ['its checksum is wrong'];
    return contentFaults(path, noted, look);
  } catch (error) {
    signal?.throwIfAborted();
    return [(error as Error).message];
  }
};

/** Rejects only where it was stopped. */
export const verifyBackup = async (
  { directory, manifest, fault }: Backup,
  { tables, only, signal, onProgress }: VerifyOptions,
): Promise<Verified> => {
  if (manifest === null) return { files: 0, bytes: 0, faults: [{ file: '', what: fault ?? '' }] };
  const { platform } = manifest;
  const isAsked = ({ id }: { readonly id: string }): boolean => only === undefined || id === only;
  const tenants = manifest.tenants.filter(isAsked);
  const missing = manifest.missing.filter(isAsked);
  const total = tenants.reduce((sum, { bytes }) => sum + bytes, only === undefined ? platform.bytes : 0);
  const faults: Fault[] = missing.map(({ id, reason }) => ({ file: tenantFile(id), what: reason }));
  let done = 0;
  const check = async <D extends AnyDb>(
    file: string,
    noted: BackupFile,
    look: (db: D) => { counts: BackupFile['counts']; more: readonly string[] },
  ): Promise<void> => {
    signal?.throwIfAborted();
    const found = await fileFaults(join(directory, file), noted, look, signal);
    faults.push(...found.map((what) => ({ file, what })));
    done += noted.bytes;
    onProgress(done, total);
  };
  const noted = new Set([...tenants, ...missing].map(({ id }) => id));
  if (only === undefined)
    await check<PlatformDb>(PLATFORM_NAME, platform, (db) => {
      const unknown = tables.tenants(db).filter(({ id }) => !noted.delete(id));
      return {
        counts: rowsOf(db),
        more: [
          ...unknown.map(({ slug }) => `it has the practice ${slug}, which the backup lacks`),
          ...[...noted].map((id) => `it lacks the practice ${id}, which the backup has`),
        ],
      };
    });
  for (const tenant of tenants)
    await check<TenantDb>(tenantFile(tenant.id), tenant, (db) => {
      const fault = tables.ledgerFault(db);
      return {
        counts: { ...rowsOf(db), ...tables.marks(db) },
        more: fault === null ? [] : [`consent ledger: ${fault}`],
      };
    });
  return { files: (only === undefined ? 1 : 0) + tenants.length, bytes: total, faults };
};
