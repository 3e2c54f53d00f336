// @module-tag debian/chromium-headless-shell
// What an office does on the telephone: it finds a person's mail, says what became of it, sends it again, and answers for what is
// stored. One practice hands its mail to a relay, another is in test mode.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { checkAccessibility, openBrowser, runsNothing, tooWide } from '#test/support/browser.ts';
import { hostile, type PageOptions, type TestPage } from '#test/support/chromium.ts';
import { join, type Person } from '#test/support/people.ts';
import { createSmtpReceiver, OK, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

const ERIKA = {
  to: '"Erika Müller" <erika.mueller@example.org>',
  subject: 'Ihr Termin',
  text: 'Am Montag um 9:30 Uhr.',
};
/** File names are short, and hold no slash. */
const FILE = `"><img src=x onerror="__ran('file')"><svg onload="alert('file')">.pdf`;
const HTML = '<p>Am Montag um <b>9:30 Uhr</b>.</p>';

let relay: SmtpReceiver;
let app: TestApp;
let practice: Sender;
let trial: Sender;
let office: Person;
let viewer: Person;
let owner: Person;
let ofTrial: Person;
beforeAll(async () => {
  relay = await createSmtpReceiver();
  app = await startApp({
    config: {
      smtp: { inbound: { listen: '127.0.0.1:0' } },
      upstreams: [
        {
          name: 'relay',
          kind: 'smtp',
          host: relay.host,
          port: relay.port,
          tls: 'none',
          for: { practices: ['praxis-dr-sommer'] },
        },
        { name: 'capture', kind: 'capture' },
      ],
    },
  });
  practice = await app.createSender({ name: 'Praxis Dr. Sommer' });
  trial = await app.createSender({ name: 'Praxis am Wall' });
  const { id } = practice.practice;
  office = await join(app, id, 'empfang@example.org', { role_id: 'member' });
  viewer = await join(app, id, 'steuer@example.org', { role_id: 'viewer' });
  owner = await join(app, id, 'verwaltung@example.org', { role_id: 'admin' });
  ofTrial = await join(app, trial.practice.id, 'wall@example.org', { role_id: 'member' });
});
afterAll(async () => {
  await app?.remove();
  await relay?.stop();
});
const browser = openBrowser();

const open = async (
  path: string,
  { as = office, sender = practice, ...how }: Partial<PageOptions> & { as?: Person; sender?: Sender } = {},
): Promise<TestPage> => {
  const page = await browser.newPage({ origin: app.origin, cookie: as.cookie, ...how });
  await page.goto(`/app/${sender.practice.id}/${path}`);
  return page;
};
const rows = (page: TestPage) => page.locator('tbody tr');
const sentence = (page: TestPage) => page.locator('.sentence p').first();

test('the umlaut of a name is found as one types it, by keyboard alone from the search to the message', async () => {
  const id = await app.send(practice, ERIKA);
  await app.send(practice, { ...ERIKA, to: '"Uwe Pfänder" <uwe@example.org>' });
  await app.untilStatus(practice, id, 'processed');
  const page = await open('post');
  await rows(page).nth(1).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('mueller');
  await expect.poll(() => rows(page).count()).toBe(1);
  expect(await rows(page).textContent()).toContain('Erika Müller');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/post/${id}`);
  await sentence(page).waitFor();
  expect(await sentence(page).textContent()).toMatch(
    /^Unser Versandserver hat sie (?:heute|gestern) um \d\d:\d\d übernommen; ob sie ankam, wissen wir nicht\.$/,
  );
});

test('a message appears while the list is open, and moves from waiting to handed over there and on its page', async () => {
  const taken = Promise.withResolvers<void>();
  relay.setBehaviour({
    dot: async () => {
      await taken.promise;
      return OK;
    },
  });
  const page = await open('post');
  await page.getByText('Verbunden', { exact: true }).waitFor();
  const subject = 'Rezept liegt bereit';
  const id = await app.send(practice, { ...ERIKA, subject });
  const row = page.getByRole('row').filter({ hasText: subject });
  await row.getByText('Wartet').waitFor();
  const own = await open(`post/${id}`);
  await sentence(own).filter({ hasText: 'Sie wartet noch auf den Versand.' }).waitFor();
  await own.getByText('Verbunden', { exact: true }).waitFor();
  taken.resolve();
  await row.getByText('Abgegeben').waitFor();
  await sentence(own).filter({ hasText: 'Unser Versandserver hat sie' }).waitFor();
  relay.setBehaviour({});
  // The whole row leads there.
  await row.click();
  await page.waitForURL(`**/post/${id}`);
});

test('statuses are chosen by one click each, several at once, with how many there are; the file holds the same', async () => {
  const taken = await app.send(trial, ERIKA);
  const bounced = await app.send(trial, { ...ERIKA, to: 'bounce@simulator.mail.example.com' });
  await app.untilStatus(trial, taken, 'processed');
  await app.untilStatus(trial, bounced, 'hard_bounced');
  const page = await open('post', { as: ofTrial, sender: trial });
  const chip = page.getByRole('button', { name: /^Abgewiesen 1$/ });
  await chip.click();
  await expect.poll(() => rows(page).count()).toBe(1);
  expect(await chip.getAttribute('aria-pressed')).toBe('true');
  await page.getByRole('button', { name: /^Abgegeben \d+$/ }).click();
  await expect.poll(() => rows(page).count()).toBeGreaterThan(1);
  expect(new URL(page.url()).searchParams.get('status')).toBe('hard_bounced,processed');
  const file = await page.getByRole('link', { name: 'Als CSV' }).getAttribute('href');
  expect(file).toContain('status=processed&status=hard_bounced');
  await page.getByLabel('Name, Adresse oder Betreff').fill('gibt es nicht');
  await page.getByRole('heading', { name: 'Keine Nachricht passt dazu' }).waitFor();
  await checkAccessibility(page);
  await page.getByRole('link', { name: 'Alle zeigen' }).click();
  await expect.poll(() => rows(page).count()).toBeGreaterThan(1);
  // What is chosen while the word is still typed stays chosen.
  await page.getByLabel('Name, Adresse oder Betreff').fill('bounce');
  await chip.click();
  const asked = () => Object.fromEntries(new URL(page.url()).searchParams);
  await expect.poll(asked).toEqual({ q: 'bounce', status: 'hard_bounced' });
});

test('why a mail came back is said in plain words, with what to do now', async () => {
  const id = await app.send(practice, { ...ERIKA, to: 'bounce@simulator.mail.example.com' });
  await app.untilStatus(practice, id, 'hard_bounced');
  const page = await open(`post/${id}`);
  await sentence(page).filter({ hasText: 'abgewiesen. Die Adresse gibt es dort nicht.' }).waitFor();
  await page.getByText('Prüfen Sie die Schreibweise').waitFor();
  await page.getByText('Technik', { exact: true }).click();
  await page.getByText('550 5.1.1').first().waitFor();
  for (const times of ['.timeline time', '.technical time'])
    expect(await page.locator(times).first().textContent(), times).toMatch(/, \d\d:\d\d:\d\d$/);
  await checkAccessibility(page);
});

test('a message is sent again, and where it is captured it says that nothing left the service', async () => {
  const id = await app.send(trial, { ...ERIKA, html: HTML });
  await app.untilStatus(trial, id, 'processed');
  const page = await open(`post/${id}`, { as: ofTrial, sender: trial });
  await sentence(page).filter({ hasText: 'hat den Dienst nicht verlassen' }).waitFor();
  await page.getByRole('button', { name: /Noch einmal senden/ }).click();
  await page.getByRole('button', { name: 'An eine andere Adresse' }).click();
  await page.getByLabel('E-Mail-Adresse').fill('neu@example.org');
  await page.getByRole('dialog').getByRole('button', { name: 'Senden', exact: true }).click();
  await page.getByText('Die Nachricht ist noch einmal unterwegs.').waitFor();
  await expect.poll(() => page.url()).not.toContain(id);
  await page.locator('h1').getByText('Ihr Termin').waitFor();
  await expect
    .poll(async () => {
      const path = `${trial.base}/captures`;
      const { body } = await app.request<{ data: { recipient: string }[] }>(
        'GET',
        path,
        undefined,
        trial.token,
      );
      return body.data.map(({ recipient }) => recipient);
    })
    .toContain('neu@example.org');
});

test('what waits for its time is given another one, and is not sent at all', async () => {
  const later = new Date(Date.now() + 86_400_000).toISOString();
  const id = await app.send(practice, { ...ERIKA, scheduled_at: later });
  const page = await open(`post/${id}`);
  await sentence(page)
    .filter({ hasText: /Sie ist geplant und geht (?:heute|morgen) um/ })
    .waitFor();
  await page.getByRole('button', { name: 'Zeit ändern' }).click();
  const field = page.getByLabel('Neuer Zeitpunkt');
  const day = (await field.inputValue()).slice(0, 10);
  await field.fill(`${day}T23:58`);
  await page.getByRole('dialog').getByRole('button', { name: 'Zeit ändern' }).click();
  await sentence(page).filter({ hasText: 'um 23:58' }).waitFor();
  await page.getByRole('button', { name: 'Nicht senden' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Nicht senden' }).click();
  await sentence(page).filter({ hasText: 'abgebrochen und nicht versendet' }).waitFor();
});

test('why an address gets no mail is said, and its suppression is lifted where the message is', async () => {
  const address = 'verzogen@example.net';
  await app.request('POST', `${practice.base}/suppression`, { address }, practice.token);
  const id = await app.send(practice, { ...ERIKA, to: address });
  const page = await open(`post/${id}`);
  await sentence(page)
    .filter({ hasText: /weil die Adresse gesperrt ist.*von Hand gesperrt/ })
    .waitFor();
  await page.getByRole('button', { name: 'Sperre aufheben' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sperre aufheben' }).click();
  await page.getByText('Die Sperre ist aufgehoben.').waitFor();
  await page.getByText('Diese Adresse ist gesperrt').waitFor({ state: 'hidden' });
});

test('a viewer sees what became of it, but no content, and nothing to write with', async () => {
  const id = await app.send(practice, { ...ERIKA, html: HTML });
  await app.untilStatus(practice, id, 'processed');
  const page = await open('post', { as: viewer });
  await rows(page).first().waitFor();
  expect(await page.getByRole('link', { name: 'Nachricht schreiben' }).count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Personen' }).count()).toBe(0);
  await page.goto(`/app/${practice.practice.id}/post/${id}`);
  await page.getByText('Ihre Rolle darf den Inhalt nicht sehen.').waitFor();
  expect(await page.locator('iframe').count()).toBe(0);
  for (const name of [/Noch einmal senden/, 'Sperre aufheben'])
    expect(await page.getByRole('button', { name }).count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Quelltext herunterladen' }).count()).toBe(0);
});

test('a message that does not exist says so and leads back', async () => {
  const page = await open('post/00000000-0000-7000-8000-000000000000');
  await page.getByRole('heading', { name: 'Diese Nachricht gibt es hier nicht' }).waitFor();
  await page.getByRole('link', { name: 'Zur Post' }).click();
  await rows(page).first().waitFor();
});

describe('a person', () => {
  test('is found by name, and shown with all their mail', async () => {
    await app.send(practice, ERIKA);
    const page = await open('people');
    await rows(page).first().waitFor();
    await page.getByLabel('Name oder E-Mail-Adresse').fill('erika mueller');
    await expect.poll(() => rows(page).count()).toBe(1);
    await page.getByRole('link', { name: /Erika Müller/ }).click();
    await page.getByRole('heading', { name: 'Erika Müller', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Ihr Termin' }).first().waitFor();
    expect(await page.getByRole('link', { name: /Auskunft/ }).getAttribute('href')).toContain('format=html');
    expect(await page.getByRole('button', { name: /Löschen/ }).count()).toBe(0);
  });

  test('is erased only after their address was typed, and there is a certificate', async () => {
    const address = 'weg@example.org';
    const id = await app.send(practice, { ...ERIKA, to: `"Max Weg" <${address}>` });
    await app.untilStatus(practice, id, 'processed');
    const page = await open(`people/${encodeURIComponent(address)}`, { as: owner });
    await page.getByRole('button', { name: /Löschen/ }).click();
    const dialog = page.getByRole('dialog');
    const sure = dialog.getByLabel(/Zur Sicherheit/);
    await sure.fill('max@example.org');
    await dialog.getByRole('button', { name: 'Endgültig löschen' }).click();
    await dialog.getByText('Das ist nicht die Adresse dieser Person.').waitFor();
    await sure.fill(address);
    await dialog.getByRole('button', { name: 'Endgültig löschen' }).click();
    await page.getByRole('heading', { name: 'Bescheinigung' }).waitFor();
    await checkAccessibility(page);
    await page.goto(`/app/${practice.practice.id}/people/${encodeURIComponent(address)}`);
    await page.getByRole('heading', { name: address, level: 1 }).waitFor();
    await page.getByText('Die Adresse ist auf keiner Liste.').waitFor();
    expect(await page.locator('main').textContent()).not.toContain('Max Weg');
  });
});

test('script in names, subject, HTML, header fields, file names, metadata and tags runs nowhere, and all fits a telephone', async () => {
  const name = hostile('name').replaceAll(/["\\]/g, '\\$&');
  // The check of content holds such a mail back, and it is shown all the same.
  const { body } = await app.request<{ message_id: string }>(
    'POST',
    `${practice.base}/send`,
    {
      to: `"${name}" <angriff@example.org>`,
      subject: hostile('subject'),
      html: `${HTML}${hostile('html')}`,
      text: hostile('text'),
      headers: { 'X-Note': hostile('header') },
      tags: [hostile('tag').slice(0, 250)],
      metadata: { note: hostile('metadata') },
      attachments: [
        {
          filename: FILE,
          content: Buffer.from('%PDF-1.4\n%%EOF').toString('base64'),
        },
      ],
    },
    practice.token,
  );
  const id = body.message_id;
  const page = await open('post', { width: 375, height: 812 });
  await rows(page).first().waitFor();
  expect(await page.locator('tbody').textContent()).toContain('__ran');
  expect(await tooWide(page)).toEqual([]);
  await checkAccessibility(page);
  await page.goto(`/app/${practice.practice.id}/post/${id}`);
  await sentence(page).filter({ hasText: 'wegen ihres Inhalts nicht versendet' }).waitFor();
  await page.getByText('Technik', { exact: true }).click();
  await page.getByText(/__ran\('metadata'\)/).waitFor();
  await page.getByText(/__ran\('header'\)/).waitFor();
  await page.getByRole('link', { name: FILE }).waitFor();
  for (const view of ['Am Handy', 'Nur Text', 'Am Computer'])
    await page.getByRole('link', { name: view }).click();
  await page.frameLocator('iframe').getByText('9:30 Uhr').first().waitFor();
  expect(await tooWide(page)).toEqual([]);
  await checkAccessibility(page);
  await runsNothing(page);
  for (const at of ['people', `people/${encodeURIComponent('angriff@example.org')}`]) {
    await page.goto(`/app/${practice.practice.id}/${at}`);
    await rows(page).first().waitFor();
    expect(await tooWide(page)).toEqual([]);
    await runsNothing(page);
  }
});
