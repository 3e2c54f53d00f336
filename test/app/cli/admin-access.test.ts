import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { readAdminAccess } from '#src/app/cli/admin-access.ts';

const directory = mkdtempSync(join(tmpdir(), 'sendwerk-admin-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const file = join(directory, 'service.yaml');
const TOKEN = 'correct-horse-battery';

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
