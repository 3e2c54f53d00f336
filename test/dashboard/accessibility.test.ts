// @module-tag debian/chromium-headless-shell
// Every page of the list by axe-core, in both languages: light, dark, with forced colours and reduced motion, and on a telephone.
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessibilityProblems, openBrowser, tooWide } from '#test/support/browser.ts';
import type { Language, TestPage } from '#test/support/chromium.ts';
import { languages, PHONE, pages, show, viewing } from './pages.ts';
import { type Scene, startScene } from './scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene?.stop());
const browser = openBrowser();

/** Of what axe-core checks, that which depends on the width. */
const ON_A_TELEPHONE = ['color-contrast', 'target-size', 'scrollable-region-focusable', 'link-in-text-block'];

/** The narrowest with the navigation, and with tables as tables. */
const HALF_A_SCREEN = [881, 761];

/** Each changes what the one before it left: opening a page takes longer than a look at it. */
const looks: Readonly<Record<string, (page: TestPage) => Promise<readonly string[]>>> = {
  light: accessibilityProblems,
  dark: async (page) => {
    await page.emulateMedia({ colorScheme: 'dark' });
    return accessibilityProblems(page, ['color-contrast']);
  },
  'forced colours, reduced motion': async (page) => {
    await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active', reducedMotion: 'reduce' });
    return accessibilityProblems(page, ['color-contrast']);
  },
  'half a screen, beside the navigation and without it': async (page) => {
    await page.emulateMedia({ forcedColors: 'none', reducedMotion: 'no-preference' });
    const found: string[] = [];
    for (const width of HALF_A_SCREEN) {
      await page.setViewportSize({ width, height: 800 });
      found.push(...(await tooWide(page)));
    }
    return found;
  },
  telephone: async (page) => {
    await page.setViewportSize({ width: PHONE, height: 812 });
    return [...(await tooWide(page)), ...(await accessibilityProblems(page, ON_A_TELEPHONE))];
  },
};

const problemsIn = async (language: Language): Promise<Record<string, readonly string[]>> => {
  const windows = new Map<string | undefined, TestPage>();
  const failed: Record<string, readonly string[]> = {};
  for (const shown of pages) {
    const page = windows.get(shown.as) ?? (await browser.newPage(viewing(scene, shown, { language })));
    windows.set(shown.as, page);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 800 });
    await show(page, scene, shown);
    for (const [name, look] of Object.entries(looks)) {
      const problems = [...(await look(page)), ...(await page.problems())];
      if (problems.length > 0) failed[`${shown.name}, ${language}, ${name}`] = problems;
    }
  }
  return failed;
};

test('every page in both languages', { timeout: 900_000 }, async () => {
  expect(Object.assign({}, ...(await Promise.all(languages.map(problemsIn))))).toEqual({});
});

test('the list has every page of the dashboard', () => {
  const folder = new URL('../../src/dashboard/pages/', import.meta.url);
  const patterns = readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => {
      const base = name === 'others.ts' ? '/app/' : '/app/:practice/';
      const paths = readFileSync(new URL(name, folder), 'utf8').matchAll(/path: '([^']+)'/g);
      return [...paths].map(([, path]) => new URLPattern({ pathname: `${base}${path}` }));
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
