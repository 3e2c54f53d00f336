// `sendwerk restore DIR` of everything, while no daemon runs, and `--rebuild-registry`.
import { existsSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type RegisteredTenant, registryStore } from '#src/accounts/tenants/registry-store.ts';
import { DataError } from '#src/kernel/db/data-error.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { PLATFORM_NAME } from '#src/kernel/db/storage.ts';
import { AppError } from '#src/kernel/errors.ts';
import { UUID } from '#src/kernel/fields.ts';
import type { NewHost } from '#src/kernel/moved.ts';
import { toIso } from '#src/kernel/time.ts';
import { tenantFile } from '#src/operations/manifest.ts';
import type { RestoreSource } from '#src/operations/restore-source.ts';
import {
  beginStaging,
  changeStagedRegistry,
  endStaging,
  removeEmpty,
  replacedName,
  requireSpace,
  stageRegistry,
  stageTenant,
  stagingOf,
  swapAll,
  swapRegistry,
} from '#src/operations/staging.ts';
import { restoringOf } from '../closed-files.ts';
import { readFile } from './beside-daemon.ts';
import { CommandError } from './command.ts';
import type { CommandResult } from './config.ts';
import { counted, createProgress } from './progress.ts';
import {
  bytesOf,
  check,
  heldLines,
  lockOrNull,
  type RestoreJob,
  removal,
  said,
  silent,
  slugOf,
  withApp,
} from './restore-job.ts';

