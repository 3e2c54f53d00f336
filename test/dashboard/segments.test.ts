// @module-tag debian/chromium-headless-shell
// The builder of conditions in the pages of people and of a list.
import { expect, test } from 'vitest';
import { isFit } from '#test/support/browser.ts';
import { openOffice } from './office.ts';

const office = openOffice('leaves');

test('people are found by conditions, kept as a segment, which is renamed and deleted once no campaign waits for it', async () => {
  const { id: listId } = await office.ask('POST', '/lists', { name: 'Freunde' });
  for (const [name, ort] of [
    ['anna', 'Kiel'],
    ['bela', 'Ulm'],
  ])
    await office.ask('POST', `/lists/${listId}/subscribers`, {
      ...{ address: `${name}@example.org`, status: 'active', data: { ort } },
      consent: { evidence: 'Anmeldebogen' },
    });
  const page = await office.open(`lists/${listId}`);
  await page.getByRole('link', { name: 'Nach Bedingungen auswählen' }).click();
  await page.getByRole('link', { name: 'bela@example.org' }).waitFor();
  await page.getByRole('button', { name: 'Bedingung hinzufügen' }).click();
  await page.getByLabel('Vergleich').selectOption('neither');
  await page.getByText('2 Personen gehören nie dazu: Bei ihnen wird nichts ausgewertet.').waitFor();
  await page.getByRole('heading', { name: 'Auf niemanden trifft das zu' }).waitFor();
  await page.getByLabel('Vergleich').selectOption('is');
  await page.getByLabel('Angabe der Person').fill('ort');
  await page.getByLabel('Wert', { exact: true }).fill('Kiel');
  await expect.poll(() => page.locator('tbody').textContent()).not.toContain('bela@example.org');
  await page.getByRole('link', { name: 'anna@example.org' }).waitFor();
  await isFit(page);
  await page.getByRole('button', { name: 'Als Gruppe speichern' }).click();
  await page.getByRole('dialog').getByLabel('Name der Gruppe').fill('Kiel');
  await page.getByRole('button', { name: 'Gruppe speichern', exact: true }).click();
  await page.getByRole('button', { name: 'Umbenennen' }).click();
  await page.getByRole('dialog').getByLabel('Name der Gruppe').fill('Kieler Freunde');
  await page.getByRole('button', { name: 'Gruppe speichern', exact: true }).click();
  await page.getByRole('option', { name: 'Kieler Freunde' }).waitFor({ state: 'attached' });

  const { data } = await office.ask<{ data: readonly { id: string; name: string }[] }>('GET', '/segments');
  const segment = data.find(({ name }) => name === 'Kieler Freunde');
  const { id } = await office.ask('POST', '/campaigns', {
    ...{ segment_id: segment?.id, subject: 'Kieler Woche', text: 'Kommen Sie.' },
    ...{ schedule_at: new Date(Date.now() + 86_400_000).toISOString().slice(0, 16) },
  });
  await page.getByRole('navigation').getByRole('link', { name: 'Personen', exact: true }).first().click();
  await page.getByRole('link', { name: 'Nach Bedingungen auswählen' }).click();
  await page.getByText('Wählen Sie zuerst eine Liste.').first().waitFor();
  await page.getByLabel('Gespeicherte Gruppe').selectOption('Kieler Freunde');
  await page.getByRole('link', { name: 'anna@example.org' }).waitFor();
  const deletes = async () => {
    await page.getByRole('button', { name: 'Gruppe löschen' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Gruppe löschen' }).click();
  };
  await deletes();
  await page
    .getByText('Die Kampagne Kieler Woche geht an diese Gruppe und ist noch nicht versendet.')
    .waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Abbrechen' }).click();
  await office.ask('PATCH', `/campaigns/${id}`, { schedule_at: null });
  await deletes();
  await page.getByText('Die Gruppe ist gelöscht.').waitFor();
  await expect.poll(() => page.getByRole('option', { name: 'Kieler Freunde' }).count()).toBe(0);
});
