// All that setup makes, in its order, as values: what is printed by --dry-run is what is done. Pure.
import {
  ADMIN_TOKEN_FILE,
  BACKUP_DIRECTORY,
  CONFIG_DIRECTORY,
  CONFIG_FILE,
  configurationText,
  MASTER_KEY_FILE,
  RELAY_PASSWORD_FILE,
  STATE_DIRECTORY,
} from './configuration.ts';
import { CADDY_FILE, caddyfile, NGINX_FILE, nginxSite } from './proxy.ts';
import type { Answers } from './questions.ts';

export const SERVICE_USER = 'sendwerk';

interface Owned {
  readonly path: string;
  readonly mode: number;
  /** The service's user, or root. */
  readonly owner: 'root' | typeof SERVICE_USER;
  readonly group: 'root' | typeof SERVICE_USER;
}
export type DirectoryStep = Owned & { readonly kind: 'directory' };
export type FileStep = Owned & { readonly kind: 'file'; readonly text: string };
/** Never written again once it is there. `given` is what the operator says now; otherwise random octets in this form. */
export type SecretStep = Owned & {
  readonly kind: 'secret';
  readonly given: string | null;
  readonly form: 'base64' | 'hex';
};
export interface LinkStep {
  readonly kind: 'link';
  readonly path: string;
  readonly to: string;
}
export interface CommandStep {
  readonly kind: 'command';
  readonly words: readonly string[];
  /** Not run where it is false, as where the user is there already. */
  readonly when: 'no user' | 'always' | 'changed' | 'ran before';
}
export type Step = DirectoryStep | FileStep | SecretStep | LinkStep | CommandStep;

/** What the plan needs to know of the place where the service is installed. */
export interface Installation {
  /** systemd runs here; where it does not, nothing is started. */
  readonly runsSystemd: boolean;
  /** Units and others as the program has them, by the path they are copied to; none where a package has brought them. */
  readonly brought: Readonly<Record<string, string>>;
  /** The program `sendwerk` as a package or an update has it; null where it is in the PATH already. */
  readonly program: string | null;
}

const READABLE = 0o644;
const directory = (path: string, mode: number, owner: Owned['owner']): DirectoryStep => ({
  kind: 'directory',
  path,
  mode,
  owner,
  group: SERVICE_USER,
});
/** Root writes it, the service reads it, no one else does. */
const readByService = (path: string) => ({ path, mode: 0o640, owner: 'root', group: SERVICE_USER }) as const;
const readByAll = (path: string, text: string): FileStep => ({
  kind: 'file',
  path,
  mode: READABLE,
  owner: 'root',
  group: 'root',
  text,
});
const secret = (path: string, form: SecretStep['form'], given: string | null = null): SecretStep => ({
  kind: 'secret',
  ...readByService(path),
  form,
  given,
});
const command = (line: string, when: CommandStep['when'] = 'always'): CommandStep => ({
  kind: 'command',
  words: line.split(' '),
  when,
});

const proxySteps = ({ proxy, host }: Answers): FileStep[] => {
  if (proxy === 'caddy') return [readByAll(CADDY_FILE, caddyfile())];
  return proxy === 'nginx' ? [readByAll(NGINX_FILE, nginxSite(host))] : [];
};

const startSteps = ({ proxy }: Answers): CommandStep[] => [
  command('systemctl daemon-reload', 'changed'),
  command('systemctl enable --now sendwerk.service sendwerk-backup.timer'),
  command('systemctl restart sendwerk.service', 'ran before'),
  command('systemctl start --no-block sendwerk-backup.service', 'changed'),
  ...(proxy === 'caddy' ? [command('systemctl reload-or-restart caddy.service', 'changed')] : []),
];

/** `password` null: that of the run before, or none is needed. */
export const planOf = (answers: Answers, password: string | null, installation: Installation): Step[] => [
  command(
    `useradd --system --user-group --home-dir ${STATE_DIRECTORY} --no-create-home --shell /usr/sbin/nologin ${SERVICE_USER}`,
    'no user',
  ),
  directory(CONFIG_DIRECTORY, 0o750, 'root'),
  directory(STATE_DIRECTORY, 0o700, SERVICE_USER),
  directory(BACKUP_DIRECTORY, 0o700, SERVICE_USER),
  secret(MASTER_KEY_FILE, 'base64'),
  secret(ADMIN_TOKEN_FILE, 'hex'),
  ...(answers.relay_user === '' || password === null ? [] : [secret(RELAY_PASSWORD_FILE, 'hex', password)]),
  { kind: 'file', ...readByService(CONFIG_FILE), text: configurationText(answers) },
  ...Object.entries(installation.brought).map(([path, text]) => readByAll(path, text)),
  ...proxySteps(answers),
  ...(installation.program === null
    ? []
    : [{ kind: 'link', path: '/usr/local/bin/sendwerk', to: installation.program } as const]),
  ...(installation.runsSystemd ? startSteps(answers) : []),
];

export const modeText = (mode: number): string => mode.toString(8).padStart(4, '0');

/** What is made, in one line; a secret is named only. */
export const stepText = (step: Step): string => {
  switch (step.kind) {
    case 'link':
      return `${step.path} -> ${step.to}`;
    case 'command':
      return step.words.join(' ');
    default:
      return `${modeText(step.mode)} ${step.owner}:${step.group} ${step.path}${step.kind === 'directory' ? '/' : ''}`;
  }
};
