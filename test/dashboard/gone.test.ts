// @module-tag debian/chromium-headless-shell
// The service is restarted, or replaced by a newer one, while somebody works: the page says so and goes on by itself.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '#test/support/app.ts';
import { openBrowser } from '#test/support/browser.ts';
import { makeOwner, signIn, unlimitedSignIn } from '#test/support/people.ts';
import { freePort } from '#test/support/process.ts';

const browser = openBrowser();
const OWNER = 'sommer@example.org';
let app: TestApp;
let cookie: string;
let base: string;
let start: (home?: string) => Promise<TestApp>;

beforeAll(async () => {
  const listen = `127.0.0.1:${await freePort()}`;
  start = (home) =>
    startApp({
      ...(home === undefined ? {} : { home }),
      config: { ...unlimitedSignIn, service: { public_origin: `http://${listen}` }, http: { listen } },
    });
  app = await start();
  const { practice } = await app.createSender();
  await makeOwner(app, practice.id, OWNER);
  ({ cookie } = await signIn(app, OWNER));
  base = `/app/${practice.id}`;
});
afterAll(() => app?.remove());

const GONE = 'Der Dienst ist gerade nicht erreichbar; es geht von selbst weiter.';

test('while the service is gone a page says so and keeps what is typed; a click goes on when it is back', async () => {
  const page = await browser.newPage({ origin: app.origin, cookie });
  await page.goto(`${base}/lists`);
  const lamp = (text: string) => page.getByRole('banner').getByText(text, { exact: true });
  await lamp('Verbunden').waitFor();
  await page.getByRole('button', { name: 'Neue Liste' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Rundbrief');

  await app.stop();
  await lamp('Nicht verbunden').waitFor();
  await page.getByText(GONE).waitFor();
  await page.getByRole('button', { name: 'Anlegen', exact: true }).click();
  await page.getByText('Das ist noch nicht erledigt').waitFor();
  app = await start(app.home);
  await page.getByText('Der Dienst ist wieder da.').waitFor();
  await lamp('Verbunden').waitFor();
  await page.getByRole('button', { name: 'Anlegen', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Rundbrief' }).waitFor();
  // Its people are asked for after its heading is there; a service that shuts down would say 503.
  await page.getByRole('heading', { name: 'Noch niemand auf dieser Liste' }).waitFor();

  // A page that was not loaded before, and a download.
  await app.stop();
  await page.getByText(GONE).waitFor();
  await page.getByRole('link', { name: 'Als CSV' }).click();
  await page.getByRole('navigation').getByRole('link', { name: 'Vorlagen' }).click();
  await page.waitForURL('**/templates');
  await page.getByText(GONE).waitFor();
  expect(page.url()).toContain(base);
  app = await start(app.home);
  await page.getByRole('heading', { level: 1, name: 'Vorlagen' }).waitFor();
  await page.getByText(GONE).waitFor({ state: 'detached' });
  // A service that is just shutting down answers the question about its health with 503.
  const ofItsStop = /ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY|^status 503: .*\/(?:healthz|events)$/;
  const problems = await page.problems();
  expect(problems.filter((problem) => !ofItsStop.test(problem))).toEqual([]);
});

test('a page of a version that is not there any more is shown in the new one', async () => {
  const page = await browser.newPage({ origin: app.origin, cookie });
  await page.goto(`${base}/lists`);
  await page.getByRole('heading', { level: 1, name: 'Listen' }).waitFor();
  let refused = 0;
  await page.route('**/assets/**', (route) => {
    refused += 1;
    return refused > 2 ? route.continue() : route.fulfill({ status: 404 });
  });
  const before = await page.evaluate('performance.timeOrigin');
  await page.evaluate(`document.querySelector('nav a[href$="/templates"]').click()`);
  await expect
    .poll(() => page.evaluate('performance.timeOrigin').catch(() => before), { timeout: 30_000 })
    .not.toBe(before);
  await page.getByRole('heading', { level: 1, name: 'Vorlagen' }).waitFor();
  await page.problems();
});
