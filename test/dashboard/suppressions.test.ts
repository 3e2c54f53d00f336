// @module-tag debian/chromium-headless-shell
// Captured mail and suppressions, as an office works with them.
import { expect, test } from 'vitest';
import type { List } from '#test/support/app.ts';
import { checkAccessibility, isFit, runsNothing } from '#test/support/browser.ts';
import { hostile } from '#test/support/chromium.ts';
import { join } from '#test/support/people.ts';
import { openOffice } from './office.ts';

const office = openOffice('captured', { smtp: { inbound: { listen: '127.0.0.1:0' } } });

test('captured mail is shown as its recipient would see it, with header, source and files', async () => {
  const message = await office.app.send(office.sender, {
    to: 'anna@example.org',
    subject: 'captured <img src=x onerror="__ran(1)">',
    html: '<p>Guten Tag</p>',
    attachments: [{ filename: `<svg onload="__ran('file')">.pdf`, content: 'JVBERi0xLjc=' }],
  });
  await office.app.untilStatus(office.sender, message, 'processed');
  const page = await office.open('captures');
  await page.getByRole('row', { name: /captured/ }).waitFor();
  await isFit(page);
  await page.getByRole('searchbox', { name: 'Empfänger oder Betreff' }).fill('rechnung');
  await page.getByRole('heading', { name: 'Nichts gefunden' }).waitFor();
  await page.getByRole('link', { name: 'Alle zeigen' }).click();
  await page.getByRole('link', { name: /captured/ }).click();
  await page.frameLocator('iframe').getByText('Guten Tag').waitFor();
  await isFit(page);
  await page.getByRole('link', { name: 'Kopfzeilen' }).click();
  await page
    .getByRole('row', { name: /dkim-signature/ })
    .first()
    .waitFor();
  await isFit(page);
  await page.getByRole('link', { name: 'Quelltext' }).click();
  await page.getByText('Content-Type: multipart/', { exact: false }).first().waitFor();
  await isFit(page);
  await page.getByRole('link', { name: /Anhänge/ }).click();
  const file = page.getByRole('link', { name: /svg onload.*pdf/ });
  const [loaded] = await Promise.all([page.waitForEvent('download'), file.click()]);
  expect(await loaded.failure()).toBeNull();
  // As to an operator whose sign-in is too old for the mails of the service itself: a frame could not ask for another.
  const content = /\/captures\/[^/]+\/content$/;
  const refusal = { status: 403, json: { code: 'sign_in_again' } };
  await page.route(content, (route) => route.fulfill(refusal));
  await file.click();
  await page.getByRole('dialog').getByText('noch einmal ausweisen').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Formatiert' }).click();
  await page.getByRole('dialog').waitFor();
  expect(await page.locator('iframe').count()).toBe(0);
  await page.unroute(content);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Noch einmal versuchen' }).click();
  await page.frameLocator('iframe').getByText('Guten Tag').waitFor();
  await runsNothing(page);
});

