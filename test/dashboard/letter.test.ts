// @module-tag debian/chromium-headless-shell
// A letter as a reception writes it: of a template, to a person who is known, with a file, now or later; and as it arrives.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { checkAccessibility, isFit } from '#test/support/browser.ts';
import { openOffice } from './office.ts';

const office = openOffice('leaves');
const FILE = { name: 'Befund.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4\n%%EOF') };

const option = (page: Page, name: string) => page.getByRole('option', { name });
const chips = (page: Page) => page.locator('.token');
const verdict = (page: Page) => page.locator('.lettercheck .note');
const text = (page: Page) => page.getByRole('textbox', { name: 'Text', exact: true });
const write = async (page: Page, ...paragraphs: readonly string[]): Promise<void> => {
  await text(page).click();
  await page.keyboard.press('Control+Home');
  for (const [at, paragraph] of paragraphs.entries()) {
    if (at > 0) await page.keyboard.press('Enter');
    await page.keyboard.type(paragraph);
  }
};
const sendIt = (page: Page) => page.getByRole('button', { name: 'Senden', exact: true }).click();

test('a reception writes of a template to a person who is known, with a file, for later, in few clicks', async () => {
  await office.ask('POST', '/templates', {
    name: 'terminbestaetigung',
    subject: 'Ihr Termin am {{datum}}',
    message_kind: 'termin',
    document: {
      version: 1,
      content: [
        {
          type: 'paragraph',
          content: [
            { type: 'text', text: 'Guten Tag ' },
            { type: 'placeholder', attrs: { name: 'name' } },
            { type: 'text', text: ', bis zum ' },
            { type: 'placeholder', attrs: { name: 'datum' } },
            { type: 'text', text: '!', marks: [{ type: 'strong' }] },
          ],
        },
        { type: 'signature' },
      ],
    },
  });
  await office.app.send(office.sender, {
    to: '"Erika Müller" <erika.mueller@example.org>',
    subject: 'Ihre Unterlagen',
  });
  const page = await office.open('templates');
  let clicks = 0;
  const click = async (locator: ReturnType<Page['locator']>): Promise<void> => {
    clicks += 1;
    await locator.click();
  };
  await click(page.getByRole('link', { name: 'Nachricht schreiben' }).first());
  clicks += 2;
  await page
    .getByRole('combobox', { name: 'Vorlage', exact: true })
    .selectOption({ label: 'terminbestaetigung' });
  const to = page.getByRole('combobox', { name: 'An', exact: true });
  await click(to);
  await page.keyboard.type('mueller');
  await click(option(page, 'Erika Müller'));
  await expect.poll(() => page.getByLabel('Name', { exact: true }).inputValue()).toBe('Erika Müller');
  await click(page.getByLabel('Datum', { exact: true }));
  await page.keyboard.type('Montag, 30. November');
  clicks += 1;
  await page.getByLabel('Anhänge').setInputFiles(FILE);
  await click(page.getByLabel('Später'));
  await expect
    .poll(() => verdict(page).textContent())
    .toBe(
      'Die Nachricht geht an Erika Müller, morgen um 08:00 Uhr, mit einem Anhang. Nichts spricht dagegen.',
    );
  await isFit(page);
  await click(page.getByRole('button', { name: 'Senden', exact: true }));
  await page.getByRole('heading', { name: 'Ihre Nachricht ist geplant' }).waitFor();
  expect(clicks).toBeLessThanOrEqual(12);
  await page.getByText('Die Nachricht geht an Erika Müller, morgen um 08:00 Uhr').waitFor();
  await page.getByRole('link', { name: 'Nachricht ansehen' }).click();
  await page.getByRole('heading', { name: 'Ihr Termin am Montag, 30. November' }).waitFor();
  await page.getByText(/Sie ist geplant und geht morgen um 08:00 hinaus/).waitFor();
});

