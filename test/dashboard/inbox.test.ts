// @module-tag debian/chromium-headless-shell
// Mail that comes in, as an office works with it.
import { expect, test } from 'vitest';
import type { List } from '#test/support/app.ts';
import { isFit, runsNothing } from '#test/support/browser.ts';
import { hostile } from '#test/support/chromium.ts';
import { forwardTokenTo, join, signIn } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';
import { putMail } from '#test/support/received-mail.ts';
import { bring } from '#test/support/reports.ts';
import { openOffice } from './office.ts';

const office = openOffice('captured', { smtp: { inbound: { listen: '127.0.0.1:0' } } });
let host: string;

const arrive = async (fields: readonly string[], text: string): Promise<void> => {
  const mail = [...fields, 'MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8', '', text];
  const reply = await bring(
    office.app.inboundPort,
    `praxis@${host}`,
    `${mail.join('\r\n')}\r\n`,
    'erika@example.org',
  );
  expect(reply).toMatch(/^250/);
};

test('receiving is turned on, a mail appears by itself, is opened, answered, and the answer is part of its conversation', async () => {
  const page = await office.open('inbox');
  await page.getByRole('heading', { name: 'Der Empfang ist ausgeschaltet' }).waitFor();
  await isFit(page);
  await page.getByRole('link', { name: 'Empfang einschalten' }).click();
  await page.getByRole('button', { name: 'Empfang einschalten' }).click();
  await page.getByRole('button', { name: 'Ausschalten' }).waitFor();
  await isFit(page);
  ({ host } = await office.ask<{ host: string }>('GET', '/inbound'));
  await page.getByRole('link', { name: 'Posteingang' }).first().click();
  await page.getByRole('heading', { name: 'Noch keine Mail' }).waitFor();

  await arrive(
    [
      'From: Erika =?utf-8?q?M=C3=BCller?= <erika@example.org>',
      'Reply-To: erika.privat@example.org',
      'Subject: Termin am Freitag',
      'Message-ID: <first@example.org>',
      'References: <before@example.org>',
    ],
    'Geht Freitag um 10?\r\n\r\nErika',
  );
  const row = page.getByRole('row', { name: /Neu Termin am Freitag Erika Müller/ });
  await row.waitFor();
  await isFit(page);
  await row.getByRole('link').click();
  await page.getByText('Absender nicht bestätigt').waitFor();
  await page.frameLocator('iframe').getByText('Geht Freitag um 10?').waitFor();
  await page.getByRole('button', { name: 'Antworten' }).click();
  expect(await page.getByLabel('An', { exact: true }).inputValue()).toBe('erika.privat@example.org');
  expect(await page.getByLabel('Betreff').inputValue()).toBe('Re: Termin am Freitag');
  await page.getByLabel('Text', { exact: true }).fill('Ja, Freitag um 10 passt.');
  await page.getByLabel('Die Mail darunter zitieren').check();
  await isFit(page);
  await page.getByRole('button', { name: 'Antwort senden' }).click();
  const ours = page.locator('.thread details', { hasText: 'Wir' });
  await ours.locator('summary').click();
  await page
    .frameLocator('iframe[title="Re: Termin am Freitag"]')
    .getByText('> Geht Freitag um 10?')
    .waitFor();
  await isFit(page);

  const captures = () => office.ask<List<{ id: string; recipient: string }>>('GET', '/captures');
  await until('it is captured', async () => (await captures()).data.length > 0);
  const { data } = await captures();
  expect(data.map(({ recipient }) => recipient)).toEqual(['erika.privat@example.org']);
  const { text: source } = await office.app.request(
    'GET',
    `${office.sender.base}/captures/${data[0]?.id}`,
    undefined,
    office.sender.token,
  );
  expect(source).toMatch(/^In-Reply-To: <first@example\.org>\r$/im);
  expect(source).toMatch(/^References: <before@example\.org>\s+<first@example\.org>\r$/im);
  expect(source).toContain(`Reply-To: praxis@${host}`);
  await page.getByRole('link', { name: 'Posteingang' }).first().click();
  await page.getByRole('row', { name: /^Termin am Freitag Erika Müller/ }).waitFor();
});

