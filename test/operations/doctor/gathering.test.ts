// What `sendwerk doctor` gathers from the network, with servers that really answer: the time, ports from another machine, checks that
// do not end.
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { askTime } from '#src/operations/doctor/ask-time.ts';
import { ok } from '#src/operations/doctor/finding.ts';
import { isSshTarget, reach, reachFrom } from '#src/operations/doctor/reach-ports.ts';
import { runChecks } from '#src/operations/doctor/run.ts';
import { freePort } from '#test/support/process.ts';

const EPOCH_S = 2_208_988_800;

/** Answers with its own time, `ahead` ms before this machine's, and with `head` for its first byte. */
const timeServer = async (ahead: number, head = 0x24, echoes = true): Promise<Socket> => {
  const server = createSocket('udp4');
  onTestFinished(() => void server.close());
  server.on('message', (question, { port, address }) => {
    const answer = Buffer.alloc(48);
    answer[0] = head;
    answer[1] = 2;
    if (echoes) question.copy(answer, 24, 40, 48);
    const now = Date.now() + ahead;
    for (const at of [32, 40]) {
      answer.writeUInt32BE(Math.floor(now / 1_000) + EPOCH_S, at);
      answer.writeUInt32BE(Math.floor((now % 1_000) * 4_294_967.296), at + 4);
    }
    server.send(answer, port, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};
const offsetBy = async (server: Socket, within = 5_000): Promise<number | null> =>
  askTime('127.0.0.1', Date.now, AbortSignal.timeout(within), server.address().port);

test('the offset of a clock is what a time server says', async () => {
  const offset = await offsetBy(await timeServer(90_000));
  expect(offset).toBeGreaterThan(-91_000);
  expect(offset).toBeLessThan(-89_000);
});

test('a server that is not set, or that answers another question, says nothing', async () => {
  expect(await offsetBy(await timeServer(0, 0xe4))).toBeNull();
  expect(await offsetBy(await timeServer(0, 0x24, false), 200)).toBeNull();
});

test('a port that is open and one that is not, from here and by the shell of another machine', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const closed = await freePort();
  expect(await reach('127.0.0.1', port, AbortSignal.timeout(5_000))).toBeNull();
  expect(await reach('127.0.0.1', closed, AbortSignal.timeout(5_000))).toMatch(/ECONNREFUSED/);

  const directory = await mkdtemp(path.join(tmpdir(), 'ssh-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const ssh = path.join(directory, 'ssh');
  // It runs here what ssh would run there.
  await writeFile(ssh, '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift 2\nexec "$@"\n');
  await chmod(ssh, 0o755);
  const places = [port, closed].map((one) => ({
    where: `x:${one}`,
    what: 'mail' as const,
    host: '127.0.0.1',
    port: one,
  }));
  expect(await reachFrom('user@host', places, AbortSignal.timeout(10_000), ssh)).toEqual([
    { where: `x:${port}`, what: 'mail', error: null },
    { where: `x:${closed}`, what: 'mail', error: 'no connection' },
  ]);
  await writeFile(ssh, '#!/bin/sh\necho no route >&2\nexit 255\n');
  await expect(reachFrom('user@host', places, AbortSignal.timeout(10_000), ssh)).rejects.toThrow('no route');
});

test.each([
  ['user@host.example', true],
  ['192.0.2.1', true],
  ['-oProxyCommand=touch /tmp/x', false],
  ['user@-host', false],
  ['a b', false],
])('ssh may connect to %s: %s', (target, expected) => {
  expect(isSshTarget(target)).toBe(expected);
});

test('a check that does not end, and one that throws, are findings beside the others', async () => {
  const found = await runChecks([
    { name: 'clock', within: 50, run: () => new Promise(() => undefined) },
    { name: 'disk', run: async () => ok('there is room') },
    {
      name: 'secrets',
      run: () => {
        throw new Error('EACCES');
      },
    },
  ]);
  expect(found.map(({ number, state, found: text }) => `${number} ${state} ${text}`)).toEqual([
    '2 warn it could not be found out: EACCES',
    '4 ok there is room',
    '6 warn it did not end within 0.05 s',
  ]);
});
