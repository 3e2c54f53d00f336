// Talks to the running daemon over its HTTP API as the operator, so that commands are checked and audited like every
// other request.

import { readFileSync } from 'node:fs';
import { configSchema } from '#src/kernel/config/schema.ts';
import { type Environment, type Findings, readSecret } from '#src/kernel/config/secrets.ts';
import { formatListen, type ListenAddress } from '#src/kernel/config/values.ts';
import { UUID } from '#src/kernel/fields.ts';
import type { Secret } from '#src/kernel/secret.ts';
import { SECOND } from '#src/kernel/time.ts';
import { ConfigError, type FileProblem, readYaml } from '#src/kernel/yaml-file.ts';
import { clean, json } from './admin-text.ts';
import { CommandError } from './command.ts';
import type { CommandResult } from './config.ts';

export interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

type Query = Readonly<Record<string, string | undefined>>;

export interface AdminApi {
  /**
   * The JSON of the answer, undefined without a body. `within`: how long the answer may take, ms. Throws CommandError with the API's
   * message.
   */
  call<T>(
    method: string,
    path: string,
    body?: Readonly<Record<string, unknown>>,
    within?: number,
  ): Promise<T>;
  /** The first `most` records, read page by page; `next_cursor` is that of the last page. */
  list<T>(path: string, query?: Query, most?: number): Promise<Page<T>>;
  /** `/api/practices/<id>` by the practice's id or slug. */
  pathOfPractice(practice: string): Promise<string>;
  idOfPractice(practice: string): Promise<string>;
}

interface Refusal {
  readonly error: string;
  readonly hint: string;
  readonly fields?: readonly { readonly path: string; readonly message: string }[];
}

/** The largest page that the API gives. */
const PAGE_SIZE = 200;
/** A page of practices reads one file each, and a new practice needs an RSA key. */
const ANSWER_TIMEOUT_MS = 60 * SECOND;
const causeOf = (error: unknown): string => {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause ? String(cause.code) : cause.message;
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const isRefusal = (body: unknown): body is Refusal =>
  typeof body === 'object' && body !== null && 'error' in body && 'hint' in body;

/** A refusal of fields lists them; the general message would only repeat them. */
const explain = ({ error, hint, fields = [] }: Refusal): string => {
  const named = fields.map(
    ({ path, message }) => `${path.replace(/^(?:body|query|params)\./, '')}: ${message}`,
  );
  return clean(named.length > 0 ? named.join('; ') : `${error} ${hint}`);
};

const withQuery = (path: string, query: Query): string => {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${path}?${new URLSearchParams(given)}`;
};

/** Throws CommandError where no daemon answers. */
const ask = async (
  origin: string,
  method: string,
  path: string,
  token?: Secret,
  body?: unknown,
  within = ANSWER_TIMEOUT_MS,
): Promise<[Response, string]> => {
  try {
    const response = await fetch(origin + path, {
      method,
      // The token must not reach another server.
      redirect: 'manual',
      signal: AbortSignal.timeout(within),
      headers: {
        ...(token === undefined ? {} : { 'X-Admin-Token': token.reveal() }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return [response, await response.text()];
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    throw new CommandError(
      isLate
        ? `the daemon at ${origin} did not answer within ${within / SECOND} s`
        : `no daemon is reached at ${origin}: ${causeOf(error)}`,
    );
  }
};

const notSendwerk = (origin: string, { status }: Response): CommandError =>
  new CommandError(`what answers at ${origin} is not Sendwerk: status ${status}`);

export const createAdminApi = ({ origin, token }: Pick<AdminAccess, 'origin' | 'token'>): AdminApi => {
  const call: AdminApi['call'] = async <T>(
    method: string,
    path: string,
    body?: unknown,
    within?: number,
  ): Promise<T> => {
    const [response, text] = await ask(origin, method, path, token, body, within);
    const answer = parse(text);
    if (response.ok && (response.status === 204 || answer !== undefined)) return answer as T;
    if (response.status === 401)
      throw new CommandError(
        `the daemon at ${origin} does not take this admin token: it was started with another one`,
      );
    if (isRefusal(answer)) throw new CommandError(explain(answer));
    throw notSendwerk(origin, response);
  };

  const page = <T>(path: string, query: Query, limit: number, after: string | null): Promise<Page<T>> => {
    const size = String(Math.min(limit, PAGE_SIZE));
    return call('GET', withQuery(path, { ...query, limit: size, cursor: after ?? undefined }));
  };

  const list: AdminApi['list'] = async <T>(path: string, query: Query = {}, most = Infinity) => {
    const data: T[] = [];
    let cursor: string | null = null;
    do {
      const next: Page<T> = await page(path, query, most - data.length, cursor);
      data.push(...next.data);
      cursor = next.next_cursor;
    } while (cursor !== null && data.length < most);
    return { data, next_cursor: cursor };
  };

  const idOfPractice: AdminApi['idOfPractice'] = async (practice) => {
    if (UUID.test(practice)) return practice.toLowerCase();
    let cursor: string | null = null;
    do {
      const next: Page<{ id: string; slug: string }> = await page(
        '/api/admin/practices',
        {},
        PAGE_SIZE,
        cursor,
      );
      const found = next.data.find(({ slug }) => slug === practice.toLowerCase());
      if (found) return found.id;
      cursor = next.next_cursor;
    } while (cursor !== null);
    throw new CommandError(`there is no practice with the slug ${practice}; \`admin practices\` lists them`);
  };

  return {
    call,
    list,
    idOfPractice,
    pathOfPractice: async (practice) => `/api/practices/${await idOfPractice(practice)}`,
  };
};

