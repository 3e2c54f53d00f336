// @module-tag slow
// @module-tag soak
// Installing, updating and going back on a bare server, by the commands of the README. One server for all, in this order.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '#test/support/process.ts';
import { testInFull } from '#test/support/soak.ts';
import { createMachine, installPrograms, programsOf } from './machine.ts';
import { createServer } from './server.ts';

/** Its packages are installed once; on a busy machine that takes a minute. */
const INSTALL_MS = 600_000;
/** Several versions are started one after the other, which takes more than a minute there. */
const UPDATE_MS = 300_000;
const SCHEMA = 'src/accounts/schema.tenant.sql';

/** Of Debian 12, the oldest that install it; `npm-versions.full` has the others. */
const [NPM, NODE] = ['9.2', '18'] as const;

const tools = createMachine();
let server: Awaited<ReturnType<typeof createServer>>;
beforeAll(async () => {
  await installPrograms(tools, [[NPM, NODE]]);
  server = await createServer(programsOf(tools, NPM, NODE));
}, INSTALL_MS);
afterAll(async () => {
  await server.remove();
  tools.remove();
});

const request = async <T>(method: string, path: string, headers: Record<string, string>, body?: object) => {
  const response = await fetch(server.origin + path, {
    method,
    // The next request may be to another daemon.
    headers: { 'Content-Type': 'application/json', Connection: 'close', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as T };
};

/** What the daemon that answers says of itself. */
const runningVersion = async (): Promise<string> =>
  (await request<{ version: string }>('GET', '/healthz', {})).body.version;

/** With the packages of the first one and without pages, so that nothing is installed or built again. */
const publish = (version: string, files: Readonly<Record<string, string>> = {}): Promise<string> =>
  server.publish({
    'package.json': server.published('package.json').replace(/"version": "[^"]*"/, `"version": "${version}"`),
    'bin/setup': `#!/bin/sh\ncd "$(dirname "$0")/.."\ncp -al "${server.at('opt/current/node_modules')}" .\n`,
    'bin/build.ts': '',
    ...files,
  });

/** For the versions that are published after it to be well again. */
const repaired = (...names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, server.published(name)]));

let second: string;
let messagePath: string;
let bearer: Record<string, string>;

const expectSecond = async (): Promise<void> => {
  expect(server.linked('current')).toBe(second);
  expect(server.linked('previous')).toBe(server.first);
  expect(await runningVersion()).toBe('0.2.0');
};

test('a host without compiler and Python installs it, starts it and sends', {
  timeout: INSTALL_MS,
}, async () => {
  const cloned = await server.run(['git', 'clone', '--quiet', server.at('origin'), server.at('opt/source')]);
  expect(cloned.output).toBe('');
  const { status, output } = await server.run([server.at('opt/source/bin/sendwerk'), 'update']);
  expect(status, output).toBe(0);
  expect(server.linked('current')).toBe(server.first);
  expect((await server.sendwerk('config', 'check')).output).toMatch(/^ok\n/);
  await server.systemctl('restart');
  await until('it is healthy', async () => (await server.sendwerk('health')).status === 0);

  const admin = { 'X-Admin-Token': server.adminToken };
  const practice = await request<{ id: string }>('POST', '/api/practices', admin, { name: 'Praxis' });
  const path = `/api/practices/${practice.body.id}`;
  const fields = { name: 'test', scope: 'team' };
  const token = await request<{ token: string }>('POST', `${path}/api-tokens`, admin, fields);
  bearer = { Authorization: `Bearer ${token.body.token}` };
  const mail = { to: 'erika@example.org', subject: 'Termin', text: 'Bis Montag!' };
  const sent = await request<{ id: string }>('POST', `${path}/send`, bearer, mail);
  expect(sent.status).toBe(202);
  messagePath = `${path}/messages/${sent.body.id}`;
  await until('it is captured', async () => {
    const captures = `${path}/captures?message_id=${sent.body.id}`;
    return (await request<{ data: object[] }>('GET', captures, bearer)).body.data.length === 1;
  });
});

