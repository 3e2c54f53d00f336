// @module-tag slow
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import process from 'node:process';
import { expect, test } from 'vitest';
import { until } from './process.ts';

const SCRIPT = `
  import { spawnMortal } from '#test/support/process.ts';
  const ended = spawnMortal('true');
  await new Promise((resolve) => ended.once('exit', resolve));
  const children = [spawnMortal('sleep', ['600']), spawnMortal('sh', ['-c', 'trap "" TERM; while :; do sleep 1; done'])];
  process.stdout.write(children.map(({ pid }) => pid).join(' ') + '\\n');
  setInterval(() => undefined, 1_000);`;

test.each(['SIGTERM', 'SIGKILL'] as const)('what a test started ends with it after %s', async (signal) => {
  const parent = execFile(process.execPath, ['--input-type=module', '-e', SCRIPT]);
  const [said] = await once(parent.stdout ?? parent, 'data');
  const children = String(said).trim().split(' ');
  const running = () => children.filter((pid) => existsSync(`/proc/${pid}`));
  expect(running()).toEqual(children);
  parent.kill(signal);
  await until('both have ended', () => running().length === 0);
});
