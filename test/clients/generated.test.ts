// What of the clients is made of the API's description is as old as the routes; what is written by hand stays small.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { startApp } from '#test/support/app.ts';
import { generatedFiles } from '../../bin/clients/files.ts';
import { ROOT } from './packed.ts';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

test('the tables and types of the clients are those of the routes', async () => {
  await using files = new AsyncDisposableStack();
  const app = await startApp();
  files.defer(() => app.remove());
  const document = parse((await app.request('GET', '/openapi.yaml')).text);
  for (const [file, text] of Object.entries(generatedFiles(document)))
    expect(read(file) === text, `${file} is older than the routes; \`node bin/clients.ts\` makes it`).toBe(
      true,
    );
});

test('each client has at most 800 lines that are written by hand', () => {
  const lines = (folder: string): number =>
    readdirSync(join(ROOT, folder))
      .filter((name) => /\.(?:js|d\.ts|py)$/.test(name) && !/^_?operations\./.test(basename(name)))
      .map((name) => read(join(folder, name)).split('\n').length - 1)
      .reduce((sum, count) => sum + count, 0);
  expect(lines('clients/node')).toBeLessThanOrEqual(800);
  expect(lines('clients/python/sendwerk')).toBeLessThanOrEqual(800);
});

test('the clients have the version of the service and its licence', () => {
  const { version } = JSON.parse(read('package.json'));
  expect(JSON.parse(read('clients/node/package.json')).version).toBe(version);
  expect(read('clients/python/sendwerk/_operations.py')).toContain(`VERSION = "${version}"`);
  for (const client of ['node', 'python']) expect(read(`clients/${client}/LICENSE`)).toBe(read('LICENSE'));
});
