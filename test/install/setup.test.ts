// `npm run setup`, which every other script begins with: it installs only where there is something to install.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const directory = mkdtempSync(join(tmpdir(), 'sendwerk-setup-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const file = (name: string, content: string, changedAt: number): void => {
  writeFileSync(join(directory, name), content);
  utimesSync(join(directory, name), changedAt, changedAt);
};

const setup = () => {
  // What npm warns of on stderr is its own, as that of an old one on this Node.
  const { status, stdout } = spawnSync('npm', ['run', '-s', 'setup'], {
    cwd: directory,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
  });
  return { status, stdout };
};

test('packages that are as new as the lockfile are left alone, older ones are installed', () => {
  copyFileSync(
    fileURLToPath(new URL('../../package.json', import.meta.url)),
    join(directory, 'package.json'),
  );
  for (const name of ['bin', 'node_modules']) mkdirSync(join(directory, name));
  file('bin/setup', '#!/bin/sh\necho installed\n', 1);
  chmodSync(join(directory, 'bin/setup'), 0o755);
  file('package-lock.json', '{}', 100);
  file('node_modules/.package-lock.json', '{}', 200);
  expect(setup()).toEqual({ status: 0, stdout: '' });
  file('package-lock.json', '{}', 300);
  expect(setup()).toEqual({ status: 0, stdout: 'installed\n' });
});
