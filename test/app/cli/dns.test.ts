import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { dnsZone } from '#src/app/cli/dns.ts';
import { startApp, type TestApp } from '#test/support/app.ts';

const run = promisify(execFile);
const ENTRY = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

const newFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'sendwerk-zone-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

/** What the command prints. */
const zonesOf = async (app: TestApp, zone?: string): Promise<string> => {
  let printed = '';
  const print = async (pieces: Iterable<string>): Promise<void> => {
    for (const piece of pieces) printed += piece;
  };
  const file = join(app.home, 'service.yaml');
  expect(await dnsZone(file, {}, { zone, print })).toEqual({ exitCode: 0, output: '' });
  return printed;
};

test('before the first start, a zone is refused with what to do about it', async () => {
  const home = await newFolder();
  const file = join(home, 'service.yaml');
  const dataDir = join(home, 'data');
  const service = {
    public_origin: 'https://mail.example.com',
    host: 'mail.example.com',
    managed_suffix: 'send.example.com',
  };
  await writeFile(file, stringify({ service, secrets: { master_key_env: 'KEY' }, data_dir: dataDir }));
  const environment = { KEY: Buffer.alloc(32).toString('base64') };
  await expect(dnsZone(file, environment, { print: async () => {} })).rejects.toThrow(
    `${join(dataDir, 'platform.db')} does not exist yet: start the daemon once`,
  );
});

test('while the daemon runs, the zones have its practices', async () => {
  const app = await startApp();
  onTestFinished(() => app.remove());
  await app.createPractice({ name: 'Praxis am See' });
  const whole = await zonesOf(app);
  expect(whole).toMatch(/^praxis-am-see\.send\.example\.com\.\s/m);
  const zones = ['mail.example.com', 'Send.Example.Com.'];
  const [host = '', suffix = ''] = await Promise.all(zones.map((zone) => zonesOf(app, zone)));
  const withoutSerial = (text: string): string => text.replace(/ \d{10} /g, ' ');
  expect(withoutSerial(host + suffix)).toBe(withoutSerial(whole));
  expect(host).toMatch(/^; zone mail\.example\.com\nmail\.example\.com\. 3600 IN SOA /);
  expect(suffix).toMatch(/^; zone send\.example\.com\nsend\.example\.com\. 3600 IN SOA /);
  await expect(zonesOf(app, 'example.com')).rejects.toThrow(
    'example.com is no zone of this installation; these are: mail.example.com, send.example.com',
  );
});

describe('many tenants', () => {
  const TENANTS = 10_000;
  /** More than a page of hosts, and of tokens. */
  const SOME_TENANTS = 1_200;
  /** The program alone takes a third of it; the zones would take more than twice as much. */
  const HEAP_MB = 64;

  /** Hosts and tokens as they would be, all of one tenant. */
  const fill = (app: TestApp, suffix: string, tenants: number): void => {
    const numbers = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${tenants})`;
    app.sql(
      null,
      `INSERT INTO domains (name, tenant_id, kind, created_at)
       ${numbers} SELECT 'praxis-' || n || '.${suffix}', (SELECT min(id) FROM tenants), 'managed', 0 FROM numbers`,
    );
    app.sql(
      null,
      `INSERT INTO dkim_tokens (token, tenant_id, domain, record, position, created_at)
       ${numbers} SELECT 'token' || position || 'x' || n, tenant_id, 'praxis-' || n || '.${suffix}', record, position, 0
       FROM numbers, (SELECT DISTINCT position, tenant_id, record FROM dkim_tokens
                      WHERE tenant_id = (SELECT min(id) FROM tenants)) WHERE true`,
    );
  };

  const printInto = async (path: string, app: TestApp, zone: string): Promise<string> => {
    const args = [`--max-old-space-size=${HEAP_MB}`, ENTRY, 'dns', 'zone', '--zone', zone];
    const child = spawn(execPath, [...args, '--config', join(app.home, 'service.yaml')]);
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-2_000);
    });
    const ended = once(child, 'close');
    await pipeline(child.stdout, createWriteStream(path));
    const [code] = await ended;
    return code === 0 ? 'printed' : said;
  };

  test.each([
    ['zones that stand apart', 'send.example.com', TENANTS],
    ['the suffix below the service host', 'send.mail.example.com', SOME_TENANTS],
  ])(
    'are printed in bounded memory and taken by named: %s',
    { tags: 'debian/bind9-utils' },
    async (_sentence, suffix, tenants) => {
      const app = await startApp({
        config: {
          service: { managed_suffix: suffix },
          dns: { zones: { addresses: ['192.0.2.1', '2001:db8::1'] } },
        },
      });
      onTestFinished(() => app.remove());
      fill(app, suffix, tenants);
      const folder = await newFolder();
      for (const [zone, least] of [
        ['mail.example.com', 3 * tenants],
        [suffix, 16 * tenants - 1],
      ] as const) {
        const path = join(folder, zone);
        expect(await printInto(path, app, zone)).toBe('printed');
        const lines = (await readFile(path, 'utf8')).split('\n').length;
        expect(lines).toBeGreaterThan(least);
        expect(lines).toBeLessThan(least + 200);
        const strict = ['-k', 'fail', '-m', 'fail', '-M', 'fail', '-i', 'local'];
        const { stdout } = await run('named-checkzone', [...strict, zone, path]);
        expect(stdout).toMatch(/^zone \S+\/IN: loaded serial \d+\nOK\n$/);
      }
    },
  );

  test('a reader that has seen enough ends it quietly', async () => {
    const app = await startApp();
    onTestFinished(() => app.remove());
    fill(app, 'send.example.com', TENANTS);
    const command = '"$0" "$@" | head -n 1; echo "$PIPESTATUS"';
    const args = [ENTRY, 'dns', 'zone', '--config', join(app.home, 'service.yaml')];
    const { stdout, stderr } = await run('bash', ['-c', command, execPath, ...args]);
    expect([stdout, stderr]).toEqual(['; zone mail.example.com\n0\n', '']);
  });
});
