// @module-tag debian/chromium-headless-shell
// Templates, lists and campaigns as an office uses them: written, imported, confirmed by the person, checked and sent.
import { readFile } from 'node:fs/promises';
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { checkAccessibility, openBrowser, runsNothing, tooWide } from '#test/support/browser.ts';
import { hostile, type TestPage } from '#test/support/chromium.ts';
import { makeOwner, type Person, signIn, unlimitedSignIn } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

const OWNER = 'sommer@example.org';
const browser = openBrowser();
let receiver: SmtpReceiver;
let app: TestApp;
let sender: Sender;
let owner: Person;
beforeAll(async () => {
  receiver = await createSmtpReceiver();
  const { host, port } = receiver;
  app = await startApp({
    config: {
      ...unlimitedSignIn,
      upstreams: [
        { name: 'relay', kind: 'smtp', host, port, tls: 'none', for: { practices: ['praxis-dr-sommer'] } },
        { name: 'capture', kind: 'capture' },
      ],
    },
  });
  sender = await app.createSender({ name: 'Praxis Dr. Sommer', plan: 'gruppe' });
  await app.completeLegal(sender.practice.id);
  await makeOwner(app, sender.practice.id, OWNER);
  owner = await signIn(app, OWNER);
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

const open = async (at: string, how: { readonly width?: number } = {}): Promise<TestPage> => {
  const page = await browser.newPage({ origin: app.origin, cookie: owner.cookie, ...how });
  await page.goto(`/app/${sender.practice.id}/${at}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
};

const create = async <Body = { id: string }>(at: string, body: object): Promise<Body> => {
  const answer = await app.request<Body>('POST', sender.base + at, body, sender.token);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.body;
};

const isGood = async (page: TestPage): Promise<void> => {
  await checkAccessibility(page);
  await page.setViewportSize({ width: 375, height: 800 });
  expect(await tooWide(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
};

const mailTo = async (address: string, about: string) => {
  const has = () =>
    receiver.messages.find(
      ({ recipients, content }) =>
        recipients.some((one) => one.address === address) && content.includes(about),
    );
  await until(`a mail to ${address}`, () => has() !== undefined);
  return simpleParser(has()?.content ?? '');
};

test('who has no templates begins with the finished ones; one is changed in the editor and looked at', async () => {
  const page = await open('templates');
  await page.getByRole('button', { name: 'Fertige Vorlagen anlegen' }).click();
  await page.getByText('Vorlagen sind angelegt.').waitFor();
  await page.getByRole('link', { name: 'terminerinnerung' }).click();
  const editor = page.getByRole('textbox', { name: 'Gestaltet (HTML)' });
  await editor.waitFor();

  await page.getByLabel('Betreff').fill('Bis bald, {{name}}');
  await editor.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('<p>Liebe {{na me}}</p>');
  await page.getByText('Das ist kein Platzhalter').first().waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('<p>Liebe <b>{{name}}</b>,</p>');
  await page.getByLabel('name', { exact: true }).fill('Erika & Co');
  const frame = page.frameLocator('iframe[title="Vorschau"]');
  await expect.poll(() => frame.locator('p').textContent()).toBe('Liebe Erika & Co,');
  await page.getByRole('button', { name: 'Am Handy' }).click();
  expect((await page.getByTitle('Vorschau').boundingBox())?.width).toBeLessThanOrEqual(375);

  await editor.click();
  await page.keyboard.press('Tab');
  expect(await editor.evaluate((element) => element.matches(':focus'))).toBe(false);

  await page.getByRole('button', { name: 'Probemail an mich' }).click();
  expect((await mailTo(OWNER, 'Bis bald')).html).toContain('<b>Erika &amp; Co</b>');
  await page.getByRole('button', { name: 'Speichern' }).click();
  await page.getByText('Die Vorlage ist gespeichert.').waitFor();

  await page.getByRole('link', { name: 'Fassungen' }).click();
  await page.getByRole('button', { name: 'Ansehen: Fassung 1' }).click();
  await isGood(page);
  await page.getByRole('button', { name: 'Diese Fassung wieder verwenden' }).click();
  await page.getByText('Fassung 1 gilt wieder.').waitFor();
  await page.getByRole('link', { name: 'Schreiben', exact: true }).click();
  await expect.poll(() => page.getByLabel('Betreff').inputValue()).toContain('Erinnerung');
});

test('what the service refuses in a template is shown at its line', async () => {
  const { id } = await create('/templates', { name: 'code', subject: 'Hallo', html: '<p>1</p>' });
  const page = await open(`templates/${id}`);
  await page.getByRole('textbox', { name: 'Gestaltet (HTML)' }).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\n<p style="{{stil}}">2</p>');
  await page.getByRole('button', { name: 'Speichern' }).click();
  await page.locator('.cm-faulty').filter({ hasText: 'style=' }).waitFor();
  await page.locator('.cm-fault').filter({ hasText: 'could become code' }).waitFor();
});

test('who leaves a template that is not saved is asked', async () => {
  const { id } = await create('/templates', { name: 'urlaub', subject: 'Hallo', text: 'Guten Tag' });
  const page = await open('templates');
  await page.getByRole('link', { name: 'urlaub' }).click();
  await page.getByLabel('Betreff').fill('Bis bald');
  await page.getByText('Noch nicht gespeichert').waitFor();
  const leave = page.getByRole('navigation').getByRole('link', { name: 'Listen' });
  await page.evaluate('globalThis.confirm = () => (globalThis.asked = (globalThis.asked ?? 0) + 1) < 0');
  await leave.click();
  await page.evaluate('history.back()');
  await expect.poll(() => page.evaluate('globalThis.asked')).toBe(2);
  expect(page.url()).toContain(`templates/${id}`);
  expect(await page.getByLabel('Betreff').inputValue()).toBe('Bis bald');

  await page.getByRole('button', { name: 'Speichern' }).click();
  await page.getByText('Die Vorlage ist gespeichert.').waitFor();
  await leave.click();
  await page.waitForURL('**/lists');
  expect(await page.evaluate('globalThis.asked')).toBe(2);
});

test('a list is made, a person subscribes and confirms, a file is imported, and both get a campaign', async () => {
  const page = await open('lists');
  await page.getByRole('button', { name: 'Neue Liste' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Rundbrief');
  await page.getByRole('button', { name: 'Anlegen', exact: true }).click();
  await page.getByRole('heading', { name: 'Rundbrief', level: 1 }).waitFor();
  await page.getByRole('heading', { name: 'Noch niemand auf dieser Liste' }).waitFor();

  await page.getByRole('link', { name: 'Anmeldeformular' }).click();
  await page.getByRole('region', { name: 'Formular für Ihre Webseite' }).getByText('<form').waitFor();
  const form = await page.getByRole('link', { name: /public\/subscribe/ }).getAttribute('href');
  const visitor = await browser.newPage({ origin: app.origin });
  const pathOf = (address: string): string => address.replace(/^https?:\/\/[^/]+/, '');
  await visitor.goto(pathOf(form ?? ''));
  await visitor.getByLabel(/E-Mail/).fill('erika@example.org');
  await visitor.getByRole('button', { name: 'Anmelden' }).click();
  const { text = '' } = await mailTo('erika@example.org', 'Rundbrief');

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
  await isGood(page);
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
  await isGood(page);
  // What was found is corrected: the state that the practice keeps is no state of a subscription, and says it nevertheless.
  const meaning = (heading: string) => page.getByLabel(`Bedeutung: ${heading}`);
  expect(await meaning('Stand').inputValue()).toBe('value');
  await meaning('Stand').selectOption('status');
  await page.getByRole('cell', { name: 'weil „Stand“ „VIP“ ist' }).first().waitFor();
  await meaning('Stand').selectOption('ignore');
  await expect.poll(() => page.getByText('weil „Stand“').count()).toBe(0);
  await page.getByLabel('Alle haben schon zugestimmt').check();
  await page.getByLabel('Wie und wo').fill('Anmeldebögen 2026');
  await page.getByLabel('Auch 1 Abgemeldete').check();
  await page.getByRole('button', { name: 'Übernehmen' }).click();
  await page.getByRole('heading', { name: 'patienten.csv' }).waitFor();
  await page.getByText('Fertig').waitFor();
  await page.getByRole('cell', { name: 'keine Adresse', exact: true }).waitFor();
  await isGood(page);
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
  const editor = page.getByRole('textbox', { name: 'Nur Text' });
  await editor.click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('im August sind wir nicht da.');
  await page.getByRole('button', { name: 'Speichern und prüfen' }).click();
  await page.getByRole('heading', { name: 'Prüfen und senden' }).waitFor();
  await page.getByText('von 2 Personen auf den Listen').waitFor();
  await isGood(page);
  await page.getByRole('button', { name: 'Probemail an mich' }).click();
  await mailTo(OWNER, '[Test] Urlaub im August');
  await page.getByRole('button', { name: 'Jetzt senden' }).click();
  await page.getByRole('dialog').getByText('2 Personen bekommen es').waitFor();
  await page.getByRole('button', { name: 'An 2 Personen senden' }).click();
  await mailTo('max@example.org', 'Urlaub im August');
  await page.getByText('Gesendet', { exact: true }).waitFor();
  const sent = page.locator('.figures > div').filter({ hasText: 'Abgegeben' });
  await expect.poll(() => sent.locator('strong').textContent()).toBe('2');
  await page.getByRole('link', { name: 'Empfänger' }).click();
  await page.getByRole('link', { name: 'max@example.org' }).waitFor();
  await page.getByRole('button', { name: 'Kopie anlegen' }).click();
  await page.getByRole('button', { name: 'Speichern und prüfen' }).waitFor();
});

test('the finished newsletter asks for what it lacks, knows the practice, and reaches who is on the list', async () => {
  await create('/presets/seed', {});
  const { id: listId } = await create('/lists', { name: 'Leserinnen' });
  await create(`/lists/${listId}/subscribers`, {
    address: 'leserin@example.org',
    status: 'active',
    consent: { evidence: 'Anmeldebogen' },
  });
  const { id } = await create('/campaigns', { list_id: listId, subject: 'Entwurf', text: 'Entwurf' });
  const page = await open(`campaigns/${id}`);
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
  const mail = await mailTo('leserin@example.org', 'Neues im Herbst');
  expect(mail.text).toContain('wir impfen wieder.');
  expect(mail.text).toContain('Freundliche Grüße\nPraxis Dr. Sommer');
  await page.getByText('Gesendet', { exact: true }).waitFor();
});

test('a campaign has all lists to choose from, is scheduled, made a draft again, and deleted', async () => {
  await create('/lists', { name: 'Früher' });
  const { id: listId } = await create('/lists', { name: 'Später' });
  await create(`/lists/${listId}/subscribers`, {
    address: 'spaeter@example.org',
    status: 'active',
    consent: { evidence: 'Anmeldebogen' },
  });
  const { id } = await create('/campaigns', { list_id: listId, subject: 'Impfung', text: 'Guten Tag' });
  const page = await browser.newPage({ origin: app.origin, cookie: owner.cookie });
  // As for a practice with more lists than one answer holds.
  await page.route('**/lists?limit=100*', (route) =>
    route.continue({ url: route.request().url().replace('limit=100', 'limit=1') }),
  );
  await page.goto(`/app/${sender.practice.id}/campaigns/${id}`);
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

test('what is held of a person is taken along, corrected and erased', async () => {
  const address = 'rita@example.org';
  const { id: listId } = await create('/lists', { name: 'Vorsorge' });
  await create(`/lists/${listId}/subscribers`, {
    address,
    name: 'Rita Alt',
    status: 'active',
    consent: { evidence: 'Anmeldebogen' },
  });
  await app.send(sender, { to: address, subject: 'Ihr Befund' });
  await mailTo(address, 'Befund');
  const page = await open(`people/${encodeURIComponent(address)}`);
  await page.getByRole('heading', { name: 'Rita Alt' }).waitFor();
  const taken = async (link: string): Promise<string> => {
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: link }).click();
    return readFile(await (await download).path(), 'utf8');
  };
  const evidence = await taken('Nachweis herunterladen (JSON)');
  expect(evidence).toContain('Anmeldebogen');
  expect(evidence).toContain(address);
  expect(await taken('Daten zum Mitnehmen')).toContain('Ihr Befund');

  await page.getByRole('button', { name: 'Berichtigen' }).click();
  await page.getByRole('dialog').getByLabel('Neuer Name').fill('Rita Neu');
  await page.getByRole('dialog').getByRole('button', { name: 'Speichern' }).click();
  await page.getByText('Auf einer Liste berichtigt.').waitFor();
  await page.getByRole('heading', { name: 'Rita Neu' }).waitFor();

  await page.getByRole('button', { name: 'Löschen (Art. 17)' }).click();
  const dialog = page.getByRole('dialog', { name: 'Alles zu dieser Person löschen?' });
  await dialog.getByLabel('Zur Sicherheit').fill('rita@example.com');
  await dialog.getByRole('button', { name: 'Endgültig löschen' }).click();
  await dialog.getByText('Das ist nicht die Adresse dieser Person.').waitFor();
  await checkAccessibility(page);
  await dialog.getByLabel('Zur Sicherheit').fill(address);
  await dialog.getByRole('button', { name: 'Endgültig löschen' }).click();
  await page.getByRole('heading', { name: 'Die Daten dieser Person sind gelöscht' }).waitFor();
  await page.getByRole('heading', { name: 'Bescheinigung' }).waitFor();
  await page.getByRole('table', { name: 'Gelöscht' }).waitFor();
  await isGood(page);
  const found = await app.request('GET', `${sender.base}/people?address=${address}`, undefined, sender.token);
  expect(found.text).not.toContain('Rita');
  expect(found.text).not.toContain('Befund');
});

test('names of people, lists and campaigns, and subjects of templates run nothing', async () => {
  const list = await create('/lists', { name: hostile('list').slice(0, 100), description: hostile('about') });
  await create(`/lists/${list.id}/subscribers`, {
    address: 'feind@example.org',
    name: hostile('name').slice(0, 100),
    data: { ort: hostile('value') },
    status: 'active',
    consent: { evidence: hostile('evidence') },
  });
  const template = await create('/templates', {
    name: 'feindlich',
    description: hostile('description').slice(0, 500),
    subject: `"'><script>__ran('subject')</script><img src=x onerror="__ran('subject')">`,
    text: 'Guten Tag',
  });
  const campaign = await create('/campaigns', {
    list_id: list.id,
    name: hostile('campaign').slice(0, 100),
    subject: '<script>__ran("subject")</script>',
    text: '<img src=x onerror="__ran(1)">',
  });
  for (const at of [
    'templates',
    `templates/${template.id}`,
    'lists',
    `lists/${list.id}`,
    `lists/${list.id}?view=settings`,
    'campaigns',
    `campaigns/${campaign.id}`,
  ]) {
    const page = await open(at);
    await page.locator('main .loaded[aria-busy="false"]').first().waitFor();
    if (at === `lists/${list.id}`) {
      await page.getByRole('link', { name: 'feind@example.org' }).click();
      await page.getByRole('dialog').getByRole('cell', { name: 'evidence' }).waitFor();
    }
    await page.getByText('__ran', { exact: false }).first().waitFor({ state: 'attached' });
    await runsNothing(page);
    await page.setViewportSize({ width: 375, height: 800 });
    expect(await tooWide(page)).toEqual([]);
  }
});
