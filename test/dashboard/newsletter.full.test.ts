// @module-tag debian/chromium-headless-shell
// @module-tag soak
// The day of a club's newsletter: it is written with two images and a button, checked, sent to ten thousand people, watched while it
// goes, and a reply to it is answered.
import { createTransport } from 'nodemailer';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { isFit } from '#test/support/browser.ts';
import type { TestPage } from '#test/support/chromium.ts';
import { freePort } from '#test/support/process.ts';
import { seedList } from '#test/support/subscribers.ts';
import { OWNER, openOffice } from './office.ts';

const PEOPLE = 10_000;
const LONG_MS = 600_000;
const inboundPort = await freePort();
const office = openOffice('leaves', { smtp: { inbound: { listen: `127.0.0.1:${inboundPort}` } } });

const picture = async (background: string): Promise<Buffer> =>
  sharp({ create: { width: 1_600, height: 900, channels: 3, background } })
    .jpeg()
    .toBuffer();

const choose = async (page: TestPage, menu: string, item: string): Promise<void> => {
  await page.getByRole('button', { name: menu, exact: true }).click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
};

test(
  'a club writes with two images and a button, checks, sends to all, watches, and answers a reply',
  async () => {
    await office.ask('POST', '/inbound/enable', {});
    const people = Array.from({ length: PEOPLE }, (_, index) => ({
      address: `mitglied${index}@example.org`,
      name: `Mitglied ${index}`,
    }));
    seedList(office.app.home, office.sender.practice.id, people, { name: 'Mitglieder' });
    const page = await office.open('campaigns');
    await page.getByRole('button', { name: 'Neues Rundschreiben' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Betreff').fill('Sommerfest am Samstag');
    await page.getByRole('button', { name: 'Anlegen und schreiben' }).click();
    const editor = page.getByRole('textbox', { name: 'Text der Mail' });
    await editor.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.keyboard.type('# Sommerfest');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Liebe Mitglieder, am Samstag wird gegrillt.');
    await page.keyboard.press('Enter');
    for (const [name, alt, colour] of [
      ['garten.jpg', 'Der Garten am Abend', '#2e7d32'],
      ['grill.jpg', 'Der Grill vom letzten Jahr', '#b71c1c'],
    ] as const) {
      await choose(page, 'Einfügen', 'Bild …');
      await dialog
        .getByLabel('Bild auswählen')
        .setInputFiles({ name, mimeType: 'image/jpeg', buffer: await picture(colour) });
      await dialog.getByLabel('Was ist zu sehen?').fill(alt);
      await dialog.getByRole('button', { name: 'Bild einfügen' }).click();
      await editor.getByAltText(alt).waitFor();
    }
    await choose(page, 'Einfügen', 'Schaltfläche …');
    await dialog.getByLabel('Aufschrift').fill('Jetzt anmelden');
    await dialog.getByLabel('Wohin er führt').fill('https://verein.example/fest');
    await dialog.getByRole('button', { name: 'Übernehmen' }).click();
    await page.getByRole('button', { name: 'Speichern und prüfen' }).click();
    await page.getByRole('heading', { name: 'Prüfen und senden' }).waitFor();
    await page.getByText(`von ${PEOPLE.toLocaleString('de')} Personen auf den Listen`).waitFor();
    await isFit(page);
    await page.getByRole('button', { name: 'Probemail an mich' }).click();
    const trial = await office.mailTo(OWNER, '[Test] Sommerfest');
    expect(trial.text).toContain('Liebe Mitglieder, am Samstag wird gegrillt.');

    await page.getByRole('button', { name: 'Jetzt senden' }).click();
    await page.getByRole('button', { name: `An ${PEOPLE.toLocaleString('de')} Personen senden` }).click();
    const mail = await office.mailTo('mitglied7@example.org', 'Sommerfest');
    const { html = '', text = '' } = mail;
    expect(text).toContain('Der Garten am Abend');
    expect(text).toContain('https://verein.example/fest');
    for (const alt of ['Der Garten am Abend', 'Der Grill vom letzten Jahr']) {
      const source = new RegExp(`<img[^>]*alt="${alt}"[^>]*>`).exec(String(html))?.[0] ?? '';
      const url = /src="([^"]+)"/.exec(source)?.[1] ?? '';
      const image = await fetch(office.app.origin + new URL(url).pathname);
      expect(image.headers.get('content-type'), url).toMatch(/^image\//);
      expect((await sharp(Buffer.from(await image.arrayBuffer())).metadata()).width).toBeLessThanOrEqual(
        1_200,
      );
    }
    await page.getByText('Gesendet', { exact: true }).waitFor({ timeout: LONG_MS });
    const sent = page.locator('.figures > div').filter({ hasText: 'Abgegeben' });
    await expect
      .poll(() => sent.locator('strong').textContent(), { timeout: LONG_MS })
      .toBe(PEOPLE.toLocaleString('de'));
    await isFit(page);

    const [replyTo] = mail.replyTo?.value ?? [];
    const program = createTransport({ host: '127.0.0.1', port: inboundPort, ignoreTLS: true });
    await program.sendMail({
      from: 'Mitglied 7 <mitglied7@example.org>',
      to: replyTo?.address ?? '',
      subject: 'Re: Sommerfest am Samstag',
      inReplyTo: mail.messageId ?? '',
      references: mail.messageId ?? '',
      text: 'Wir kommen zu viert.',
    });
    program.close();
    await page
      .getByRole('link', { name: /Posteingang/ })
      .first()
      .click();
    await page.getByRole('link', { name: /Re: Sommerfest am Samstag/ }).click();
    await page.frameLocator('iframe').getByText('Wir kommen zu viert.').waitFor();
    await page.getByRole('button', { name: 'Antworten' }).click();
    await page.getByLabel('Text', { exact: true }).fill('Schön, wir freuen uns auf Sie vier!');
    await page.getByRole('button', { name: 'Antwort senden' }).click();
    const answer = await office.mailTo('mitglied7@example.org', 'Re: Sommerfest');
    expect(answer.text).toContain('Schön, wir freuen uns auf Sie vier!');
  },
  2 * LONG_MS,
);