test('what arrives has subject, text, HTML, file, appointment, copies and the address for answers; the next one has a template', async () => {
  await office.ask('POST', '/templates', { name: 'kurz', subject: 'Kurz', text: 'Guten Tag {{name}},' });
  const { id } = await office.ask('POST', '/templates', {
    name: 'fest',
    subject: 'Fest für {{name}}',
    html: '<p>Guten Tag <b>{{name}}</b></p>',
  });
  const page = await office.open('letter?to=%22Erika%20Muster%22%20%3Cerika%40example.org%3E');
  await page.getByRole('button', { name: 'Kopie an weitere Personen' }).click();
  await page.getByRole('combobox', { name: 'Kopie an (Cc)', exact: true }).fill('kopie@example.org, ');
  await page.getByRole('combobox', { name: 'Unsichtbare Kopie' }).fill('leise@example.org');
  await page.getByRole('button', { name: 'Antworten an eine andere Adresse' }).click();
  await page.getByLabel('Antworten gehen an', { exact: true }).fill('empfang@example.org');
  await page.getByLabel('Betreff', { exact: true }).fill('Ihr Befund');
  await write(page, 'Guten Tag,', 'der Befund liegt bei.');
  await page.getByLabel('Anhänge').setInputFiles(FILE);
  await page.getByRole('button', { name: 'Termin mitschicken' }).click();
  await page.getByLabel('Worum geht es?').fill('Besprechung');
  await page.getByLabel('Beginn').fill('2031-03-04T10:15');
  await page.getByLabel('Dauer').selectOption('45');
  await expect
    .poll(() => verdict(page).textContent())
    .toMatch(/jetzt gleich, in Kopie an .* mit einem Termin\./);
  await sendIt(page);
  await page.getByRole('heading', { name: 'Ihre Nachricht ist gesendet' }).waitFor();

  const mail = await office.mailTo('erika@example.org', 'Ihr Befund');
  expect(mail.subject).toBe('Ihr Befund');
  expect(mail.to).toMatchObject({ value: [{ name: 'Erika Muster', address: 'erika@example.org' }] });
  expect(mail.cc).toMatchObject({ value: [{ address: 'kopie@example.org' }] });
  expect(mail.bcc).toBeUndefined();
  expect(mail.replyTo).toMatchObject({ value: [{ address: 'empfang@example.org' }] });
  expect(mail.text).toContain('Guten Tag,\n\nder Befund liegt bei.');
  expect(mail.html).toContain('der Befund liegt bei.');
  // Once in each.
  for (const part of [mail.text, String(mail.html)]) expect(part?.match(/Am Markt 1/g)?.length, part).toBe(1);
  const files = mail.attachments.map(({ filename, contentType }) => [filename, contentType]);
  expect(files).toContainEqual(['Befund.pdf', 'application/pdf']);
  const calendar = mail.attachments.find(({ contentType }) => contentType === 'text/calendar');
  expect(String(calendar?.content)).toMatch(
    /DTSTART;TZID=Europe\/Berlin:20310304T101500\r\nDTEND;TZID=Europe\/Berlin:20310304T110000/,
  );
  expect((await office.mailTo('leise@example.org', 'Ihr Befund')).bcc).toBeUndefined();

  await page.getByRole('button', { name: 'Noch eine schreiben' }).click();
  await page.getByLabel('Betreff', { exact: true }).waitFor();
  expect(await chips(page).count()).toBe(0);
  expect(await page.getByText(/Ihr Entwurf von/).count()).toBe(0);
  await page.getByRole('combobox', { name: 'An', exact: true }).fill('anna@example.org,');
  await write(page, 'Mein eigener Text');
  await page.getByRole('combobox', { name: 'Vorlage', exact: true }).selectOption({ label: 'kurz' });
  await expect.poll(() => text(page).textContent()).toContain('Guten Tag Name,');
  await page.getByRole('button', { name: 'Meinen Text zurückholen' }).click();
  await expect.poll(() => text(page).textContent()).toContain('Mein eigener Text');
  await page.getByRole('combobox', { name: 'Vorlage', exact: true }).selectOption(id);
  await page.getByText('Diese Vorlage hat eine feste Gestaltung').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('Anna & Co');
  await sendIt(page);
  await page.getByRole('heading', { name: 'Ihre Nachricht ist gesendet' }).waitFor();
  const fixed = await office.mailTo('anna@example.org', 'Anna &amp; Co');
  expect(fixed.subject).toBe('Fest für Anna & Co');
  expect(fixed.html).toContain('<b>Anna &amp; Co</b>');
});

