// Answers as the client takes them, over a real socket; and where none is compressed, because its length would tell what is in it.
import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { mayCompress } from '#src/http/compression.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { allRoutes, startServer, TENANT } from './fixture.ts';

interface Answer {
  readonly status: number;
  readonly encoding: string | undefined;
  readonly vary: string | undefined;
  readonly length: number;
  readonly body: Buffer;
}

const fetched = (url: string, accept: string | null, method = 'GET', token = 'sender'): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = {
      Authorization: `Bearer ${token}`,
      ...(accept === null ? {} : { 'Accept-Encoding': accept }),
    };
    request(url, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          encoding: response.headers['content-encoding'],
          vary: response.headers.vary,
          length: Number(response.headers['content-length']),
          body: Buffer.concat(chunks),
        }),
      );
    })
      .on('error', reject)
      .end();
  });

const plain = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync } as const;
const textOf = ({ encoding, body }: Answer): string =>
  (encoding === undefined ? body : plain[encoding as keyof typeof plain](body)).toString();

const LONG = 'Termin '.repeat(1_000);
const SHORT = 'Termin';
const listing = (id: string, fields: object = {}): Route =>
  defineRoute({
    id,
    method: 'get',
    path: `/api/practices/{id}/${id}`,
    params: z.object({ id: z.string() }),
    query: z.looseObject({}),
    tag: 'Test',
    summary: 'For the tests.',
    stability: 'stable',
    access: 'stats.view',
    responses: { 200: { description: 'done', body: z.unknown() } },
    handle: ({ query }: { query: Readonly<Record<string, unknown>> }) => ({
      status: 200,
      body: { text: 'short' in query ? SHORT : LONG },
    }),
    ...fields,
  } as Parameters<typeof defineRoute>[0]);

const routes = [...allRoutes, listing('plainly'), listing('mails', { tag: 'Messages' })];
const urlOf = (server: { url: string }, name: string): string =>
  `${server.url}/api/practices/${TENANT}/${name}`;

test.each<[accepted: string | null, encoding: string | undefined]>([
  ['zstd, br, gzip', 'zstd'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip, br', 'br'],
  ['gzip', 'gzip'],
  ['br;q=0.5, gzip;q=0.8', 'gzip'],
  ['zstd;q=0, br;q=0, *', 'gzip'],
  ['gzip;q=0', undefined],
  ['identity', undefined],
  ['identity, gzip;q=0.5', undefined],
  ['identity;q=0, gzip;q=0.1', 'gzip'],
  ['identity;q=0', undefined],
  ['compress', undefined],
  ['', undefined],
  [null, undefined],
])('a client that takes %j gets %s', async (accepted, encoding) => {
  const server = await startServer({ routes });
  const answer = await fetched(urlOf(server, 'plainly'), accepted);
  expect(answer).toMatchObject({ status: 200, encoding, vary: 'Accept-Encoding' });
  expect(answer.length).toBe(answer.body.length);
  expect(JSON.parse(textOf(answer))).toEqual({ text: LONG });
  if (encoding !== undefined) expect(answer.body.length).toBeLessThan(LONG.length / 10);
});

test('a small answer is sent as it is, unless that is what the client does not take', async () => {
  const server = await startServer({ routes });
  const url = `${urlOf(server, 'plainly')}?short`;
  expect(await fetched(url, 'gzip, br')).toMatchObject({ encoding: undefined, vary: 'Accept-Encoding' });
  const answer = await fetched(url, 'identity;q=0, br');
  expect(answer.encoding).toBe('br');
  expect(JSON.parse(textOf(answer))).toEqual({ text: SHORT });
});

test('HEAD has the fields of GET', async () => {
  const server = await startServer({ routes });
  const { length } = await fetched(urlOf(server, 'plainly'), 'br');
  const head = await fetched(urlOf(server, 'plainly'), 'br', 'HEAD');
  expect(head).toMatchObject({ status: 200, encoding: 'br', length, body: Buffer.alloc(0) });
});

test.each(['/openapi.yaml', '/reference', '/reference/errors', '/reference/search.json'])(
  '%s is compressed, the same each time',
  async (path) => {
    const server = await startServer();
    const whole = await fetched(server.url + path, null);
    for (const encoding of ['zstd', 'br', 'gzip']) {
      const [one, two] = [
        await fetched(server.url + path, encoding),
        await fetched(server.url + path, encoding),
      ];
      expect(one).toMatchObject({ status: 200, encoding, vary: 'Accept-Encoding' });
      expect(textOf(one)).toBe(whole.body.toString());
      expect(two.body.equals(one.body)).toBe(true);
      expect(one.body.length).toBeLessThan(whole.body.length / 2);
    }
  },
);

test('mail and refusals are sent as they are', async () => {
  const server = await startServer({ routes });
  expect(await fetched(urlOf(server, 'mails'), 'gzip')).toMatchObject({ status: 200, encoding: undefined });
  const refused = await fetched(urlOf(server, 'plainly'), 'gzip', 'GET', 'nobody');
  expect(refused).toMatchObject({ status: 401, encoding: undefined });
});

test.each<[string, Partial<Route>, boolean]>([
  ['an answer of a practice', {}, true],
  ['a change, which may show a secret once', { method: 'post' }, false],
  ['a public page, which repeats what was typed beside a token', { access: 'public' }, false],
  ['a document that is the same for everyone', { access: 'public', isFixed: true }, true],
  ['what a session is told of itself', { access: 'session' }, false],
  ['received mail', { tag: 'Inbound mail' }, false],
  ['the forms of other services', { tag: 'Compatibility: EU shape' }, false],
])('%s', (_, fields, expected) => {
  expect(mayCompress({ ...listing('any'), ...fields } as Route)).toBe(expected);
});
