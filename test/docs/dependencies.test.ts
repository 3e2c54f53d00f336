// docs/dependencies.md against package.json, the lockfile and what the packages say of themselves.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ARCHITECTURES, FOR_BUILDING, readLockfile, shippedPackages } from '../../bin/release/packages.ts';

const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const rows = readFileSync('docs/dependencies.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| package') && !line.startsWith('| ---'))
  .map((line) => line.slice(2, -2).split(' | '));

/** Those that ask nothing of who passes a program on but that their text goes along. */
const PERMISSIVE =
  /^(?:0BSD|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|CC0-1\.0|ISC|MIT|MIT-0|Python-2\.0|Unlicense)$/;

/** A shared library under the LGPL, which the page names: whoever passes it on must let others replace it. */
const SHARED_LIBRARY = /^node_modules\/@img\/sharp-libvips-linux-(?:x64|arm64)$/;

/** As the package itself says; null where it is not made for this machine. */
const licenceOf = (path: string): string | null =>
  existsSync(`${path}/package.json`)
    ? String(JSON.parse(readFileSync(`${path}/package.json`, 'utf8')).license).replace(/^\((.*)\)$/, '$1')
    : null;

const lockfile = readLockfile('.');

test('each dependency has its line, with a reason', () => {
  const named = rows.map(([name]) => name);
  expect(named).toEqual(Object.keys({ ...dependencies, ...optionalDependencies }).sort());
  expect(rows.filter(([, , , reason]) => (reason ?? '').length < 5)).toEqual([]);
});

test('licences are those that the packages name, and places those where a release has them', () => {
  const place = (name: string): string =>
    name === 'esbuild' ? 'build' : FOR_BUILDING.has(name) ? 'pages' : 'daemon';
  const expected = rows.map(([name = '', licence]) => [
    name,
    licenceOf(`node_modules/${name}`) ?? licence,
    place(name),
  ]);
  expect(rows.map((row) => row.slice(0, 3))).toEqual(expected);
});

test('nothing that is shipped is under copyleft alone but one shared library', () => {
  const paths = new Set([
    ...ARCHITECTURES.flatMap((arch) => shippedPackages(lockfile, arch)),
    ...[...FOR_BUILDING].map((name) => `node_modules/${name}`),
  ]);
  const refused = [...paths]
    .map((path) => ({ path, licence: licenceOf(path) }))
    .filter(({ path }) => !SHARED_LIBRARY.test(path))
    .filter(({ licence }) => licence !== null && !licence.split(' OR ').some((one) => PERMISSIVE.test(one)));
  expect(refused).toEqual([]);
});

test('what a release leaves out is not imported by the daemon', () => {
  const sources = globSync('src/**/*.ts').filter((name) => !name.startsWith('src/dashboard/'));
  const imported = sources.flatMap((name) => {
    const text = readFileSync(name, 'utf8');
    return [...FOR_BUILDING]
      .filter((one) => new RegExp(`['"]${one}['"/]`).test(text))
      .map((one) => `${name}: ${one}`);
  });
  expect(imported).toEqual([]);
});
