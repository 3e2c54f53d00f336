// What a restore reads: a directory of backups, one backup in it, or a bare directory of files as Litestream restores them.
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DataError } from '#src/kernel/db/data-error.ts';
import { PLATFORM_NAME } from '#src/kernel/db/storage.ts';
import { UUID } from '#src/kernel/fields.ts';
import { toIso } from '#src/kernel/time.ts';
import { type Backup, backupsIn } from './backup-directory.ts';
import { MANIFEST_NAME, readManifest, tenantFile } from './manifest.ts';

export interface RestoreSource {
  readonly directory: string;
  /** Null: bare files, about which nothing is noted. */
  readonly backup: Backup | null;
  /** Whether the registry is among the files. */
  readonly hasRegistry: boolean;
  /** Ids of the tenants whose files are there. */
  readonly tenants: readonly string[];
}

const oneBackup = async (directory: string): Promise<Backup> => {
  const manifest = await readManifest(directory);
  const isWhole = manifest.missing.length === 0;
  const fault = isWhole ? null : `${manifest.missing.length} practices are missing`;
  return {
    id: basename(directory),
    madeAt: Date.parse(manifest.began_at),
    directory,
    manifest,
    isWhole,
    fault,
  };
};

const ofBackup = (backup: Backup): RestoreSource => ({
  directory: backup.directory,
  backup,
  hasRegistry: true,
  tenants: (backup.manifest?.tenants ?? []).map(({ id }) => id),
});

const ofFiles = (directory: string): RestoreSource => ({
  directory,
  backup: null,
  hasRegistry: existsSync(join(directory, PLATFORM_NAME)),
  tenants: (existsSync(join(directory, 'tenants')) ? readdirSync(join(directory, 'tenants')) : []).filter(
    (name) => UUID.test(name) && existsSync(join(directory, tenantFile(name))),
  ),
});

const isOf = (tenant: string, { manifest }: Backup): boolean =>
  manifest?.tenants.some(({ id, slug }) => slug === tenant || id === tenant.toLowerCase()) ?? false;

/**
 * The newest whole one that was begun at `at` or before; of one tenant, the newest that has it, for the last ones lack a tenant that was
 * erased by mistake. Throws DataError where there is none.
 */
const newestIn = async (directory: string, at: number, tenant: string | undefined): Promise<Backup> => {
  let newest: Backup | undefined;
  for await (const backup of backupsIn(directory))
    if (backup.madeAt <= at && (tenant === undefined ? backup.isWhole : isOf(tenant, backup)))
      newest = backup;
  if (newest === undefined)
    throw new DataError(
      `${directory} holds no ${tenant === undefined ? 'whole backup' : `backup of ${tenant}`}${Number.isFinite(at) ? ` of ${toIso(at)} or before` : ''}: \`sendwerk backup list\` says what is there`,
    );
  return newest;
};

/** Throws DataError where nothing can be restored from there. */
export const openSource = async (
  directory: string,
  { at = Number.POSITIVE_INFINITY, tenant }: { at?: number | undefined; tenant?: string | undefined } = {},
): Promise<RestoreSource> => {
  if (!existsSync(directory)) throw new DataError(`${directory} does not exist`);
  if (existsSync(join(directory, MANIFEST_NAME))) return ofBackup(await oneBackup(directory));
  const files = ofFiles(directory);
  if (files.hasRegistry || files.tenants.length > 0) return files;
  return ofBackup(await newestIn(directory, at, tenant));
};
