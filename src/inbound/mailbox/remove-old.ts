// The nightly part of retention for mail received: removes what is older than the installation and the practice keep it, and
// the pieces of all mail that was removed.
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Pace } from '#src/kernel/pace.ts';
import { removeRows } from '#src/messages/retention/remove-old.ts';
import { keptFor } from '../options.ts';
import { inboundSettingsStore } from '../settings-store.ts';
import { inboundStore } from '../store.ts';

export interface RemoveOldMailDeps {
  readonly files: Pick<TenantFiles, 'read' | 'write'>;
  /** ms for which the installation keeps it. */
  readonly installation: number;
  readonly now: number;
  readonly pace: Pace;
}

export const removeOldMail = async (
  tenantId: string,
  deps: RemoveOldMailDeps,
  signal: AbortSignal,
): Promise<void> => {
  const { files, installation, now } = deps;
  const { options } = await files.read(tenantId, (db) => inboundSettingsStore(db).current());
  const rows = {
    after: (db: TenantDb, key: number) => inboundStore(db).rowsAfter(key),
    remove: (db: TenantDb, keys: readonly number[]) => inboundStore(db).remove(keys),
  };
  await removeRows(tenantId, rows, now - keptFor(options, installation), deps, signal);
  await removePieces(tenantId, deps, null, signal);
};

/** A few in each transaction. `seq` is the number of the removed mail; null: of all that was removed. */
export const removePieces = async (
  tenantId: string,
  { files, pace }: Pick<RemoveOldMailDeps, 'files' | 'pace'>,
  seq: number | null,
  signal?: AbortSignal,
): Promise<void> => {
  while (!signal?.aborted && (await files.read(tenantId, (db) => inboundStore(db).hasRemoved(seq))))
    await pace(() => files.write(tenantId, (db) => inboundStore(db).removePieces(seq)));
};
