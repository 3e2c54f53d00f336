// The daemon in the test's own process: the real configuration file, data directory, sockets and files; only its DKIM
// keys are made once for all. Talked to over HTTP as its users do. Every answer is checked against what its route
// declares, every refusal against the declared form of its code. `stop` leaves the files, so that another can start
// on them; `remove` takes them away.

import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { stringify } from 'yaml';
import { z } from 'zod';
import type { practiceSchema } from '#src/accounts/tenants/schema.ts';
import { type App, createApp } from '#src/app/app.ts';
import type { GenerateKeyPair } from '#src/domains/keys/keys.ts';
import { loadConfig } from '#src/kernel/config/config.ts';
import { errorTable } from '#src/kernel/error-table.ts';
import { createLog } from '#src/kernel/log.ts';
import type { Clock } from '#src/kernel/time.ts';
import { decodeReturnPath, type ReturnPathTarget } from '#src/mail/verp.ts';
import type { Status } from '#src/messages/rules.ts';
import type { messageSchema } from '#src/messages/schema.ts';
import type { Challenges } from '#src/operations/certificates/challenges.ts';
import {
  type Answer,
  bearer,
  type ConfigFile,
  defaults,
  expectCreated,
  keptSecret,
  overlay,
} from './daemon.ts';
import { keysIn } from './keys.ts';
import { sharedMaintenance } from './maintenance.ts';
import { until } from './process.ts';
import { runsTwice } from './runs-twice.ts';
import { sharedSignThreads } from './sign-threads.ts';
import type { SmtpReceiver } from './smtp-receiver.ts';

const MASTER_KEY_BYTES = 32;
const ADMIN_TOKEN_BYTES = 24;
/** pino's number of the level. */
const LEVEL_ERROR = 50;

type Practice = z.infer<typeof practiceSchema>;
export type Message = z.infer<typeof messageSchema>;
export interface List<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}
export interface Refusal {
  readonly code: string;
  readonly error: string;
  readonly hint: string;
  readonly [extra: string]: unknown;
}
export interface AppAnswer<Body> extends Answer<Body> {
  /** The body as it came. */
  readonly text: string;
}

/** A practice with a team token of its own. */
export interface Sender {
  readonly practice: Practice;
  readonly token: string;
  /** `/api/practices/<id>`. */
  readonly base: string;
}

export interface AppOptions {
  /** Laid over the defaults, mapping by mapping; lists and plain values replace. */
  readonly config?: ConfigFile;
  /** Of an earlier one, to start on what it left. */
  readonly home?: string;
  /** The smarthost; without one, mail is captured. */
  readonly receiver?: SmtpReceiver;
  /** Further keys of that upstream. */
  readonly upstream?: ConfigFile;
  /** In the place of the system's. */
  readonly clock?: Clock;
  /** In the place of one key pair for every RSA token and one for every Ed25519 token. */
  readonly generateKeyPair?: GenerateKeyPair;
  /** How long a request waits for an earlier one under its idempotency key; half a minute where absent. */
  readonly keyPatienceMs?: number;
  /** How often whose a live stream is is asked again; fifteen seconds where absent. */
  readonly streamBeatMs?: number;
  /** How long opens and clicks are held, so that bursts are recognised; two and a half seconds where absent. */
  readonly holdMs?: number;
  /** See DnsHealthOptions.againMs. */
  readonly dnsAgainMs?: number;
  /** How long a message of `sendwerk doctor` through a relay may take to come back; a minute where absent. */
  readonly tripPatienceMs?: number;
  /** What certificate authorities are answered. */
  readonly challenges?: Challenges;
  /** Gets each warning of the log, as JSON. */
  readonly onLog?: (line: string) => void;
  /** See runs-twice.ts. */
  readonly runsTwice?: boolean;
}

