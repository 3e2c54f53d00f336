// Every sample of the reference is run, all of a language by one process, against a server that records what comes. What comes is
// what the API's own description has as the example of that call; that the example itself succeeds, openapi-examples.test.ts shows.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { EXAMPLE_ID } from '#src/kernel/fields.ts';
import { startApp } from '#test/support/app.ts';
import { testInFull } from '#test/support/soak.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const PRACTICE = '018f0000-0000-7000-8000-000000000001';
const TIMEOUT_MS = 120_000;
const JSON_TYPE = 'application/json';
const run = promisify(execFile);

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly example?: unknown;
  readonly required: boolean;
}
interface Described {
  readonly operationId: string;
  readonly 'x-permission': string;
  readonly parameters?: readonly (Parameter & { readonly $ref?: string })[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly example?: unknown; readonly examples?: Record<string, { value: unknown }> }>
    >;
  };
}

/** What a sample must send. */
interface Expected {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** The clients have no calls in the form of other services. */
  readonly isForeign: boolean;
  readonly access: 'public' | 'token' | 'admin' | 'either';
}

interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const app = await startApp();
const read = async (at: string): Promise<string> => (await app.request('GET', at)).text;
const documents = await Promise.all(
  ['/openapi.yaml', '/openapi-compat.yaml'].map(async (at) => parse(await read(at))),
);
const addresses = [...(await read('/llms.txt')).matchAll(/\((\S+\.md)\)/g)].map(
  ([, url = '']) => new URL(url).pathname,
);
const texts = await Promise.all(addresses.map(read));
await app.remove();

const accessOf = (permission: string): Expected['access'] => {
  if (permission === 'public') return 'public';
  if (permission === 'operator') return 'admin';
  return permission === 'practice_creator' ? 'either' : 'token';
};

const pairsOf = ([name, value]: readonly [string, unknown]): string[] =>
  (Array.isArray(value) ? value : [value]).map((one) => `${name}=${one}`);

const expectedOf = (
  document: { components: { parameters: Record<string, Parameter> } },
  at: string,
  method: string,
  operation: Described,
  isForeign: boolean,
): Expected => {
  const parameters = (operation.parameters ?? []).map((one) =>
    one.$ref === undefined ? one : document.components.parameters[one.$ref.split('/').at(-1) ?? ''],
  ) as Parameter[];
  const named = (place: string) =>
    parameters
      .filter((one) => one.in === place && one.example !== undefined)
      .map(({ name, example }) => [name, example] as const);
  const inPath = new Map(named('path'));
  if (at.startsWith('/api/practices/{id}')) inPath.set('id', PRACTICE);
  const bodies = Object.entries(operation.requestBody?.content ?? {}).flatMap(
    ([type, { example, examples = {} }]) => {
      const value = example ?? Object.values(examples)[0]?.value;
      return value === undefined ? [] : [{ type, value }];
    },
  );
  const body = bodies.find(({ type }) => type === JSON_TYPE) ?? bodies[0];
  const required = parameters.filter((one) => one.in === 'header' && one.required);
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path: at.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(inPath.get(name) ?? EXAMPLE_ID))),
    query: named('query').flatMap(pairsOf).toSorted(),
    headers: Object.fromEntries(required.map(({ name, example }) => [name.toLowerCase(), String(example)])),
    body: method === 'get' ? undefined : body?.value,
    isForeign,
    access: accessOf(operation['x-permission']),
  };
};

const expectedById = new Map(
  documents.flatMap((document, part) =>
    Object.entries<Record<string, Described>>(document.paths).flatMap(([at, item]) =>
      Object.entries(item).map(
        ([method, operation]) =>
          [operation.operationId, expectedOf(document, at, method, operation, part > 0)] as const,
      ),
    ),
  ),
);

interface Sample {
  readonly expected: Expected;
  readonly code: string;
}

/** What a language's samples begin with, on the operators' page, and all samples in the order of the pages. */
const samplesIn = (caption: string): { readonly setup: string; readonly samples: readonly Sample[] } => {
  const fence = new RegExp(`\\n${caption}:\\n\\n\`\`\`\\w+\\n(.*?)\\n\`\`\``, 's');
  const setups = texts.map((text) => fence.exec(text.split('\n## ')[0] ?? '')?.[1] ?? '');
  const setup = setups.find((one) => one.includes('ADMIN')) ?? setups.find((one) => one !== '') ?? '';
  const samples = texts.flatMap((text) =>
    text.split('\n## ').flatMap((section): Sample[] => {
      const id = /^.*\n\n`[A-Z]+ \/\S*` \(`(\w+)`/.exec(section)?.[1];
      const code = fence.exec(section)?.[1];
      const expected = expectedById.get(id ?? '');
      if (id === undefined) return [];
      if (code === undefined && expected?.isForeign && (caption === 'Node' || caption === 'Python'))
        return [];
      if (code === undefined || expected === undefined) throw new Error(`${id} has no call or no sample`);
      return [{ expected, code }];
    }),
  );
  return { setup, samples };
};

let recorded: Recorded[] = [];
beforeEach(() => {
  recorded = [];
});
const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://here');
  const body = (await buffer(request)).toString();
  const query = [...searchParams].map(([name, value]) => `${name}=${value}`).toSorted();
  recorded.push({ method: request.method ?? '', path: pathname, query, headers: request.headers, body });
  response.writeHead(200, { 'Content-Type': JSON_TYPE }).end('{}');
});
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
const folder = await mkdtemp(path.join(tmpdir(), 'samples-'));
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await rm(folder, { recursive: true });
});