test('mail is forwarded once its target has agreed by the link that it was sent, and a target is asked again after an hour', async () => {
  await office.ask('POST', '/inbound/enable', {});
  const agreeing = 'empfang.privat@example.net';
  const silent = 'vertretung@example.org';
  const page = await office.open('inbox?view=settings');
  const card = page.locator('.card', { has: page.getByRole('heading', { name: 'Adressen', exact: true }) });
  const rule = card.getByRole('group', { name: '@in.' });
  const others = card.getByRole('group', { name: 'Alle anderen' });
  const targets = card.getByRole('table', { name: 'Ziele der Weiterleitung' });
  await card.getByRole('button', { name: 'Adresse hinzufügen' }).click();
  await rule.getByLabel('Vor dem @').fill('zwei Worte');
  await rule.getByLabel('Was geschieht').selectOption('Zurückhalten, bis jemand freigibt');
  await rule.getByLabel('Weiterleiten an').fill(silent);
  await others.getByLabel('Weiterleiten an').fill(agreeing);
  await card.getByRole('button', { name: 'Speichern' }).click();
  await card.getByRole('alert').waitFor();
  await rule.getByLabel('Vor dem @').fill('termine');
  await card.getByRole('button', { name: 'Speichern' }).click();
  await targets.getByText('Noch nicht bestätigt').first().waitFor();
  expect(await office.ask('GET', '/inbound')).toMatchObject({
    options: {
      addresses: [{ local_part: 'termine', mode: 'hold', forward_to: silent }],
      catch_all: { forward_to: agreeing },
    },
  });

  await until('both were asked', () => {
    const asked = 'SELECT 1 FROM forward_targets WHERE asked_at IS NOT NULL';
    return office.app.sql(office.sender.practice.id, asked).length === 2;
  });
  const visit = await office.browser.newPage({ origin: office.app.origin });
  await visit.goto(`/api/public/forward?t=${await forwardTokenTo(office.app, agreeing)}`);
  await visit.getByRole('button', { name: 'Weiterleitung bestätigen' }).click();
  await visit.getByRole('heading', { name: 'E-Mails werden an Sie weitergeleitet' }).waitFor();
  await page.reload();
  await targets.getByRole('row', { name: agreeing }).getByText('Bestätigt', { exact: true }).waitFor();
  await isFit(page);
  expect(await targets.getByRole('button').count()).toBe(0);

  office.app.sql(
    office.sender.practice.id,
    'UPDATE forward_targets SET asked_at = asked_at - 3600000, asks = 3',
  );
  await page.reload();
  await targets.getByRole('row', { name: silent }).getByText('Wurde schon dreimal gefragt.').waitFor();
  expect(await targets.getByRole('button').count()).toBe(0);
  office.app.sql(office.sender.practice.id, 'UPDATE forward_targets SET asks = 1');
  await page.reload();
  await targets.getByRole('row', { name: silent }).getByRole('button').waitFor();
  expect(await targets.getByRole('button').count()).toBe(1);
  await targets.getByRole('button', { name: 'Noch einmal fragen' }).click();
  await page.getByText('Wir haben noch einmal gefragt.').waitFor();

  await rule.getByRole('button', { name: 'Entfernen' }).click();
  await others.getByLabel('Weiterleiten an').fill('');
  await card.getByRole('button', { name: 'Speichern' }).click();
  await targets.waitFor({ state: 'detached' });
});

test('a hook is made, its secret is shown this once and exchanged, it is tried, and removed', async () => {
  const page = await office.open('inbox?view=settings');
  const card = page.locator('.card', { has: page.getByRole('heading', { name: /Hooks/ }) });
  const dialog = page.getByRole('dialog');
  const shown = async (): Promise<string> => {
    const secret = await dialog.getByText(/^hooksec_/).textContent();
    await dialog.getByRole('button', { name: 'Ich habe es kopiert' }).click();
    return secret ?? '';
  };
  await card.getByLabel('Name').fill(hostile('hook'));
  await card.getByRole('button', { name: 'Hook anlegen' }).click();
  const first = await shown();
  const row = card.getByRole('row', { name: "__ran('hook')" });
  await row.waitFor();
  await isFit(page);
  await row.getByRole('button', { name: 'Testen' }).click();
  await page.getByText('Eine Testnachricht ist unterwegs.').waitFor();
  await row.getByRole('button', { name: 'Neuer Schlüssel' }).click();
  await dialog.getByRole('button', { name: 'Neuer Schlüssel' }).click();
  await dialog.getByText(/^hooksec_/).waitFor();
  expect(await shown()).not.toBe(first);
  await runsNothing(page);
  await row.getByRole('button', { name: 'Entfernen' }).click();
  await dialog.getByRole('button', { name: 'Entfernen' }).click();
  await card.getByText('Noch keine.').waitFor();
});

