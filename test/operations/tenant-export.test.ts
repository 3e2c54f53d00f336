// A practice in one encrypted file: made beside the running daemon while it sends, and nothing of it opens without the secret.
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommandLine } from '#src/app/cli/commands.ts';
import { tenantPlaces } from '#src/app/closed-files.ts';
import { openReadOnly, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { faultsOf } from '#src/operations/file-store.ts';
import { readTenantFile, type Secrets } from '#src/operations/tenant-file.ts';
import { startApp, type TestApp } from '#test/support/app.ts';
import { type Lasting, makeLasting } from '#test/support/lasting.ts';

const PASSPHRASE = 'richtig pferd batterie';
let app: TestApp;
let lasting: Lasting;

const at = (...names: string[]): string => path.join(app.home, ...names);

const run = async (...args: string[]) => {
  let said = '';
  const print = (text: string): void => {
    said += text;
  };
  const exitCode = await runCommandLine([...args, '--config', at('service.yaml')], {
    environment: {},
    signals: { onEnd: () => undefined, onReload: () => undefined },
    print,
    printAll: async () => undefined,
    printError: print,
    isTerminal: false,
  });
  return { exitCode, said };
};

const read = (name: string, secrets: Secrets) =>
  readTenantFile(
    at('out', name),
    secrets,
    async () => at('copy.db'),
    () => undefined,
  );

beforeAll(async () => {
  app = await startApp({ config: { smtp: { inbound: { listen: '127.0.0.1:0' } } } });
  lasting = await makeLasting(app);
  mkdirSync(at('out'));
  writeFileSync(at('passphrase'), `${PASSPHRASE}\n`);
});
afterAll(() => app?.remove());

test('the places of sealed values are those that the rooms hand in', () => {
  const handed = app.sealed.flatMap(({ tenant = [] }) => tenant);
  expect(new Set(tenantPlaces.slice(0, -1))).toEqual(new Set(handed));
});

describe('tenant list and show', () => {
  test('say what there is, also as JSON', async () => {
    const { slug, id } = lasting.sender.practice as { slug: string; id: string };
    const list = await run('tenant', 'list', '--json');
    expect(list.exitCode, list.said).toBe(0);
    expect(JSON.parse(list.said)).toMatchObject([{ id, slug, state: 'active', messages: 2, queue: 0 }]);
    const shown = JSON.parse((await run('tenant', 'show', slug, '--json')).said);
    expect(shown).toMatchObject({ id, rows: { suppressions: 1, webhooks: 1 } });
    expect((await run('tenant', 'list')).said).toMatch(new RegExp(`^${slug} .* active .* ${id}`, 'm'));
    expect(await run('tenant', 'show', 'nirgends')).toMatchObject({ exitCode: 1 });
  });
});

describe('an export', () => {
  test('to a key of age is whole while the practice sends, and holds its own key', async () => {
    const identity = await generateIdentity();
    const key = await identityToRecipient(identity);
    let sending = true;
    const load = (async () => {
      while (sending) await app.send(lasting.sender, { to: 'last@example.org' });
    })();
    const { exitCode, said } = await run(
      'tenant',
      'export',
      lasting.sender.practice.id,
      at('out/praxis'),
      '--key',
      key,
    );
    sending = false;
    await load;
    expect(said).toContain('exported: ');
    expect(exitCode).toBe(0);
    expect(readdirSync(at('out'))).toEqual(['praxis']);
    const head = await read('praxis', { keys: [identity] });
    expect(head).toMatchObject({ id: lasting.sender.practice.id, host: 'mail.example.com' });
    const db = openReadOnly<TenantDb>(at('copy.db'));
    expect(faultsOf(db)).toEqual([]);
    db.close();
    await expect(read('praxis', { keys: [await generateIdentity()] })).rejects.toThrow('open by this key');
    truncateSync(at('out/praxis'), statSync(at('out/praxis')).size - 100);
    await expect(read('praxis', { keys: [identity] })).rejects.toThrow('is damaged or cut off');
  });

  test('to a passphrase shows nothing of the practice', async () => {
    const args = ['tenant', 'export', lasting.sender.practice.id, at('out/zwei')];
    expect(await run(...args, '--passphrase-file', at('passphrase'))).toMatchObject({ exitCode: 0 });
    expect((await run(...args, '--passphrase-file', at('passphrase'))).said).toContain(
      'exists: name another',
    );
    const bytes = readFileSync(at('out/zwei'));
    expect(bytes.toString('latin1')).toMatch(/^age-encryption.org\/v1\n-> scrypt /);
    expect(bytes.includes('Praxis')).toBe(false);
    await expect(read('zwei', { passphrase: 'falsch pferd batterie' })).rejects.toThrow('by this passphrase');
    await expect(read('zwei', { passphrase: PASSPHRASE })).resolves.toMatchObject({
      name: 'Praxis am Markt',
    });
    writeFileSync(at('out/zwei'), 'no file of age');
    await expect(read('zwei', { passphrase: PASSPHRASE })).rejects.toThrow('or is no file of age');
  });

  test('two of one practice at the same time do not disturb each other, and follow no link', async () => {
    writeFileSync(at('elsewhere'), 'of someone else');
    symlinkSync(at('elsewhere'), at('out/.partial-vier'));
    const args = ['tenant', 'export', lasting.sender.practice.id];
    const exported = await Promise.all(
      ['vier', 'fuenf'].map((name) => run(...args, at('out', name), '--passphrase-file', at('passphrase'))),
    );
    expect(exported.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    for (const name of ['vier', 'fuenf'])
      await expect(read(name, { passphrase: PASSPHRASE })).resolves.toMatchObject({
        name: 'Praxis am Markt',
      });
    expect(readFileSync(at('elsewhere'), 'utf8')).toBe('of someone else');
  });

  test('needs a secret that is worth it', async () => {
    writeFileSync(at('short'), 'kurz\n');
    const args = ['tenant', 'export', lasting.sender.practice.id, at('out/drei')];
    expect((await run(...args)).said).toContain('name either --passphrase-file or --key');
    expect((await run(...args, '--passphrase-file', at('short'))).said).toContain('at least 12 characters');
    expect((await run(...args, '--key', 'age1unsinn')).said).toContain('the key cannot be used');
    const typed = await run('tenant', 'import', at('out/praxis'), '--key', await generateIdentity());
    expect(typed.said).toContain('other users of this machine see what is typed');
    expect(typed.exitCode).toBe(2);
    expect(readdirSync(at('out')).includes('drei')).toBe(false);
    expect(readdirSync(at('data/exporting'))).toEqual([]);
  });
});
