// @module-tag debian/chromium-headless-shell
// Every page of the dashboard; that the list has each of them; and the keyboard.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '#test/support/browser.ts';
import { soak } from '#test/support/soak.ts';
import { problemsOf } from './page-looks.ts';
import { pages, type ShownPage, show, viewing } from './pages.ts';
import { type Scene, startScene } from './scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene?.stop());
const browser = openBrowser();

const groups: readonly (readonly [name: string, people: readonly ShownPage['as'][]])[] = [
  ['an office', ['office']],
  ['owners', ['owner']],
  [
    'visitors, administrators, operators and those with several practices',
    [undefined, 'admin', 'agency', 'stranger', 'operator'],
  ],
];

test.each(groups)(
  'every page of %s',
  { tags: ['soak'], timeout: soak(120_000, 900_000) },
  async (_, people) => {
    expect(await problemsOf(browser, scene, people)).toEqual({});
  },
);

test('the list has every page of the dashboard', () => {
  const source = readFileSync(new URL('../../src/dashboard/pages.ts', import.meta.url), 'utf8');
  const patterns = source.split('export const operatorPages').flatMap((part, isOther) => {
    const base = isOther ? '/app/' : '/app/:practice/';
    return [...part.matchAll(/\bpath: '([^']+)'/g)].map(
      ([, path]) => new URLPattern({ pathname: `${base}${path}` }),
    );
  });
  expect(patterns.length).toBeGreaterThan(0);
  const shown = pages.map(({ path }) => new URL(path(scene), scene.app.origin));
  const missing = patterns.filter((pattern) => !shown.some((url) => pattern.test(url)));
  expect(missing.map(({ pathname }) => pathname)).toEqual([]);
});

test('by the keyboard alone', async () => {
  const page = await browser.newPage(viewing(scene, { as: 'office' }));
  await show(page, scene, { name: 'post', path: ({ practice }) => `/app/${practice.practice.id}/post` });
  const hasFocus = (selector: string): Promise<void> => page.locator(`${selector}:focus`).waitFor();
  await hasFocus('main h1');

  await page.locator('.skip').focus();
  await page.keyboard.press('Enter');
  await hasFocus('main');

  await page.locator('.menu > button').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await hasFocus('.menulist > a');
  await page.keyboard.press('Escape');
  await hasFocus('.menu > button');

  const dialog = page.getByRole('dialog');
  for (const closed of ['Escape', 'Enter']) {
    await page.locator('.switcher').focus();
    await page.keyboard.press('Enter');
    await hasFocus('dialog input');
    if (closed === 'Enter') await dialog.getByRole('button', { name: 'Schließen' }).focus();
    await page.keyboard.press(closed);
    await dialog.waitFor({ state: 'detached' });
    await hasFocus('.switcher');
  }

  // Where a page has no search box, the key for it opens the one for all.
  await show(page, scene, {
    name: 'overview',
    path: ({ practice }) => `/app/${practice.practice.id}/overview`,
  });
  await hasFocus('main h1');
  await page.keyboard.press('/');
  await hasFocus('dialog input');
});

test('a dialog begins in its first field, and what it only asks about is not confirmed by the same key', async () => {
  const page = await browser.newPage(viewing(scene, { as: 'office' }));
  await show(page, scene, {
    name: 'suppressions',
    path: ({ practice }) => `/app/${practice.practice.id}/suppressions`,
    ready: 'tbody tr',
  });
  await page.getByRole('button', { name: 'Adresse sperren' }).click();
  await page.locator('dialog input[inputmode=email]:focus').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Aufheben' }).first().click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: 'Schließen' })
    .and(page.locator(':focus'))
    .waitFor();
});
