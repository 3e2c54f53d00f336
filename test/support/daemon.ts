// The daemon as its users run it: a child process with a configuration file, a data directory and two secrets, on a
// free loopback port, talked to over HTTP. Ending it (`stop`, `kill`) leaves its files, so that it can be started
// again on the same data directory; `remove` takes them away.
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { env, execPath } from 'node:process';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { endProcess, freePort, spawnMortal, until } from '#test/support/process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Its options for node are those of a server. */
const UNIT = new URL('../../systemd/sendwerk.service', import.meta.url);
/** As in vitest.config.ts: the benchmarks have it too. */
const COMPILED = 'node_modules/.cache/node-compile';
const REACH = new URL('reach-process.ts', import.meta.url).href;
const MASTER_KEY_BYTES = 32;
const ADMIN_TOKEN_BYTES = 24;
/** What is tested is seldom the rate limit; the configuration takes no higher one. */
const UNLIMITED = { per_second: 1_000_000, burst: 1_000_000 };
/** The output's end is kept: enough to tell why it failed. */
const OUTPUT_CHARACTERS = 1_000_000;

/** Keys as in the configuration file. */
export interface ConfigFile {
  readonly [key: string]: unknown;
}

export interface DaemonOptions {
  /** Laid over the defaults, mapping by mapping; lists and plain values replace. */
  readonly config?: ConfigFile;
  /** Of an earlier daemon, to start on what it left. Configuration and secrets lie beside it. */
  readonly dataDir?: string;
  /** Of an earlier daemon that others know; a free one where absent. */
  readonly port?: number;
  /** A directory with other sources; this checkout where absent. */
  readonly checkout?: string;
  /** Laid over the environment of this process; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed where it is JSON, else the text. The type is what the caller expects; nothing checks it. */
  readonly body: Body;
}

export interface Practice {
  readonly id: string;
  readonly default_from: string;
}

export interface Daemon {
  /** `http://127.0.0.1:port`. */
  readonly origin: string;
  readonly adminToken: string;
  readonly pid: number;
  readonly child: ChildProcess;
  readonly configFile: string;
  readonly dataDir: string;
  /** The end of what it wrote to standard output and standard error. */
  output(): string;
  /** A JSON request. `token` is the admin token, which goes into its own header, or a bearer token. */
  request<Body = Readonly<Record<string, unknown>>>(
    method: string,
    path: string,
    body?: unknown,
    token?: string,
  ): Promise<Answer<Body>>;
  /** Throws with the answer unless it is made. */
  createPractice(fields?: Readonly<Record<string, unknown>>): Promise<Practice>;
  /** A team token of the practice. */
  createToken(practiceId: string): Promise<string>;
  /** SIGTERM, and resolves with the exit code once it has ended; null where it had to be killed. */
  stop(): Promise<number | null>;
  /** SIGKILL: no time to save anything. */
  kill(): Promise<void>;
  /** Kills it where it still runs, and removes data, configuration and secrets. */
  remove(): Promise<void>;
}

