// What an operator does to the daemon: end it under load, have it read its configuration again, start it wrongly.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { runCommandLine } from '#src/app/cli/commands.ts';
import {
  endedWithin,
  endWithin,
  type HealthBody,
  health,
  inFlightAtMost,
  newTally,
  numbered,
  openPractice,
  PATIENCE_MS,
  relayAt,
  sendTo,
  temporaryDirectory,
  untilIdle,
  untilTestEnds,
} from '#test/flows/fixture.ts';
import { type ConfigFile, type Daemon, startDaemon } from '#test/support/daemon.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, OK } from '#test/support/smtp-receiver.ts';

const ENTRY = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const CLIENTS = 16;
const POOL = 8;
/** More than can be under way at a time: some are still in the queue when the daemon ends. */
const MESSAGES = 300;
/** Of a daemon that has little left to do; without the drain's bound it would wait half a minute for a client. */
const ENDED_MS = 20_000;

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** `serve`, run until it ends by itself. */
async function serve(configFile: string): Promise<Ended> {
  const options = { timeout: PATIENCE_MS };
  return promisify(execFile)(execPath, [ENTRY, 'serve', '--config', configFile], options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: Ended) => error,
  );
}

/** The same in this process, for a start that ends before anything is opened; with what it says on standard error. */
async function refuse(configFile: string): Promise<Pick<Ended, 'code' | 'stderr'>> {
  let stderr = '';
  const code = await runCommandLine(['serve', '--config', configFile], {
    environment: {},
    signals: { onEnd: () => undefined, onReload: () => undefined },
    print: () => undefined,
    printAll: async () => undefined,
    printError: (text) => {
      stderr += text;
    },
    isTerminal: false,
  });
  return { code, stderr };
}

async function walFiles(daemon: Daemon): Promise<string[]> {
  return (await readdir(daemon.dataDir, { recursive: true })).filter((name) => name.endsWith('-wal'));
}

