// A machine as a bare one is: Node, npm, git, flock, tar and coreutils, no compiler, no Python, nothing else in its PATH. All of it lies
// below a directory of the test's own.
import { execFile, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { arch, env, getuid } from 'node:process';

const COREUTILS =
  'basename cat chmod chown cksum cp cut date df dirname echo env expr false head id ln ls mkdir mktemp mv printf pwd readlink realpath rm rmdir sha256sum sleep sort stat sync tail test touch tr true uname wc';
const INSTALL_TIMEOUT_MS = 500_000;
/** Debian's `nobody`. */
const NOBODY = 65_534;

/** Of this machine, not of this checkout. */
const programOf = (name: string): string => {
  const found = (env.PATH ?? '')
    .split(delimiter)
    .filter((directory) => !directory.includes('node_modules'))
    .map((directory) => join(directory, name))
    .find((file) => existsSync(file));
  if (found === undefined) throw new Error(`no ${name} in PATH`);
  return found;
};

export interface Outcome {
  readonly status: number | null;
  readonly output: string;
}

export interface MachineOptions {
  /** In place of those of this machine. */
  readonly node?: string;
  readonly npm?: string;
  /** Commands run as a user without rights, also where the tests run as root, after `handOver`. */
  readonly unprivileged?: boolean;
  /** Of npm. Where absent: without rights one of the machine's own, else this machine's, which has the packages of this checkout. */
  readonly cache?: string;
}

export const createMachine = ({ node, npm, cache, unprivileged = false }: MachineOptions = {}) => {
  const root = mkdtempSync(join(tmpdir(), 'sendwerk-machine-'));
  const at = (...names: string[]): string => join(root, ...names);
  for (const name of ['bin', 'home']) mkdirSync(at(name));
  const programs = { node: node ?? programOf('node'), npm: npm ?? programOf('npm') };
  for (const [name, file] of Object.entries(programs)) symlinkSync(file, at('bin', name));
  for (const name of ['flock', 'git', 'gzip', 'sh', 'tar', ...COREUTILS.split(' ')])
    symlinkSync(programOf(name), at('bin', name));

  // How this machine reaches its registry.
  const passed = Object.entries(env).filter(([name]) =>
    /^(https?_proxy|no_proxy|node_extra_ca_certs|npm_config_(registry|cafile))$/i.test(name),
  );
  const userConfig = join(env.HOME ?? '', '.npmrc');
  if (existsSync(userConfig)) copyFileSync(userConfig, at('home/.npmrc'));
  const cacheOfRunner = (): string =>
    spawnSync(programs.npm, ['config', 'get', 'cache'], { encoding: 'utf8' }).stdout.trim();
  const bare = {
    ...(Object.fromEntries(passed) as Record<string, string>),
    PATH: at('bin'),
    HOME: at('home'),
    npm_config_cache: cache ?? (unprivileged ? at('home/.npm') : cacheOfRunner()),
    npm_config_prefer_offline: 'true',
  };
  const user = unprivileged && getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

  return {
    at,
    /** A program of its PATH. */
    script: (name: string, text: string): void => {
      writeFileSync(at('bin', name), text);
      chmodSync(at('bin', name), 0o755);
    },
    /** The files of this checkout, those that are not committed as well. */
    copySources: (to: string): void => {
      const options = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
      const listed = spawnSync('git', options, { encoding: 'utf8' }).stdout.split('\0');
      for (const name of listed.filter((file) => file !== '' && existsSync(file)))
        cpSync(name, join(to, name));
    },
    /** The runner of the tests takes a process for lost that is blocked for a minute. */
    run: (
      [program = '', ...args]: readonly string[],
      changes: Readonly<Record<string, string>> = {},
      cwd = root,
    ): Promise<Outcome> =>
      new Promise((resolve) => {
        const options = {
          cwd,
          env: { ...bare, ...changes },
          timeout: INSTALL_TIMEOUT_MS,
          maxBuffer: 2 ** 24,
          ...user,
        };
        const child = execFile(program, args, options, (_, stdout, stderr) =>
          resolve({ status: child.exitCode, output: `${stdout}${stderr}` }),
        );
        child.stdin?.end();
      }),
    /** Gives all of it to the user that runs its commands. */
    handOver: (): void => {
      if (user.uid !== undefined) spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, root]);
    },
    remove: (): void => rmSync(root, { recursive: true, force: true }),
  };
};

type Machine = ReturnType<typeof createMachine>;

/** Installs each of these versions of npm and of Node below the machine's root. */
export const installPrograms = async (
  machine: Machine,
  pairs: readonly (readonly [npm: string, node: string])[],
): Promise<void> => {
  machine.handOver();
  const wanted = new Set(
    pairs.flatMap(([npm, node]) => [
      `npm-${npm}@npm:npm@${npm}`,
      `node-${node}@npm:node-linux-${arch}@${node}`,
    ]),
  );
  const options = ['--no-save', '--ignore-scripts', '--loglevel=error'];
  const { status, output } = await machine.run(['npm', 'install', ...options, ...wanted]);
  if (status !== 0) throw new Error(output);
};

/** Those that were installed, for another machine. */
export const programsOf = ({ at }: Machine, npm: string, node: string) => ({
  npm: at('node_modules', `npm-${npm}`, 'bin', 'npm-cli.js'),
  node: at('node_modules', `node-${node}`, 'bin', 'node'),
});