test('a suppression is found as one types, explained and lifted; addresses are added and read from a file', async () => {
  const note = hostile('note').slice(0, 200);
  await office.ask('POST', '/suppression', { address: 'mueller@example.org', note });
  const page = await office.open('suppressions');
  await page.getByRole('row', { name: /mueller@example.org/ }).waitFor();
  await isFit(page);
  await page.getByRole('button', { name: 'Aus Datei' }).click();
  await page.getByLabel('Datei', { exact: true }).setInputFiles({
    name: 'sperren.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('address,reason\ngross@example.org,unsubscribe\nkeine Adresse,manual\n'),
  });
  await page.getByRole('button', { name: 'Einlesen' }).click();
  await page.getByText('Fertig gelesen').waitFor();
  await page.getByRole('row', { name: /keine Adresse/ }).waitFor();
  await checkAccessibility(page);
  await page.keyboard.press('Escape');

  await page.getByLabel('Adresse suchen').fill('gross');
  await page.getByRole('row', { name: /mueller/ }).waitFor({ state: 'detached' });
  await page
    .getByRole('row', { name: /gross@example.org Abgemeldet/ })
    .getByRole('button')
    .click();
  await page.getByText('Ihr ohne neue Einwilligung zu schreiben, ist verboten', { exact: false }).waitFor();
  await checkAccessibility(page);
  await page.keyboard.press('Escape');
  await page.getByLabel('Adresse suchen').fill('mueller');
  await page
    .getByRole('row', { name: /mueller@example.org/ })
    .getByRole('button')
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Aufheben' }).click();
  await page.getByRole('heading', { name: 'Keine Sperre gefunden' }).waitFor();
  expect(
    (await office.ask<List<{ address: string }>>('GET', '/suppression')).data.map((one) => one.address),
  ).toEqual(['gross@example.org']);

  // While the others are loaded it is not known whether there are any.
  const { promise: isLooked, resolve: letGo } = Promise.withResolvers<void>();
  await page.route(/\/suppression(?:\?|$)/, async (route) => {
    await isLooked;
    await route.continue();
  });
  const asked = page.waitForRequest(/\/suppression(?:\?|$)/);
  await page.getByRole('link', { name: 'Alle zeigen' }).click();
  await asked;
  await page.getByRole('status', { name: 'Wird geladen' }).waitFor();
  expect(await page.getByRole('button', { name: 'Adresse sperren' }).count()).toBe(1);
  letGo();
  await page.getByRole('row', { name: /gross@example.org/ }).waitFor();
  await page.getByRole('button', { name: 'Adresse sperren' }).click();
  await page.getByRole('dialog').getByLabel('Adresse').fill('jürgen@example.org');
  await page.getByRole('button', { name: 'Sperren', exact: true }).click();
  await page.getByRole('row', { name: /jürgen@example.org Von Hand gesperrt Alles/ }).waitFor();
  await runsNothing(page);
});

test('an address is suppressed for one project or one route only, and the list says for which', async () => {
  const project = await office.ask<{ id: string }>('POST', '/projects', { name: 'Webseite' });
  const route = await office.ask<{ id: string }>('POST', '/routes', {
    name: 'Rundbriefe',
    type: 'marketing',
  });
  const page = await office.open('suppressions');
  const dialog = page.getByRole('dialog');
  for (const place of ['Projekt: Webseite', 'Versandweg: Rundbriefe']) {
    await page.getByRole('button', { name: 'Adresse sperren' }).click();
    await dialog.getByLabel('Adresse').fill('teils@example.org');
    await dialog.getByLabel('Gilt für').selectOption(place);
    await checkAccessibility(page);
    await dialog.getByRole('button', { name: 'Sperren', exact: true }).click();
    await page
      .getByRole('row', { name: `teils@example.org Von Hand gesperrt ${place.toLowerCase()}` })
      .waitFor();
  }
  const { data } = await office.ask<List<object>>('GET', '/suppression?address=teils@example.org');
  expect(data).toMatchObject([
    { scope: 'route', project_id: null, route_id: route.id },
    { scope: 'project', project_id: project.id, route_id: null },
  ]);

  const limited = { role_id: 'admin', all_projects: false, project_ids: [project.id] };
  const agency = await join(office.app, office.sender.practice.id, 'agency@example.org', limited);
  const theirs = await office.open('suppressions', { cookie: agency.cookie });
  await theirs.getByRole('button', { name: 'Adresse sperren' }).click();
  const choice = theirs.getByRole('dialog').getByLabel('Gilt für');
  await choice.getByText('Projekt: Webseite').waitFor({ state: 'attached' });
  expect(await choice.getByRole('option').allTextContents()).toEqual(['Projekt: Webseite']);
  await theirs.getByRole('dialog').getByLabel('Adresse').fill('agentur@example.org');
  await theirs.getByRole('dialog').getByRole('button', { name: 'Sperren', exact: true }).click();
  await theirs
    .getByRole('row', { name: 'agentur@example.org Von Hand gesperrt projekt: webseite' })
    .waitFor();
});