test('an installation that fails leaves the packages as they were', async () => {
  const marker = server.at('opt/source/node_modules/marker');
  mkdirSync(server.at('opt/source/node_modules'));
  writeFileSync(marker, '');
  const unreachable = {
    npm_config_registry: 'http://127.0.0.1:9',
    npm_config_cache: server.at('home/cache'),
    npm_config_fetch_retries: '0',
  };
  const { status, output } = await server.run([server.at('opt/source/bin/setup')], unreachable);
  expect(status, output).toBe(1);
  expect(existsSync(marker)).toBe(true);
  expect(existsSync(server.at('opt/source/node_modules.new'))).toBe(false);
});

test('an update switches to the new version, which finds the data of the one before', {
  timeout: UPDATE_MS,
}, async () => {
  const [one, other] = [SCHEMA, 'src/domains/schema.tenant.sql'];
  // Comments and the rooms of tables are no part of what is in a file.
  const moved = { [one]: server.published(other), [other]: `-- Moved.\n${server.published(one)}` };
  second = await publish('0.2.0', moved);
  const { status, output } = await server.sendwerk('update');
  expect(status, output).toBe(0);
  expect([server.linked('current'), server.linked('previous')]).toEqual([second, server.first]);
  expect(await runningVersion()).toBe('0.2.0');
  expect((await request('GET', messagePath, bearer)).status).toBe(200);
  expect((await server.sendwerk('update')).output).toBe(`sendwerk: ${second} is current already\n`);
});

testInFull.each([
  ['cannot be installed', { 'bin/setup': '#!/bin/sh\necho no registry >&2\nexit 1\n' }, /no registry/],
  [
    'does not take the configuration',
    {
      'src/app/cli/config.ts':
        'export const configCheck = () => ({ exitCode: 1, output: "key unknown\\n" });',
    },
    /key unknown\n.*the configuration does not suit [0-9a-f]+: nothing was changed/,
  ],
  [
    'has other databases under the same number',
    { [SCHEMA]: '-- another' },
    /cannot read the databases of [0-9a-f]+, and nothing brings them over\n.*stop the service/,
  ],
])('a version that %s is not switched to', { timeout: UPDATE_MS }, async (_why, files, says) => {
  const before = repaired(...Object.keys(files));
  const pid = server.pid();
  await publish('0.3.0', files);
  const { status, output } = await server.sendwerk('update');
  await server.publish(before);
  expect(status).toBe(1);
  expect(output).toMatch(says);
  expect(server.pid()).toBe(pid);
  await expectSecond();
});

test('a version that does not start is switched back from', { timeout: UPDATE_MS }, async () => {
  const before = repaired('src/app/cli/serve.ts');
  const bad = await publish('0.3.0', { 'src/app/cli/serve.ts': 'throw new Error("does not start");' });
  const { status, output } = await server.sendwerk('update');
  await server.publish(before);
  expect(status).toBe(1);
  expect(output).toContain(`${bad} does not run: back to ${second}`);
  expect(server.log()).toContain('does not start');
  await expectSecond();
});

/** Does not run, and before that ends the update that starts it, the parent of its parent. */
const cutsOff = (signal: NodeJS.Signals): string => `
import { readFileSync } from 'node:fs';
const [, update] = /^PPid:\\s*(\\d+)$/m.exec(readFileSync('/proc/' + process.ppid + '/status', 'utf8'));
process.kill(Number(update), '${signal}');
throw new Error('does not start');`;

testInFull(
  'a switch goes on where its terminal is gone, and with it who reads what it says',
  {
    timeout: UPDATE_MS,
  },
  async () => {
    const before = repaired('src/app/cli/serve.ts');
    await publish('0.3.0', { 'src/app/cli/serve.ts': cutsOff('SIGHUP') });
    const sendwerk = server.at('opt/current/bin/sendwerk');
    const { output } = await server.run(['sh', '-c', `"${sendwerk}" update 2>&1 | head -n 1`]);
    expect(output).toBe('ok\n');
    await server.publish(before);
    await expectSecond();
  },
);