export interface TestApp {
  /** `http://127.0.0.1:port`. */
  readonly origin: string;
  /** Of HTTPS, and of the plain listener that leads there; null where they are off. */
  readonly tlsPort: number | null;
  readonly redirectPort: number | null;
  readonly adminToken: string;
  readonly home: string;
  readonly dnsPort: number | null;
  /** Of the listener for mail from the world; null where it is off. */
  readonly inboundPort: number | null;
  /** Of the listener for metrics; null where it is off. */
  readonly metricsPort: number | null;
  readonly personalData: App['personalData'];
  readonly sealed: App['sealed'];
  readonly submissionPorts: { readonly port: number | null; readonly implicitPort: number | null };
  /**
   * `token` is the admin token, which goes into its own header, or a bearer token. A body goes as JSON; bytes and
   * streams go as they are. `headers` win over what would be sent.
   */
  request<Body = Readonly<Record<string, unknown>>>(
    method: string,
    path: string,
    body?: unknown,
    token?: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<AppAnswer<Body>>;
  /** Lays the keys over the configuration file and applies it, as SIGHUP does. */
  reconfigure(config: ConfigFile): Promise<void>;
  createPractice(fields?: Readonly<Record<string, unknown>>): Promise<Practice>;
  /** A team token unless `fields` say otherwise. */
  createToken(practiceId: string, fields?: Readonly<Record<string, unknown>>): Promise<string>;
  createSender(fields?: Readonly<Record<string, unknown>>): Promise<Sender>;
  /** Lets it send marketing: its Impressum is complete. */
  completeLegal(practiceId: string): Promise<void>;
  /** Sends and resolves with the message's id; throws unless it was accepted. */
  send(sender: Sender, fields?: Readonly<Record<string, unknown>>): Promise<string>;
  message(sender: Sender, id: string): Promise<Message>;
  /** Resolves with the message once it has that status, and none of its recipients waits for the first attempt. */
  untilStatus(sender: Sender, id: string, status: Status): Promise<Message>;
  /** Whom a return path names, by the key of this installation. */
  returnPathTarget(address: string): ReturnPathTarget | null;
  /** Rows of the practice's file, table by table, as they are now. */
  rowCounts(practiceId: string): Record<string, number>;
  /** Runs SQL in the practice's file, or with null in the registry. */
  sql<Row>(practiceId: string | null, statement: string, ...values: unknown[]): Row[];
  /** See App.registerTenant. */
  readonly registerTenant: App['registerTenant'];
  /** Names of all files in the data directory. */
  files(): Promise<string[]>;
  /** Runs a job of the daemon, none of which runs at its time here; resolves when it has ended. */
  runJob(name: string): Promise<void>;
  /** Throws where the log tells of a defect. */
  stop(): Promise<void>;
  remove(): Promise<void>;
}

/** As short as can be; what is tested overrides it. */
export const letter = { to: 'erika@example.org', subject: 'Ihr Termin', text: 'Am Montag um 9:30 Uhr.' };

export async function startApp(options: AppOptions = {}): Promise<TestApp> {
  const home = options.home ?? (await mkdtemp(path.join(tmpdir(), 'app-')));
  const dataDir = path.join(home, 'data');
  const adminToken = await keptSecret(path.join(home, 'admin.token'), ADMIN_TOKEN_BYTES);
  await keptSecret(path.join(home, 'master.key'), MASTER_KEY_BYTES);
  const configFile = path.join(home, 'service.yaml');
  const upstreams = options.receiver ? { upstreams: [relayTo(options.receiver, options.upstream)] } : {};
  const given = overlay(overlay(defaults(home, dataDir, 0), upstreams), options.config ?? {});
  await writeFile(configFile, stringify(given));

  const defects: string[] = [];
  const log = createLog('warn', {
    write: (line) => {
      options.onLog?.(line);
      if (JSON.parse(line).level >= LEVEL_ERROR) defects.push(line);
    },
  });
  const overrides = {
    checkResponses: true,
    jobsByHand: true,
    maintenance: sharedMaintenance(),
    signThreads: sharedSignThreads(),
    runsTwice: runsTwice(options.runsTwice),
    generateKeyPair: options.generateKeyPair ?? fixedKeyPairs,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    ...(options.keyPatienceMs === undefined ? {} : { keyPatienceMs: options.keyPatienceMs }),
    ...(options.streamBeatMs === undefined ? {} : { streamBeatMs: options.streamBeatMs }),
    ...(options.holdMs === undefined ? {} : { holdMs: options.holdMs }),
    ...(options.challenges === undefined ? {} : { challenges: options.challenges }),
    ...(options.dnsAgainMs === undefined ? {} : { dnsAgainMs: options.dnsAgainMs }),
    tripPatienceMs: options.tripPatienceMs,
    load: { file: configFile, read: () => loadConfig(configFile, {}) },
  };
  const app = await createApp(loadConfig(configFile, {}).config, log, overrides);
  const { http, dnsPort, inboundPort, metricsPort, submissionPorts } = await app.start();
  const origin = `http://127.0.0.1:${http.port}`;

  const request: TestApp['request'] = (method, target, body, token, headers) => {
    const credential = token === adminToken ? { 'X-Admin-Token': token } : bearer(token);
    return send(method, origin + target, body, { ...credential, ...headers });
  };
  const createPractice: TestApp['createPractice'] = async (fields = {}) =>
    expectCreated(
      await request<Practice>('POST', '/api/practices', { name: 'Praxis am Markt', ...fields }, adminToken),
    );
  const createToken: TestApp['createToken'] = async (practiceId, fields = {}) => {
    const target = `/api/practices/${practiceId}/api-tokens`;
    const body = { name: 'test', scope: 'team', ...fields };
    return expectCreated(await request<{ token: string }>('POST', target, body, adminToken)).token;
  };
  const message: TestApp['message'] = async ({ base, token }, id) => {
    const answer = await request<Message>('GET', `${base}/messages/${id}`, undefined, token);
    if (answer.status !== 200) throw new Error(`no message ${id}: ${answer.text}`);
    return answer.body;
  };
  const withDatabase = <T>(practiceId: string | null, work: (db: Database.Database) => T): T => {
    const file = practiceId === null ? 'platform.db' : path.join('tenants', practiceId, 'tenant.db');
    const db = new Database(path.join(dataDir, file), { fileMustExist: true });
    try {
      return work(db);
    } finally {
      db.close();
    }
  };
  const sql: TestApp['sql'] = <Row>(practiceId: string | null, statement: string, ...values: unknown[]) =>
    withDatabase(practiceId, (db) => {
      const prepared = db.prepare<unknown[], Row>(statement);
      if (prepared.reader) return prepared.all(...values);
      prepared.run(...values);
      return [];
    });
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    stopped ??= app.stop();
    await stopped;
    if (defects.length > 0) throw new Error(`the log tells of a defect: ${defects.splice(0).join('')}`);
  };

