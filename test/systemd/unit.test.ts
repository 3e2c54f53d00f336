// @module-tag debian/systemd
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';

const directory = mkdtempSync(join(tmpdir(), 'sendwerk-unit-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const unit = readFileSync('systemd/sendwerk.service', 'utf8');
/** `systemd-analyze security` gives 1.6 of 10 (systemd 252); in tenths, as --threshold wants it. */
const EXPOSURE_THRESHOLD = 16;

const run = (command: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
};

const write = (name: string, text: string): string => {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
};

const verify = (text: string) =>
  run(
    'systemd-analyze',
    'verify',
    '--man=no',
    write('sendwerk.service', text.replace('/opt/sendwerk/current/node_modules/.bin/node', '/bin/true')),
  );
const exposure = (text: string) =>
  run(
    'systemd-analyze',
    'security',
    '--offline=true',
    '--no-pager',
    `--threshold=${EXPOSURE_THRESHOLD}`,
    write('sendwerk.service', text),
  );

describe('the unit', () => {
  test('is understood as a whole', () => expect(verify(unit)).toEqual({ status: 0, output: '' }));

  test('bounds the engine as the image does', () => {
    const optionsIn = (line: RegExp, text: string) => line.exec(text)?.[0].match(/--(?:max|expose)[\w=-]+/g);
    const ofUnit = optionsIn(/^ExecStart=.*$/m, unit);
    expect(ofUnit).toHaveLength(3);
    expect(optionsIn(/^ENTRYPOINT .*$/m, readFileSync('Containerfile', 'utf8'))).toEqual(ofUnit);
  });

  test('would be refused with a misspelt setting', () => {
    expect(verify(unit.replace('WatchdogSec', 'WatchdogSecs')).output).toContain('WatchdogSecs');
  });

  test('is exposed no more than it was', () => expect(exposure(unit).status).toBe(0));

  test('would be more exposed without one of its settings', () => {
    expect(exposure(unit.replace('PrivateDevices=yes', '')).status).not.toBe(0);
  });
});

describe('the unit of the replica', () => {
  const replica = readFileSync('systemd/sendwerk-litestream.service', 'utf8');

  test('is understood as a whole', () => {
    const service = replica.replace('/opt/sendwerk/current/node_modules/.bin/node', '/bin/true');
    const path = write('sendwerk-litestream.service', service);
    expect(run('systemd-analyze', 'verify', '--man=no', path)).toEqual({ status: 0, output: '' });
  });

  test('ends after the daemon, so that it has what that wrote last', () =>
    expect(replica).toContain('Before=sendwerk.service\n'));
});

describe('the unit of the backup', () => {
  const backup = readFileSync('systemd/sendwerk-backup.service', 'utf8');

  test('is understood as a whole, as its timer is', () => {
    const service = backup.replace('/opt/sendwerk/current/node_modules/.bin/node', '/bin/true');
    const timer = readFileSync('systemd/sendwerk-backup.timer', 'utf8');
    const files = [write('sendwerk-backup.service', service), write('sendwerk-backup.timer', timer)];
    expect(run('systemd-analyze', 'verify', '--man=no', ...files)).toEqual({ status: 0, output: '' });
  });

  test('may do less than the service, and reads the same configuration', () => {
    const path = write('sendwerk-backup.service', backup);
    const args = ['security', '--offline=true', '--no-pager', '--threshold=8', path];
    expect(run('systemd-analyze', ...args).status).toBe(0);
    const config = /--config (\S+)/.exec(unit)?.[1];
    expect(backup).toContain(`main.ts backup --config ${config}\n`);
  });

  test('gives way to mail', () => expect(backup).toMatch(/^Nice=1\d\nIOSchedulingClass=idle$/m));
});

test.each([
  ['the notifications of its children', 'NotifyAccess=all'],
  ['databases under /var/lib', 'StateDirectory=sendwerk\n'],
  ['relative paths of the configuration', 'WorkingDirectory=/var/lib/sendwerk\n'],
  ['low ports', 'AmbientCapabilities=CAP_NET_BIND_SERVICE\n'],
  ['a reload', "ExecReload=/bin/sh -c 'kill -HUP $MAINPID'\n"],
])('the unit provides for %s', (_name, setting) => expect(unit).toContain(setting));

test('there is more time to stop than a drain takes by default', () => {
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(20);
});

describe('what the unit lets the daemon have', () => {
  const MIB = 1_048_576;
  const UNITS = { M: MIB, G: 1_024 * MIB };
  const bytesOf = (key: string): number => {
    const [, count, prefix] = new RegExp(`^${key}=(\\d+)([MG])$`, 'm').exec(unit) ?? [];
    return Number(count) * UNITS[prefix as keyof typeof UNITS];
  };

  test('is more memory than docs/operate/install.md says it takes, and it is slowed down before it is killed', () => {
    const [most = 0] = [
      ...readFileSync('docs/operate/install.md', 'utf8').matchAll(/^\| .* \| (\d+) MB \|$/gm),
    ]
      .map(([, megabytes]) => Number(megabytes) * 1e6)
      .toSorted((a, b) => b - a);
    expect(most).toBeGreaterThan(0);
    expect(bytesOf('MemoryHigh')).toBeGreaterThan(1.5 * most);
    expect(bytesOf('MemoryMax')).toBeGreaterThan(bytesOf('MemoryHigh'));
  });

  test('is more threads than it starts: the pool, signing, maintenance, and those of node', () => {
    expect(Number(/^TasksMax=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThanOrEqual(64);
  });
});

test('the user is made, without a shell', () => {
  mkdirSync(join(directory, 'etc'), { recursive: true });
  const { status } = run(
    'systemd-sysusers',
    `--root=${directory}`,
    resolve('systemd/sendwerk.sysusers.conf'),
  );
  expect(status).toBe(0);
  expect(readFileSync(join(directory, 'etc/passwd'), 'utf8')).toMatch(
    /^sendwerk:.*:\/var\/lib\/sendwerk:\S*nologin$/m,
  );
});

test('the directories are made, closed to others', () => {
  // Without owners: which users this machine has does not matter here.
  const text = readFileSync('systemd/sendwerk.tmpfiles.conf', 'utf8').replaceAll(
    / (root|sendwerk) sendwerk /g,
    ' - - ',
  );
  const { status, output } = run(
    'systemd-tmpfiles',
    '--create',
    `--root=${directory}`,
    write('tmpfiles.conf', text),
  );
  expect({ status, output }).toEqual({ status: 0, output: '' });
  expect(statSync(join(directory, 'var/lib/sendwerk')).mode & 0o777).toBe(0o700);
  expect(statSync(join(directory, 'var/backups/sendwerk')).mode & 0o777).toBe(0o700);
  expect(statSync(join(directory, 'etc/sendwerk')).mode & 0o777).toBe(0o750);
});
