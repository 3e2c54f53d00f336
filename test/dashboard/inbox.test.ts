// @module-tag debian/chromium-headless-shell
// Mail that comes in, captured mail and suppressions, as an office works with them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type List, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { checkAccessibility, openBrowser, runsNothing, tooWide } from '#test/support/browser.ts';
import { hostile, type TestPage } from '#test/support/chromium.ts';
import { forwardTokenTo, join, makeOwner, signIn, unlimitedSignIn } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';
import { putMail } from '#test/support/received-mail.ts';
import { bring } from '#test/support/reports.ts';
import { PHONE } from './pages.ts';

let app: TestApp;
let sender: Sender;
let cookie: string;
let host: string;
beforeAll(async () => {
  app = await startApp({ config: { ...unlimitedSignIn, smtp: { inbound: { listen: '127.0.0.1:0' } } } });
  sender = await app.createSender();
  await makeOwner(app, sender.practice.id, 'owner@example.org');
  ({ cookie } = await signIn(app, 'owner@example.org'));
});
afterAll(() => app?.remove());
const browser = openBrowser();

const open = async (path: string, as = cookie): Promise<TestPage> => {
  const page = await browser.newPage({ origin: app.origin, cookie: as });
  await page.goto(`/app/${sender.practice.id}/${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
};
/** For everyone: also on a telephone. */
const isFit = async (page: TestPage): Promise<void> => {
  await checkAccessibility(page);
  await page.setViewportSize({ width: PHONE, height: 800 });
  expect(await tooWide(page)).toEqual([]);
  await checkAccessibility(page);
  await page.setViewportSize({ width: 1280, height: 800 });
};
const ask = async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
  const answer = await app.request<Body>(method, sender.base + path, body, sender.token);
  if (answer.status >= 300) throw new Error(answer.text);
  return answer.body;
};
const arrive = async (fields: readonly string[], text: string): Promise<void> => {
  const mail = [...fields, 'MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8', '', text];
  const reply = await bring(
    app.inboundPort,
    `praxis@${host}`,
    `${mail.join('\r\n')}\r\n`,
    'erika@example.org',
  );
  expect(reply).toMatch(/^250/);
};

test('receiving is turned on, a mail appears by itself, is opened, answered, and the answer is part of its conversation', async () => {
  const page = await open('inbox');
  await page.getByRole('heading', { name: 'Der Empfang ist ausgeschaltet' }).waitFor();
  await isFit(page);
  await page.getByRole('link', { name: 'Empfang einschalten' }).click();
  await page.getByRole('button', { name: 'Empfang einschalten' }).click();
  await page.getByRole('button', { name: 'Ausschalten' }).waitFor();
  await isFit(page);
  ({ host } = await ask<{ host: string }>('GET', '/inbound'));
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

  const captures = () => ask<List<{ id: string; recipient: string }>>('GET', '/captures');
  await until('it is captured', async () => (await captures()).data.length > 0);
  const { data } = await captures();
  expect(data.map(({ recipient }) => recipient)).toEqual(['erika.privat@example.org']);
  const { text: source } = await app.request(
    'GET',
    `${sender.base}/captures/${data[0]?.id}`,
    undefined,
    sender.token,
  );
  expect(source).toMatch(/^In-Reply-To: <first@example\.org>\r$/im);
  expect(source).toMatch(/^References: <before@example\.org>\s+<first@example\.org>\r$/im);
  expect(source).toContain(`Reply-To: praxis@${host}`);
  await page.getByRole('link', { name: 'Posteingang' }).first().click();
  await page.getByRole('row', { name: /^Termin am Freitag Erika Müller/ }).waitFor();
});

test('mail is forwarded once its target has agreed by the link that it was sent, and a target is asked again after an hour', async () => {
  await ask('POST', '/inbound/enable', {});
  const agreeing = 'empfang.privat@example.net';
  const silent = 'vertretung@example.org';
  const page = await open('inbox?view=settings');
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
  expect(await ask('GET', '/inbound')).toMatchObject({
    options: {
      addresses: [{ local_part: 'termine', mode: 'hold', forward_to: silent }],
      catch_all: { forward_to: agreeing },
    },
  });

  await until('both were asked', () => {
    const asked = 'SELECT 1 FROM forward_targets WHERE asked_at IS NOT NULL';
    return app.sql(sender.practice.id, asked).length === 2;
  });
  const visit = await browser.newPage({ origin: app.origin });
  await visit.goto(`/api/public/forward?t=${await forwardTokenTo(app, agreeing)}`);
  await visit.getByRole('button', { name: 'Weiterleitung zustimmen' }).click();
  await visit.getByRole('heading', { name: 'E-Mails werden an Sie weitergeleitet' }).waitFor();
  await page.reload();
  await targets.getByRole('row', { name: agreeing }).getByText('Bestätigt', { exact: true }).waitFor();
  await isFit(page);
  expect(await targets.getByRole('button').count()).toBe(0);

  app.sql(sender.practice.id, 'UPDATE forward_targets SET asked_at = asked_at - 3600000, asks = 3');
  await page.reload();
  await targets.getByRole('row', { name: silent }).getByText('Wurde schon drei Mal gefragt.').waitFor();
  expect(await targets.getByRole('button').count()).toBe(0);
  app.sql(sender.practice.id, 'UPDATE forward_targets SET asks = 1');
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
  const page = await open('inbox?view=settings');
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
  const id = putMail(app, sender.practice.id, {
    state: 'quarantined',
    state_reason: 'dmarc',
    subject: 'Dringende Überweisung',
  });
  const page = await open('inbox?folder=quarantined');
  await page.getByRole('link', { name: /Dringende Überweisung/ }).click();
  await page.getByText('Diese Mail ist in Quarantäne').waitFor();
  await page.getByRole('button', { name: 'Freigeben' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Freigeben' }).click();
  await page.getByText('Die Mail ist jetzt im Eingang.').waitFor();
  await expect
    .poll(() => ask('GET', `/inbound/messages/${id}`))
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
    app,
    sender.practice.id,
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
  const page = await open('inbox');
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

test('captured mail is shown as its recipient would see it, with header, source and files', async () => {
  const message = await app.send(sender, {
    to: 'anna@example.org',
    subject: 'captured <img src=x onerror="__ran(1)">',
    html: '<p>Guten Tag</p>',
    attachments: [{ filename: `<svg onload="__ran('file')">.pdf`, content: 'JVBERi0xLjc=' }],
  });
  await app.untilStatus(sender, message, 'processed');
  const page = await open('captures');
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
  await ask('POST', '/suppression', { address: 'mueller@example.org', note });
  const page = await open('suppressions');
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
    (await ask<List<{ address: string }>>('GET', '/suppression')).data.map((one) => one.address),
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
  const project = await ask<{ id: string }>('POST', '/projects', { name: 'Webseite' });
  const route = await ask<{ id: string }>('POST', '/routes', { name: 'Rundbriefe', type: 'marketing' });
  const page = await open('suppressions');
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
  const { data } = await ask<List<object>>('GET', '/suppression?address=teils@example.org');
  expect(data).toMatchObject([
    { scope: 'route', project_id: null, route_id: route.id },
    { scope: 'project', project_id: project.id, route_id: null },
  ]);

  const limited = { role_id: 'admin', all_projects: false, project_ids: [project.id] };
  const agency = await join(app, sender.practice.id, 'agency@example.org', limited);
  const theirs = await open('suppressions', agency.cookie);
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

test('a viewer sees that there is mail, and neither its content nor what changes it', async () => {
  await join(app, sender.practice.id, 'viewer@example.org', { role_id: 'viewer' });
  const viewer = await signIn(app, 'viewer@example.org');
  const id = putMail(app, sender.practice.id, { subject: 'Nur für Berechtigte' });
  const page = await open(`inbox/${id}`, viewer.cookie);
  await page.getByText('Den Inhalt darf Ihre Rolle nicht sehen.').waitFor();
  for (const name of ['Antworten', 'Löschen', 'Freigeben'])
    expect(await page.getByRole('button', { name }).count()).toBe(0);
  expect(await page.getByRole('link', { name: /Gesperrte Adressen|Abgefangene Mail/ }).count()).toBe(0);
  await until('it is still unread', async () => {
    const { read } = await ask<{ read: boolean }>('GET', `/inbound/messages/${id}`);
    return !read;
  });
});
