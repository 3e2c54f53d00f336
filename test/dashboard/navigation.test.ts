// @module-tag debian/chromium-headless-shell
// The pages at the side: seven for an office, the rest folded into groups by role, and all of them in the palette.
import { expect, test } from 'vitest';
import { accessibilityProblems, PHONE } from '#test/support/browser.ts';
import type { TestPage } from '#test/support/chromium.ts';
import { join, signIn } from '#test/support/people.ts';
import { openOffice } from './office.ts';

// Its plan has roles of one's own.
const office = openOffice('leaves');

const navigation = (page: TestPage) => page.getByRole('navigation', { name: 'Seiten' });
/** What is shown, with what is folded as its group's name. */
const shown = async (page: TestPage): Promise<readonly string[]> =>
  (await navigation(page).locator('a:visible, summary').allTextContents()).map((text) => text.trim());

const DAILY = ['Übersicht', 'Nachricht schreiben', 'Post', 'Posteingang', 'Personen', 'Vorlagen'];
const FOLDED = ['Listen und Formulare', 'Entwicklung', 'Einrichtung', 'Ich'];
const [LISTS = '', DEVELOP = '', SET_UP = '', OWN = ''] = FOLDED;

const roles: Readonly<Record<string, readonly string[]>> = {
  member: [...DAILY, ...FOLDED],
  editor: [...DAILY, 'Rundschreiben', ...FOLDED],
  // What a role may not do is not there: this one sends nothing and knows no lists.
  viewer: ['Übersicht', 'Post', 'Posteingang', DEVELOP, SET_UP, OWN],
};

test.each(Object.entries(roles))(
  'the role %s sees at most seven pages, and the rest in groups',
  async (role, pages) => {
    const email = `${role}@example.org`;
    await join(office.app, office.sender.practice.id, email, { role_id: role });
    const page = await office.open('overview', { cookie: (await signIn(office.app, email)).cookie });
    await navigation(page).getByRole('link', { name: 'Übersicht' }).waitFor();
    expect(await shown(page)).toEqual(pages);
    expect(pages.filter((name) => !FOLDED.includes(name)).length).toBeLessThanOrEqual(7);
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Suchen und springen' });
    await palette.getByRole('combobox').fill('Zustellbarkeit');
    await palette.getByRole('option', { name: /Zustellbarkeit.*Einrichtung/ }).waitFor();
  },
);

test('a developer has the pages for developers unfolded, an owner those for setting up', async () => {
  const role = { name: 'Entwickler', permissions: ['tokens.manage', 'webhooks.manage', 'messages.view'] };
  const { app, sender } = office;
  const { id: role_id } = (
    await app.request<{ id: string }>('POST', `${sender.base}/roles`, role, app.adminToken)
  ).body;
  await join(office.app, office.sender.practice.id, 'code@example.org', { role_id });
  const developer = await office.open('post', {
    cookie: (await signIn(office.app, 'code@example.org')).cookie,
  });
  expect(await shown(developer)).toContain('API-Token');
  expect(await shown(developer)).not.toContain('Projekte');
  const owner = await office.open('overview');
  expect(await shown(owner)).toContain('Mitglieder');
  expect(await shown(owner)).not.toContain('API-Token');
});

test('a group stays as it was left, and the one of the present page is open; by keyboard and on a telephone too', async () => {
  const page = await office.open('overview');
  const group = (name: string) => navigation(page).locator('details', { hasText: name });
  const isOpen = (name: string) =>
    expect.poll(() =>
      group(name)
        .getAttribute('open')
        .then((open) => open !== null),
    );
  await group(LISTS).locator('summary').focus();
  await page.keyboard.press('Enter');
  await group(SET_UP).locator('summary').click();
  await isOpen(LISTS).toBe(true);
  await page.reload();
  await navigation(page).waitFor();
  await isOpen(LISTS).toBe(true);
  await isOpen(SET_UP).toBe(false);

  // Opened for its page only: it folds again with that.
  await page.goto(`/app/${office.sender.practice.id}/domain`);
  await isOpen(SET_UP).toBe(true);
  expect(await group(SET_UP).getByRole('link', { name: 'Domain' }).getAttribute('aria-current')).toBe('page');
  await navigation(page).getByRole('link', { name: 'Übersicht' }).click();
  await isOpen(SET_UP).toBe(false);

  await page.setViewportSize({ width: PHONE, height: 812 });
  await page.getByRole('button', { name: 'Menü' }).click();
  await group(DEVELOP).locator('summary').click();
  expect(await accessibilityProblems(page)).toEqual([]);
  await navigation(page).getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  await navigation(page).waitFor({ state: 'hidden' });
});
