// @module-tag debian/chromium-headless-shell
// What is around every page: shortcuts and their switch, the palette, and that nothing of a page stays behind when it is left.
import { expect, test } from 'vitest';
import { checkAccessibility } from '#test/support/browser.ts';
import { openOffice } from './office.ts';

const office = openOffice('captured');

test('? shows the shortcuts; who switches off those of a single key has none, and the palette still opens', async () => {
  const page = await office.open('lists');
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Tastenkürzel' });
  await help.getByText('Nächster Eintrag der Liste').waitFor();
  await checkAccessibility(page);
  await help.getByLabel('Kürzel aus einer einzelnen Taste benutzen').uncheck();
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  await page.keyboard.press('/');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Suchen und springen' }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(1);
  await page.keyboard.press('Escape');
  await page.reload();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('?');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Suchen und springen' }).waitFor();
  expect(await help.count()).toBe(0);
});

test('the palette begins things and finds people, messages, lists and templates, by few requests', async () => {
  await office.ask('POST', '/lists', { name: 'Rundbrief der Praxis' });
  await office.ask('POST', '/templates', { name: 'rundgang', subject: 'Rundgang', text: 'Hallo' });
  await office.app.send(office.sender, { to: '"Rundine Vogt" <vogt@example.org>', subject: 'Rundum gesund' });
  const page = await office.open('overview');
  let requests = 0;
  page.on('request', (request) => {
    requests += Number(/\/(?:messages\/search|lists|templates)\?/.test(request.url()));
  });
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Suchen und springen' });
  await palette.getByRole('combobox').pressSequentially('rund');
  const choice = (name: RegExp) => palette.getByRole('option', { name });
  await choice(/Rundine Vogt.*Person/).waitFor();
  await choice(/Rundum gesund.*Nachricht/).waitFor();
  await choice(/Rundbrief der Praxis.*Liste/).waitFor();
  await choice(/rundgang.*Vorlage/).waitFor();
  expect(requests).toBeLessThan(6);
  await checkAccessibility(page);
  await palette.getByRole('combobox').fill('webhook anl');
  await choice(/Webhook anlegen/).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  await page.getByRole('dialog', { name: 'Webhook anlegen' }).waitFor();
});

test('nothing of a page stays behind when it is left a hundred times', async () => {
  const page = await office.open('lists');
  const session = await page.context().newCDPSession(page);
  const rounds = (count: number): Promise<void> =>
    page.evaluate(`(async () => {
      const go = async (name, title) => {
        document.querySelector('nav a[href$="/' + name + '"]').click();
        while (document.querySelector('h1')?.textContent !== title)
          await new Promise((resolve) => setTimeout(resolve, 5));
      };
      for (let round = 0; round < ${count}; round++) {
        await go('settings', 'Praxis');
        await go('lists', 'Listen');
      }
    })()`);
  const nodes = async (): Promise<number> => {
    await session.send('HeapProfiler.collectGarbage');
    return (await session.send('Memory.getDOMCounters')).nodes;
  };
  // Files of pages, words and formats are loaded once.
  await rounds(5);
  const before = await nodes();
  await rounds(50);
  // A page has some hundred nodes.
  expect((await nodes()) - before).toBeLessThan(300);
});
