// `sendwerk serve`: the daemon from its configuration file until it is told to end.

import { type App, createApp, readVersion } from '#src/app.ts';
import type { Environment } from '#src/config/secrets.ts';
import { liveChanges, loadConfig } from '#src/config.ts';
import { createLog, type Log } from '#src/kernel/log.ts';
import { createNotifier } from '#src/kernel/systemd.ts';

/** What the process around the daemon offers: signals come in, nothing else is touched. */
export interface ProcessSignals {
  /** SIGTERM or SIGINT. */
  onEnd(listener: (signal: string) => void): void;
  /** SIGHUP. */
  onReload(listener: () => void): void;
}

const reload = (
  app: App,
  file: string,
  environment: Environment,
  before: ReturnType<typeof loadConfig>,
  log: Log,
) => {
  try {
    const after = loadConfig(file, environment);
    for (const warning of after.warnings) log.warn(warning);
    const { live, restart } = liveChanges(before.config, after.config);
    app.reconfigure(after.config);
    log.info({ applied: live, needs_restart: restart }, 'configuration read again');
    return after;
  } catch (error) {
    log.error({ err: error }, 'configuration not applied: the one before stays in force');
    return before;
  }
};

/** Resolves with the exit code when the daemon has ended. Rejects with ConfigError where the file is not usable. */
export const serve = async (
  file: string,
  environment: Environment,
  signals: ProcessSignals,
): Promise<number> => {
  let loaded = loadConfig(file, environment);
  const log = createLog(loaded.config.log.level);
  for (const warning of loaded.warnings) log.warn(warning);
  const notifier = createNotifier(environment, log);

  const end = new Promise<string>((resolve) => signals.onEnd(resolve));
  const app = await createApp(loaded.config, log);
  const { http, dnsPort } = await app.start();
  log.info({ version: readVersion(), http, dns_port: dnsPort }, 'serving');
  signals.onReload(async () => {
    await notifier.reloading();
    loaded = reload(app, file, environment, loaded, log);
    await notifier.ready();
  });
  await notifier.ready();
  // Draining is life too: only storage that fails for good is a reason to be started again.
  notifier.startWatchdog(() => app.health().status !== 'failing');

  const signal = await end;
  log.info({ signal }, 'shutting down');
  await notifier.stopping();
  await app.stop();
  await notifier.stop();
  log.info('ended');
  return 0;
};
