// What the README promises of any Node from 18 on: a user without rights installs, starts and tests a checkout by the npm and the
// Node that a machine happens to have, without compiler and without a Debian package of the tests.
// @module-tag slow
import { arch } from 'node:process';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { soak } from '#test/support/soak.ts';
import { createMachine } from './machine.ts';

/** Of npm, and of the Node that it runs on: those that npm itself is made for. Debian 12 has the first. */
const EACH: readonly (readonly [npm: string, node: string])[] = [
  ['9.2', '18'],
  ['9', '20'],
  ['9', '22'],
  ['9', '24'],
  ['10', '18'],
  ['10', '20'],
  ['10', '22'],
  ['10', '24'],
  ['11', '20'],
  ['11', '22'],
  ['11', '24'],
  ['12', '24'],
];
const pairs = soak(EACH.slice(0, 1), EACH);
/** One of each kind: pure, with a database, a whole service, an installation, the dashboard's parts. */
const TESTS = [
  'test/mail/address.test.ts',
  'test/accounts/tenants/create.test.ts',
  'test/flows/own-practices.test.ts',
  'test/install/lockfile.test.ts',
  'test/install/setup.test.ts',
  'test/kernel/systemd.test.ts',
  'test/dashboard/sentence.test.ts',
];
const TIMEOUT_MS = 900_000;

const tools = createMachine({ unprivileged: true });
const program = (name: string, file: string): string => tools.at('node_modules', name, 'bin', file);
afterAll(() => tools.remove());

beforeAll(async () => {
  tools.handOver();
  const wanted = [
    ...new Set(pairs.map(([npm]) => `npm-${npm}@npm:npm@${npm}`)),
    ...new Set(pairs.map(([, node]) => `node-${node}@npm:node-linux-${arch}@${node}`)),
  ];
  const { status, output } = await tools.run([
    'npm',
    'install',
    '--no-save',
    '--ignore-scripts',
    '--loglevel=error',
    ...wanted,
  ]);
  expect(status, output).toBe(0);
}, TIMEOUT_MS);

test.each(pairs)('npm %s on Node %s', { tags: 'soak', timeout: TIMEOUT_MS }, async (npm, node) => {
  const machine = createMachine({
    node: program(`node-${node}`, 'node'),
    npm: program(`npm-${npm}`, 'npm-cli.js'),
    cache: tools.at('home/.npm'),
    unprivileged: true,
  });
  onTestFinished(machine.remove);
  machine.copySources(machine.at('source'));
  machine.handOver();
  const npmRun = async (...args: string[]): Promise<string> => {
    const { status, output } = await machine.run(['npm', ...args], {}, machine.at('source'));
    expect(status, `npm ${args.join(' ')}: ${output}`).toBe(0);
    return output;
  };

  expect(await npmRun('run', 'quickstart', '--', '--once')).toContain('dkim=pass');
  await npmRun('run', 'check');
  // Programs of Debian packages are not in the PATH of this machine, but tests find some of them without it.
  const tested = await npmRun('test', '--', ...TESTS, '--maxWorkers=1', '--tags-filter=!debian/*');
  expect(tested).toMatch(/^[1-9]\d* passed, 0 failed, /m);
});
