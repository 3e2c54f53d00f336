// @module-tag debian/chromium-headless-shell
// Signing in to the dashboard as a person does it, by code and by password, and what happens when the session ends meanwhile.
import { expect, test } from 'vitest';
import {
  codeMails,
  ERIKA,
  PASSWORD,
  setPassword,
  start,
  withPasswords,
  wrong,
} from '#test/flows/sign-in-scene.ts';
import type { TestApp } from '#test/support/app.ts';
import { checkAccessibility, openBrowser } from '#test/support/browser.ts';
import { codesTo, signIn } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';

const browser = openBrowser();

const lastCode = async (app: TestApp, count: number): Promise<string> => {
  await codeMails(app, count);
  return (await codesTo(app, ERIKA)).at(-1) ?? '';
};

test('the code of the mail opens the only practice of a member; a wrong one is said, and typed again', async () => {
  const { app, practiceId } = await start();
  const page = await browser.newPage({ origin: app.origin });
  await page.goto('/app/sign-in');
  await checkAccessibility(page);
  await page.getByLabel('E-Mail-Adresse').fill(ERIKA);
  // This service takes none.
  expect(await page.getByRole('button', { name: 'Mit Passwort anmelden' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Code senden' }).click();
  const code = await lastCode(app, 1);
  await page.getByLabel('Ziffer 1').waitFor();
  await checkAccessibility(page);
  await page.keyboard.type(wrong(code));
  await page.getByText('Der Code stimmt nicht').waitFor();
  expect(await page.getByLabel('Ziffer 1').inputValue()).toBe('');
  // The first box has the focus again.
  await page.keyboard.type(code);
  await page.waitForURL(`/app/${practiceId}/overview`);
  await page.getByRole('heading', { name: 'Übersicht', level: 1 }).waitFor();
  expect(await page.locator('.bar').count()).toBe(1);
  await checkAccessibility(page);
});

test('the link that an operator gets from the command line signs in by its button, and leaves no code behind', async () => {
  const { app } = await start({ config: { operators: [ERIKA] } });
  const { body } = await app.request<{ link: string }>(
    'POST',
    '/api/admin/sign-in-links',
    { email: ERIKA },
    app.adminToken,
  );
  const { pathname, hash } = new URL(body.link);
  const page = await browser.newPage({ origin: app.origin });
  await page.goto(`${pathname}${hash}`);
  await page.getByText(`als ${ERIKA} an`).waitFor();
  expect(new URL(page.url()).hash).toBe('');
  await checkAccessibility(page);
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
  await page.getByRole('navigation').first().waitFor();
});

test('in English, by a code that is pasted with its spaces', async () => {
  const { app, practiceId } = await start();
  const page = await browser.newPage({ origin: app.origin, language: 'en' });
  await page.goto(`/app/${practiceId}/post`);
  await page.getByLabel('Email address').fill(ERIKA);
  await page.getByRole('button', { name: 'Send code' }).click();
  const code = await lastCode(app, 1);
  await page.getByLabel('Digit 3').focus();
  // One is sent each minute at most.
  expect(await page.getByRole('button', { name: 'Send a new code' }).isDisabled()).toBe(true);
  await page.evaluate(`(() => {
    const data = new DataTransfer();
    data.setData('text', ' ${code.slice(0, 3)} ${code.slice(3)} ');
    const paste = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
    document.activeElement.dispatchEvent(paste);
  })()`);
  // The page that was asked for.
  await page.getByRole('heading', { name: 'Mail', level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/app/${practiceId}/post`);
});

test('a password opens it too, other sessions are ended, and what is changed after that asks for a new sign-in in its place', async () => {
  const { app } = await start({ config: withPasswords });
  const elsewhere = await signIn(app, ERIKA);
  await setPassword(app, elsewhere.token, { password: PASSWORD });
  const page = await browser.newPage({ origin: app.origin });
  await page.goto('/app/account');
  await page.getByRole('button', { name: 'Mit Passwort anmelden' }).click();
  await page.getByLabel('E-Mail-Adresse').fill(ERIKA);
  await page.getByLabel('Passwort', { exact: true }).fill('Ein anderes als ihres');
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
  await page.getByText('E-Mail-Adresse oder Passwort stimmen nicht.').waitFor();
  await page.getByLabel('Passwort', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
  const sessions = page.getByRole('table', { name: 'Anmeldungen' }).locator('tbody tr');
  await until('both are listed', async () => (await sessions.count()) === 2);
  await sessions.getByRole('button', { name: 'Beenden' }).click();
  await until('one is left', async () => (await sessions.count()) === 1);
  const { status } = await app.request('GET', '/api/auth/me', undefined, elsewhere.token);
  expect(status).toBe(401);

  await page.getByLabel('Neues Passwort').fill('Sieben Raben im Schnee');
  await page.getByLabel('Bisheriges Passwort').fill(PASSWORD);
  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Passwort ändern' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Ihre Sitzung ist zu Ende').waitFor();
  await dialog.getByRole('button', { name: 'Mit Passwort anmelden' }).click();
  await dialog.getByLabel('Passwort', { exact: true }).fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Anmelden', exact: true }).click();
  await page.getByText('Das Passwort ist festgelegt').waitFor();
});

test('without a connection the page says so, and goes on once it is there', async () => {
  const { app } = await start();
  const { cookie } = await signIn(app, ERIKA);
  const page = await browser.newPage({ origin: app.origin, cookie });
  await page.goto('/app/account');
  await page.getByLabel('Sprache der E-Mails an Sie').waitFor();
  await page.context().setOffline(true);
  await page.getByText('es geht von selbst weiter').waitFor();
  await page.getByLabel('Sprache der E-Mails an Sie').selectOption('en');
  await page.getByText('Das ist noch nicht erledigt').waitFor();
  await page.context().setOffline(false);
  await page.getByText('Der Dienst ist wieder da.').waitFor();
  await page.problems();
});
