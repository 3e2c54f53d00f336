// `sendwerk restore DIR --tenant SLUG`: the file is prepared beside, and the daemon, or this process where none runs, puts it in place.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { PLATFORM_NAME } from '#src/kernel/db/storage.ts';
import { tenantFile } from '#src/operations/manifest.ts';
import type { RestoreSource } from '#src/operations/restore-source.ts';
import type { RestoredTenant } from '#src/operations/restore-tenant.ts';
import {
  beginStaging,
  endStaging,
  readyTenant,
  requireSpace,
  sealStaged,
  stageTenant,
} from '#src/operations/staging.ts';
import { restoringOf } from '../closed-files.ts';
import { readFile } from './beside-daemon.ts';
import { CommandError } from './command.ts';
import type { CommandResult } from './config.ts';
import {
  bytesOf,
  check,
  heldLines,
  idOf,
  lockOrNull,
  type RestoreJob,
  removal,
  said,
  silent,
  slugOf,
  withApp,
} from './restore-job.ts';

/** Throws where the practice, as the registry has it, cannot be restored here. */
const requireHere = (dataDirectory: string, id: string): void => {
  const moved = readFile(join(dataDirectory, PLATFORM_NAME), (db: PlatformDb) =>
    registryStore(db)
      .moved()
      .find((tenant) => tenant.id === id),
  );
  if (moved !== undefined)
    throw new CommandError(
      `${moved.slug} has moved to ${moved.newHost.origin}: restore it there, or move it back first`,
    );
};

/** Asks the running daemon. What was prepared is its own from then on: where no answer comes, it may still be putting it in place. */
const byDaemon = async (id: string, { values, environment }: RestoreJob): Promise<RestoredTenant> => {
  const { createAdminApi, readAdminAccess } = await import('./admin-api.ts');
  const api = createAdminApi(readAdminAccess(values.config, environment));
  const path = `/api/admin/restore/${id}`;
  return api.call<RestoredTenant>('POST', values.resume ? `${path}?resume=true` : path);
};

const result = (
  { config, values }: RestoreJob,
  from: string,
  tenant: { readonly id: string; readonly slug: string },
  { held, notes, replaced }: RestoredTenant,
): CommandResult => ({
  exitCode: 0,
  output: said(
    `restored: ${tenant.slug} (${tenant.id}) of ${from}`,
    ...(values.resume ? ['nothing is held'] : heldLines(new Map([[tenant.slug, held]]))),
    ...notes,
    ...(replaced === null ? [] : [removal(join(config.data_dir, replaced))]),
  ),
});

export const restoreOne = async (
  source: RestoreSource,
  name: string,
  job: RestoreJob,
): Promise<CommandResult> => {
  const { config, values, now } = job;
  const target = config.data_dir;
  const id = idOf(source, name);
  if (!existsSync(join(target, PLATFORM_NAME)))
    throw new CommandError(`${target} has no ${PLATFORM_NAME}: restore the whole backup first`);
  requireHere(target, id);
  if (existsSync(join(target, tenantFile(id))) && !values.replace)
    throw new CommandError(
      `${target} has the practice already: --replace keeps its file beside and puts the backup in its place`,
    );
  await check(source, job);
  await requireSpace(target, bytesOf(source, [id]));
  const unlock = lockOrNull(target);
  try {
    const staging = await beginStaging(target);
    let tenant: { readonly id: string; readonly slug: string };
    try {
      const partial = join(staging, 'partial', 'tenant.db');
      const restoring = restoringOf(config, silent);
      await stageTenant(
        source,
        id,
        { to: partial, replaced: join(target, tenantFile(id)) },
        restoring,
        values.resume ? null : now,
      );
      await sealStaged(partial, id, restoring);
      tenant = { id, slug: slugOf(partial) };
      await readyTenant(target, id);
    } catch (error) {
      await endStaging(target);
      throw error;
    }
    const from = source.backup ? `backup ${source.backup.id}` : source.directory;
    if (unlock === null) return result(job, from, tenant, await byDaemon(id, job));
    unlock();
    const { resume } = values;
    return result(
      job,
      from,
      tenant,
      await withApp(config, target, (app) => app.restoreTenant(id, { resume })),
    );
  } finally {
    unlock?.();
  }
};