test('a mail in quarantine says so and is released to the inbox', async () => {
  const id = putMail(office.app, office.sender.practice.id, {
    state: 'quarantined',
    state_reason: 'dmarc',
    subject: 'Dringende Überweisung',
  });
  const page = await office.open('inbox?folder=quarantined');
  await page.getByRole('link', { name: /Dringende Überweisung/ }).click();
  await page.getByText('Diese Mail ist in Quarantäne').waitFor();
  await page.getByRole('button', { name: 'Freigeben' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Freigeben' }).click();
  await page.getByText('Die Mail ist jetzt im Eingang.').waitFor();
  await expect
    .poll(() => office.ask('GET', `/inbound/messages/${id}`))
    .toMatchObject({ state: 'inbox', read: true });
});

test('what a stranger writes runs nothing, and is downloaded, not opened', async () => {
  const boundary = ['MIME-Version: 1.0', 'Content-Type: multipart/mixed; boundary=limit', '', '--limit'];
  const source = [
    `From: "${hostile('name').replaceAll('"', '\\"')}" <eve@example.org>`,
    `Subject: ${hostile('subject')}`,
    ...boundary,
    'Content-Type: text/html; charset=utf-8',
    '',
    `<p>Guten Tag</p>${hostile('body')}`,
    '--limit',
    'Content-Type: application/pdf',
    `Content-Disposition: attachment; filename*=utf-8''${encodeURIComponent(`${hostile('file')}.pdf`)}`,
    'Content-Transfer-Encoding: base64',
    '',
    'JVBERi0xLjc=',
    '--limit--',
    '',
  ].join('\r\n');
  const id = putMail(
    office.app,
    office.sender.practice.id,
    {
      subject: hostile('subject'),
      from_json: JSON.stringify({ address: 'eve@example.org', name: hostile('name') }),
      state_reason: hostile('reason'),
      internet_message_id: `<${hostile('id')}@example.org>`,
      references_json: JSON.stringify([`<${hostile('reference')}>`]),
    },
    undefined,
    Buffer.from(source),
  );
  const page = await office.open('inbox');
  await page
    .getByRole('row', { name: /subject/ })
    .getByRole('link')
    .click();
  await page.frameLocator('iframe').getByText('Guten Tag').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('a[href$="/attachments/0"]').click(),
  ]);
  expect(download.url()).toContain(`/inbound/messages/${id}/attachments/0`);
  await page.getByRole('button', { name: 'Antworten' }).click();
  await page.getByLabel('Text', { exact: true }).fill('Nein');
  await page.getByLabel('Betreff').fill('Re:');
  await page.getByRole('button', { name: 'Antwort senden' }).click();
  await page.getByText('Wir', { exact: true }).waitFor();
  await isFit(page);
  await runsNothing(page);
});

test('a viewer sees that there is mail, and neither its content nor what changes it', async () => {
  await join(office.app, office.sender.practice.id, 'viewer@example.org', { role_id: 'viewer' });
  const viewer = await signIn(office.app, 'viewer@example.org');
  const id = putMail(office.app, office.sender.practice.id, { subject: 'Nur für Berechtigte' });
  const page = await office.open(`inbox/${id}`, { cookie: viewer.cookie });
  await page.getByText('Den Inhalt darf Ihre Rolle nicht sehen.').waitFor();
  for (const name of ['Antworten', 'Löschen', 'Freigeben'])
    expect(await page.getByRole('button', { name }).count()).toBe(0);
  expect(await page.getByRole('link', { name: /Gesperrte Adressen|Abgefangene Mails/ }).count()).toBe(0);
  await until('it is still unread', async () => {
    const { read } = await office.ask<{ read: boolean }>('GET', `/inbound/messages/${id}`);
    return !read;
  });
});
