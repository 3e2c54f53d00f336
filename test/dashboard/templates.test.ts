// @module-tag debian/chromium-headless-shell
// Templates as an office writes them, what is held of a person, and names that try to run.
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { checkAccessibility, isFit, runsNothing, tooWide } from '#test/support/browser.ts';
import { hostile } from '#test/support/chromium.ts';
import { OWNER, openOffice } from './office.ts';

const office = openOffice('leaves');

test('who has no templates begins with the finished ones; one becomes source, is changed and looked at', async () => {
  const page = await office.open('templates');
  await page.getByRole('button', { name: 'Fertige Vorlagen anlegen' }).click();
  await page.getByText('Vorlagen sind angelegt.').waitFor();
  await page.getByRole('link', { name: 'terminerinnerung', exact: true }).click();
  await page.getByRole('textbox', { name: 'Text der Mail' }).waitFor();
  await page.getByRole('button', { name: 'Quelltext bearbeiten' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Quelltext bearbeiten' }).click();
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
  expect((await office.mailTo(OWNER, 'Bis bald')).html).toContain('<b>Erika &amp; Co</b>');
  await page.getByRole('button', { name: 'Speichern' }).click();
  await page.getByText('Die Vorlage ist gespeichert.').waitFor();

  await page.getByRole('link', { name: 'Fassungen' }).click();
  await page.getByRole('button', { name: 'Ansehen: Fassung 1' }).click();
  await isFit(page);
  await page.getByRole('button', { name: 'Diese Fassung wieder verwenden' }).click();
  await page.getByText('Fassung 1 gilt wieder.').waitFor();
  await page.getByRole('link', { name: 'Schreiben', exact: true }).click();
  await expect.poll(() => page.getByLabel('Betreff').inputValue()).toContain('Erinnerung');
});

test('what the service refuses in a template is shown at its line', async () => {
  const { id } = await office.ask('POST', '/templates', { name: 'code', subject: 'Hallo', html: '<p>1</p>' });
  const page = await office.open(`templates/${id}`);
  await page.getByRole('textbox', { name: 'Gestaltet (HTML)' }).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\n<p style="{{stil}}">2</p>');
  await page.getByRole('button', { name: 'Speichern' }).click();
  await page.locator('.cm-faulty').filter({ hasText: 'style=' }).waitFor();
  await page.locator('.cm-fault').filter({ hasText: 'Code' }).waitFor();
});

test('who leaves a template that is not saved is asked', async () => {
  const { id } = await office.ask('POST', '/templates', {
    name: 'urlaub',
    subject: 'Hallo',
    text: 'Guten Tag',
  });
  const page = await office.open('templates');
  await page.getByRole('link', { name: 'urlaub', exact: true }).click();
  await page.getByLabel('Betreff').fill('Bis bald');
  await page.getByText('Noch nicht gespeichert').waitFor();
  const leave = page.getByRole('navigation').getByRole('link', { name: 'Personen' });
  const stay = page.getByRole('dialog').getByRole('button', { name: 'Weiterschreiben' });
  await leave.click();
  await stay.click();
  await page.evaluate('history.back()');
  await stay.click();
  expect(page.url()).toContain(`templates/${id}`);
  expect(await page.getByLabel('Betreff').inputValue()).toBe('Bis bald');

  await page.getByRole('button', { name: 'Speichern' }).click();
  await page.getByText('Die Vorlage ist gespeichert.').waitFor();
  await leave.click();
  await page.waitForURL('**/people');
});

test('what is held of a person is taken along, corrected and erased', async () => {
  const address = 'rita@example.org';
  const { id: listId } = await office.ask('POST', '/lists', { name: 'Vorsorge' });
  await office.ask('POST', `/lists/${listId}/subscribers`, {
    address,
    name: 'Rita Alt',
    status: 'active',
    consent: { evidence: 'Anmeldebogen' },
  });
  await office.app.send(office.sender, { to: address, subject: 'Ihr Befund' });
  await office.mailTo(address, 'Befund');
  const page = await office.open(`people/${encodeURIComponent(address)}`);
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
  await isFit(page);
  const found = await office.app.request(
    'GET',
    `${office.sender.base}/people?address=${address}`,
    undefined,
    office.sender.token,
  );
  expect(found.text).not.toContain('Rita');
  expect(found.text).not.toContain('Befund');
});

test('names of people, lists and campaigns, and subjects of templates run nothing', async () => {
  const list = await office.ask('POST', '/lists', {
    name: hostile('list').slice(0, 100),
    description: hostile('about'),
  });
  await office.ask('POST', `/lists/${list.id}/subscribers`, {
    address: 'feind@example.org',
    name: hostile('name').slice(0, 100),
    data: { ort: hostile('value') },
    status: 'active',
    consent: { evidence: hostile('evidence') },
  });
  const template = await office.ask('POST', '/templates', {
    name: 'feindlich',
    description: hostile('description').slice(0, 500),
    subject: `"'><script>__ran('subject')</script><img src=x onerror="__ran('subject')">`,
    text: 'Guten Tag',
  });
  const campaign = await office.ask('POST', '/campaigns', {
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
    const page = await office.open(at);
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
