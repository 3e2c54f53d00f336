// What `sendwerk restore` does: all of a backup into the directory of a stopped daemon or a new one, or one tenant, also beside a running
// daemon. Everything is checked before anything changes; what is replaced is kept beside.
import { existsSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { type App, createApp } from '#src/app/app.ts';
import { restoringOf } from '#src/app/closed-files.ts';
import { type Config, loadConfig } from '#src/kernel/config/config.ts';
import type { Environment } from '#src/kernel/config/secrets.ts';
import { DataError } from '#src/kernel/db/data-error.ts';
import { disk } from '#src/kernel/db/disk.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import { lockDirectory, PLATFORM_NAME } from '#src/kernel/db/storage.ts';
import { AppError } from '#src/kernel/errors.ts';
import { UUID } from '#src/kernel/fields.ts';
import { createLog } from '#src/kernel/log.ts';
import { fingerprintOf } from '#src/kernel/seal.ts';
import { systemClock, toIso } from '#src/kernel/time.ts';
import { tenantFile } from '#src/operations/manifest.ts';
import { requireOwner, requireOwnerAbove } from '#src/operations/owner.ts';
import { openSource, type RestoreSource } from '#src/operations/restore-source.ts';
import type { RestoredTenant } from '#src/operations/restore-tenant.ts';
import {
  beginStaging,
  endStaging,
  readyTenant,
  removeEmpty,
  replacedName,
  requireSpace,
  stageRegistry,
  stageTenant,
  stagingOf,
  swapAll,
} from '#src/operations/staging.ts';
import { verifyBackup } from '#src/operations/verify.ts';
import { clean } from './admin-text.ts';
import { tables } from './backup.ts';
import { readFile } from './beside-daemon.ts';
import { CommandError, UsageError } from './command.ts';
import type { CommandResult } from './config.ts';
import { counted, createProgress } from './progress.ts';
import type { Terminal } from './terminal.ts';

interface Values {
  readonly dir: string | undefined;
  readonly tenant: string | undefined;
  readonly at: string | undefined;
  readonly to: string | undefined;
  readonly replace: boolean;
  readonly resume: boolean;
  readonly 'rebuild-registry': boolean;
  readonly config: string;
}

interface Job {
  readonly values: Values;
  readonly environment: Environment;
  readonly terminal: Terminal;
  readonly config: Config;
  readonly now: number;
}

const timeOf = (at: string | undefined): number | undefined => {
  if (at === undefined) return undefined;
  const time = Date.parse(at);
  if (Number.isNaN(time))
    throw new UsageError(`restore: --at is a time such as 2026-11-24T02:00:00Z, not ${at}`);
  return time;
};

const said = (...lines: readonly string[]): string => lines.map((line) => `${clean(line)}\n`).join('');

/** Null: a daemon, or another command, uses the directory. */
const lockOrNull = (directory: string): (() => void) | null => {
  try {
    return lockDirectory(directory);
  } catch (error) {
    if (((error as Error).cause as { code?: unknown } | undefined)?.code === 'SQLITE_BUSY') return null;
    throw error;
  }
};

const prepareDirectory = (directory: string): void => {
  if (existsSync(directory)) {
    requireOwner(directory);
    return;
  }
  requireOwnerAbove(dirname(resolve(directory)));
  mkdirSync(directory, { mode: 0o700 });
};

/** Throws where the backup is not what it says, or was made under another master key. */
const check = async (source: RestoreSource, { config, terminal, values }: Job): Promise<void> => {
  const { backup } = source;
  if (backup === null) return;
  if (backup.manifest === null) throw new DataError(backup.fault ?? `${source.directory} cannot be read`);
  const own = fingerprintOf(Buffer.from(config.secrets.masterKey.reveal(), 'base64'));
  if (backup.manifest.master_key !== own)
    throw new DataError(
      `${source.directory} was made under the master key ${backup.manifest.master_key}, and the configured one is ${own}: configure the former key, restore, and rotate it then`,
    );
  const wanted = values.tenant === undefined ? undefined : idOf(source, values.tenant);
  const progress = createProgress(terminal, 'verify');
  const { faults } = await verifyBackup(backup, { tables, onProgress: progress.show }).finally(progress.end);
  const concerned =
    wanted === undefined ? faults : faults.filter(({ file }) => file === tenantFile(wanted) || file === '');
  const [first, ...more] = concerned;
  if (first !== undefined)
    throw new DataError(
      `${source.directory} is damaged: ${first.file}: ${first.what}${more.length > 0 ? `, and ${more.length} more faults` : ''}. Nothing was changed. Restore another backup (--at), or what of this one is right (--tenant)`,
    );
};

const bytesOf = (source: RestoreSource, ids: readonly string[]): number =>
  [PLATFORM_NAME, ...ids.map(tenantFile)].reduce((sum, name) => {
    const path = join(source.directory, name);
    return sum + (existsSync(path) ? statSync(path).size : 0);
  }, 0);

const slugOf = (path: string): string => readFile(path, (db: TenantDb) => tenantStore(db).practice().slug);

const idOf = (source: RestoreSource, name: string): string => {
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

/** Opened, not started: nothing listens and nothing is sent. */
const withApp = async <T>(config: Config, directory: string, work: (app: App) => Promise<T>): Promise<T> => {
  const app = await createApp({ ...config, data_dir: directory }, createLog('silent'));
  try {
    return await work(app);
  } finally {
    await app.stop();
  }
};

/** The registry is made to agree with each file. Returns what the operator should know. */
const registerAll = async (app: App, ids: readonly string[]): Promise<string[]> => {
  const notes: string[] = [];
  for (const id of ids) {
    try {
      notes.push(...(await app.registerTenant(id)));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      notes.push(`NOT REGISTERED: ${id}: ${error.message} ${String(error.hint ?? '')}`);
    }
  }
  return notes;
};

/** What the registry has no file for. */
const withoutFile = (directory: string, ids: readonly string[]): string[] => {
  const present = new Set(ids);
  return readFile(join(directory, PLATFORM_NAME), (db: PlatformDb) =>
    registryStore(db).listAll(0, Number.MAX_SAFE_INTEGER),
  )
    .filter(({ id }) => !present.has(id))
    .map(
      ({ slug, id }) =>
        `NO FILE: ${slug} (${id}) is in the registry, and the backup has no file of it: restore it from another backup (--tenant ${slug}), or erase it`,
    );
};

const removal = (directory: string): string =>
  `what was replaced is in ${directory}; when it is no longer needed: rm -r ${directory}`;

const heldLines = (held: ReadonlyMap<string, number>): string[] => {
  const total = [...held.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return ['nothing was due, so nothing is held'];
  return [
    `HELD: ${total} mails were due up to now and may have left since the backup; new mail goes at once`,
    ...[...held].filter(([, count]) => count > 0).map(([slug, count]) => `  ${slug}: ${count}`),
    'each practice sends or discards them in its dashboard; so does `sendwerk admin held-mail --practice SLUG --release` or `--discard`',
  ];
};

const restoreAll = async (source: RestoreSource, job: Job): Promise<CommandResult> => {
  const { config, values, now, terminal } = job;
  const target = config.data_dir;
  const unlock = lockOrNull(target);
  if (unlock === null)
    throw new CommandError(
      `${target} is in use by a daemon: stop it first, or restore one practice with --tenant`,
    );
  try {
    const isEmpty =
      !existsSync(join(target, PLATFORM_NAME)) &&
      (!existsSync(join(target, 'tenants')) || readdirSync(join(target, 'tenants')).length === 0);
    if (!isEmpty && !values.replace)
      throw new CommandError(
        `${target} holds data: --replace keeps them beside and puts the backup in their place`,
      );
    if (!source.hasRegistry && !values['rebuild-registry'])
      throw new CommandError(
        `${source.directory} has no ${PLATFORM_NAME}: --rebuild-registry makes one from the files of the practices`,
      );
    await check(source, job);
    const bytes = bytesOf(source, source.tenants);
    await requireSpace(target, bytes);
    const restoring = restoringOf();
    const staging = await beginStaging(target);
    try {
      const held = new Map<string, number>();
      const progress = createProgress(terminal, 'restore');
      let done = 0;
      try {
        for (const id of source.tenants) {
          const to = join(staging, 'files', id, 'tenant.db');
          const count = await stageTenant(source, id, to, restoring, values.resume ? null : now);
          held.set(slugOf(to), count);
          done += statSync(to).size;
          progress.show(done, bytes);
        }
      } finally {
        progress.end();
      }
      if (source.hasRegistry && !values['rebuild-registry'])
        await stageRegistry(source, join(staging, PLATFORM_NAME), restoring);
      const notes = await withApp(config, staging, async (app) => {
        await removeEmpty(join(staging, 'tenants'));
        if (source.tenants.length > 0) await rename(join(staging, 'files'), join(staging, 'tenants'));
        else mkdirSync(join(staging, 'tenants'), { mode: 0o700 });
        return registerAll(app, source.tenants);
      });
      const lost = withoutFile(staging, source.tenants);
      const replaced = replacedName(target, now);
      await swapAll(target, replaced);
      const from = source.backup
        ? `backup ${source.backup.id} of ${toIso(source.backup.madeAt)}`
        : source.directory;
      return {
        exitCode: 0,
        output: said(
          `restored into ${target}: ${counted(source.tenants.length, 'practice')} of ${from}`,
          ...(values.resume ? ['nothing is held: what left after the backup leaves again'] : heldLines(held)),
          ...lost,
          ...notes,
          'people sign in again; tokens revoked and addresses unsubscribed since the backup are as they were before',
          ...(isEmpty ? [] : [removal(join(target, replaced))]),
        ),
      };
    } catch (error) {
      // Once the registry has been moved away, what was staged is what there is.
      if (
        existsSync(join(stagingOf(target), PLATFORM_NAME)) &&
        !existsSync(join(target, PLATFORM_NAME)) &&
        !isEmpty
      )
        throw error;
      await endStaging(target);
      throw error;
    }
  } finally {
    unlock();
  }
};

const tenantResult = (
  job: Job,
  id: string,
  slug: string,
  held: number,
  done: RestoredTenant,
): CommandResult => ({
  exitCode: 0,
  output: said(
    `restored: ${slug} (${id})`,
    ...(job.values.resume ? ['nothing is held'] : heldLines(new Map([[slug, held]]))),
    ...done.notes,
    ...(done.replaced === null ? [] : [removal(join(job.config.data_dir, done.replaced))]),
  ),
});

const restoreOne = async (source: RestoreSource, name: string, job: Job): Promise<CommandResult> => {
  const { config, values, now } = job;
  const target = config.data_dir;
  const id = idOf(source, name);
  if (!existsSync(join(target, PLATFORM_NAME)))
    throw new CommandError(`${target} has no ${PLATFORM_NAME}: restore the whole backup first`);
  if (existsSync(join(target, tenantFile(id))) && !values.replace)
    throw new CommandError(
      `${target} has the practice already: --replace keeps its file beside and puts the backup in its place`,
    );
  await check(source, job);
  await requireSpace(target, bytesOf(source, [id]));
  const unlock = lockOrNull(target);
  try {
    const staging = await beginStaging(target);
    try {
      const partial = join(staging, 'partial', 'tenant.db');
      const held = await stageTenant(source, id, partial, restoringOf(), values.resume ? null : now);
      const slug = slugOf(partial);
      await readyTenant(target, id);
      if (unlock !== null) {
        unlock();
        const done = await withApp(config, target, (app) => app.restoreTenant(id));
        return tenantResult(job, id, slug, held, done);
      }
      const { createAdminApi, readAdminAccess } = await import('./admin-api.ts');
      const api = createAdminApi(readAdminAccess(values.config, job.environment));
      const done = await api.call<RestoredTenant>('POST', `/api/admin/restore/${id}`);
      return tenantResult(job, id, slug, held, done);
    } catch (error) {
      // Where the practice has no file, one that was prepared is put there by the next start.
      if (existsSync(join(target, tenantFile(id))) || !existsSync(join(staging, id)))
        await endStaging(target);
      throw error;
    }
  } finally {
    unlock?.();
  }
};

const isDirectory = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** Of the files that are in place: a lost registry is made again, an older or newer one agrees with them afterwards. */
const rebuild = async (job: Job): Promise<CommandResult> => {
  const target = job.config.data_dir;
  const unlock = lockOrNull(target);
  if (unlock === null) throw new CommandError(`${target} is in use by a daemon: stop it first`);
  try {
    return await rebuildLocked(job, unlock);
  } finally {
    unlock();
  }
};

const rebuildLocked = async ({ config }: Job, unlock: () => void): Promise<CommandResult> => {
  const target = config.data_dir;
  const staging = stagingOf(target);
  if (existsSync(join(staging, 'files')) || isDirectory(join(staging, 'tenants')))
    throw new DataError(
      `a restore into ${target} was cut off: run the same command again; what it replaced is in ${target}/replaced-*`,
    );
  const ids = (existsSync(join(target, 'tenants')) ? readdirSync(join(target, 'tenants')) : []).filter(
    (name) => UUID.test(name) && existsSync(join(target, tenantFile(name))),
  );
  const isLost = !existsSync(join(target, PLATFORM_NAME));
  let notes: string[];
  if (isLost) {
    await beginStaging(target);
    notes = await withApp(config, staging, async (app) => {
      await removeEmpty(join(staging, 'tenants'));
      symlinkSync('../tenants', join(staging, 'tenants'));
      return registerAll(app, ids);
    });
    await rename(join(staging, PLATFORM_NAME), join(target, PLATFORM_NAME));
    await disk.syncDirectory(target);
    await endStaging(target);
  } else {
    unlock();
    notes = await withApp(config, target, (app) => registerAll(app, ids));
  }
  return {
    exitCode: 0,
    output: said(
      `${isLost ? 'the registry was made again' : 'the registry agrees with the files'}: ${counted(ids.length, 'practice')}`,
      ...withoutFile(target, ids),
      ...notes,
      ...(isLost ? ['people sign in by a code and set their passwords again'] : []),
    ),
  };
};

export const restore = async (
  values: Values,
  environment: Environment,
  terminal: Terminal,
): Promise<CommandResult> => {
  const loaded = loadConfig(values.config, environment).config;
  const config = values.to === undefined ? loaded : { ...loaded, data_dir: resolve(values.to) };
  const job = { values, environment, terminal, config, now: systemClock.now() };
  const at = timeOf(values.at);
  const directory = values.dir;
  if (directory === undefined && !values['rebuild-registry'])
    throw new UsageError('restore: name a DIR, or --rebuild-registry for the files that are in place');
  prepareDirectory(config.data_dir);
  if (directory === undefined) return rebuild(job);
  const source = await openSource(directory, at);
  return values.tenant === undefined ? restoreAll(source, job) : restoreOne(source, values.tenant, job);
};
