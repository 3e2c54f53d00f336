// Where the running daemon is reached, and the operator's token: all that administering needs of the configuration.
// The other secrets stay unread, so that it works where only the service's own environment has them.
import { readFileSync } from 'node:fs';
import { configSchema } from '#src/kernel/config/schema.ts';
import { type Environment, type Findings, readSecret } from '#src/kernel/config/secrets.ts';
import { formatListen, type ListenAddress } from '#src/kernel/config/values.ts';
import type { Secret } from '#src/kernel/secret.ts';
import { ConfigError, type FileProblem, readYaml } from '#src/kernel/yaml-file.ts';
import { CommandError } from './command.ts';

export interface AdminAccess {
  /** `http://127.0.0.1:8080` */
  readonly origin: string;
  readonly token: Secret;
}

/** What a header takes; the daemon asks for more at its start. */
const VISIBLE = /^[\x21-\x7e]+$/;

const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
};

/** Who listens on every address is reached by the loopback. */
const originOf = ({ host, port }: ListenAddress): string => {
  const { hostname } = new URL(`http://${formatListen({ host, port })}`);
  const loopback = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }[hostname] ?? hostname;
  return `http://${loopback}:${port}`;
};

/** Throws CommandError or ConfigError with what the file lacks. */
export const readAdminAccess = (file: string, environment: Environment): AdminAccess => {
  const { value, problems: found, problemAt } = readYaml(file, readText(file), configSchema);
  const { http, admin } = value;
  const problems: FileProblem[] = [];
  const findings: Findings = {
    problem: (path, expected, got) => problems.push(problemAt(path, expected, got)),
    warning: () => undefined,
  };
  if (http === undefined || admin === undefined)
    throw new ConfigError(found.filter(({ key }) => key === '' || /^(?:http|admin)\b/.test(key)));
  if (admin.token_file === undefined && admin.token_env === undefined)
    throw new CommandError(`${file} names no admin token: set admin.token_file or admin.token_env`);
  const token = readSecret(
    { path: ['admin'], name: 'token', file: admin.token_file, variable: admin.token_env },
    'visible ASCII characters without spaces',
    (text) => VISIBLE.test(text),
    environment,
    findings,
  );
  if (token === null) throw new ConfigError(problems);
  if (http.listen.port === 0)
    throw new CommandError(`${file}: http.listen takes any free port (0), so the daemon is not found by it`);
  return { origin: originOf(http.listen), token };
};
