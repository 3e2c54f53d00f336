// A server as a bare one is. The paths of `bin/sendwerk` lie below a directory of the test's own, and two programs are played:
// runuser, because the user sendwerk need not exist, and systemctl, which starts and stops the daemon by the ExecStart= of the
// installed unit.
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { execPath } from 'node:process';
import { stringify } from 'yaml';
import { defaults, keptSecret } from '#test/support/daemon.ts';
import { freePort } from '#test/support/process.ts';
import { createMachine, type MachineOptions, type Outcome } from './machine.ts';

const PLAYED_RUNUSER = `#!/bin/sh
shift 3
exec "$@"
`;

interface Played {
  readonly node: string;
  /** Where the daemon answers once it is ready. */
  readonly port: number;
  readonly pidFile: string;
  readonly log: string;
  readonly unit: string;
  /** Its WorkingDirectory=. */
  readonly home: string;
  /** In front of its ExecStart=, for its User=. */
  readonly before?: string;
}

/** For a unit of Type=notify: `restart` ends once the daemon is ready, or with 1 where it ended before. */
export const playedSystemctl = ({
  node,
  port,
  pidFile,
  log,
  unit,
  home,
  before = '',
}: Played): string => `#!${node}
const fs = require('node:fs');
const { spawn } = require('node:child_process');
const pidFile = '${pidFile}';
const pid = fs.existsSync(pidFile) ? Number(fs.readFileSync(pidFile, 'utf8')) : 0;
const lives = () => { try { return pid > 0 && fs.readFileSync('/proc/' + pid + '/stat', 'utf8').split(' ')[2] !== 'Z'; } catch { return false; } };
const command = process.argv[2];
if (command === 'is-active') {
  console.log(pid === 0 ? 'inactive' : lives() ? 'active' : 'failed');
  process.exit(lives() ? 0 : 3);
}
const restarts = command === 'restart' || (command === 'try-restart' && lives());
if (command === 'stop' || restarts) {
  if (lives()) process.kill(pid, 'SIGTERM');
  while (lives()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  fs.rmSync(pidFile, { force: true });
}
if (restarts) {
  const [, line] = /^ExecStart=(.*)$/m.exec(fs.readFileSync('${unit}', 'utf8'));
  const [program, ...args] = '${before} '.concat(line).trim().split(' ');
  const log = fs.openSync('${log}', 'a');
  const child = spawn(program, args, { cwd: '${home}', detached: true, stdio: ['ignore', log, log] });
  fs.writeFileSync(pidFile, String(child.pid));
  child.unref();
  child.on('exit', () => process.exit(1));
  const ask = () => fetch('http://127.0.0.1:${port}/healthz').then(() => process.exit(0), () => setTimeout(ask, 50));
  ask();
}
`;

export const createServer = async (programs: Pick<MachineOptions, 'node' | 'npm'>) => {
  const machine = createMachine(programs);
  const { at, run } = machine;
  for (const name of ['backups', 'etc', 'state', 'origin', 'opt']) mkdirSync(at(name));
  machine.script('runuser', PLAYED_RUNUSER);
  const port = await freePort();
  const played = { node: execPath, port, pidFile: at('pid'), log: at('log'), home: at('state') };
  machine.script('systemctl', playedSystemctl({ ...played, unit: at('etc/sendwerk.service') }));

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

  machine.copySources(at('origin'));
  await git('init', '--quiet');
  const moved = (name: string): string =>
    published(name)
      .replaceAll('/opt/sendwerk', at('opt'))
      .replaceAll('/etc/sendwerk/', `${at('etc')}/`)
      .replaceAll('/var/lib/sendwerk', at('state'))
      .replaceAll('/var/backups', at('backups'))
      .replaceAll('/etc/systemd/system', at('etc'));
  const first = await publish({
    'bin/sendwerk': moved('bin/sendwerk'),
    'systemd/sendwerk.service': moved('systemd/sendwerk.service'),
    'systemd/sendwerk-backup.service': moved('systemd/sendwerk-backup.service'),
  });

  const adminToken = await keptSecret(at('admin.token'), 24);
  await keptSecret(at('master.key'), 32);
  writeFileSync(at('etc/service.yaml'), stringify(defaults(at(), at('state/data'), port)));

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
      machine.remove();
    },
  };
};
