import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { createLog } from '#src/kernel/log.ts';
import { createNotifier } from '#src/kernel/systemd.ts';

/** A manager's end of the protocol: prints each datagram as a line. What comes along as descriptors is closed. */
const RECEIVER = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print('listening', flush=True)
while True:
    text = s.recv(4096).decode()
    if not text.startswith('BARRIER='):
        print(text.strip().replace('\\n', ' '), flush=True)
`;

const silent = createLog('silent');
const directory = mkdtempSync(join(tmpdir(), 'sendwerk-notify-'));
const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill();
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const receiver = async () => {
  const socket = join(mkdtempSync(join(directory, 'socket-')), 'notify');
  const child = spawn('python3', ['-c', RECEIVER, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await lines.next()).value);
  expect(await next()).toBe('listening');
  return { socket, next };
};

const environmentFor = (socket: string) => ({ NOTIFY_SOCKET: socket, PATH: '/usr/bin:/bin' });

describe('what the service manager hears', { tags: ['debian/python3', 'debian/systemd'] }, () => {
  test('ready, reloading, ready and stopping, in the order they were said', async () => {
    const { socket, next } = await receiver();
    const notifier = createNotifier(environmentFor(socket), silent);
    void notifier.ready();
    void notifier.reloading();
    void notifier.ready();
    void notifier.stopping();
    await notifier.stop();
    expect([await next(), await next(), await next(), await next()]).toEqual([
      'READY=1',
      'RELOADING=1',
      'READY=1',
      'STOPPING=1',
    ]);
  });

  test('signs of life until it is stopped', async () => {
    const { socket, next } = await receiver();
    const notifier = createNotifier({ ...environmentFor(socket), WATCHDOG_USEC: '40000' }, silent);
    notifier.startWatchdog();
    expect([await next(), await next()]).toEqual(['WATCHDOG=1', 'WATCHDOG=1']);
    await notifier.stop();
    await notifier.stopping();
    let last = await next();
    while (last === 'WATCHDOG=1') last = await next();
    expect(last).toBe('STOPPING=1');
  });
});

describe('nobody listens', () => {
  test('without NOTIFY_SOCKET nothing is started', async () => {
    const notifier = createNotifier({ PATH: '/nonexistent', WATCHDOG_USEC: '1000' }, silent);
    notifier.startWatchdog();
    await Promise.all([notifier.ready(), notifier.reloading(), notifier.stopping(), notifier.stop()]);
  });

  test.each([
    ['the socket is gone', '/usr/bin:/bin', 'systemd-notify ended with 1'],
    ['systemd-notify is not installed', '/nonexistent', 'ENOENT'],
  ])('a warning is logged when %s', { tags: 'debian/systemd' }, async (_name, path, reason) => {
    const lines: string[] = [];
    const log = createLog('warn', { write: (line: string) => lines.push(line) });
    const notifier = createNotifier({ NOTIFY_SOCKET: join(directory, 'absent'), PATH: path }, log);
    await notifier.ready();
    expect(lines.join('')).toContain('READY=1');
    expect(lines.join('')).toContain(reason);
  });
});
