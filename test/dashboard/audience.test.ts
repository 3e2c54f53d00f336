// @module-tag debian/chromium-headless-shell
import { expect, test } from 'vitest';
import { isFit } from '#test/support/browser.ts';
import { OWNER, openOffice } from './office.ts';

const office = openOffice('leaves');

test('a list is made, a person subscribes and confirms, a file is imported, and both get a campaign', async () => {
  const page = await office.open('lists');
  await page.getByRole('button', { name: 'Neue Liste' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Rundbrief');
  await page.getByRole('button', { name: 'Anlegen', exact: true }).click();
  await page.getByRole('heading', { name: 'Rundbrief', level: 1 }).waitFor();
  await page.getByRole('heading', { name: 'Noch niemand auf dieser Liste' }).waitFor();

  await page.getByRole('link', { name: 'Anmeldeformular' }).click();
  await page.getByRole('region', { name: 'Formular für Ihre Webseite' }).getByText('<form').waitFor();
  const form = await page.getByRole('link', { name: /public\/subscribe/ }).getAttribute('href');
  const visitor = await office.browser.newPage({ origin: office.app.origin });
  const pathOf = (address: string): string => address.replace(/^https?:\/\/[^/]+/, '');
  await visitor.goto(pathOf(form ?? ''));
  await visitor.getByLabel(/E-Mail/).fill('erika@example.org');
  await visitor.getByRole('button', { name: 'Anmelden' }).click();
  const { text = '' } = await office.mailTo('erika@example.org', 'Rundbrief');

  await page.getByRole('navigation', { name: 'Ansichten' }).getByRole('link', { name: 'Personen' }).click();
  await page.getByRole('cell', { name: 'Unbestätigt' }).waitFor();
  await page.reload();
  await page.getByRole('link', { name: /^Personen\s*1$/ }).waitFor();
  await visitor.goto(pathOf(/https?:\/\/\S+\/api\/public\/confirm\?\S+/.exec(text)?.[0] ?? ''));
  await visitor.getByRole('button', { name: 'Ja, bestätigen' }).click();
  await visitor.getByRole('heading', { name: 'Ihre Anmeldung ist bestätigt' }).waitFor();
  await page.reload();
  await page.getByRole('cell', { name: 'Aktiv', exact: true }).waitFor();
  await page.getByRole('link', { name: 'erika@example.org' }).click();
  await page.getByRole('dialog').getByRole('cell', { name: 'Bestätigungsmail gesendet' }).waitFor();
  await isFit(page);
  await page.getByRole('button', { name: 'Schließen' }).click();

  await page.getByRole('link', { name: 'Übernahme' }).click();
  await page.getByLabel('Datei').setInputFiles({
    name: 'patienten.csv',
    mimeType: 'application/vnd.ms-excel',
    buffer: Buffer.from(
      'E-Mail;Name;Stand;Abgemeldet\nmax@example.org;Max Muster;VIP;\nkeine Adresse;Niemand;;\nweg@example.org;Wilma Weg;;01.02.2026\n',
    ),
  });
  await page.getByRole('button', { name: 'Ansehen' }).click();
  await page.getByText('Tabelle, UTF-8, getrennt durch Semikolons, 3 Zeilen').waitFor();
  await page.getByRole('cell', { name: '„Abgemeldet“ ist „01.02.2026“' }).first().waitFor();
  await isFit(page);
  // What was found is corrected: the state that the practice keeps is no state of a subscription, and says it nevertheless.
  const meaning = (heading: string) => page.getByLabel(`Bedeutung: ${heading}`);
  expect(await meaning('Stand').inputValue()).toBe('value');
  await meaning('Stand').selectOption('status');
  await page.getByRole('cell', { name: 'weil „Stand“ „VIP“ ist' }).first().waitFor();
  await meaning('Stand').selectOption('ignore');
  await expect.poll(() => page.getByText('weil „Stand“').count()).toBe(0);
  await page.getByLabel('Alle haben schon eingewilligt').check();
  await page.getByLabel('Wie und wo').fill('Anmeldebögen 2026');
  await page.getByLabel('Auch 1 Abgemeldete').check();
  await page.getByRole('button', { name: 'Übernehmen' }).click();
  await page.getByRole('heading', { name: 'patienten.csv' }).waitFor();
  await page.getByText('Fertig').waitFor();
  await page.getByRole('cell', { name: 'keine Adresse', exact: true }).waitFor();
  await isFit(page);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Bericht laden' }).click();
  expect((await download).suggestedFilename()).toBe('import.csv');

  await page
    .getByLabel('Oder Adressen einfügen')
    .fill('"Groß, Jürgen" <juergen@example.org>; kein.klammeraffe');
  await page.getByRole('button', { name: 'Ansehen' }).click();
  await page.getByRole('cell', { name: 'Groß, Jürgen' }).waitFor();
  await page.getByRole('cell', { name: 'hat keine gültige Adresse' }).first().waitFor();
  await page.getByRole('button', { name: 'Andere Datei' }).click();
  await page.getByLabel('Datei').waitFor();

  await page.getByRole('navigation', { name: 'Ansichten' }).getByRole('link', { name: 'Personen' }).click();
  await page.getByRole('searchbox', { name: 'Name oder Adresse' }).fill('max');
  await expect.poll(() => page.locator('tbody tr').count()).toBe(1);

  await page.getByRole('navigation').getByRole('link', { name: 'Rundschreiben' }).click();
  await page.getByRole('button', { name: 'Neues Rundschreiben' }).click();
  await page.getByRole('dialog').getByLabel('Betreff').fill('Urlaub im August');
  await page.getByRole('button', { name: 'Anlegen und schreiben' }).click();
  await page.getByRole('textbox', { name: 'Text der Mail' }).click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('im August sind wir nicht da.');
  await page.getByText('Trifft auf 2 von 2 Personen zu.').waitFor();
  await page.getByRole('button', { name: 'Bedingung hinzufügen' }).click();
  await page.getByLabel('Angabe der Person').fill('email');
  await page.getByLabel('Vergleich').selectOption('contains');
  await page.getByLabel('Wert', { exact: true }).fill('max');
  await page.getByText('Trifft auf eine von 2 Personen zu.').waitFor();
  await page.getByRole('button', { name: 'Als Gruppe speichern' }).click();
  await page.getByRole('dialog').getByLabel('Name der Gruppe').fill('Alle mit Max');
  await page.getByRole('button', { name: 'Gruppe speichern', exact: true }).click();
  await page.getByLabel('Gespeicherte Gruppe').waitFor();
  await page.getByRole('button', { name: 'Bedingung entfernen' }).click();
  await page.getByRole('button', { name: 'Speichern und prüfen' }).click();
  await page.getByRole('heading', { name: 'Prüfen und senden' }).waitFor();
  await page.getByText('von 2 Personen auf den Listen').waitFor();
  await isFit(page);
  await page.getByRole('button', { name: 'Probemail an mich' }).click();
  await office.mailTo(OWNER, '[Test] Urlaub im August');
  await page.getByRole('button', { name: 'Jetzt senden' }).click();
  await page.getByRole('dialog').getByText('2 Personen bekommen es').waitFor();
  await page.getByRole('button', { name: 'An 2 Personen senden' }).click();
  await office.mailTo('max@example.org', 'Urlaub im August');
  await page.getByText('Gesendet', { exact: true }).waitFor();
  const sent = page.locator('.figures > div').filter({ hasText: 'Abgegeben' });
  await expect.poll(() => sent.locator('strong').textContent()).toBe('2');
  await page.getByRole('link', { name: 'Empfänger' }).click();
  await page.getByRole('link', { name: 'max@example.org' }).waitFor();
  await page.getByRole('button', { name: 'Kopie anlegen' }).click();
  await page.getByRole('button', { name: 'Speichern und prüfen' }).waitFor();
});

test('the finished newsletter asks for what it lacks, knows the practice, and reaches who is on the list', async () => {
  await office.ask('POST', '/presets/seed', {});
  const { id: listId } = await office.ask('POST', '/lists', { name: 'Leserinnen' });
  await office.ask('POST', `/lists/${listId}/subscribers`, {
    address: 'leserin@example.org',
    status: 'active',
    consent: { evidence: 'Anmeldebogen' },
  });
  const { id } = await office.ask('POST', '/campaigns', {
    list_id: listId,
    subject: 'Entwurf',
    text: 'Entwurf',
  });
  const page = await office.open(`campaigns/${id}`);
  await page.getByLabel('Vorlage einsetzen').selectOption({ label: 'newsletter' });
  const values = page.getByRole('group', { name: 'Werte für alle' });
  await values.getByLabel('betreff').waitFor();
  expect(await values.getByRole('textbox').count()).toBe(4);
  await page.getByRole('button', { name: 'Speichern und prüfen' }).click();
  await page.getByText('So bekommt es niemand.').waitFor();
  await page.getByText('1 ein Wert für einen Platzhalter fehlt: betreff (1)').waitFor();
  expect(await page.getByRole('button', { name: 'Jetzt senden' }).isDisabled()).toBe(true);
  await values.getByLabel('betreff').fill('Neues im Herbst');
  await values.getByLabel('text', { exact: true }).fill('wir impfen wieder.');
  await values.getByLabel('link_text').fill('Sprechzeiten');
  await values.getByLabel('link', { exact: true }).fill('https://praxis.example/zeiten');
  await page.getByRole('button', { name: 'Speichern und prüfen' }).click();
  await page.getByRole('button', { name: 'Jetzt senden' }).click();
  await page.getByRole('button', { name: 'An 1 Person senden' }).click();
  const mail = await office.mailTo('leserin@example.org', 'Neues im Herbst');
  expect(mail.text).toContain('wir impfen wieder.');
  expect(mail.text).toContain('Freundliche Grüße\nPraxis Dr. Sommer');
  await page.getByText('Gesendet', { exact: true }).waitFor();
});

test('a campaign has all lists to choose from, is scheduled, made a draft again, and deleted', async () => {
  await office.ask('POST', '/lists', { name: 'Früher' });
  const { id: listId } = await office.ask('POST', '/lists', { name: 'Später' });
  await office.ask('POST', `/lists/${listId}/subscribers`, {
    address: 'spaeter@example.org',
    status: 'active',
    consent: { evidence: 'Anmeldebogen' },
  });
  const { id } = await office.ask('POST', '/campaigns', {
    list_id: listId,
    subject: 'Impfung',
    text: 'Guten Tag',
  });
  const page = await office.browser.newPage({ origin: office.app.origin, cookie: office.cookie });
  // As for a practice with more lists than one answer holds.
  await page.route('**/lists?limit=100*', (route) =>
    route.continue({ url: route.request().url().replace('limit=100', 'limit=1') }),
  );
  await page.goto(`/app/${office.sender.practice.id}/campaigns/${id}`);
  await page.getByRole('checkbox', { name: /^Später/ }).waitFor();
  await page.getByRole('checkbox', { name: /^Früher/ }).waitFor();
  await page.getByRole('button', { name: 'Speichern und prüfen' }).click();
  await page.getByRole('button', { name: 'Später senden' }).click();
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 11);
  await page.getByLabel('Zeitpunkt').fill(`${tomorrow}10:00`);
  await page.getByRole('button', { name: 'Für 1 Person planen' }).click();
  await page.getByText('Geplant für').waitFor();
  await page.getByRole('button', { name: 'Wieder Entwurf' }).click();
  await page.getByText('Entwurf', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Löschen' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Löschen' }).click();
  await page.waitForURL('**/campaigns');
});
