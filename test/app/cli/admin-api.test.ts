// Against a server that answers by a script: what a daemon answers is told as it says it, and what is no daemon is
// not taken for one.

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { type AdminApi, createAdminApi, readAdminAccess } from '#src/app/cli/admin-api.ts';
import { CommandError } from '#src/app/cli/command.ts';
import { Secret } from '#src/kernel/secret.ts';
import { freePort } from '#test/support/process.ts';

interface Scripted {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}
interface Seen {
  readonly line: string;
  readonly token: IncomingMessage['headers'][string];
  readonly body: string;
}

const TOKEN = 'correct-horse-battery';

const start = async (answerTo: (path: string) => Scripted) => {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const { method, url = '', headers } = request;
    seen.push({ line: `${method} ${url}`, token: headers['x-admin-token'], body: await text(request) });
    const { status, body, headers: more } = answerTo(url);
    response.writeHead(status, more).end(typeof body === 'string' ? body : JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const origin = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  return { api: createAdminApi({ origin, token: new Secret(TOKEN) }), origin, seen };
};

const pagesOf =
  (...pages: readonly (readonly { id: string; slug: string }[])[]) =>
  (path: string): Scripted => {
    const page = Number(new URL(path, 'http://x').searchParams.get('cursor') ?? 0);
    const next_cursor = page + 1 < pages.length ? String(page + 1) : null;
    return { status: 200, body: { data: pages[page], next_cursor } };
  };
const one = { id: '018f0000-0000-7000-8000-000000000001', slug: 'one' };
const two = { id: '018f0000-0000-7000-8000-000000000002', slug: 'two' };

test('a call brings the token and its body, and gives the answer', async () => {
  const { api, seen } = await start(() => ({ status: 201, body: { id: 'x' } }));
  expect(await api.call('POST', '/api/a', { name: 'ü', absent: undefined })).toEqual({ id: 'x' });
  expect(seen).toEqual([{ line: 'POST /api/a', token: TOKEN, body: '{"name":"ü"}' }]);
});

test('an answer without a body is none', async () => {
  const { api } = await start(() => ({ status: 204 }));
  expect(await api.call('DELETE', '/api/a')).toBeUndefined();
});

test.each<[string, Scripted, string | RegExp]>([
  [
    'a refusal: what happened and what to do',
    { status: 409, body: { code: 'conflict', error: 'The name is taken.', hint: 'Choose another.' } },
    'The name is taken. Choose another.',
  ],
  [
    'a refused field: which and why',
    {
      status: 400,
      body: {
        error: '`body.plan`: no such plan (and 1 more)',
        hint: 'Correct the fields named in `fields`.',
        fields: [
          { path: 'body.plan', message: 'no such plan' },
          { path: 'body.name', message: 'is required' },
        ],
      },
    },
    /^plan: no such plan; name: is required$/,
  ],
  [
    'a refusal that would steer the terminal',
    { status: 404, body: { error: 'No \u001b[2J such.', hint: 'a\nb' } },
    'No \ufffd[2J such. a\ufffdb',
  ],
  [
    'another token than the daemon’s',
    { status: 401, body: { error: 'No.', hint: 'Send a token.' } },
    /^the daemon at http:\/\/127\.0\.0\.1:\d+ does not take this admin token/,
  ],
  ['a page of something else', { status: 404, body: '<html>' }, /is not Sendwerk: status 404$/],
  ['a page of something else, found', { status: 200, body: '<html>' }, /is not Sendwerk: status 200$/],
  ['a refusal of something else', { status: 500, body: null }, /is not Sendwerk: status 500$/],
])('%s', async (_, scripted, message) => {
  const { api } = await start(() => scripted);
  const called = api.call('GET', '/api/a');
  await expect(called).rejects.toThrow(CommandError);
  await expect(called).rejects.toThrow(message);
});

test('the token does not follow a redirect', async () => {
  const elsewhere = await start(() => ({ status: 200, body: {} }));
  const { api } = await start(() => ({ status: 307, headers: { Location: `${elsewhere.origin}/api/a` } }));
  await expect(api.call('GET', '/api/a')).rejects.toThrow(/is not Sendwerk: status 307$/);
  expect(elsewhere.seen).toEqual([]);
});

test('nobody listens', async () => {
  const port = await freePort();
  const api = createAdminApi({ origin: `http://127.0.0.1:${port}`, token: new Secret(TOKEN) });
  await expect(api.call('GET', '/api/a')).rejects.toThrow(
    new CommandError(`no daemon is reached at http://127.0.0.1:${port}: ECONNREFUSED`),
  );
});

test('a list is read page by page to its end', async () => {
  const { api, seen } = await start(pagesOf([one], [], [two]));
  expect(await api.list('/api/l', { stage: 'open', plan: undefined })).toEqual({
    data: [one, two],
    next_cursor: null,
  });
  expect(seen.map(({ line }) => line)).toEqual([
    'GET /api/l?stage=open&limit=200',
    'GET /api/l?stage=open&limit=200&cursor=1',
    'GET /api/l?stage=open&limit=200&cursor=2',
  ]);
});

test('a list with a limit ends there, and asks for no more than is missing', async () => {
  const { api, seen } = await start(pagesOf([one], [two], [one]));
  expect(await api.list('/api/l', {}, 2)).toEqual({ data: [one, two], next_cursor: '2' });
  expect(seen.map(({ line }) => line)).toEqual(['GET /api/l?limit=2', 'GET /api/l?limit=1&cursor=1']);
});

test.each<[string, (api: AdminApi) => Promise<string>, string, number]>([
  ['an id is taken as it is', (api) => api.idOfPractice(one.id.toUpperCase()), one.id, 0],
  ['a slug of the first page', (api) => api.pathOfPractice('one'), `/api/practices/${one.id}`, 1],
  ['a slug of a later page', (api) => api.idOfPractice('Two'), two.id, 2],
])('%s', async (_, ask, found, requests) => {
  const { api, seen } = await start(pagesOf([one], [two]));
  expect(await ask(api)).toBe(found);
  expect(seen).toHaveLength(requests);
});

test('a slug that no practice has', async () => {
  const { api } = await start(pagesOf([one], [two]));
  await expect(api.idOfPractice('three')).rejects.toThrow(
    new CommandError('there is no practice with the slug three; `admin practices` lists them'),
  );
});

const directory = mkdtempSync(join(tmpdir(), 'sendwerk-admin-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const file = join(directory, 'service.yaml');

const service = {
  public_origin: 'https://mail.example.com',
  host: 'mail.example.com',
  managed_suffix: 'send.example.com',
};
const read = (config: unknown, environment = { TOKEN }) => {
  writeFileSync(file, typeof config === 'string' ? config : stringify(config));
  const { origin, token } = readAdminAccess(file, environment);
  return { origin, token: token.reveal() };
};
const base = { service, admin: { token_env: 'TOKEN' } };

test.each([
  ['absent', undefined, 'http://127.0.0.1:8080'],
  ['an address', '192.0.2.7:80', 'http://192.0.2.7:80'],
  ['a name', 'localhost:8025', 'http://localhost:8025'],
  ['an IPv6 address', '[2001:db8::1]:8025', 'http://[2001:db8::1]:8025'],
  ['every IPv4 address', '0.0.0.0:8025', 'http://127.0.0.1:8025'],
  ['every address', '[::]:8025', 'http://[::1]:8025'],
  ['every address, written out', '[0:0:0:0:0:0:0:0]:8025', 'http://[::1]:8025'],
])('http.listen: %s', (_, listen, origin) => {
  expect(read({ ...base, ...(listen === undefined ? {} : { http: { listen } }) })).toEqual({
    origin,
    token: TOKEN,
  });
});

test('the token comes from a file as well', () => {
  const tokenFile = join(directory, 'admin.token');
  writeFileSync(tokenFile, `${TOKEN}\n`);
  expect(read({ ...base, admin: { token_file: tokenFile } }).token).toBe(TOKEN);
});

test('secrets that only the service has are not asked for, nor are mistakes elsewhere its business', () => {
  const upstreams = [{ name: 'relay', kind: 'smtp', host: 'h.test', user: 'u', password_env: 'UNSET' }];
  const secrets = { master_key_file: '/nonexistent/master.key' };
  expect(read({ ...base, upstreams, secrets, log: { level: 'loud' } }).token).toBe(TOKEN);
});

test.each([
  ['no token', { service }, /service\.yaml names no admin token: set admin\.token_file or admin\.token_env$/],
  [
    'a variable that is not set',
    { ...base, admin: { token_env: 'UNSET' } },
    /service\.yaml:\d+:\d+: admin\.token_env: expected the environment variable UNSET to be set, got an unset/,
  ],
  [
    'a file that is not there',
    { ...base, admin: { token_file: '/nonexistent/x' } },
    /admin\.token_file: expected a readable file .*, got no such file$/,
  ],
  [
    'both',
    { ...base, admin: { token_env: 'TOKEN', token_file: '/x' } },
    /expected only one of token_file and token_env, got both$/,
  ],
  [
    'a port that the system chose',
    { ...base, http: { listen: '127.0.0.1:0' } },
    /http\.listen takes any free port/,
  ],
  [
    'a wrong address',
    { ...base, http: { listen: 'everywhere' }, log: { level: 'loud' } },
    /^\S+service\.yaml:\d+:\d+: http\.listen: expected host:port, got "everywhere"$/,
  ],
  ['a wrong key', { ...base, admin: { token: 'x' } }, /^\S+: admin\.token: expected a known key/],
  ['no YAML', '{', /^\S+service\.yaml:1:\d+: expected valid YAML/],
])('%s', (_, config, message) => {
  expect(() => read(config)).toThrow(message);
});

test('a token that no header takes is refused without being shown', () => {
  expect(() => read(base, { TOKEN: 'two words' })).toThrow(/expected visible ASCII characters/);
  expect(() => read(base, { TOKEN: 'two words' })).not.toThrow(/two/);
});

test('no file', () => {
  expect(() => readAdminAccess('/nonexistent/service.yaml', {})).toThrow(
    /^\/nonexistent\/service\.yaml cannot be read: ENOENT/,
  );
});
