// @module-tag debian/chromium-headless-shell
// Two people change one record: who saves second sees both versions, and says which is right.
import { expect, test } from 'vitest';
import { isFit } from '#test/support/browser.ts';
import type { TestPage } from '#test/support/chromium.ts';
import { openOffice } from './office.ts';

const office = openOffice('captured');

/** Writes the street into the legal notice, after another one has saved a street and a city. */
const saveSecond = async (): Promise<TestPage> => {
  await office.ask('PATCH', '/compliance', { street: 'Am Markt 1', city: '20095 Hamburg' });
  const page = await office.open('legal');
  await page.getByLabel('Straße').fill('Am Ring 5');
  await office.ask('PATCH', '/compliance', { street: 'Am Hafen 9', city: '20457 Hamburg' });
  await page.getByRole('button', { name: 'Speichern' }).first().click();
  await page.getByRole('dialog').waitFor();
  return page;
};

const legal = async () => {
  const { legal: saved } = await office.ask<{ legal: Record<string, unknown> }>('GET', '');
  return { street: saved.street, city: saved.city };
};

test('who saves second sees both versions, may look again, and saves their own, which leaves the other fields', async () => {
  const page = await saveSecond();
  const dialog = page.getByRole('dialog');
  expect(await dialog.textContent()).toMatch(/Am Hafen 9.*Am Ring 5/s);
  expect(await dialog.textContent(), 'not changed here').not.toContain('20457');
  await isFit(page);
  await page.getByRole('button', { name: 'Schließen' }).click();
  await page.getByRole('alert').waitFor();
  expect(await page.getByLabel('Straße').inputValue()).toBe('Am Ring 5');
  expect(await legal(), 'nothing is written yet').toEqual({ street: 'Am Hafen 9', city: '20457 Hamburg' });

  await page.getByRole('button', { name: 'Speichern' }).first().click();
  await page.getByRole('button', { name: 'Meine Fassung speichern' }).click();
  await expect.poll(legal).toEqual({ street: 'Am Ring 5', city: '20457 Hamburg' });
});

test('who takes the other version has it in the form, and nothing is saved', async () => {
  const page = await saveSecond();
  await page.getByRole('button', { name: 'Die andere Fassung übernehmen' }).click();
  await expect.poll(() => page.getByLabel('Straße').inputValue()).toBe('Am Hafen 9');
  expect(await page.getByLabel('Ort').inputValue()).toBe('20457 Hamburg');
  expect(await legal()).toEqual({ street: 'Am Hafen 9', city: '20457 Hamburg' });
});

test('a record of a list is changed as it is now, and so is a conflict about it shown', async () => {
  const { id } = await office.ask('POST', '/routes', { name: 'Rundbriefe', type: 'marketing' });
  const page = await office.open('projects');
  const row = page.getByRole('row', { name: /Rundbriefe/ });
  await row.getByRole('button', { name: 'Ändern' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Briefe von uns');
  await office.ask('PATCH', `/routes/${id}`, { name: 'Briefe an alle', track_opens: false });
  await page.getByRole('dialog').getByRole('button', { name: 'Speichern' }).click();
  await page.getByText('Briefe an alle').waitFor();
  await page.getByRole('button', { name: 'Meine Fassung speichern' }).click();
  await page.getByRole('row', { name: /Briefe von uns/ }).waitFor();
  const { track_opens } = await office.ask<{ track_opens: boolean }>('GET', `/routes/${id}`);
  expect(track_opens, 'not changed here').toBe(false);
});
