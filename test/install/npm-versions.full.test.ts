// What the README promises of any Node from 18 on: a user without rights installs, starts and tests a checkout by the npm and the
// Node that a machine happens to have, without compiler and without a Debian package of the tests.
// Of these the test of the installation takes the oldest each time; all are tried in full length only.
// @module-tag soak
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createMachine, installPrograms, programsOf } from './machine.ts';

/** Of npm, and of the Node that it runs on: those that npm itself is made for. Debian 12 has the first. */
const PAIRS: readonly (readonly [npm: string, node: string])[] = [
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
afterAll(() => tools.remove());

beforeAll(() => installPrograms(tools, PAIRS), TIMEOUT_MS);

test.each(PAIRS)('npm %s on Node %s', { timeout: TIMEOUT_MS }, async (npm, node) => {
  const machine = createMachine({
    ...programsOf(tools, npm, node),
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