  return {
    origin,
    tlsPort: http.tlsPort,
    redirectPort: http.redirectPort,
    adminToken,
    home,
    dnsPort,
    inboundPort,
    metricsPort,
    personalData: app.personalData,
    sealed: app.sealed,
    submissionPorts,
    request,
    reconfigure: async (config) => {
      await writeFile(configFile, stringify(overlay(given, config)));
      app.reconfigure(loadConfig(configFile, {}).config);
    },
    createPractice,
    createToken,
    createSender: async (fields) => {
      const practice = await createPractice(fields);
      return { practice, token: await createToken(practice.id), base: `/api/practices/${practice.id}` };
    },
    completeLegal: async (practiceId) => {
      const legal = {
        street: 'Am Markt 1',
        city: '20095 Hamburg',
        privacy_url: 'https://praxis.example/datenschutz',
      };
      const answer = await request('PATCH', `/api/practices/${practiceId}/compliance`, legal, adminToken);
      if (answer.status !== 200) throw new Error(`no legal block: ${answer.status} ${answer.text}`);
    },
    send: async ({ base, token }, fields = {}) => {
      const answer = await request<{ id: string }>('POST', `${base}/send`, { ...letter, ...fields }, token);
      if (answer.status !== 202) throw new Error(`not accepted: ${answer.status} ${answer.text}`);
      return answer.body.id;
    },
    message,
    untilStatus: async (sender, id, status) => {
      let found = await message(sender, id);
      await until(`the message is ${status}`, async () => {
        found = await message(sender, id);
        // The message has the highest status of its recipients, so the others may still be on their way.
        return found.status === status && found.recipients.every((one) => one.status !== 'queued');
      });
      return found;
    },
    returnPathTarget: (address) => decodeReturnPath(keysIn(home)('return paths'), address),
    rowCounts: (practiceId) =>
      withDatabase(practiceId, (db) => {
        const tables = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck();
        const count = (table: string) =>
          db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0;
        return Object.fromEntries(tables.all().map((name) => [name, count(name)]));
      }),
    sql,
    registerTenant: app.registerTenant,
    runJob: (name) => app.runJob(name),
    files: async () => (await readdir(dataDir, { recursive: true })).toSorted(),
    stop,
    remove: async () => {
      try {
        await stop();
      } finally {
        await rm(home, { recursive: true, force: true });
      }
    },
  };
}

