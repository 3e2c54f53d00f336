import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stringify } from 'yaml';
import { dnsZone } from '#src/cli/dns.ts';
import { startApp } from '#test/support/app.ts';

test('before the first start, a zone is refused with what to do about it', async () => {
  const home = mkdtempSync(join(tmpdir(), 'sendwerk-zone-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const file = join(home, 'service.yaml');
  const dataDir = join(home, 'data');
  const service = {
    public_origin: 'https://mail.example.com',
    host: 'mail.example.com',
    managed_suffix: 'send.example.com',
  };
  writeFileSync(file, stringify({ service, secrets: { master_key_env: 'KEY' }, data_dir: dataDir }));
  const environment = { KEY: Buffer.alloc(32).toString('base64') };
  expect(await dnsZone(file, environment)).toEqual({
    exitCode: 1,
    output: `${join(dataDir, 'platform.db')} does not exist yet: start the daemon once\n`,
  });
});

test('while the daemon runs, the zones have its practices', async () => {
  const app = await startApp();
  onTestFinished(() => app.remove());
  await app.createPractice({ name: 'Praxis am See' });
  const { exitCode, output } = await dnsZone(join(app.home, 'service.yaml'), {});
  expect(exitCode).toBe(0);
  expect(output).toMatch(/^praxis-am-see\.send\.example\.com\.\s/m);
});
