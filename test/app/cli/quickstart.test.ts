// `sendwerk quickstart --once` as a newcomer runs it: the whole program as a process of its own.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));

test('it sends, verifies both signatures, and shows what the simulator brings back', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, 'quickstart', '--once']);
  expect(stdout.match(/dkim=pass/g)).toHaveLength(2);
  for (const line of [/bounce@\S+ +hard_bounced/, /complaint@\S+ +spam_complaint/, /ooto@\S+ +auto_replied/])
    expect(stdout).toMatch(line);
});
