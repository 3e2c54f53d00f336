// @module-tag debian/chromium-headless-shell
// What a page does wrong is noticed; what is usual is not.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityProblems, openBrowser, runsNothing, tooWide } from './browser.ts';
import { hostile } from './chromium.ts';

const STRICT =
  "default-src 'none'; script-src 'self'; connect-src 'self'; frame-src 'self'; require-trusted-types-for 'script'; trusted-types none";
const OPEN = "script-src * 'unsafe-inline'";
interface Served {
  readonly html: string;
  readonly policy?: string;
  readonly status?: number;
}
const head =
  '<!doctype html><html lang="de"><title>Probe</title><meta name="viewport" content="width=device-width">';
const pages: Readonly<Record<string, Served>> = {
  '/clean': { html: `${head}<h1>Grüße</h1>`, policy: STRICT },
  '/asks': {
    html: `${head}<p>fragt<script>fetch('/refused').then(() => document.title = 'da')</script>`,
    policy: OPEN,
  },
  '/refused': { html: 'nein', status: 403 },
  '/broken': { html: 'kaputt', status: 500 },
  '/inline': { html: `${head}<script>1</script>`, policy: STRICT },
  '/frame': { html: `${head}<iframe src="/inline" title="Mail"></iframe>`, policy: STRICT },
  '/sandbox': {
    html: `${head}<p>Post</p><img src="http://tracker.example/pixel" alt=""><iframe src="/clean" title="x"></iframe>`,
    policy: "sandbox; default-src 'none'",
  },
  '/preview': { html: `${head}<iframe src="/sandbox" title="Mail" sandbox></iframe>`, policy: STRICT },
  '/throws': { html: `${head}<script>throw new Error('daneben')</script>`, policy: OPEN },
  '/says': { html: `${head}<script>console.error('oh')</script>`, policy: OPEN },
  '/missing': { html: `${head}<script src="/nowhere.js"></script>`, policy: OPEN },
  '/elsewhere': { html: `${head}<img src="http://tracker.example/pixel" alt="">` },
  '/hostile': { html: `${head}<p>${hostile('subject')}`, policy: OPEN },
  '/faint': { html: `${head}<p style="color:#aaa;background:#fff">blass</p><input>` },
  '/wide': { html: `${head}<p style="width:900px">breit` },
};

let server: Server;
let origin: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    const { html, policy, status } = pages[request.url ?? ''] ?? { html: '', status: 404 };
    response.writeHead(status ?? 200, {
      'Content-Type': 'text/html; charset=utf-8',
      ...(policy === undefined ? {} : { 'Content-Security-Policy': policy }),
    });
    response.end(html);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const browser = openBrowser();
const opened = async (path: string) => {
  const page = await browser.newPage({ origin });
  await page.goto(path);
  return page;
};

test.each(['/clean', '/asks'])('%s has no problem: a refusal is for the page to deal with', async (path) => {
  const page = await opened(path);
  if (path === '/asks') await expect.poll(() => page.title()).toBe('da');
  expect(await page.problems()).toEqual([]);
});

test.each([
  ['/inline', /^policy of \S+\/inline: script-src-elem inline/],
  ['/frame', /^policy of \S+\/inline: script-src-elem inline/],
  ['/preview', /^console: Loading the image \S+tracker/],
  ['/throws', /^error: Error: daneben/],
  ['/says', /^console: oh$/],
  ['/missing', /^status 404: \S+\/nowhere\.js$/],
  ['/elsewhere', /^request to another origin: http:\/\/tracker\.example\/pixel$/],
  ['/broken', /^status 500: \S+\/broken$/],
  ['/hostile', /^script ran in \S+\/hostile: subject$/],
  ['/hostile', /^alert: subject$/],
])('%s: %s', async (path, problem) => {
  const page = await opened(path);
  await expect.poll(() => page.problems()).toContainEqual(expect.stringMatching(problem));
});

test.fails('a problem that the test does not take fails it', async () => {
  await opened('/says');
});

test('what hostile text would run is named, a link included', async () => {
  const page = await opened('/hostile');
  await expect(runsNothing(page)).rejects.toThrow('to deeply equal []');
  await expect(runsNothing(page)).rejects.toThrow('expected 1 to be');
});

test('axe-core checks under a strict policy, and names what fails', async () => {
  expect(await accessibilityProblems(await opened('/clean'))).toEqual([]);
  expect((await accessibilityProblems(await opened('/faint'))).map((line) => line.split(':', 1)[0])).toEqual([
    'color-contrast',
    'label',
  ]);
});

test('a page that is wider than a telephone is noticed, with what is too wide', async () => {
  const page = await browser.newPage({ origin, width: 375 });
  await page.goto('/wide');
  expect(await tooWide(page)).toContainEqual(expect.stringContaining('breit'));
  await page.goto('/clean');
  expect(await tooWide(page)).toEqual([]);
});
