// How the built dashboard is served: compressed as the browser takes it, for good where the name says so, and nothing else of
// the machine.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { dashboardRoutes } from '#src/http/dashboard-files.ts';
import { buildDashboard } from '../../bin/build.ts';
import { startServer } from './fixture.ts';

beforeAll(async () => {
  await buildDashboard();
});

const FACTS = { serviceName: 'Test', passwordLogin: () => false };

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** As it is sent: nothing is unpacked, no path is made shorter. */
const get = (url: string, path: string, headers: Record<string, string> = {}): Promise<Got> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    request({ hostname, port, path, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer
        .on('data', (chunk) => chunks.push(chunk))
        .on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
        );
    })
      .on('error', reject)
      .end();
  });

test('every path of it answers the one page, whose policy allows nothing but its own files', async () => {
  const { url } = await startServer({ routes: dashboardRoutes(FACTS) });
  for (const path of [
    '/app',
    '/app/sign-in',
    '/app/operator/queues',
    '/app/a/people/erika%40example.org?q=1',
  ]) {
    const { status, headers, body } = await get(url, path);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ]);
    expect(String(headers['content-security-policy'])).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';.*frame-ancestors 'none'.*require-trusted-types-for 'script'/,
    );
    expect(body.toString()).toMatch(/<script type="module" src="\/assets\/main-[A-Z0-9]{8}\.js"><\/script>/);
  }
});

test('files are compressed as the browser takes them, and kept for good', async () => {
  const { url } = await startServer({ routes: dashboardRoutes(FACTS) });
  const page = (await get(url, '/app')).body.toString();
  const names = [...page.matchAll(/\/assets\/[\w.-]+/g)].map(([path]) => path);
  expect(names.length).toBeGreaterThanOrEqual(4);
  for (const path of names) {
    const plain = await get(url, path);
    expect([plain.status, plain.headers['content-encoding']]).toEqual([200, undefined]);
    expect(plain.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
    });
    const br = await get(url, path, { 'Accept-Encoding': 'gzip, deflate, br' });
    expect(br.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true);
    const gzip = await get(url, path, { 'Accept-Encoding': 'gzip' });
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
    expect(
      (await get(url, path, { 'Accept-Encoding': 'br;q=0, identity' })).headers['content-encoding'],
    ).toBeUndefined();
  }
});

test('the page says whether passwords are in use, as soon as the configuration does', async () => {
  let passwordLogin = false;
  const { url } = await startServer({
    routes: dashboardRoutes({ ...FACTS, passwordLogin: () => passwordLogin }),
  });
  const tagOf = async () => /<html[^>]*>/.exec((await get(url, '/app')).body.toString())?.[0];
  expect(await tagOf()).toBe('<html lang="de">');
  passwordLogin = true;
  expect(await tagOf()).toBe('<html lang="de" data-passwords>');
});

test.each([
  '/assets/index.html',
  '/assets/..%2findex.html',
  '/assets/..%2f..%2f..%2fpackage.json',
  '/assets/main-AAAAAAAA.js',
  '/assets/main-AAAAAAAA.js.br',
  '/assets/%00',
])('%s is not there', async (path) => {
  const { url } = await startServer({ routes: dashboardRoutes(FACTS) });
  expect((await get(url, path)).status).toBe(404);
});

test('where it was not built, its page says what to run, in the language of the browser', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'not-built-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { url } = await startServer({ routes: dashboardRoutes(FACTS, folder) });
  const german = await get(url, '/app');
  expect([german.status, german.body.toString()]).toEqual([
    503,
    expect.stringContaining('<pre>npm run build</pre>'),
  ]);
  expect((await get(url, '/app/sign-in', { 'Accept-Language': 'en' })).body.toString()).toContain(
    'has not been built',
  );
  await writeFile(join(folder, 'index.html'), '<!doctype html>built since');
  expect((await get(url, '/app')).body.toString()).toBe('<!doctype html>built since');
  // By a release that had no other page where passwords are in use.
  const { url: passwords } = await startServer({
    routes: dashboardRoutes({ ...FACTS, passwordLogin: () => true }, folder),
  });
  expect((await get(passwords, '/app')).body.toString()).toBe('<!doctype html>built since');
});