/** Resolves once `GET /healthz` answers 200; throws with the output where the daemon ends before. */
export async function startDaemon(options: DaemonOptions = {}): Promise<Daemon> {
  const home =
    options.dataDir === undefined
      ? await mkdtemp(path.join(tmpdir(), 'daemon-'))
      : path.dirname(options.dataDir);
  const dataDir = options.dataDir ?? path.join(home, 'data');
  const adminToken = await keptSecret(path.join(home, 'admin.token'), ADMIN_TOKEN_BYTES);
  await keptSecret(path.join(home, 'master.key'), MASTER_KEY_BYTES);
  const port = options.port ?? (await freePort());
  const origin = `http://127.0.0.1:${port}`;
  const configFile = path.join(home, 'service.yaml');
  await writeFile(configFile, stringify(overlay(defaults(home, dataDir, port), options.config ?? {})));

  const [, ofUnit = ''] = /^ExecStart=\S+ ((?:--\S+ )*)/m.exec(await readFile(UNIT, 'utf8')) ?? [];
  const before = [...ofUnit.trim().split(' '), ...(env.REACH_TO === undefined ? [] : ['--import', REACH])];
  const entry = path.join(options.checkout ?? ROOT, 'src/main.ts');
  const child = spawnMortal(execPath, [...before, entry, 'serve', '--config', configFile], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { NODE_COMPILE_CACHE: COMPILED, ...env, ...options.env },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said = (said + chunk).slice(-OUTPUT_CHARACTERS);
    });
  }
  await untilHealthy(origin, adminToken, child, () => said);

  const request: Daemon['request'] = (method, target, body, token) =>
    send(method, origin + target, body, token === adminToken ? { 'X-Admin-Token': token } : bearer(token));
  return {
    origin,
    adminToken,
    pid: child.pid ?? 0,
    child,
    configFile,
    dataDir,
    output: () => said,
    request,
    createPractice: async (fields = {}) => {
      const answer = await request<Practice>(
        'POST',
        '/api/practices',
        { name: 'Praxis am Markt', ...fields },
        adminToken,
      );
      return expectCreated(answer);
    },
    createToken: async (practiceId) => {
      const fields = { name: 'test', scope: 'team' };
      const target = `/api/practices/${practiceId}/api-tokens`;
      return expectCreated(await request<{ token: string }>('POST', target, fields, adminToken)).token;
    },
    stop: () => endProcess(child),
    kill: async () => {
      await endProcess(child, 'SIGKILL');
    },
    remove: async () => {
      // One that is killed does not write what it ran.
      await endProcess(child, env.REACH_TO === undefined ? 'SIGKILL' : 'SIGTERM');
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** The secret in the file, made where there is none yet. */
export async function keptSecret(file: string, bytes: number): Promise<string> {
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept !== undefined) return kept.trim();
  const secret = randomBytes(bytes).toString('base64');
  await writeFile(file, `${secret}\n`, { mode: 0o600 });
  return secret;
}

export function defaults(home: string, dataDir: string, port: number): ConfigFile {
  return {
    service: {
      name: 'Sendwerk',
      public_origin: `http://127.0.0.1:${port}`,
      host: 'mail.example.com',
      managed_suffix: 'send.example.com',
    },
    data_dir: dataDir,
    // The disk of the machine that runs the tests may be nearly full.
    storage: { min_free_percent: 0, min_free_mib: 0 },
    http: { listen: `127.0.0.1:${port}` },
    admin: { token_file: path.join(home, 'admin.token') },
    secrets: { master_key_file: path.join(home, 'master.key') },
    safe_mode: { default: false, allowlist: [], placement_testers: [] },
    // What is tested is not the cap of managed hosts, and few tests verify a domain first.
    limits: { api_rate: UNLIMITED, managed_host_mails: 1_000_000 },
    log: { level: 'warn' },
  };
}

export function overlay(base: ConfigFile, over: ConfigFile): ConfigFile {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const below = base[key];
    merged[key] = isMapping(below) && isMapping(value) ? overlay(below, value) : value;
  }
  return merged;
}

function isMapping(value: unknown): value is ConfigFile {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Another daemon may have taken the port while this one started: the admin token shows whose answer it is. */
export async function untilHealthy(
  origin: string,
  adminToken: string,
  child: ChildProcess,
  said: () => string,
): Promise<void> {
  const isOk = async (target: string) => {
    const headers = { 'X-Admin-Token': adminToken };
    const answer = await fetch(origin + target, { headers }).catch(() => undefined);
    await answer?.arrayBuffer();
    return answer?.status === 200;
  };
  const ask = async () => {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`the daemon ended at its start (${child.exitCode ?? child.signalCode}): ${said()}`);
    }
    return (await isOk('/healthz')) && (await isOk('/api/admin/health'));
  };
  try {
    await until('the daemon is healthy', ask);
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`${error}\n${said()}`);
  }
}

export function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}

async function send<Body>(
  method: string,
  url: string,
  body: unknown,
  credential: Record<string, string>,
): Promise<Answer<Body>> {
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const type: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const response = await fetch(url, { method, headers: { ...type, ...credential }, ...content });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

export function expectCreated<Body>(answer: Answer<Body>): Body {
  if (answer.status !== 201) throw new Error(`not created: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}
