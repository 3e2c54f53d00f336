// A backup of a practice that has left this host and come back since: it has another number now, so the backup is brought here by
// another directory, as the refusal says.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '#src/app/cli/commands.ts';
import { startApp, type TestApp } from '#test/support/app.ts';
import { freePort } from '#test/support/process.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ config: { http: { listen: `127.0.0.1:${await freePort()}` } } });
});
afterAll(() => app.remove());

const run = async (config: string, ...args: string[]): Promise<string> => {
  let said = '';
  const print = (text: string): void => {
    said += text;
  };
  const exitCode = await runCommandLine([...args, '--config', config], {
    environment: {},
    signals: { onEnd: () => undefined, onReload: () => undefined },
    print,
    printAll: async () => undefined,
    printError: print,
    isTerminal: false,
  });
  return `${exitCode} ${said}`;
};

test('a backup of before a practice left and came back is brought here by another directory', async () => {
  const home = mkdtempSync(path.join(app.home, 'scratch-'));
  const at = (name: string): string => path.join(home, name);
  const config = path.join(app.home, 'service.yaml');
  const identity = await generateIdentity();
  writeFileSync(at('secret'), identity);
  const [to, by] = [
    ['--key', await identityToRecipient(identity)],
    ['--key', at('secret')],
  ];
  const sender = await app.createSender();
  const { slug, id } = sender.practice;
  const sent = await app.send(sender, { subject: 'former' });

  expect(await run(config, 'backup', at('backups'))).toMatch(/^0 /);
  expect(await run(config, 'tenant', 'export', slug, at('left'), ...to)).toMatch(/^0 /);
  expect(await run(config, 'tenant', 'erase', slug, '--yes', slug, '--discard-queue')).toMatch(/^0 /);
  expect(await run(config, 'tenant', 'import', at('left'), ...by)).toMatch(/^0 /);
  app.sql(id, "UPDATE messages SET subject = 'later'");
  const refused = await run(config, 'restore', at('backups'), '--tenant', slug, '--replace');
  expect(refused).toMatch(/^1 .*under number.*Restore it into another directory/s);

  const former = at('former');
  const elsewhere = readFileSync(config, 'utf8').replace(/^data_dir: .*$/m, `data_dir: ${former}`);
  writeFileSync(at('former.yaml'), elsewhere);
  expect(await run(config, 'restore', at('backups'), '--to', former)).toMatch(/^0 /);
  expect(await run(at('former.yaml'), 'tenant', 'export', slug, at('came'), ...to)).toMatch(/^0 /);
  expect(await run(config, 'tenant', 'erase', slug, '--yes', slug, '--discard-queue')).toMatch(/^0 /);
  expect(await run(config, 'tenant', 'import', at('came'), ...by)).toMatch(/^0 /);
  const message = await app.request('GET', `${sender.base}/messages/${sent}`, undefined, sender.token);
  expect(message.body).toMatchObject({ subject: 'former' });
});
