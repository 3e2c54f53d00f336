// @module-tag debian/chromium-headless-shell
// A form for the practice's website and what the front desk does with what comes by it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import type { List } from '#test/support/app.ts';
import { isFit } from '#test/support/browser.ts';
import { join, signIn } from '#test/support/people.ts';
import { freePort } from '#test/support/process.ts';
import { putMail } from '#test/support/received-mail.ts';
import { openOffice } from './office.ts';

const listen = `127.0.0.1:${await freePort()}`;
const office = openOffice('leaves', {
  http: { listen },
  service: { public_origin: `http://${listen}` },
  smtp: { inbound: { listen: '127.0.0.1:0' } },
});

/** The website of the practice: its page has nothing but the HTML that was copied. */
let siteHtml = '';
const site = createServer((_, response) => {
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Content-Security-Policy', "default-src 'none'");
  response.end(`<!doctype html><html lang="de"><title>Praxis</title><h1>Rezepte</h1>${siteHtml}</html>`);
});
site.listen(0, '127.0.0.1');
await once(site, 'listening');
afterAll(() => site.close());

test('a form is made, copied and sent from the practice’s own site; what arrives is taken, noted, answered by a saved reply, and done', async () => {
  await office.ask('POST', '/inbound/enable', {});
  const page = await office.open('forms');
  await page.getByRole('heading', { name: 'Noch kein Formular' }).waitFor();
  await page.getByRole('button', { name: 'Neues Formular' }).click();
  await page.getByLabel('Wofür ist es?').selectOption('Rezept bestellen');
  await page.getByRole('button', { name: 'Formular anlegen' }).click();
  await page.getByRole('heading', { level: 1, name: 'Rezept bestellen' }).waitFor();
  const phone = page.getByRole('group', { name: 'Feld: Telefon' });
  await phone.getByRole('button', { name: 'Entfernen' }).click();
  await page.getByRole('button', { name: 'Feld hinzufügen' }).click();
  const added = page.getByRole('group', { name: 'Feld: Neues Feld' });
  await added.getByLabel('Beschriftung').fill('Krankenkasse');
  const named = page.getByRole('group', { name: 'Feld: Krankenkasse' });
  await named.getByLabel('Art').selectOption('Auswahl');
  await named.getByLabel('Auswahl, eine je Zeile').fill('Gesetzlich\nPrivat');
  await named.getByRole('button', { name: 'Nach oben' }).click();
  // What is below the bar at the top cannot be clicked.
  await page.evaluate('scrollTo(0, 0)');
  await isFit(page);
  await page.getByRole('button', { name: 'Speichern' }).click();
  await page.getByText('Gespeichert.').waitFor();
  const preview = page.frameLocator('iframe[title="Das Formular, wie es gespeichert ist"]');
  await preview.getByLabel('Krankenkasse').waitFor();
  await page.getByRole('button', { name: 'Kopieren' }).first().click();
  siteHtml = (await page.locator('.code pre').textContent()) ?? '';

  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const visitor = await office.browser.newPage({ origin });
  await visitor.goto('/');
  await visitor.getByLabel('Name').fill('Erika Muster');
  await visitor.getByLabel('Geburtsdatum').fill('1980-02-03');
  await visitor.getByLabel('E-Mail-Adresse').fill('erika@example.org');
  await visitor.getByLabel('Medikament').fill('Ibuprofen 400');
  await visitor.getByLabel('Wie möchten Sie').selectOption('Ich hole es ab');
  await visitor.getByLabel('Krankenkasse').selectOption('Privat');
  await visitor.getByLabel('Ich bin einverstanden').check();
  await visitor.getByRole('button', { name: 'Absenden' }).click();
  await visitor.getByRole('heading', { name: 'Vielen Dank' }).waitFor();
  expect(await visitor.problems()).toEqual([
    expect.stringContaining(`request to another origin: http://${listen}/api/public/form?f=`),
  ]);

  const { data: forms } = await office.ask<List<{ url: string }>>('GET', '/website-forms');
  await visitor.goto(forms[0]?.url ?? '');
  await visitor.problems();
  await isFit(visitor);
  await visitor.getByRole('button', { name: 'Absenden' }).waitFor();

  const text = 'Guten Tag {{name}},\n\nIhr Rezept liegt bereit.\n{{practice}}';
  await office.ask('POST', '/saved-replies', { name: 'Rezept fertig', text });
  await page
    .getByRole('link', { name: /Posteingang/ })
    .first()
    .click();
  await page.getByRole('row', { name: /Neu Rezept bestellen – Erika Muster/ }).waitFor();
  await expect.poll(() => page.title()).toBe('(1) Posteingang – Sendwerk');
  const unread = page.getByRole('navigation', { name: 'Seiten' }).getByText('1 ungelesen');
  await expect.poll(() => unread.count()).toBe(1);
  await isFit(page);
  await page.getByRole('link', { name: /Rezept bestellen – Erika Muster/ }).click();
  await page.getByText('Über Ihr Formular').waitFor();
  await page.frameLocator('iframe').getByText('Krankenkasse: Privat').waitFor();
  await expect.poll(() => page.title()).toBe('Rezept bestellen – Erika Muster – Sendwerk');
  await page.getByLabel('Bei wem').selectOption('Mir (sommer@example.org)');
  await page.getByText('Geändert.').waitFor();
  await page.getByLabel('Notiz').fill('Unterschrift fehlt noch.');
  await page.getByRole('button', { name: 'Notiz hinzufügen' }).click();
  await page.getByRole('list', { name: 'Notizen' }).getByText('Unterschrift fehlt noch.').waitFor();
  await page.getByRole('button', { name: 'Antworten' }).click();
  await page.getByLabel('Textbaustein einfügen').selectOption('Rezept fertig');
  await isFit(page);
  await page.getByRole('button', { name: 'Antwort senden' }).click();
  const mail = await office.mailTo('erika@example.org', 'Rezept');
  expect(mail.text).toContain('Guten Tag Erika Muster,\n\nIhr Rezept liegt bereit.\nPraxis Dr. Sommer');
  expect(mail.text).not.toContain('Unterschrift');
  await page.getByRole('button', { name: 'Erledigt' }).click();
  await page.getByText('Die Unterhaltung ist erledigt.').waitFor();

  const found = page.getByRole('row', { name: /Rezept bestellen – Erika Muster Erledigt/ });
  await page
    .getByRole('link', { name: /Posteingang/ })
    .first()
    .click();
  await found.getByText('Ihnen').waitFor();
  await page.getByLabel('Offen oder erledigt').selectOption('Nur offene');
  await found.waitFor({ state: 'detached' });
  await page.getByLabel('Offen oder erledigt').selectOption('Nur erledigte');
  await page.getByLabel('Bei wem').selectOption('Meine');
  await found.waitFor();
  await page.getByLabel('Bei wem').selectOption('Noch bei niemandem');
  await found.waitFor({ state: 'detached' });
});

