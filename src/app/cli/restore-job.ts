// What all ways of a restore share: what is asked, what is looked at before anything changes, and what is said at the end.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { type App, createApp } from '#src/app/app.ts';
import type { Config } from '#src/kernel/config/config.ts';
import type { Environment } from '#src/kernel/config/secrets.ts';
import { DataError } from '#src/kernel/db/data-error.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { lockDirectory, PLATFORM_NAME } from '#src/kernel/db/storage.ts';
import { UUID } from '#src/kernel/fields.ts';
import { createLog } from '#src/kernel/log.ts';
import { fingerprintOf } from '#src/kernel/seal.ts';
import { type Manifest, tenantFile } from '#src/operations/manifest.ts';
import type { RestoreSource } from '#src/operations/restore-source.ts';
import { verifyBackup } from '#src/operations/verify.ts';
import { clean } from './admin-text.ts';
import { tables } from './backup.ts';
import { readFile } from './beside-daemon.ts';
import { createProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';

export interface RestoreValues {
  readonly dir: string | undefined;
  readonly tenant: string | undefined;
  readonly at: string | undefined;
  readonly to: string | undefined;
  readonly replace: boolean;
  readonly resume: boolean;
  readonly 'rebuild-registry': boolean;
  readonly config: string;
}

export interface RestoreJob {
  readonly values: RestoreValues;
  readonly environment: Environment;
  readonly terminal: Terminal;
  readonly config: Config;
  readonly now: number;
}

export const said = (...lines: readonly string[]): string => lines.map((line) => `${clean(line)}\n`).join('');

/** Null: a daemon, or another command, has the lock. */
export const lockOrNull = (directory: string, name?: string): (() => void) | null => {
  try {
    return lockDirectory(directory, name);
  } catch (error) {
    if (((error as Error).cause as { code?: unknown } | undefined)?.code === 'SQLITE_BUSY') return null;
    throw error;
  }
};

/** Throws where values of the backup are sealed under a key that is not configured. */
const requireKeys = (directory: string, manifest: Manifest, { secrets }: Config): void => {
  const configured = [secrets.masterKey, secrets.formerMasterKey].flatMap((key) =>
    key === null ? [] : [fingerprintOf(Buffer.from(key.reveal(), 'base64'))],
  );
  for (const needed of [manifest.master_key, manifest.former_master_key ?? manifest.master_key])
    if (!configured.includes(needed))
      throw new DataError(
        `${directory} was made under the master key ${needed}, and the configured one is ${configured.join(', the former one ')}: configure that key as the former one, and restore again`,
      );
};

/** Throws where the backup is not what it says, or was made under another master key. */
export const check = async (
  source: RestoreSource,
  { config, terminal, values }: RestoreJob,
): Promise<void> => {
  const { backup } = source;
  if (backup === null) return;
  if (backup.manifest === null) throw new DataError(backup.fault ?? `${source.directory} cannot be read`);
  requireKeys(source.directory, backup.manifest, config);
  const only = values.tenant === undefined ? undefined : idOf(source, values.tenant);
  const progress = createProgress(terminal, 'verify');
  const options = { tables, only, onProgress: progress.show };
  const { faults } = await verifyBackup(backup, options).finally(progress.end);
  const [first, ...more] = faults;
  if (first !== undefined)
    throw new DataError(
      `${source.directory} is damaged: ${first.file}: ${first.what}${more.length > 0 ? `, and ${more.length} more faults` : ''}. Nothing was changed. Restore another backup (--at), or what of this one is right (--tenant)`,
    );
};

export const bytesOf = (source: RestoreSource, ids: readonly string[]): number =>
  [PLATFORM_NAME, ...ids.map(tenantFile)].reduce((sum, name) => {
    const path = join(source.directory, name);
    return sum + (existsSync(path) ? statSync(path).size : 0);
  }, 0);

export const slugOf = (path: string): string =>
  readFile(path, (db: TenantDb) => tenantStore(db).practice().slug);

export const idOf = (source: RestoreSource, name: string): string => {
  if (UUID.test(name) && source.tenants.includes(name.toLowerCase())) return name.toLowerCase();
  const named = source.backup?.manifest?.tenants.find(({ slug }) => slug === name)?.id;
  const found =
    named ??
    (source.backup === null
      ? source.tenants.find((id) => slugOf(join(source.directory, tenantFile(id))) === name)
      : undefined);
  if (found === undefined) throw new DataError(`${source.directory} has no practice ${name}`);
  return found;
};

/** The command prints what a person must know; the next start of the daemon logs the rest. */
export const silent = createLog('silent');

/** Opened, not started: nothing listens and nothing is sent. Litestream follows none of it. */
export const withApp = async <T>(
  config: Config,
  directory: string,
  work: (app: App) => Promise<T>,
): Promise<T> => {
  const { replica: _, ...alone } = config;
  const app = await createApp({ ...alone, data_dir: directory }, silent);
  try {
    return await work(app);
  } finally {
    await app.stop();
  }
};

export const removal = (directory: string): string =>
  `what was replaced is in ${directory}; when it is no longer needed: rm -r ${directory}`;

export const heldLines = (held: ReadonlyMap<string, number>): string[] => {
  const total = [...held.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return ['nothing was due, so nothing is held'];
  return [
    `HELD: ${total} mails were due up to now and may have left since the backup; new mail goes at once`,
    ...[...held].filter(([, count]) => count > 0).map(([slug, count]) => `  ${slug}: ${count}`),
    'each practice sends or discards them in its dashboard; so does `sendwerk admin held-mail --practice SLUG --release` or `--discard`',
  ];
};
