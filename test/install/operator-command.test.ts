// What `bin/sendwerk` makes of the operator's words: a played program prints those that it gets.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sendwerk as sendwerkHere } from '#test/support/shell.ts';
import { createMachine } from './machine.ts';

const machine = createMachine();
const { at, run } = machine;

beforeAll(() => {
  mkdirSync(at('current/node_modules/.bin'), { recursive: true });
  mkdirSync(at('state'));
  const moved = readFileSync('bin/sendwerk', 'utf8')
    .replace('root=/opt/sendwerk', `root=${at()}`)
    .replace('home=/var/lib/sendwerk', `home=${at('state')}`);
  writeFileSync(at('sendwerk'), moved, { mode: 0o755 });
  machine.script('runuser', '#!/bin/sh\necho "$1 $2 $3"\nshift 3\nexec "$@"\n');
  const program = '#!/bin/sh\npwd\nshift\necho "$@"\necho "key: $LITESTREAM_ACCESS_KEY_ID"\n';
  writeFileSync(at('current/node_modules/.bin/node'), program, { mode: 0o755 });
});
afterAll(() => machine.remove());

const sendwerk = async (words: readonly string[], environment = {}): Promise<string[]> =>
  (await run([at('sendwerk'), ...words], environment)).output.split('\n');

test.each([
  ['backup list', 'backup list --config /etc/sendwerk/service.yaml'],
  ['backup list --config /etc/sendwerk/other.yaml', 'backup list --config /etc/sendwerk/other.yaml'],
  ['--config=/etc/sendwerk/other.yaml health', '--config=/etc/sendwerk/other.yaml health'],
  ['litestream-config', 'litestream-config --config /etc/sendwerk/service.yaml'],
  ['config check', 'config check --config /etc/sendwerk/service.yaml'],
  ['config example', 'config example'],
  ['restore --help', 'restore --help'],
  ['help', 'help'],
  ['version', 'version'],
  ['', ''],
])('`sendwerk %s` runs `%s`', async (given, expected) => {
  expect((await sendwerk(given.split(' ').filter(Boolean)))[2]).toBe(expected);
});

test('it names the configuration to the commands that read one, and to no other', async () => {
  const { printed } = await sendwerkHere(['help']);
  const names = [...printed.matchAll(/^ {2}([a-z-]+(?: [a-z-]+)*) {3,}/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(40);
  const wrong: string[] = [];
  for (const name of names.filter((one) => !['serve', 'setup'].includes(one))) {
    const words = name.split(' ');
    const isRead = (await sendwerkHere([...words, '--help'])).printed.includes('--config');
    if (isRead !== (await sendwerk(words))[2]?.includes('--config')) wrong.push(name);
  }
  expect(wrong).toEqual([]);
});

test('it runs as the user of the service in its directory, with the environment of the caller', async () => {
  const printed = await sendwerk(['health'], { LITESTREAM_ACCESS_KEY_ID: 'the key' });
  expect(printed[0]).toBe('-u sendwerk --');
  expect(printed[1]).toBe(at('state'));
  expect(printed[3]).toBe('key: the key');
});