const relayTo = ({ host, port }: SmtpReceiver, more: ConfigFile = {}): ConfigFile => ({
  name: 'relay',
  kind: 'smtp',
  host,
  port,
  tls: 'none',
  ...more,
});

const madeOnce = new Map<string, Awaited<ReturnType<GenerateKeyPair>>>();

/** Making an RSA pair takes longer than most tests. */
const fixedKeyPairs: GenerateKeyPair = async (algorithm) => {
  const pair =
    madeOnce.get(algorithm) ??
    (algorithm === 'rsa-sha256'
      ? generateKeyPairSync('rsa', { modulusLength: 2_048 })
      : generateKeyPairSync('ed25519'));
  madeOnce.set(algorithm, pair);
  return pair;
};

async function send<Body>(
  method: string,
  url: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<AppAnswer<Body>> {
  const asIs = body instanceof Uint8Array || body instanceof ReadableStream;
  const response = await fetch(url, {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: asIs ? body : JSON.stringify(body), duplex: 'half' as const }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  const answer = { status: response.status, headers: response.headers, text };
  const isPage = response.headers.get('content-type')?.startsWith('text/html') ?? false;
  if (response.status >= 400 && !url.endsWith('/healthz') && !isPage) checkRefusal(answer);
  return { ...answer, body: isJson ? JSON.parse(text) : text };
}

/** In the forms of vendors A, B and C. */
const foreignRefusal = z.union([
  z.strictObject({ statusCode: z.int(), name: z.string(), message: z.string().min(1) }),
  z.strictObject({ ErrorCode: z.int().min(1), Message: z.string().min(1) }),
  z.strictObject({
    errors: z
      .array(
        z.strictObject({ message: z.string().min(1), field: z.string().nullable(), help: z.string().min(1) }),
      )
      .min(1),
  }),
]);

/** Every refusal has exactly the fields its code declares, and its status. */
function checkRefusal({ status, headers, text }: Omit<AppAnswer<unknown>, 'body'>): void {
  const body: Refusal | PartRefusal[] | { results: PartRefusal[] } = JSON.parse(text);
  z.uuid().parse(headers.get('x-request-id'));
  if (foreignRefusal.safeParse(body).success) return;
  const parts = Array.isArray(body) ? body : 'results' in body ? (body.results as PartRefusal[]) : null;
  if (parts === null) checkForm(body as Refusal, status);
  for (const { status_code, email: _, duplicate_of: __, ...refusal } of parts ?? [])
    checkForm(refusal, status_code);
}

/** Of one message among many. */
type PartRefusal = Refusal & { readonly status_code: number };

function checkForm(body: Pick<Refusal, 'code'>, status: number): void {
  const declared = Object.entries(errorTable).find(([code]) => code === body.code)?.[1];
  if (!declared || declared.status !== status)
    throw new Error(`no such refusal: ${status} ${JSON.stringify(body)}`);
  const extra: z.ZodRawShape = 'extra' in declared ? declared.extra : {};
  const filled = z.string().min(1);
  z.strictObject({ code: filled, error: filled, hint: filled, ...extra }).parse(body);
}
