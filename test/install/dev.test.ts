// `npm run dev` in a copy of the checkout: what a contributor changes there is what the service shows.
// @module-tag slow
import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '#test/support/process.ts';
import { temporaryDirectory } from '../flows/fixture.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const TIMEOUT_MS = 120_000;

test('the worked example of an endpoint is served as soon as it is applied', {
  timeout: TIMEOUT_MS,
}, async () => {
  const files = new AsyncDisposableStack();
  onTestFinished(() => files.disposeAsync());
  const copy = path.join(await temporaryDirectory(files), 'checkout');
  await mkdir(copy);
  for (const name of ['src', 'bin', 'package.json', 'tsconfig.json'])
    await cp(path.join(ROOT, name), path.join(copy, name), { recursive: true });
  await symlink(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));

  const dev = spawn(process.execPath, ['bin/dev.ts', '--no-build', '--no-seed'], { cwd: copy });
  const ended = new Promise<void>((resolve) => dev.once('exit', () => resolve()));
  files.defer(async () => {
    dev.kill('SIGTERM');
    await ended;
  });
  let printed = '';
  for (const stream of [dev.stdout, dev.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  const starts = (count: number) =>
    until(`start ${count}`, () => printed.split('The daemon is up after').length > count, TIMEOUT_MS);
  await starts(1);
  expect(printed).toMatch(/Sign in: http:\S+\/app\/sign-in#/);
  const origin = /^export SENDWERK_URL=(.+)$/m.exec(printed)?.[1];

  const page = path.join(ROOT, 'docs/develop/examples/endpoint.md');
  await promisify(execFile)('git', ['apply', '--include=src/*', page], { cwd: copy });
  await starts(2);
  const exported = (name: string) => new RegExp(`^export ${name}=(.+)$`, 'm').exec(printed)?.[1];
  const answer = await fetch(`${origin}/api/practices/${exported('SENDWERK_PRACTICE')}/list-count`, {
    headers: { Connection: 'close', Authorization: `Bearer ${exported('SENDWERK_TOKEN')}` },
  });
  expect(await answer.json()).toEqual({ count: 0 });
});
