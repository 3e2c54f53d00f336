// The operator's commands for DKIM keys and the DNS, against a running daemon.
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { adminCommands } from '#src/app/cli/admin.ts';
import { readCommandLine } from '#src/app/cli/command.ts';
import { dkimRecord } from '#src/mail/dkim-key.ts';
import { settledSender, startKeyScene } from '#test/flows/key-scene.ts';
import type { TestApp } from '#test/support/app.ts';
import { startDnsZone } from '#test/support/dns-zone.ts';

/** What `sendwerk admin ...` prints against that daemon; rejects with what it says instead. */
const adminOf = (app: TestApp) => {
  const config = parse(readFileSync(join(app.home, 'service.yaml'), 'utf8'));
  const file = join(app.home, 'admin.yaml');
  writeFileSync(file, stringify({ ...config, http: { listen: new URL(app.origin).host } }));
  return async (...args: string[]): Promise<string> => {
    const asked = readCommandLine(['admin', ...args, '--config', file], adminCommands);
    if ('usage' in asked) return asked.usage;
    return (await asked.run({})).output;
  };
};

const rolesIn = (output: string): string[] =>
  output
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(/ {2,}/)[3] ?? '');

test('dkim-keys lists the keys, rotate-dkim rotates them, with --compromised it withdraws them', async () => {
  const scene = await startKeyScene();
  const { practice, base } = await settledSender(scene);
  const admin = adminOf(scene.app);
  const listed = await admin('dkim-keys', '--practice', practice.slug);
  expect(listed).toMatch(/^HOST +SELECTOR +ALGORITHM +ROLE +IMPORTED +NEXT STEP +AT +HINT\n/);
  expect(rolesIn(listed)).toEqual(['active', 'next', 'active']);
  const asApi = await scene.app.request('GET', `${base}/dkim-keys`, undefined, scene.app.adminToken);
  expect(JSON.parse(await admin('dkim-keys', '--practice', practice.id, '--json'))).toEqual(asApi.body);

  const rotated = await admin('rotate-dkim', '--practice', practice.slug, '--host', practice.managed_host);
  expect(rolesIn(rotated)).toEqual(['retiring', 'active', 'retiring']);
  await expect(admin('rotate-dkim', '--practice', practice.slug)).rejects.toThrow(
    /can take over yet.* One can from/,
  );
  const again = await admin('rotate-dkim', '--practice', practice.slug, '--compromised');
  expect(rolesIn(again)).toEqual(['active', 'revoked', 'retiring']);
  await expect(admin('rotate-dkim', '--practice', practice.slug, '--host', 'x.example')).rejects.toThrow(
    /no keys for x\.example/,
  );
});

test('import-dkim-key takes the key out of a file, check-dns looks at the records', async () => {
  const zone = await startDnsZone();
  onTestFinished(() => zone.stop());
  const { app } = await startKeyScene({}, zone);
  const { slug } = await app.createPractice({ domain: 'praxis.example' });
  const admin = adminOf(app);
  const checked = await admin('check-dns', '--practice', slug);
  expect(checked).toMatch(
    /^host +praxis\.example\npending +yes\nok +no\ndkim verified +no\nchecked at +2.*Z\n/,
  );
  expect(checked).toMatch(/^missing +yes +CNAME +[a-z2-7]{24}\._domainkey\.praxis\.example$/m);
  expect(checked).toMatch(/^TXT _dmarc\.praxis\.example\n {2}expected: v=DMARC1; .*\n {2}\S/m);
  expect(checked).toMatch(/^MX bounce\.praxis\.example\n {2}expected: 10 \S+\n/m);
  expect(JSON.parse(await admin('check-dns', '--practice', slug, '--json'))).toMatchObject({ ok: false });

  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const file = join(app.home, 'dkim.pem');
  writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  zone.set('mail._domainkey.praxis.example', 'TXT', dkimRecord(createPublicKey(privateKey), 'rsa-sha256'));
  const args = ['--practice', slug, '--selector', 'mail', '--key'];
  expect(await admin('import-dkim-key', ...args, file)).toMatch(
    /^praxis\.example +mail +rsa-sha256 +active +yes/m,
  );
  await expect(admin('import-dkim-key', ...args, file)).rejects.toThrow(/selector mail already/);
  await expect(admin('import-dkim-key', ...args, join(app.home, 'none'))).rejects.toThrow(
    /cannot be read: ENOENT/,
  );
  writeFileSync(file, 'nonsense');
  await expect(admin('import-dkim-key', ...args, file)).rejects.toThrow(/^private_key: /);
});

test('approve approves a practice, and takes that back', async () => {
  const { app } = await startKeyScene();
  const { slug, id } = await app.createPractice();
  const admin = adminOf(app);
  const approvedAt = async () =>
    (
      await app.request<{ approved_at: string | null }>(
        'GET',
        `/api/practices/${id}`,
        undefined,
        app.adminToken,
      )
    ).body.approved_at;
  expect(await admin('approve', '--practice', slug)).toBe(`${slug} is approved.\n`);
  expect(await approvedAt()).not.toBeNull();
  expect(await admin('approve', '--practice', slug, '--withdraw')).toBe(`${slug} is not approved.\n`);
  expect(await approvedAt()).toBeNull();
});