describe('SIGTERM under load', { timeout: 2 * PATIENCE_MS }, () => {
  test('ends what is under way, refuses the rest, and leaves the queue to the next start', async () => {
    const started = untilTestEnds();
    const released = Promise.withResolvers<void>();
    const afterRelease = async () => {
      await released.promise;
      return OK;
    };
    const receiver = await createSmtpReceiver({ dot: afterRelease });
    started.defer(receiver.stop);
    // The drain must not be over before the mails that are held are let go.
    const config = { upstreams: [relayAt(receiver.port, { pool: POOL })], shutdown: { drain: '5m' } };
    const daemon = await startDaemon({ config });
    started.defer(daemon.remove);
    const target = await openPractice(daemon);

    const tally = newTally();
    const sending = sendTo(target, numbered('before', MESSAGES), CLIENTS, tally);
    const held = () => receiver.commands.filter((line) => line.endsWith(' .')).length;
    // The rest is in the queue, and the clients have more.
    await until('each connection holds a mail', () => held() >= POOL);
    await until('more than may be under way is taken', () => tally.accepted.size > inFlightAtMost(POOL));
    daemon.child.kill('SIGTERM');
    await until('it says that it is draining', async () => {
      const { status, body } = await daemon.request<HealthBody>('GET', '/healthz');
      return status === 503 && body.status === 'draining';
    });
    const late = await daemon.request(
      'POST',
      `/api/practices/${target.practiceId}/send`,
      { to: 'late@example.org', subject: 'Zu spät', text: 'Zu spät.' },
      target.token,
    );
    expect(late).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    expect(late.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(receiver.messages).toEqual([]);
    await sending;

    released.resolve();
    await endedWithin(PATIENCE_MS, daemon);
    const finished = receiver.messages.length;
    expect(finished).toBeGreaterThanOrEqual(POOL);
    expect(finished).toBeLessThan(tally.accepted.size);
    expect(await walFiles(daemon)).toEqual([]);

    const next = await startDaemon({ config, dataDir: daemon.dataDir });
    started.defer(next.remove);
    await untilIdle(next);
    const came = receiver.messages.flatMap(({ recipients }) => recipients.map(({ address }) => address));
    expect(came.sort()).toEqual([...tally.accepted.keys()].sort());
    expect(await next.stop()).toBe(0);
  });
});

describe('SIGTERM while a client keeps its request open', { timeout: PATIENCE_MS }, () => {
  test('the daemon ends when the drain is over', async () => {
    const started = untilTestEnds();
    const daemon = await startDaemon({ config: { shutdown: { drain: '1s' } } });
    started.defer(daemon.remove);
    const { practiceId, token } = await openPractice(daemon);
    const client = net.connect({ port: Number(new URL(daemon.origin).port), host: '127.0.0.1' });
    started.defer(() => {
      client.destroy();
    });
    client.write(
      `POST /api/practices/${practiceId}/send HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n',
    );
    // It has read the head and waits for the body.
    const [said] = await once(client, 'data');
    expect(String(said)).toMatch(/^HTTP\/1\.1 100 /);
    await endWithin(ENDED_MS, daemon);
    expect(await walFiles(daemon)).toEqual([]);
  });
});

describe('SIGHUP', () => {
  const limitOf = async (daemon: Daemon): Promise<string | null> =>
    (await daemon.request('GET', '/api/meta', undefined, daemon.adminToken)).headers.get('ratelimit-limit');
  const change = async (daemon: Daemon, edit: (file: ConfigFile) => ConfigFile): Promise<void> => {
    await writeFile(daemon.configFile, stringify(edit(parse(await readFile(daemon.configFile, 'utf8')))));
    daemon.child.kill('SIGHUP');
  };
  const untilSaid = (daemon: Daemon, words: string) =>
    until(`the log says: ${words}`, () => daemon.output().includes(words));

  test('applies what can change, names what cannot, and keeps what was where the file is broken', async () => {
    const started = untilTestEnds();
    const daemon = await startDaemon();
    started.defer(daemon.remove);
    await untilSaid(daemon, 'service.host: mail.example.com is from the example: set your own');
    expect(await limitOf(daemon)).toBe('1000000');

    await change(daemon, (file) => ({
      ...file,
      limits: { ...(file.limits as ConfigFile), api_rate: { per_second: 50, burst: 200 } },
      storage: { ...(file.storage as ConfigFile), max_open_tenants: 7 },
      log: { level: 'info' },
    }));
    // Written at the level `info`, which holds from now on.
    await untilSaid(daemon, 'configuration read again');
    const said = daemon
      .output()
      .split('\n')
      .find((line) => line.includes('configuration read again'));
    expect(JSON.parse(said ?? '')).toMatchObject({
      applied: ['limits.api_rate.burst', 'limits.api_rate.per_second', 'log.level'],
      needs_restart: ['storage.max_open_tenants'],
    });
    expect(await limitOf(daemon)).toBe('200');
    expect((await health(daemon)).databases.limit).not.toBe(7);

    // What the first reload could not apply is still not applied.
    await change(daemon, (file) => ({ ...file, safe_mode: { default: true } }));
    await untilSaid(daemon, '"applied":["safe_mode.default"],"needs_restart":["storage.max_open_tenants"]');

    await change(daemon, (file) => ({ ...file, limits: { api_rate: { per_second: 'fast', burst: 3 } } }));
    await untilSaid(daemon, 'configuration not applied');
    expect(daemon.output()).toMatch(
      /service\.yaml:\d+:\d+: limits\.api_rate\.per_second: expected a whole number/,
    );
    expect(await limitOf(daemon)).toBe('200');
    expect(await daemon.stop()).toBe(0);
  });
});

describe('a start that cannot be', () => {
  const usable = (directory: string): ConfigFile => ({
    service: {
      public_origin: 'http://127.0.0.1:8080',
      host: 'mail.example.com',
      managed_suffix: 'send.example.com',
    },
    data_dir: path.join(directory, 'data'),
    secrets: { master_key_file: path.join(directory, 'master.key') },
    http: { listen: '127.0.0.1:0' },
  });
  const write = async (directory: string, overrides: ConfigFile): Promise<string> => {
    const file = path.join(directory, 'service.yaml');
    await writeFile(path.join(directory, 'master.key'), Buffer.alloc(32, 1).toString('base64'), {
      mode: 0o600,
    });
    await writeFile(file, stringify({ ...usable(directory), ...overrides }));
    return file;
  };

  test.each<{ name: string; overrides: ConfigFile; says: RegExp }>([
    {
      name: 'a value of the wrong form',
      overrides: { http: { listen: 'everywhere' } },
      says: /^\S+service\.yaml:\d+:\d+: http\.listen: expected host:port, got "everywhere"$/m,
    },
    {
      name: 'an unknown key',
      overrides: { queue: { patience: '3d' } },
      says: /^\S+service\.yaml:\d+:\d+: queue\.patience: expected a known key: retry, /m,
    },
    {
      name: 'a missing secret',
      overrides: { secrets: { master_key_file: '/nowhere/master.key' } },
      says: /^\S+service\.yaml:\d+:\d+: secrets\.master_key_file: expected a readable file .*, got no such file$/m,
    },
  ])('$name: exit code 1, and standard error says file, line, key and what was expected', async (row) => {
    const started = untilTestEnds();
    const directory = await temporaryDirectory(started);
    const ended = await refuse(await write(directory, row.overrides));
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(row.says);
    expect(ended.stderr).not.toMatch(/\n\s+at /);
    expect(await readdir(directory)).not.toContain('data');
  });

  test('a port that is taken: exit code 1, and standard error names the address', async () => {
    const started = untilTestEnds();
    const directory = await temporaryDirectory(started);
    const server = net.createServer().listen(0, '127.0.0.1');
    started.defer(async () => void server.close());
    await once(server, 'listening');
    const address = `127.0.0.1:${(server.address() as net.AddressInfo).port}`;
    const ended = await serve(await write(directory, { http: { listen: address } }));
    expect(ended.code).toBe(1);
    expect(ended.stderr).toBe(`listen EADDRINUSE: address already in use ${address}\n`);
    expect(await readdir(path.join(directory, 'data'))).not.toContain('platform.db-wal');
  });
});
