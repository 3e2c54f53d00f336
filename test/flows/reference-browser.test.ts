// @module-tag debian/chromium-headless-shell
// The reference in a browser: on a telephone, in the dark, and what its script adds.
import { afterAll, expect, test } from 'vitest';
import { startApp } from '#test/support/app.ts';
import { accessibilityProblems, openBrowser, tooWide } from '#test/support/browser.ts';

const PRACTICE = '018f0000-0000-7000-8000-000000000001';
const browser = openBrowser();
const app = await startApp();
afterAll(() => app.remove());

test('fits the smallest telephone, in the dark, and is accessible', async () => {
  const page = await browser.newPage({ origin: app.origin, width: 320, colorScheme: 'dark', language: 'en' });
  for (const path of ['/reference', '/reference/images', '/reference/errors']) {
    await page.goto(path);
    expect(await tooWide(page), path).toEqual([]);
  }
  await page.goto('/reference/images');
  expect(await accessibilityProblems(page)).toEqual([]);
});

test('its script searches, fills in the practice, remembers the language and follows old anchors', async () => {
  const page = await browser.newPage({ origin: app.origin, language: 'en' });
  await page.goto(`/reference/images?practice=${PRACTICE}`);
  const sample = page.locator('#listImages pre.s:visible');
  expect(await sample.textContent()).toContain(`/api/practices/${PRACTICE}/images`);
  await page.getByLabel('Go', { exact: true }).check();
  expect(await sample.textContent()).toContain(`"${PRACTICE}"`);
  await page.getByLabel('Search').fill('scheduled_at send');
  await page.locator('#found a').first().click();
  await expect.poll(() => page.url()).toContain(`practice=${PRACTICE}`);
  const search = page.getByLabel('Search');
  await search.fill('list messages');
  await page.locator('#found a').first().waitFor();
  expect(await page.locator('#found li').first().textContent()).toContain('/messages/search');
  await search.fill('invalid_recipient');
  await search.press('Enter');
  await expect.poll(() => page.url()).toContain('/reference/errors');
  expect(page.url()).toContain('#invalid_recipient');
  await page.goto('/reference/images?practice=%3Cimg%3E');
  expect(await sample.textContent()).toContain('os.Getenv("SENDWERK_PRACTICE")');
  await page.goto('/reference#listImages');
  await expect.poll(() => page.url()).toContain('/reference/images#listImages');
});
