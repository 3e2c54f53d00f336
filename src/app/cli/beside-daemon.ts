// What commands do with the data of a daemon that runs or does not: they read its files, or let the one process do something that may
// write them.
import { type Config, loadConfig } from '#src/kernel/config/config.ts';
import type { Environment } from '#src/kernel/config/secrets.ts';
import { openReadOnly, type PlatformDb, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { isInUse } from '#src/kernel/db/storage.ts';
import { AppError } from '#src/kernel/errors.ts';
import { createLog } from '#src/kernel/log.ts';
import type { App } from '../app.ts';
import type { AdminApi } from './admin-api.ts';
import { CommandError } from './command.ts';
import type { Terminal } from './terminal.ts';

export const readFile = <D extends PlatformDb | TenantDb, T>(path: string, work: (db: D) => T): T => {
  const db = openReadOnly<D>(path);
  try {
    return work(db);
  } finally {
    db.close();
  }
};

interface Ways<T> {
  readonly daemon: (api: AdminApi) => Promise<T>;
  /** With everything open, and nothing that listens or sends. */
  readonly here: (app: App) => Promise<T>;
}

/** Lets the running daemon do it, or this process where none runs. Rejects with CommandError where either refuses. */
export const byDaemonOrHere = async <T>(
  configFile: string,
  environment: Environment,
  terminal: Pick<Terminal, 'printError'>,
  { daemon, here }: Ways<T>,
): Promise<T> => {
  const { config } = loadConfig(configFile, environment);
  if (isInUse(config.data_dir)) {
    const { createAdminApi, readAdminAccess } = await import('./admin-api.ts');
    return daemon(createAdminApi(readAdminAccess(configFile, environment)));
  }
  const app = await openApp(config, terminal);
  try {
    return await here(app);
  } catch (error) {
    throw error instanceof AppError ? new CommandError(`${error.message} ${error.hint ?? ''}`.trim()) : error;
  } finally {
    await app.stop();
  }
};

/** What it warns of is printed. */
export const openApp = async (config: Config, terminal: Pick<Terminal, 'printError'>): Promise<App> => {
  const { createApp } = await import('../app.ts');
  return createApp(config, createLog('warn', { write: (line) => terminal.printError(line) }));
};
