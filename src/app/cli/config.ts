// `sendwerk config check`.

import { type Config, type LoadedConfig, loadConfig } from '#src/kernel/config/config.ts';
import { NO_NOTICES, waitsForNotices } from '#src/kernel/config/delivery.ts';
import type { Environment } from '#src/kernel/config/secrets.ts';
import { formatListen } from '#src/kernel/config/values.ts';
import { ConfigError } from '#src/kernel/yaml-file.ts';
import { smtpOptionsOf } from '#src/relay/smtp/options.ts';
import { probe } from '#src/relay/smtp/probe.ts';

export interface CommandResult {
  readonly exitCode: number;
  /** Whole lines, the last with its line break. */
  readonly output: string;
}

const listeners = ({ http, smtp, dns }: Config): string[] =>
  [
    ['http', http.listen],
    ['inbound', smtp.inbound?.listen],
    ['submission', smtp.submission?.listen],
    ['submissions', smtp.submission?.implicit_listen],
    ['dns', dns.authoritative?.listen],
  ].flatMap(([name, listen]) =>
    typeof listen === 'object' ? [`listens: ${name} on ${formatListen(listen)}`] : [],
  );

/** Says which relays, whose delivery notices are waited for, offer none or could not be asked. */
const withoutNotices = async ({ config, warningAt }: LoadedConfig): Promise<string[]> => {
  if (!config.smtp.inbound) return [];
  const found = config.upstreams.map(async (entry, index) => {
    if (entry.kind !== 'smtp' || !waitsForNotices(entry)) return [];
    const path = ['upstreams', index, 'delivered_on'];
    const { dsn, failedAt, error } = await probe(smtpOptionsOf(entry, config.service.host));
    if (dsn === null)
      return [
        warningAt(path, `whether the relay offers delivery notices is not known: ${failedAt}: ${error}`),
      ];
    return dsn ? [] : [warningAt(path, NO_NOTICES)];
  });
  return (await Promise.all(found)).flat();
};

/** Exit code 1 with all problems, or 0 with `ok`, the listeners and the warnings. Relays are connected to. */
export const configCheck = async (file: string, environment: Environment): Promise<CommandResult> => {
  try {
    const loaded = loadConfig(file, environment);
    const warnings = [...loaded.warnings, ...(await withoutNotices(loaded))];
    const lines = ['ok', ...listeners(loaded.config), ...warnings.map((warning) => `warning: ${warning}`)];
    return { exitCode: 0, output: `${lines.join('\n')}\n` };
  } catch (error) {
    if (error instanceof ConfigError) return { exitCode: 1, output: `${error.message}\n` };
    throw error;
  }
};
