// `sendwerk restore`: which of its ways is asked for.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { loadConfig } from '#src/kernel/config/config.ts';
import type { Environment } from '#src/kernel/config/secrets.ts';
import { RESTORING_LOCK } from '#src/kernel/db/storage.ts';
import { systemClock } from '#src/kernel/time.ts';
import { requireOwner, requireOwnerAbove } from '#src/operations/owner.ts';
import { openSource } from '#src/operations/restore-source.ts';
import { CommandError, UsageError } from './command.ts';
import type { CommandResult } from './config.ts';
import { rebuild, restoreAll } from './restore-all.ts';
import { lockOrNull, type RestoreJob, type RestoreValues } from './restore-job.ts';
import { restoreOne } from './restore-one.ts';
import type { Terminal } from './terminal.ts';

const timeOf = (at: string | undefined): number | undefined => {
  if (at === undefined) return undefined;
  const time = Date.parse(at);
  if (Number.isNaN(time))
    throw new UsageError(`restore: --at is a time such as 2026-11-24T02:00:00Z, not ${at}`);
  return time;
};

const prepareDirectory = (directory: string): void => {
  if (existsSync(directory)) {
    requireOwner(directory);
    return;
  }
  requireOwnerAbove(dirname(resolve(directory)));
  mkdirSync(directory, { mode: 0o700 });
};

const byWay = async (job: RestoreJob): Promise<CommandResult> => {
  const { dir, tenant, at } = job.values;
  if (dir === undefined) return rebuild(job);
  const source = await openSource(dir, { at: timeOf(at), tenant });
  return tenant === undefined ? restoreAll(source, job) : restoreOne(source, tenant, job);
};

export const restore = async (
  values: RestoreValues,
  environment: Environment,
  terminal: Terminal,
): Promise<CommandResult> => {
  const loaded = loadConfig(values.config, environment).config;
  const config = values.to === undefined ? loaded : { ...loaded, data_dir: resolve(values.to) };
  if (values.dir === undefined && !values['rebuild-registry'])
    throw new UsageError('restore: name a DIR, or --rebuild-registry for the files that are in place');
  timeOf(values.at);
  prepareDirectory(config.data_dir);
  // Beside a running daemon too: two restores have one directory for what they prepare.
  const unlock = lockOrNull(config.data_dir, RESTORING_LOCK);
  if (unlock === null)
    throw new CommandError(`another restore into ${config.data_dir} has not ended: wait for it`);
  try {
    return await byWay({ values, environment, terminal, config, now: systemClock.now() });
  } finally {
    unlock();
  }
};