test('by the keyboard alone: people are offered, addresses checked, and Enter in a field sends nothing', async () => {
  await office.app.send(office.sender, { to: '"Uwe Pfänder" <uwe@example.org>', subject: 'Ihre Unterlagen' });
  const page = await office.open('letter');
  const to = page.getByRole('combobox', { name: 'An', exact: true });
  await to.focus();
  await page.keyboard.type('pfander');
  await option(page, 'Uwe Pfänder').waitFor();
  expect(await to.getAttribute('aria-expanded')).toBe('true');
  await checkAccessibility(page);
  await page.keyboard.press('Escape');
  await option(page, 'Uwe Pfänder').waitFor({ state: 'detached' });
  await page.keyboard.press('ArrowDown');
  await option(page, 'Uwe Pfänder').waitFor();
  await page.keyboard.press('ArrowDown');
  expect(await page.locator('[role=option][aria-selected=true]').textContent()).toContain('Uwe Pfänder');
  await page.keyboard.press('Enter');
  await page.keyboard.type('erika@example');
  await page.keyboard.press('Enter');
  await page.getByText('„erika@example“ ist noch keine E-Mail-Adresse.').waitFor();
  expect(await to.getAttribute('aria-invalid')).toBe('true');
  await page.keyboard.type('.org;max@example.org;');
  await expect.poll(() => chips(page).count()).toBe(3);
  await page.getByText('sehen die Adressen der anderen').waitFor();
  await page.keyboard.press('Backspace');
  await expect.poll(() => chips(page).count()).toBe(2);
  const tabTo = async (name: string): Promise<void> => {
    for (let press = 0; press < 12; press++) {
      await page.keyboard.press('Tab');
      if (await page.getByLabel(name, { exact: true }).evaluate((element) => element.matches(':focus')))
        return;
    }
    throw new Error(`the key Tab does not reach ${name}`);
  };
  await tabTo('Betreff');
  await page.keyboard.type('Sprechzeiten');
  await tabTo('Text');
  await page.keyboard.type('Wir haben neue Sprechzeiten.');
  await expect.poll(() => verdict(page).textContent()).toContain('Nichts spricht dagegen.');
  await page.getByLabel('Betreff', { exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Senden', exact: true }).focus();
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Nachricht schreiben');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Ihre Nachricht ist gesendet' }).waitFor();
  expect((await office.mailTo('uwe@example.org', 'Sprechzeiten')).text).toContain('neue Sprechzeiten');
});

test('whose answer is lost is sent once, also after the page was loaded again and its file dropped anew', async () => {
  const page = await office.open('letter?to=einmal@example.org');
  await page.getByLabel('Betreff', { exact: true }).fill('Nur einmal');
  await write(page, 'Diese Nachricht kommt einmal.');
  const drop = async (): Promise<void> => {
    const files = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['%PDF-1.4\\n%%EOF'], 'notiz.pdf', { type: 'application/pdf' }));
      return transfer;
    })()`);
    await page.locator('.writeletter').dispatchEvent('drop', { dataTransfer: files });
    await page.getByRole('button', { name: 'Weglassen: notiz.pdf' }).waitFor();
  };
  await drop();
  const stored = (): number => office.app.rowCounts(office.sender.practice.id).messages ?? 0;
  const before = stored();
  let lost = 0;
  await page.route('**/send', async (route) => {
    await route.fetch().catch(() => {});
    lost += 1;
    await route.abort('connectionreset').catch(() => {});
  });
  await sendIt(page);
  await expect.poll(() => lost).toBeGreaterThanOrEqual(2);
  await page.reload();
  await page.unroute('**/send');
  await page.getByRole('button', { name: 'Weiterschreiben' }).click();
  await page.getByText('Bitte hängen Sie diese Dateien noch einmal an: notiz.pdf').waitFor();
  await drop();
  expect(stored()).toBe(before + 1);
  await sendIt(page);
  await page.getByRole('heading', { name: 'Ihre Nachricht ist gesendet' }).waitFor();
  expect(stored()).toBe(before + 1);
  // The answers that were lost are what this test did.
  await page.problems();
});
