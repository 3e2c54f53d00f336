// HAProxy with the configuration that is handed out, config/haproxy.cfg: only its addresses and directories are the test's.
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request as requestHttps } from 'node:https';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { env } from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createCertificate } from '#test/support/certificate.ts';
import { endProcess, freePort, spawnMortal, until, untilListening } from '#test/support/process.ts';

const PROGRAM = '/usr/sbin/haproxy';
export const SAMPLE = fileURLToPath(new URL('../../config/haproxy.cfg', import.meta.url));

export interface ProxyAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Haproxy {
  /** Where the maps are. */
  readonly maps: string;
  /** Its admin socket. */
  readonly socket: string;
  /** Over TLS, to that name. Rejects where no answer comes. */
  request(
    name: string,
    method: string,
    target: string,
    headers?: Readonly<Record<string, string>>,
    body?: unknown,
  ): Promise<ProxyAnswer>;
  /** Over plain HTTP: the status, and where it leads. */
  plain(name: string, target: string): Promise<{ readonly status: number; readonly location: string | null }>;
  /** Reads the maps anew; resolves once new connections go by them. */
  reload(): Promise<void>;
  stop(): Promise<void>;
}

/** `hosts`: the addresses of `one` and `two`. The maps are empty until they are written and it is reloaded. */
export const startHaproxy = async (hosts: {
  readonly one: string;
  readonly two: string;
}): Promise<Haproxy> => {
  const home = await mkdtemp(path.join(tmpdir(), 'haproxy-'));
  await chmod(home, 0o755);
  const [maps, certs, socket] = ['maps', 'certs', 'admin.sock'].map((name) => path.join(home, name)) as [
    string,
    string,
    string,
  ];
  await Promise.all([maps, certs].map((directory) => mkdir(directory)));
  for (const name of ['tokens', 'hooks', 'names']) await writeFile(path.join(maps, `${name}.map`), '');
  const { certificate, key } = createCertificate(['proxy.example']);
  await writeFile(path.join(certs, 'proxy.pem'), certificate + key);
  const [http, https] = [await freePort(), await freePort()];
  const options = {
    env: {
      ...env,
      SENDWERK_HTTP: `127.0.0.1:${http}`,
      SENDWERK_HTTPS: `127.0.0.1:${https}`,
      SENDWERK_CERTS: certs,
      SENDWERK_MAPS: maps,
      SENDWERK_SOCKET: socket,
      // A user that is there on this machine, and not root.
      SENDWERK_USER: 'haproxy',
      SENDWERK_ONE: hosts.one,
      SENDWERK_TWO: hosts.two,
    },
  };
  await promisify(execFile)(PROGRAM, ['-c', '-f', SAMPLE], options);
  const child = spawnMortal(PROGRAM, ['-W', '-f', SAMPLE], {
    ...options,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    said += piece;
  });
  await untilListening({ host: '127.0.0.1', port: https }, child, () => said);

  /** The process that answers at the socket. */
  const worker = async (): Promise<string> => {
    const connection = net.connect(socket);
    connection.end('show info\n');
    return /^Pid: (\d+)$/m.exec(await text(connection).catch(() => ''))?.[1] ?? '';
  };
  const agent = new Agent({ keepAlive: true });
  return {
    maps,
    socket,
    request: (name, method, target, headers = {}, body) =>
      new Promise((resolve, reject) => {
        const content = body === undefined ? undefined : JSON.stringify(body);
        const outgoing = requestHttps({
          ...{ agent, host: '127.0.0.1', port: https, servername: name, rejectUnauthorized: false },
          ...{ method, path: target },
          headers: {
            host: name,
            ...(content === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
        });
        outgoing.once('error', reject);
        outgoing.once('response', (answer) => {
          const { statusCode: status = 0, headers: given } = answer;
          text(answer).then((all) => resolve({ status, headers: given, text: all }), reject);
        });
        outgoing.end(content);
      }),
    plain: async (name, target) => {
      const connection = net.connect(http, '127.0.0.1');
      connection.end(`GET ${target} HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`);
      const answer = await text(connection);
      const location = /^location: (.*)\r$/im.exec(answer)?.[1] ?? null;
      return { status: Number(answer.split(' ')[1]), location };
    },
    reload: async () => {
      const before = await worker();
      child.kill('SIGUSR2');
      await until('HAProxy goes by the new maps', async () => !['', before].includes(await worker()));
    },
    stop: async () => {
      agent.destroy();
      await endProcess(child);
      await rm(home, { recursive: true, force: true });
    },
  };
};