testInFull(
  'after a switch that was cut off, a version that does not run is switched back from to one that did',
  {
    timeout: UPDATE_MS,
  },
  async () => {
    const before = repaired('src/app/cli/serve.ts');
    const cut = await publish('0.3.0', { 'src/app/cli/serve.ts': cutsOff('SIGKILL') });
    await server.sendwerk('update');
    expect(server.linked('current')).toBe(cut);
    const bad = await publish('0.3.1', { 'src/app/cli/serve.ts': 'throw new Error("does not start");' });
    const { status, output } = await server.sendwerk('update');
    await server.publish(before);
    expect(status).toBe(1);
    expect(output).toContain(`${bad} does not run: back to ${second}`);
    expect(server.linked('current')).toBe(second);
    expect(await runningVersion()).toBe('0.2.0');
  },
);

testInFull(
  'a version that is not well is not switched from, but by force',
  { timeout: UPDATE_MS },
  async () => {
    const next = await publish('0.3.2');
    process.kill(Number(server.pid()), 'SIGKILL');
    const refused = await server.sendwerk('update');
    expect(refused.status).toBe(1);
    expect(refused.output).toMatch(
      /^sendwerk: .*127\.0\.0\.1.* - so whether [0-9a-f]+ runs could not be seen/,
    );
    expect(server.linked('current')).toBe(second);
    expect((await server.sendwerk('update', '--force')).status).toBe(0);
    expect([server.linked('current'), server.linked('previous')]).toEqual([next, second]);
    expect(await runningVersion()).toBe('0.3.2');
    expect((await server.sendwerk('back')).status).toBe(0);
  },
);

testInFull('a switch that was cut off is ended by the next update', { timeout: UPDATE_MS }, async () => {
  const third = await publish('0.4.0');
  expect((await server.sendwerk('update', third)).status).toBe(0);
  // As a power failure leaves it between the exchange of the link and the restart.
  const pid = server.pid();
  writeFileSync(server.at('opt/switching'), '');
  expect((await server.sendwerk('update', third)).output).toContain(`${third} is current`);
  expect(server.pid()).not.toBe(pid);
  expect(existsSync(server.at('opt/switching'))).toBe(false);
  expect(server.versions()).toEqual([second, third].sort());
});

test('back is one command, and back again', { timeout: UPDATE_MS }, async () => {
  const before = server.linked('current');
  const version = await runningVersion();
  const third = await publish('0.4.1');
  expect((await server.sendwerk('update')).status).toBe(0);
  expect((await server.sendwerk('back')).status).toBe(0);
  expect(await runningVersion()).toBe(version);
  expect([server.linked('current'), server.linked('previous')]).toEqual([before, third]);
  // An older copy of the data may be there: nothing is put back where both versions read what is there.
  mkdirSync(server.at('backups/sendwerk-update'), { recursive: true });
  const refused = await server.sendwerk('back', '--restore');
  expect([refused.status, refused.output]).toEqual([1, expect.stringContaining('without --restore')]);
  expect(await runningVersion()).toBe(version);
  expect((await server.sendwerk('back')).status).toBe(0);
  expect(await runningVersion()).toBe('0.4.1');
});

testInFull(
  'back over a new migration leads by the data as they were before the update',
  {
    timeout: UPDATE_MS,
  },
  async () => {
    const third = server.linked('current');
    const fourth = await publish('0.5.0', {
      'src/app/migrations/tenant/0002-more.sql': 'CREATE TABLE more (id INTEGER) STRICT;',
    });
    const updated = await server.sendwerk('update');
    expect(updated.status, updated.output).toBe(0);
    expect(await runningVersion()).toBe('0.5.0');
    const refused = await server.sendwerk('back');
    expect(refused.status).toBe(1);
    expect(refused.output).toContain(
      `${third} cannot read the databases as they are now: sendwerk back --restore`,
    );
    expect(server.linked('current')).toBe(fourth);
    // A copy of another update is no way back.
    const note = server.at('backups/sendwerk-update.versions');
    const noted = readFileSync(note, 'utf8');
    writeFileSync(note, noted.replace(third, second));
    const old = await server.sendwerk('back', '--restore');
    expect([old.status, old.output]).toEqual([
      1,
      expect.stringContaining('has no copy that was made before'),
    ]);
    expect(await runningVersion()).toBe('0.5.0');
    writeFileSync(note, noted);
    const back = await server.sendwerk('back', '--restore');
    expect(back.status, back.output).toBe(0);
    expect(server.linked('current')).toBe(third);
    expect((await request('GET', messagePath, bearer)).status).toBe(200);
  },
);