test('saved replies are written, changed and deleted', async () => {
  const page = await office.open('inbox?view=replies');
  await page.getByRole('button', { name: 'Neuer Textbaustein' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Sprechzeiten');
  await dialog.getByLabel('Text').fill('Wir sind montags bis freitags von 8 bis 12 Uhr da.');
  await isFit(page);
  await dialog.getByRole('button', { name: 'Speichern' }).click();
  const row = page.getByRole('row', { name: /Sprechzeiten/ });
  await row.getByRole('button', { name: 'Ändern' }).click();
  await dialog.getByLabel('Name').fill('Unsere Sprechzeiten');
  await dialog.getByRole('button', { name: 'Speichern' }).click();
  await page
    .getByRole('row', { name: /Unsere Sprechzeiten/ })
    .getByRole('button', { name: 'Löschen' })
    .click();
  await dialog.getByRole('button', { name: 'Löschen' }).click();
  await row.waitFor({ state: 'detached' });
});

test('who may only look sees who has a conversation, and neither its notes nor what changes it', async () => {
  const thread = crypto.randomUUID();
  const id = putMail(office.app, office.sender.practice.id, { thread_id: thread, subject: 'Befunde' });
  await office.ask('POST', `/inbound/threads/${thread}/notes`, { text: 'Nur für uns.' });
  const address = 'viewer@example.org';
  await join(office.app, office.sender.practice.id, address, { role_id: 'viewer' });
  const { cookie } = await signIn(office.app, address);
  const page = await office.open(`inbox/${id}`, { cookie });
  await page.getByText('Den Inhalt darf Ihre Rolle nicht sehen.').waitFor();
  expect(await page.getByText('Nur für uns.').count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Erledigt' }).count()).toBe(0);
});
