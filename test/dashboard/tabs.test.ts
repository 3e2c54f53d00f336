// @module-tag debian/chromium-headless-shell
// Several tabs of one browser: they have one session and one live stream.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { codeMails, ERIKA, start } from '#test/flows/sign-in-scene.ts';
import { openBrowser } from '#test/support/browser.ts';
import { codesTo, signIn } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';

const browser = openBrowser();

const SIGN_IN = { name: 'Bei Sendwerk anmelden' };

/** As the browser does it when another tab is chosen. */
const hide = (page: Page): Promise<unknown> =>
  page.evaluate(`Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' });
    document.dispatchEvent(new Event('visibilitychange'))`);

test('who signs out in one tab is signed out in all, and who signs in again can change things in each', async () => {
  const { app } = await start();
  const { cookie } = await signIn(app, ERIKA);
  const first = await browser.newPage({ origin: app.origin, cookie });
  await first.goto('/app/account');
  const second = await first.context().newPage();
  await second.goto('/app/account');
  await second.getByLabel('Sprache der E-Mails an Sie').waitFor();

  await first.getByRole('button', { name: ERIKA }).click();
  await first.getByRole('button', { name: 'Abmelden', exact: true }).click();
  await first.getByRole('heading', SIGN_IN).waitFor();
  await second.getByRole('heading', SIGN_IN).waitFor();

  const before = (await codesTo(app, ERIKA)).length;
  await first.getByLabel('E-Mail-Adresse').fill(ERIKA);
  await first.getByRole('button', { name: 'Code senden' }).click();
  await codeMails(app, before + 1);
  await first.getByLabel('Ziffer 1').waitFor();
  await first.keyboard.type((await codesTo(app, ERIKA)).at(-1) ?? '');
  await first.getByLabel('Sprache der E-Mails an Sie').waitFor();
  // With the CSRF token of the session that the other tab has begun.
  await second.getByLabel('Sprache der E-Mails an Sie').selectOption('en');
  const language = async (): Promise<string | undefined> =>
    app.sql<{ language: string }>(null, 'SELECT language FROM accounts WHERE email = ?', ERIKA)[0]?.language;
  await until('the language is kept', async () => (await language()) === 'en');
});

test('two tabs of a practice follow its events by one stream, which moves on when its tab is hidden, and ends with the last', async () => {
  const { app, practiceId } = await start();
  const { cookie } = await signIn(app, ERIKA);
  const first = await browser.newPage({ origin: app.origin, cookie });
  const streams: Page[] = [];
  first.context().on('request', (request) => {
    if (request.resourceType() === 'eventsource') streams.push(request.frame().page());
  });
  const { token } = (
    await app.request<{ token: string }>(
      'POST',
      `/api/practices/${practiceId}/api-tokens`,
      { name: 'x', scope: 'team' },
      app.adminToken,
    )
  ).body;
  const send = (subject: string) =>
    app.request(
      'POST',
      `/api/practices/${practiceId}/send`,
      { to: 'a@example.org', subject, text: 'x' },
      token,
    );
  const shows = (page: Page, subject: string): Promise<void> => page.getByText(subject).first().waitFor();

  await first.goto(`/app/${practiceId}/post`);
  await first.getByText('Verbunden', { exact: true }).waitFor();
  const second = await first.context().newPage();
  await second.goto(`/app/${practiceId}/post`);
  await second.getByText('Verbunden', { exact: true }).waitFor();
  await send('Eins');
  await shows(first, 'Eins');
  await shows(second, 'Eins');
  expect(streams).toEqual([first]);

  await hide(first);
  await until('the other tab follows', () => streams.length === 2);
  expect(streams[1]).toBe(second);
  await send('Zwei');
  await shows(second, 'Zwei');

  await hide(second);
  await second.getByText('Angehalten', { exact: true }).waitFor();
});
