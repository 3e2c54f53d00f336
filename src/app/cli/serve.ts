// `sendwerk serve` runs the daemon from its configuration file until a signal ends it.

import { type App, createApp } from '#src/app/app.ts';
import { type Config, liveChanges, loadConfig } from '#src/kernel/config/config.ts';
import type { Environment } from '#src/kernel/config/secrets.ts';
import { createLog, type Log } from '#src/kernel/log.ts';
import { createNotifier } from '#src/kernel/systemd.ts';
import { readVersion } from '#src/kernel/version.ts';

/** The signals of the process; nothing else of it is used. */
export interface ProcessSignals {
  /** SIGTERM or SIGINT. */
  onEnd(listener: (signal: string) => void): void;
  /** SIGHUP. */
  onReload(listener: () => void): void;
}

/** The configuration that the daemon was started with, and the one that was applied last. */
interface InForce {
  readonly started: Config;
  readonly applied: Config;
}

const reload = (app: App, file: string, environment: Environment, before: InForce, log: Log): InForce => {
  try {
    const { config, warnings } = loadConfig(file, environment);
    for (const warning of warnings) log.warn(warning);
    const { live } = liveChanges(before.applied, config);
    // Compared with the start: what one reload could not apply, the next one cannot apply either.
    const { restart } = liveChanges(before.started, config);
    app.reconfigure(config);
    log.info({ applied: live, needs_restart: restart }, 'configuration read again');
    return { ...before, applied: config };
  } catch (error) {
    log.error({ err: error }, 'configuration not applied: the one before stays in force');
    return before;
  }
};

/**
 * Resolves with the exit code when the daemon has ended. Rejects with ConfigError if the file is not usable.
 */
export const serve = async (
  file: string,
  environment: Environment,
  signals: ProcessSignals,
): Promise<number> => {
  const { config, warnings } = loadConfig(file, environment);
  const log = createLog(config.log.level);
  for (const warning of warnings) log.warn(warning);
  const notifier = createNotifier(environment, log);

  const end = new Promise<string>((resolve) => signals.onEnd(resolve));
  const load = { file, read: () => loadConfig(file, environment) };
  const app = await createApp(config, log, { load });
  const { http, dnsPort, inboundPort, metricsPort, submissionPorts } = await app.start();
  log.info(
    {
      version: readVersion(),
      http,
      dns_port: dnsPort,
      inbound_port: inboundPort,
      submission_ports: submissionPorts,
      metrics_port: metricsPort,
    },
    'serving',
  );
  void app.lookForNotices();
  let inForce: InForce = { started: config, applied: config };
  signals.onReload(async () => {
    await notifier.reloading();
    inForce = reload(app, file, environment, inForce, log);
    await notifier.ready();
  });
  await notifier.ready();
  // The engine would keep a sixth of its memory for what a start leaves.
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  // A loop that turns is alive. Files and disks that fail are no reason for a restart: they are opened again as soon as they can
  // be, and the outcomes that wait for them are in memory.
  notifier.startWatchdog();

  const signal = await end;
  log.info({ signal }, 'shutting down');
  await notifier.stopping();
  await app.stop();
  await notifier.stop();
  log.info('ended');
  return 0;
};
