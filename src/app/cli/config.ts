// `sendwerk config check` and `sendwerk config example`.

import { type Config, loadConfig } from '#src/kernel/config/config.ts';
import { exampleConfig } from '#src/kernel/config/example.ts';
import type { Environment } from '#src/kernel/config/secrets.ts';
import { formatListen } from '#src/kernel/config/values.ts';
import { ConfigError } from '#src/kernel/yaml-file.ts';

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

/** Exit code 1 with all problems, or 0 with `ok`, the listeners and the warnings. */
export const configCheck = (file: string, environment: Environment): CommandResult => {
  try {
    const { config, warnings } = loadConfig(file, environment);
    const lines = ['ok', ...listeners(config), ...warnings.map((warning) => `warning: ${warning}`)];
    return { exitCode: 0, output: `${lines.join('\n')}\n` };
  } catch (error) {
    if (error instanceof ConfigError) return { exitCode: 1, output: `${error.message}\n` };
    throw error;
  }
};

export const configExample = (): string => exampleConfig();