const variables = {
  SENDWERK_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  SENDWERK_TOKEN: 'svc_token',
  SENDWERK_ADMIN_TOKEN: 'operators-token',
  SENDWERK_SECRET: 'a-secret',
  SENDWERK_PRACTICE: PRACTICE,
};

const programOf = async (
  command: string,
  file: string,
  text: string,
  env: NodeJS.ProcessEnv = {},
): Promise<string> => {
  const at = path.join(folder, file);
  await writeFile(at, text);
  const options = {
    cwd: folder,
    timeout: TIMEOUT_MS,
    maxBuffer: 2 ** 26,
    env: { ...process.env, ...variables, ...env },
  };
  const { stdout } = await run(command, command === 'go' ? ['run', at] : [at], options);
  return stdout;
};

const BEARER = { token: 'Bearer svc_token', secret: 'Bearer a-secret' };
const mayAuthorize = ({ access }: Expected, { headers }: Recorded): boolean => {
  const { authorization, 'x-admin-token': admin } = headers;
  const isToken = authorization === BEARER.token && admin === undefined;
  const isAdmin = admin === variables.SENDWERK_ADMIN_TOKEN && authorization === undefined;
  // A token beside a call that needs none does no harm.
  if (access === 'public') return isToken || authorization === undefined || authorization === BEARER.secret;
  return (access !== 'admin' && isToken) || (access !== 'token' && isAdmin);
};

const checkRecorded = (samples: readonly Sample[]): void => {
  const faults = samples.flatMap(({ expected }, index) => {
    const came = recorded[index];
    if (came === undefined) return [`${expected.id}: nothing came`];
    const isJson = typeof expected.body !== 'string';
    const body = isJson ? (came.body === '' ? undefined : JSON.parse(came.body)) : came.body;
    const sent = { method: came.method, path: came.path, query: came.query, body };
    const { id, method, path: at, query } = expected;
    const isEqual = (() => {
      try {
        expect(sent).toEqual({ method, path: at, query, body: expected.body });
        expect(came.headers).toMatchObject(expected.headers);
        return true;
      } catch {
        return false;
      }
    })();
    if (expected.body !== undefined && isJson !== (came.headers['content-type'] ?? '').startsWith(JSON_TYPE))
      return [`${id}: came as ${came.headers['content-type']}`];
    if (!mayAuthorize(expected, came))
      return [`${id}: ${came.headers.authorization} is no credential for it`];
    return isEqual ? [] : [`${id}: ${JSON.stringify(sent)} in the place of ${JSON.stringify(expected)}`];
  });
  expect(faults).toEqual([]);
  expect(recorded).toHaveLength(samples.length);
};

describe('what samples send is what the description has as the example', () => {
  test('curl', async () => {
    const { samples } = samplesIn('curl');
    // One curl for all: the shell hands on the arguments of each.
    const keeping = `curl() { printf '%s\\0' "$@"; printf -- '--next\\0'; }\n`;
    const stdout = await programOf('/bin/sh', 'all.sh', keeping + samples.map(({ code }) => code).join('\n'));
    const args = stdout.split('\0').slice(0, -2);
    await run('curl', ['-s', '-S', ...args], { timeout: TIMEOUT_MS, maxBuffer: 2 ** 26 });
    checkRecorded(samples);
  });

  test('Node', async () => {
    const { setup, samples } = samplesIn('Node');
    const whole = setup.replace(
      "'@sendwerk/client'",
      JSON.stringify(path.join(ROOT, 'clients/node/index.js')),
    );
    const text = [whole, ...samples.map(({ code }) => `{\n${code}\n}`)].join('\n');
    await programOf(process.execPath, 'all.mjs', text);
    checkRecorded(samples);
  });

  test('Python', async () => {
    const { setup, samples } = samplesIn('Python');
    const text = [setup, ...samples.map(({ code }) => code)].join('\n');
    await programOf('python3', 'all.py', text, { PYTHONPATH: path.join(ROOT, 'clients/python') });
    checkRecorded(samples);
  });

  test('PHP', { tags: 'debian/php-cli' }, async () => {
    const { setup, samples } = samplesIn('PHP');
    await programOf('php', 'all.php', [setup, ...samples.map(({ code }) => code)].join('\n'));
    checkRecorded(samples);
  });

  const goProgram = () => {
    const { setup, samples } = samplesIn('Go');
    const code = samples.map((sample) => `\t${sample.code}`).join('\n');
    return { samples, text: `${setup.replace('\t// The samples stand here.', () => code)}\n` };
  };

  // With the standard library it takes a minute of CPU to compile.
  testInFull('Go', { tags: 'debian/golang-go' }, async () => {
    const { samples, text } = goProgram();
    await programOf('go', 'main.go', text, { GOPROXY: 'off', GOTOOLCHAIN: 'local', GOFLAGS: '' });
    checkRecorded(samples);
  });

  test('Go is formatted as its tool does', { tags: 'debian/golang-go' }, () => {
    const { text } = goProgram();
    const { stdout, stderr } = spawnSync('gofmt', { input: text, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout).toBe(text);
  });
});
