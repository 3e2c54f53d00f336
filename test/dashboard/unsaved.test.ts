// @module-tag debian/chromium-headless-shell
// Nothing typed is lost: who leaves a form is asked, its draft is there for who comes back, and a secret stays until it is copied.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { checkAccessibility } from '#test/support/browser.ts';
import { openOffice } from './office.ts';

const office = openOffice('captured');

const question = (page: Page) => page.getByRole('dialog', { name: 'Noch nicht gespeichert' });
const answer = (page: Page, text: string) => question(page).getByRole('button', { name: text }).click();
const offer = (page: Page) => page.getByText(/Ihr Entwurf von \d\d:\d\d ist noch da/);

test('a dialog with typed text asks before Escape or its button closes it, and offers the draft when it is opened again', async () => {
  const page = await office.open('lists');
  const open = () => page.getByRole('button', { name: 'Neue Liste' }).click();
  await open();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  await open();
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Rundbrief');
  await page.getByLabel('Wofür gilt die Einwilligung?').selectOption('recall');
  for (let press = 0; press < 3; press++) {
    await page.keyboard.press('Escape');
    await question(page).waitFor();
    await page.keyboard.press('Escape');
    await question(page).waitFor({ state: 'detached' });
  }
  expect(await name.inputValue()).toBe('Rundbrief');
  await page.getByRole('button', { name: 'Schließen' }).click();
  await checkAccessibility(page);
  await answer(page, 'Entwurf aufheben');
  await name.waitFor({ state: 'detached' });

  await open();
  expect(await name.inputValue()).toBe('');
  await offer(page).waitFor();
  await checkAccessibility(page);
  await page.getByRole('button', { name: 'Weiterschreiben' }).click();
  await expect.poll(() => page.getByLabel('Wofür gilt die Einwilligung?').inputValue()).toBe('recall');
  await page.getByRole('button', { name: 'Anlegen', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Rundbrief' }).waitFor();
  await page.goBack();
  await open();
  await name.waitFor();
  expect(await offer(page).count()).toBe(0);
});

test('a page with typed text asks before a link, Back and Reload, and a reloaded page offers the draft', async () => {
  const page = await office.open('lists');
  await page.getByRole('navigation').getByRole('link', { name: 'Praxis', exact: true }).click();
  const name = page.getByLabel('Name der Praxis');
  const before = await name.inputValue();
  await name.fill('Praxis am Park');
  await page.evaluate('history.back()');
  await answer(page, 'Weiterschreiben');
  expect(page.url()).toContain('/settings');
  expect(await name.inputValue()).toBe('Praxis am Park');
  await page.getByRole('navigation').getByText('Listen und Formulare').click();
  await page.getByRole('navigation').getByRole('link', { name: 'Listen' }).click();
  await answer(page, 'Weiterschreiben');

  let asked = 0;
  page.on('dialog', (dialog) => {
    asked += Number(dialog.type() === 'beforeunload');
  });
  await page.reload();
  expect(asked).toBe(1);
  await offer(page).waitFor();
  await page.getByRole('button', { name: 'Weiterschreiben' }).click();
  await expect.poll(() => name.inputValue()).toBe('Praxis am Park');
  await page.evaluate('history.back()');
  await answer(page, 'Verwerfen');
  await page.waitForURL('**/lists');
  await page.goForward();
  await expect.poll(() => name.inputValue()).toBe(before);
  expect(await offer(page).count()).toBe(0);

  // What is typed back to what it was is no change.
  await name.fill('x');
  await name.fill(before);
  await page.getByRole('navigation').getByRole('link', { name: 'Listen' }).click();
  await page.waitForURL('**/lists');
});

test('a secret that is shown once is closed by its button alone, and Back asks', async () => {
  const page = await office.open('lists');
  await page.getByRole('navigation').getByText('Entwicklung').click();
  await page.getByRole('navigation').getByRole('link', { name: 'API-Token' }).click();
  await page.getByRole('button', { name: 'Token anlegen' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Praxissoftware');
  await page.getByRole('dialog').getByRole('button', { name: 'Token anlegen' }).click();
  const secret = page.getByRole('dialog', { name: 'Neues Token' });
  const shown = await secret.locator('code').textContent();
  for (let press = 0; press < 3; press++) await page.keyboard.press('Escape');
  expect(await secret.getByRole('button', { name: 'Schließen' }).count()).toBe(0);
  await page.evaluate('history.back()');
  await page.getByRole('dialog', { name: 'Schon kopiert?' }).getByRole('button', { name: 'Zurück' }).click();
  expect(await secret.locator('code').textContent()).toBe(shown);
  expect(await page.evaluate<string>('JSON.stringify(sessionStorage)')).not.toContain(shown);
  await secret.getByRole('button', { name: 'Ich habe es kopiert' }).click();
  await secret.waitFor({ state: 'detached' });
});

const written = [
  ['a template', async () => `templates/${(await office.ask('POST', '/templates', letter)).id}`],
  [
    'a campaign',
    async () => {
      const list = await office.ask('POST', '/lists', { name: 'Leser' });
      return `campaigns/${(await office.ask('POST', '/campaigns', { ...letter, list_id: list.id })).id}`;
    },
  ],
  ['a letter', async () => 'letter'],
] as const;
const letter = {
  ...{ name: 'garten', subject: 'Aus dem Garten' },
  document: { version: 1, content: [{ type: 'paragraph', attrs: { align: 'start' } }] },
};

test.each(written)(
  'what was typed into the editor of %s is there after the page was loaded again',
  async (_, pathOf) => {
    const page = await office.open(await pathOf());
    const editor = page.locator('[contenteditable=true]');
    await editor.click();
    // No frame is drawn after the last key: a busy computer loads the page again before that.
    await page.evaluate('requestAnimationFrame = () => 0');
    await page.keyboard.type('Die Rosen blühen.');
    // Chromium alone asks about the reload; the harness answers.
    await page.reload();
    await offer(page).waitFor();
    expect(await editor.textContent()).not.toContain('Rosen');
    await page.getByRole('button', { name: 'Weiterschreiben' }).click();
    await expect.poll(() => editor.textContent()).toContain('Die Rosen blühen.');
    await editor.click();
    await page.keyboard.type('!');
    await page.reload();
    await offer(page).waitFor();
    await page.getByRole('button', { name: 'Weiterschreiben' }).click();
    await expect.poll(() => editor.textContent()).toMatch(/!/);
  },
);

// It ends the session of all tests.
test('who is signed out while writing finds the draft after the next sign-in', async () => {
  const page = await office.open('settings');
  await page.getByLabel('Name der Praxis').fill('Praxis im Hof');
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await page.evaluate(`new BroadcastChannel('account').postMessage('signed out')`);
  await page.getByRole('heading', { name: 'Bei Sendwerk anmelden' }).waitFor();
  await page.context().addCookies(cookies);
  await page.evaluate(`new BroadcastChannel('account').postMessage('signed in')`);
  await offer(page).waitFor();
  await page.getByRole('button', { name: 'Weiterschreiben' }).click();
  await expect.poll(() => page.getByLabel('Name der Praxis').inputValue()).toBe('Praxis im Hof');

  await page.getByRole('button', { name: 'sommer@example.org' }).click();
  await page.getByRole('button', { name: 'Abmelden', exact: true }).click();
  await answer(page, 'Verwerfen');
  await page.getByRole('heading', { name: 'Bei Sendwerk anmelden' }).waitFor();
  expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('Praxis im Hof');
});
