// A server as a bare one is: Node, npm, git and coreutils, no compiler, no Python. The paths of `bin/sendwerk` lie below a
// directory of the test's own, and two programs are played: runuser, because the user sendwerk need not exist, and
// systemctl, which starts and stops the daemon by the ExecStart= of the installed unit.
import { execFile, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { env, execPath } from 'node:process';
import { stringify } from 'yaml';
import { defaults, keptSecret } from '#test/support/daemon.ts';
import { freePort } from '#test/support/process.ts';

const COREUTILS =
  'basename cat chmod chown cp cut date df dirname echo env expr false head id ln ls mkdir mktemp mv printf pwd readlink realpath rm rmdir sleep sort stat sync tail test touch tr true uname wc';
const INSTALL_TIMEOUT_MS = 500_000;

const PLAYED_RUNUSER = `#!/bin/sh
shift 3
exec "$@"
`;

/** Of a unit of Type=notify: `restart` ends once the daemon is ready, or with 1 where it ended before. */
const playedSystemctl = (root: string, port: number): string => `#!${execPath}
const fs = require('node:fs');
const { spawn } = require('node:child_process');
const pidFile = '${root}/pid';
const pid = fs.existsSync(pidFile) ? Number(fs.readFileSync(pidFile, 'utf8')) : 0;
const lives = () => { try { return pid > 0 && fs.readFileSync('/proc/' + pid + '/stat', 'utf8').split(' ')[2] !== 'Z'; } catch { return false; } };
const command = process.argv[2];
if (command === 'is-active') {
  console.log(pid === 0 ? 'inactive' : lives() ? 'active' : 'failed');
  process.exit(lives() ? 0 : 3);
}
if (command === 'stop' || command === 'restart') {
  if (lives()) process.kill(pid, 'SIGTERM');
  while (lives()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  fs.rmSync(pidFile, { force: true });
}
if (command === 'restart') {
  const [, line] = /^ExecStart=(.*)$/m.exec(fs.readFileSync('${root}/etc/sendwerk.service', 'utf8'));
  const [program, ...args] = line.split(' ');
  const log = fs.openSync('${root}/log', 'a');
  const child = spawn(program, args, { cwd: '${root}/state', detached: true, stdio: ['ignore', log, log] });
  fs.writeFileSync(pidFile, String(child.pid));
  child.unref();
  child.on('exit', () => process.exit(1));
  const ask = () => fetch('http://127.0.0.1:${port}/healthz').then(() => process.exit(0), () => setTimeout(ask, 50));
  ask();
}
`;

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

/** How this machine reaches its registry, and its cache, which has the packages of this checkout. */
const registryEnvironment = (): Record<string, string> => {
  const cache = spawnSync(programOf('npm'), ['config', 'get', 'cache'], { encoding: 'utf8' }).stdout.trim();
  const passed = Object.entries(env).filter(([name]) =>
    /^(https?_proxy|no_proxy|node_extra_ca_certs|npm_config_(registry|cafile))$/i.test(name),
  );
  return {
    ...(Object.fromEntries(passed) as Record<string, string>),
    npm_config_userconfig: join(env.HOME ?? '', '.npmrc'),
    npm_config_cache: cache,
    npm_config_prefer_offline: 'true',
  };
};

export interface Outcome {
  readonly status: number | null;
  readonly output: string;
}

export const createServer = async () => {
  const root = mkdtempSync(join(tmpdir(), 'sendwerk-server-'));
  const at = (...names: string[]): string => join(root, ...names);
  for (const name of ['bin', 'etc', 'home', 'state', 'origin', 'opt']) mkdirSync(at(name));

  for (const name of ['node', 'npm', 'git', 'sh', 'flock', ...COREUTILS.split(' ')])
    symlinkSync(programOf(name), at('bin', name));
  const script = (name: string, text: string): void => {
    writeFileSync(at('bin', name), text);
    chmodSync(at('bin', name), 0o755);
  };
  script('runuser', PLAYED_RUNUSER);
  const port = await freePort();
  script('systemctl', playedSystemctl(root, port));
  const bare = { PATH: at('bin'), HOME: at('home'), ...registryEnvironment() };

  /** The runner of the tests takes a process for lost that is blocked for a minute. */
  const run = (
    [program = '', ...args]: readonly string[],
    changes: Readonly<Record<string, string>> = {},
  ): Promise<Outcome> =>
    new Promise((resolve) => {
      const options = { cwd: root, env: { ...bare, ...changes }, timeout: INSTALL_TIMEOUT_MS };
      const child = execFile(program, args, options, (_, stdout, stderr) =>
        resolve({ status: child.exitCode, output: `${stdout}${stderr}` }),
      );
      child.stdin?.end();
    });
  const git = async (...args: string[]): Promise<string> => {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'];
    const { status, output } = await run(['git', '-C', at('origin'), ...identity, ...args]);
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${output}`);
    return output.trim();
  };
  /** The tree with these files changed; undefined removes one. Returns the name of its version. */
  const publish = async (files: Readonly<Record<string, string>>): Promise<string> => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(at('origin', name)), { recursive: true });
      writeFileSync(at('origin', name), text);
    }
    await git('add', '--all');
    await git('commit', '--quiet', '--allow-empty', '--message', 'a version');
    return git('rev-parse', 'HEAD');
  };
  const published = (name: string): string => readFileSync(at('origin', name), 'utf8');

  const listed = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  });
  for (const name of listed.stdout.split('\0').filter((file) => file !== '' && existsSync(file)))
    cpSync(name, at('origin', name));
  await git('init', '--quiet');
  const moved = (name: string): string =>
    published(name)
      .replaceAll('/opt/sendwerk', at('opt'))
      .replaceAll('/etc/sendwerk/', `${at('etc')}/`)
      .replaceAll('/var/lib/sendwerk', at('state'))
      .replaceAll('/etc/systemd/system', at('etc'));
  const first = await publish({
    'bin/sendwerk': moved('bin/sendwerk'),
    'systemd/sendwerk.service': moved('systemd/sendwerk.service'),
  });

  const adminToken = await keptSecret(at('admin.token'), 24);
  await keptSecret(at('master.key'), 32);
  writeFileSync(at('etc/service.yaml'), stringify(defaults(root, at('state/data'), port)));

  return {
    first,
    origin: `http://127.0.0.1:${port}`,
    adminToken,
    at,
    run,
    publish,
    published,
    sendwerk: (...args: string[]): Promise<Outcome> => run([at('opt/current/bin/sendwerk'), ...args]),
    systemctl: (command: string): Promise<Outcome> => run([at('bin/systemctl'), command]),
    linked: (name: 'current' | 'previous'): string => readlinkSync(at('opt', name)).replace('versions/', ''),
    versions: (): string[] => readdirSync(at('opt/versions')).sort(),
    pid: (): string => readFileSync(at('pid'), 'utf8'),
    log: (): string => readFileSync(at('log'), 'utf8'),
    remove: async (): Promise<void> => {
      await run([at('bin/systemctl'), 'stop']);
      rmSync(root, { recursive: true, force: true });
    },
  };
};