/** The registry is made to agree with each file. Returns what the operator should know. */
const registerAll = async (
  ids: readonly string[],
  register: (id: string) => Promise<string[]>,
): Promise<string[]> => {
  const notes: string[] = [];
  for (const id of ids) {
    try {
      notes.push(...(await register(id)));
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

/** A practice that has moved to another host works there, whatever a backup of before says. */
interface Moved extends RegisteredTenant {
  readonly newHost: NewHost;
  readonly until: number;
}

/** The practices that have moved by the registry that is replaced; none where it cannot be read. */
const movedIn = (directory: string): Moved[] => {
  const file = join(directory, PLATFORM_NAME);
  if (!existsSync(file)) return [];
  try {
    return readFile(file, (db: PlatformDb) => {
      const registered = new Map(
        registryStore(db)
          .every()
          .map((tenant) => [tenant.id, tenant]),
      );
      return registryStore(db)
        .moved()
        .flatMap(({ id, newHost, until }) => {
          const tenant = registered.get(id);
          return tenant ? [{ ...tenant, newHost, until }] : [];
        });
    });
  } catch {
    return [];
  }
};

const keepMoved = (db: PlatformDb, moved: readonly Moved[]): void => {
  for (const { newHost, until, ...tenant } of moved) {
    registryStore(db).register(tenant);
    registryStore(db).move(tenant.id, newHost, until);
  }
};

export const restoreAll = async (source: RestoreSource, job: RestoreJob): Promise<CommandResult> => {
  const { config, values, now, terminal } = job;
  const target = config.data_dir;
  const unlock = lockOrNull(target);
  if (unlock === null)
    throw new CommandError(
      `${target} is in use by a daemon: stop it first, or restore one practice with --tenant`,
    );
  try {
    const hasRegistry = existsSync(join(target, PLATFORM_NAME));
    const isEmpty =
      !hasRegistry &&
      (!existsSync(join(target, 'tenants')) || readdirSync(join(target, 'tenants')).length === 0);
    // What is there was put there by a restore that was cut off, or waits in `replaced-…`.
    const isCutOff = !hasRegistry && existsSync(stagingOf(target));
    if (!isEmpty && !isCutOff && !values.replace)
      throw new CommandError(
        `${target} holds data: --replace keeps them beside and puts the backup in their place`,
      );
    if (!source.hasRegistry && !values['rebuild-registry'])
      throw new CommandError(
        `${source.directory} has no ${PLATFORM_NAME}: --rebuild-registry makes one from the files of the practices`,
      );
    await check(source, job);
    const moved = movedIn(target);
    const ids = source.tenants.filter((id) => !moved.some((tenant) => tenant.id === id));
    const bytes = bytesOf(source, ids);
    await requireSpace(target, bytes);
    const restoring = restoringOf(config, silent);
    const staging = await beginStaging(target);
    let notes: string[];
    const held = new Map<string, number>();
    try {
      const progress = createProgress(terminal, 'restore');
      let done = 0;
      try {
        for (const id of ids) {
          const to = join(staging, 'files', id, 'tenant.db');
          const count = await stageTenant(
            source,
            id,
            { to, replaced: join(target, tenantFile(id)) },
            restoring,
            values.resume ? null : now,
          );
          held.set(slugOf(to), count);
          done += statSync(to).size;
          progress.show(done, bytes);
        }
      } finally {
        progress.end();
      }
      if (source.hasRegistry && !values['rebuild-registry'])
        await stageRegistry(
          source,
          { to: join(staging, PLATFORM_NAME), replaced: join(target, PLATFORM_NAME) },
          restoring,
        );
      notes = await withApp(config, staging, async (app) => {
        await removeEmpty(join(staging, 'tenants'));
        if (ids.length > 0) await rename(join(staging, 'files'), join(staging, 'tenants'));
        else mkdirSync(join(staging, 'tenants'), { mode: 0o700 });
        return registerAll(ids, (id) => app.registerFile(id, join(staging, tenantFile(id))));
      });
      await changeStagedRegistry(target, restoring, (db) => keepMoved(db, moved));
    } catch (error) {
      // Where one was cut off before, an empty registry must not take the place of what it has moved away.
      if (isCutOff) await beginStaging(target);
      else await endStaging(target);
      throw error;
    }
    const lost = withoutFile(staging, ids);
    const replaced = replacedName(target, now);
    await swapAll(target, replaced);
    const from = source.backup
      ? `backup ${source.backup.id} of ${toIso(source.backup.madeAt)}`
      : source.directory;
    return {
      exitCode: 0,
      output: said(
        `restored into ${target}: ${counted(ids.length, 'practice')} of ${from}`,
        ...(values.resume ? ['nothing is held: what left after the backup leaves again'] : heldLines(held)),
        ...lost,
        ...moved.map(
          ({ slug, id, newHost }) =>
            `MOVED: ${slug} (${id}) works on ${newHost.origin}: it was not restored, and what comes for it is handed on as before`,
        ),
        ...notes,
        'people sign in again; tokens revoked and addresses unsubscribed since the backup are as they were before',
        ...(isEmpty ? [] : [removal(join(target, replaced))]),
      ),
    };
  } finally {
    unlock();
  }
};

/** A directory of an opened installation is empty; one that leads to the files in place is a link. */
const holdsTenants = (path: string): boolean =>
  (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false) && readdirSync(path).length > 0;

/** Makes a lost registry again from the files that are in place; an older or newer one agrees with them afterwards. */
export const rebuild = async (job: RestoreJob): Promise<CommandResult> => {
  const target = job.config.data_dir;
  const unlock = lockOrNull(target);
  if (unlock === null) throw new CommandError(`${target} is in use by a daemon: stop it first`);
  try {
    return await rebuildLocked(job, unlock);
  } finally {
    unlock();
  }
};

const rebuildLocked = async ({ config, now }: RestoreJob, unlock: () => void): Promise<CommandResult> => {
  const target = config.data_dir;
  const staging = stagingOf(target);
  if (existsSync(join(staging, 'files')) || holdsTenants(join(staging, 'tenants')))
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
      return registerAll(ids, app.registerTenant);
    });
    await swapRegistry(target, replacedName(target, now));
  } else {
    unlock();
    notes = await withApp(config, target, (app) => registerAll(ids, app.registerTenant));
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
