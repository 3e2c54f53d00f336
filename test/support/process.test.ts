// @module-tag slow
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import net from 'node:net';
import process from 'node:process';
import { expect, test } from 'vitest';
import { startDaemon, untilHealthy } from './daemon.ts';
import { freePort, spawnMortal, until } from './process.ts';

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

test('a free port is none that a listener at port 0 or a connection may get meanwhile', async () => {
  const lowest = Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10);
  const server = net.createServer();
  let port = 0;
  while (!server.listening) {
    port = (await freePort()) + 1;
    // Another process may have that one.
    await once(server.listen(port, '127.0.0.1'), 'listening').catch(() => undefined);
  }
  const next = await freePort();
  server.close();
  expect(next).not.toBe(port);
  expect(next).toBeLessThan(lowest);
});

test('a daemon is not mistaken for another one that has taken its port', async () => {
  const other = await startDaemon();
  try {
    const child = spawnMortal('sleep', ['0.5']);
    await expect(untilHealthy(other.origin, 'another token', child, () => '')).rejects.toThrow(
      'ended at its start',
    );
  } finally {
    await other.remove();
  }
});
