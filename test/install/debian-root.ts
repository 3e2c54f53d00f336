// A Debian of its own: the one that the tests run on, seen through an overlay, so that real dpkg installs into it with real root paths
// and nothing of it reaches this machine. It needs the rights to mount. systemctl is played there, because no service manager runs.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getuid } from 'node:process';
import type { Outcome } from './machine.ts';
import { playedSystemctl } from './server.ts';

/** Whether this process may mount, as the one of `.ci/run` may. */
export const canMount = (): boolean =>
  getuid?.() === 0 && spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0;

const mounts = (root: string, shared: string): string => `
set -e
mount -t tmpfs none ${root}/layers
mkdir ${root}/layers/upper ${root}/layers/work
mount -t overlay overlay -o lowerdir=/,upperdir=${root}/layers/upper,workdir=${root}/layers/work ${root}/debian
mount -t proc none ${root}/debian/proc
mount --rbind /dev ${root}/debian/dev
mount -t tmpfs none ${root}/debian/run
mount --bind ${shared} ${root}/debian/mnt
mkdir -p ${root}/debian/run/systemd/system
rm -rf ${root}/debian/opt/sendwerk ${root}/debian/usr/local/bin/sendwerk ${root}/debian/etc/systemd/system/sendwerk*
echo mounted
exec sleep infinity`;

interface DebianOptions {
  /** Of the daemon, whose health the played systemctl waits for. */
  readonly port: number;
  /** A directory of this machine, which is its /mnt. */
  readonly shared: string;
  /** A Node below that. */
  readonly node: string;
}

export const createDebian = async ({ port, shared, node }: DebianOptions) => {
  const root = mkdtempSync(join(tmpdir(), 'sendwerk-debian-'));
  const at = (...names: string[]): string => join(root, ...names);
  for (const name of ['layers', 'debian']) mkdirSync(at(name));
  // The mounts are in a namespace of this process and go with it.
  const holder = spawn('unshare', ['--mount', 'sh', '-c', mounts(root, shared)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');

  const inside = ([program = '', ...args]: readonly string[]): Outcome => {
    const { status, stdout, stderr } = spawnSync(
      'nsenter',
      [`--mount=/proc/${holder.pid}/ns/mnt`, program, ...args],
      { encoding: 'utf8', cwd: '/' },
    );
    return { status, output: `${stdout}${stderr}` };
  };
  const shell = (script: string): Outcome => inside(['chroot', at('debian'), 'sh', '-c', script]);

  const systemctl = playedSystemctl({
    node: join('/mnt', node),
    port,
    pidFile: '/run/sendwerk.pid',
    log: '/run/sendwerk.log',
    unit: '/usr/lib/systemd/system/sendwerk.service',
    home: '/var/lib/sendwerk',
    before: 'setpriv --reuid=sendwerk --regid=sendwerk --clear-groups',
  });
  writeFileSync(join(shared, 'systemctl'), systemctl);
  chmodSync(join(shared, 'systemctl'), 0o755);
  shell('rm -f /usr/bin/systemctl /bin/systemctl; cp /mnt/systemctl /usr/bin/systemctl');

  return {
    /** Its root, in its namespace. */
    root: at('debian'),
    pid: holder.pid,
    inside,
    /** A script in it, as root. */
    shell,
    remove: async (): Promise<void> => {
      shell('systemctl stop sendwerk');
      const ended = once(holder, 'exit');
      holder.kill('SIGKILL');
      await ended;
      rmSync(root, { recursive: true, force: true });
    },
  };
};