// The daemon's address and the operator's token, from the configuration file. The other secrets are not read, because
// often only the service's own environment has them.

export interface AdminAccess {
  /** `http://127.0.0.1:8080` */
  readonly origin: string;
  readonly token: Secret;
  /** For commands that read the files beside the daemon. */
  readonly dataDirectory: string;
}

/** What a header can hold; the daemon's own check is stricter. */
const VISIBLE = /^[\x21-\x7e]+$/;

const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
};

/** A daemon that listens on every address is reached by the loopback. */
const originOf = ({ host, port }: ListenAddress): string => {
  const { hostname } = new URL(`http://${formatListen({ host, port })}`);
  const loopback = { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }[hostname] ?? hostname;
  return `http://${loopback}:${port}`;
};

/** Where the daemon of this configuration is reached, with what reading its file found. */
const readOrigin = (file: string) => {
  const read = readYaml(file, readText(file), configSchema);
  const { http, admin } = read.value;
  if (http === undefined || admin === undefined)
    throw new ConfigError(read.problems.filter(({ key }) => key === '' || /^(?:http|admin)\b/.test(key)));
  if (http.listen.port === 0)
    throw new CommandError(`${file}: http.listen takes any free port (0), so the daemon is not found by it`);
  const dataDirectory = read.value.data_dir ?? '';
  return { origin: originOf(http.listen), admin, dataDirectory, problemAt: read.problemAt };
};

/** Throws CommandError, or ConfigError with the problems of the file. */
export const readAdminAccess = (file: string, environment: Environment): AdminAccess => {
  const { origin, admin, dataDirectory, problemAt } = readOrigin(file);
  const problems: FileProblem[] = [];
  const findings: Findings = {
    problem: (path, expected, got) => problems.push(problemAt(path, expected, got)),
    warning: () => undefined,
  };
  if (admin.token_file === undefined && admin.token_env === undefined)
    throw new CommandError(`${file} names no admin token: set admin.token_file or admin.token_env`);
  const token = readSecret(
    { path: ['admin'], name: 'token', file: admin.token_file, variable: admin.token_env },
    'visible ASCII characters without spaces',
    (text) => VISIBLE.test(text),
    environment,
    findings,
  );
  if (token === null) throw new ConfigError(problems);
  return { origin, token, dataDirectory };
};

/** What the daemon says of itself to everyone; exit code 1 unless it accepts mail. Throws as `readAdminAccess` does. */
export const health = async (file: string): Promise<CommandResult> => {
  const { origin } = readOrigin(file);
  const [response, text] = await ask(origin, 'GET', '/healthz');
  const answer = parse(text);
  if (answer === undefined) throw notSendwerk(origin, response);
  return { exitCode: response.ok ? 0 : 1, output: json(answer) };
};
