// What every npm must find in the lockfile, and what the one of this machine has made of it.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { arch, execPath, platform } from 'node:process';
import { afterAll, expect, test } from 'vitest';

interface Entry {
  readonly resolved?: string;
  readonly optional?: boolean;
  readonly engines?: Readonly<Record<string, string>>;
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
  readonly libc?: readonly string[];
}

const directory = mkdtempSync(join(tmpdir(), 'sendwerk-lockfile-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const lockfile: { packages: Record<string, Entry> } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const entries = Object.entries(lockfile.packages);

const check = (...options: string[]) => {
  const { status, stderr } = spawnSync(execPath, [resolve('bin/lockfile.ts'), ...options], {
    cwd: directory,
    encoding: 'utf8',
  });
  return { status, stderr };
};

test('no optional package is left out for the Node that runs npm, and none names a registry', () => {
  copyFileSync('package-lock.json', join(directory, 'package-lock.json'));
  expect(check()).toEqual({ status: 0, stderr: '' });
  expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

test('engines that npm has written are refused with the command that takes them away, and nothing else', () => {
  const path =
    Object.keys(lockfile.packages).find((name) => name.includes('@rolldown/binding-linux-x64-gnu')) ?? '';
  const written = structuredClone(lockfile);
  written.packages[path] = { ...written.packages[path], engines: { node: '^20.19.0 || >=22.12.0' } };
  writeFileSync(join(directory, 'package-lock.json'), `${JSON.stringify(written, null, 2)}\n`);
  const refused = check();
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain(path);
  expect(refused.stderr).toContain('`npm run format`');
  expect(check('--write')).toEqual({ status: 0, stderr: '' });
  expect(readFileSync(join(directory, 'package-lock.json'), 'utf8')).toBe(
    readFileSync('package-lock.json', 'utf8'),
  );
});

test('each optional package that is made for this machine is installed', () => {
  const { glibcVersionRuntime } = (process.report.getReport() as { header: { glibcVersionRuntime?: string } })
    .header;
  const libc = glibcVersionRuntime === undefined ? 'musl' : 'glibc';
  const made = entries.filter(
    ([, entry]) =>
      entry.optional &&
      [entry.os].flat().includes(platform) &&
      [entry.cpu].flat().includes(arch) &&
      (entry.libc ?? [libc]).includes(libc),
  );
  expect(made.length).toBeGreaterThan(0);
  expect(made.map(([path]) => path).filter((path) => !existsSync(join(path, 'package.json')))).toEqual([]);
});
