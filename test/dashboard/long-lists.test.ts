// @module-tag debian/chromium-headless-shell
// Long lists: read on as one scrolls, searched through to their end, found again by Back, and changed many rows at a time.
import type { Route } from 'playwright-core';
import { expect, test } from 'vitest';
import type { List } from '#test/support/app.ts';
import type { TestPage } from '#test/support/chromium.ts';
import { openOffice } from './office.ts';

const office = openOffice('captured');

const rows = (page: TestPage): Promise<number> => page.locator('main tbody tr a[data-row]').count();
/** Answers the search in the place of the daemon, which would have to hold as many messages. */
const answerSearch = (page: TestPage, answer: (url: URL) => object): Promise<unknown> =>
  page.route(/\/messages\/search(?:\?|$)/, (route: Route) =>
    route.fulfill({ json: answer(new URL(route.request().url())) }),
  );

test('10,000 rows stay smooth: few are in the document, a key is answered at once, and Back leads to the row', async () => {
  const id = await office.app.send(office.sender, { to: 'erika@example.org', subject: 'Zeile' });
  const { data } = await office.ask<List<object>>('GET', '/messages/search');
  const page = await office.open('lists');
  // A stream that comes late has the list loaded once more.
  await page.getByRole('banner').getByText('Verbunden', { exact: true }).waitFor();
  const PAGE = 2_500;
  let requests = 0;
  await answerSearch(page, (url) => {
    requests += 1;
    const from = Number(url.searchParams.get('cursor') ?? 0);
    return {
      data: Array.from({ length: PAGE }, (_, at) => ({
        ...data[0],
        id: from + at === 9_990 ? id : `00000000-0000-7000-8000-${String(from + at).padStart(12, '0')}`,
        subject: `Zeile ${from + at}`,
      })),
      next_cursor: from + PAGE < 10_000 ? String(from + PAGE) : null,
    };
  });
  await page.getByRole('navigation').getByRole('link', { name: 'Post', exact: true }).click();
  await page.getByText('Zeile 0', { exact: true }).waitFor();
  const bottom = () => page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  await expect
    .poll(async () => {
      await bottom();
      return page.getByText('Zeile 9999', { exact: true }).isVisible();
    })
    .toBe(true);
  expect(await page.locator('table').getAttribute('aria-rowcount')).toBe('10001');
  expect(requests).toBe(4);
  expect(await rows(page)).toBeLessThan(400);

  // From the key to the frame that shows it, on the machine that the tests have.
  const box = page.getByRole('searchbox');
  const took = await page.evaluate<number[]>(`(async () => {
    const box = document.querySelector('main [data-search]');
    const took = [];
    for (const letter of 'abcdefgh') {
      const before = performance.now();
      box.value += letter;
      box.dispatchEvent(new Event('input', { bubbles: true }));
      await new Promise((resolve) => setTimeout(resolve));
      took.push(performance.now() - before);
    }
    box.value = '';
    box.dispatchEvent(new Event('input', { bubbles: true }));
    return took.sort((a, b) => a - b);
  })()`);
  expect(await box.inputValue()).toBe('');
  // The least of them is what the page needs: the machine has other things to do.
  expect(took[0]).toBeLessThan(50);

  const row = page.getByRole('link', { name: 'erika@example.org' }).and(page.locator(`[href$="${id}"]`));
  await row.click();
  await page.getByRole('heading', { level: 1, name: 'Zeile' }).waitFor();
  await page.goBack();
  await page.getByText('Zeile 9990', { exact: true }).waitFor();
  await expect.poll(() => row.evaluate((link) => link.matches(':focus'))).toBe(true);
  await expect.poll(() => row.isVisible()).toBe(true);
});

test('a search goes on over pages without rows, says so, and says what it found', async () => {
  await office.app.send(office.sender, { to: 'erika@example.org', subject: 'Spät gefunden' });
  const { data } = await office.ask<List<object>>('GET', '/messages/search?q=Sp%C3%A4t');
  const page = await office.open('post');
  await page.getByText('Spät gefunden').waitFor();
  const EMPTY = 23;
  const { promise: isSeen, resolve: letGo } = Promise.withResolvers<void>();
  await page.route(/\/messages\/search(?:\?|$)/, async (route) => {
    const at = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0);
    if (at === 5) await isSeen;
    await route.fulfill({
      json: at < EMPTY ? { data: [], next_cursor: String(at + 1) } : { data, next_cursor: null },
    });
  });
  await page.getByRole('searchbox').fill('Spät');
  await page.getByText('Die Suche geht weiter').waitFor();
  letGo();
  // So many in one go; then whoever waits decides.
  await page.getByText('Bis hierher wurde nichts gefunden.').waitFor();
  await page.getByRole('button', { name: 'Weiter suchen' }).click();
  await page.getByText('Spät gefunden').waitFor();
  await page.getByRole('status').getByText('1 Eintrag', { exact: true }).waitFor({ state: 'attached' });
});

test('chosen suppressions are lifted one after another; what is refused stays chosen, with the reason', async () => {
  for (const name of ['eins', 'zwei', 'drei'])
    await office.ask('POST', '/suppression', { address: `${name}@example.org` });
  const page = await office.open('suppressions');
  await page.getByRole('checkbox', { name: 'Alle gezeigten auswählen' }).check();
  await page.getByText('3 ausgewählt').waitFor();
  await page.getByRole('checkbox', { name: 'Auswählen: zwei@example.org' }).uncheck();
  const { data } = await office.ask<List<{ id: string; address: string }>>('GET', '/suppression');
  const refused = data.find(({ address }) => address === 'drei@example.org');
  await page.route(`**/suppression/${refused?.id}`, (route) =>
    route.fulfill({ status: 404, json: { code: 'not_found', error: 'Die gibt es nicht mehr.' } }),
  );
  await page
    .getByRole('region', { name: 'Auswahl' })
    .getByRole('button', { name: 'Aufheben', exact: true })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Aufheben', exact: true }).click();
  await page.getByText('Bei 1 Eintrag hat es nicht geklappt').waitFor();
  await page.getByText('drei@example.org: Die gibt es nicht mehr.').waitFor();
  await page.getByRole('row', { name: /eins@example.org/ }).waitFor({ state: 'detached' });
  await page.getByText('1 ausgewählt').waitFor();
  const left = await office.ask<List<{ address: string }>>('GET', '/suppression');
  expect(left.data.map(({ address }) => address)).toEqual(['drei@example.org', 'zwei@example.org']);
});
