// @module-tag debian/chromium-headless-shell
// The developer's pages as a developer uses them: send and check, events, webhooks, chat alerts, tokens, examples.
import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { letter, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { checkAccessibility, isFit, openBrowser, runsNothing } from '#test/support/browser.ts';
import { hostile, type TestPage } from '#test/support/chromium.ts';
import { createHook, deliveriesOf, outboundTo, requestTo } from '#test/support/hooks.ts';
import { type Answer, type HttpsReceiver, startHttpsReceiver } from '#test/support/https-receiver.ts';
import { makeOwner, type Person, signIn, unlimitedSignIn } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';

const OWNER = 'erika@example.org';
const SIMULATOR = 'simulator.mail.example.com';
const FAILURE = { status: 500, body: hostile('answer') };

/** As in a log. */
const WITH_SECONDS = /, \d\d:\d\d:\d\d$/;
const browser = openBrowser();
let app: TestApp;
let receiver: HttpsReceiver;
let sender: Sender;
let owner: Person;
/** What the receiver answers to each webhook, by its path. */
const answers = new Map<string, Answer>();

beforeAll(async () => {
  receiver = await startHttpsReceiver({ answer: ({ path }) => answers.get(path) ?? { status: 200 } });
  app = await startApp({
    config: {
      ...unlimitedSignIn,
      security: outboundTo(receiver),
      webhooks: { retry: ['1h'], jitter: 0 },
      smtp: { submission: { listen: '127.0.0.1:0' } },
    },
  });
  sender = await app.createSender();
  await makeOwner(app, sender.practice.id, OWNER);
  owner = await signIn(app, OWNER);
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

const open = async (path: string): Promise<TestPage> => {
  const page = await browser.newPage({ origin: app.origin, cookie: owner.cookie });
  await page.goto(`/app/${sender.practice.id}/${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
};
const button = (page: TestPage, name: string) => page.getByRole('button', { name, exact: true });

test('the check follows what is typed, and what is sent appears once however often it is clicked', async () => {
  const page = await open('send');
  const suggestions = page.locator('datalist option');
  await suggestions.first().waitFor({ state: 'attached' });
  expect(
    await suggestions.evaluateAll((all) => all.map((one) => (one as unknown as { value: string }).value)),
  ).toContain(`success@${SIMULATOR}`);
  await page.getByLabel('An', { exact: true }).fill(`success@${SIMULATOR}`);
  await page.getByLabel('Betreff').fill('Ihr Termin');
  await page.getByLabel('Text', { exact: true }).fill('Am Montag um 9:30 Uhr.');
  await page.getByText('Sie würde versendet.').waitFor();
  await page.getByText('Kontingent des Tarifs').waitFor();
  await checkAccessibility(page);

  await page.getByLabel('Von').fill('chef');
  await page.locator('p[lang=de]', { hasText: '"chef" hat kein @' }).waitFor();
  await page.getByLabel('Von').fill('chef@elsewhere.test');
  await page.getByText('Sie würde abgelehnt (from_not_allowed).').waitFor();
  const refused = page.locator('.gates li', { hasText: 'Domain des Absenders' });
  await refused.getByText('Abgelehnt').waitFor();
  await refused.getByText(/Nehmen Sie eine Adresse auf .+ oder lassen Sie den Absender weg/).waitFor();
  await page.getByLabel('Von').fill('');
  await page.getByText('Sie würde versendet.').waitFor();

  await page.getByLabel('Anhänge').setInputFiles({
    name: 'Befund.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from('%PDF-1.4\n%%EOF\n'),
  });
  await page.getByText('Befund.pdf').waitFor();
  await button(page, 'Senden').click();
  await page.getByRole('link', { name: 'Nachricht ansehen' }).waitFor();
  await button(page, 'Senden').click();
  await until('the second click is answered', () => button(page, 'Senden').isEnabled());
  const link = await page.getByRole('link', { name: 'Nachricht ansehen' }).getAttribute('href');
  const found = await app.request<{ data: { id: string }[] }>(
    'GET',
    `${sender.base}/messages/search?q=Termin`,
    undefined,
    sender.token,
  );
  expect(found.body.data.map(({ id }) => `/app/${sender.practice.id}/post/${id}`)).toEqual([link]);
});

test('events appear live, wait while the list is paused, and run nothing of what strangers wrote', async () => {
  const page = await open('events');
  await page.getByText('Verbunden', { exact: true }).waitFor();
  await app.send(sender, { ...letter, subject: hostile('subject'), metadata: { note: hostile('metadata') } });
  const events = page.locator('.events li', { hasText: 'message.created' });
  const created = events.filter({ hasText: "('metadata')" });
  await created.locator('summary').click();
  await created.getByText('"metadata"').waitFor();
  expect(await created.locator('time').textContent()).toMatch(WITH_SECONDS);
  await checkAccessibility(page);

  await button(page, 'Anhalten').click();
  const before = await page.locator('.events li').count();
  await app.send(sender);
  await page.getByText(/neue Ereignisse? warte/).waitFor();
  expect(await page.locator('.events li').count()).toBe(before);
  await button(page, 'Fortsetzen').click();
  await until('what waited is shown', async () => (await page.locator('.events li').count()) > before);

  await page.getByLabel('Ereignis', { exact: true }).selectOption('message.created');
  await page.waitForURL(/event=message\.created/);
  await until('only these are shown', async () => {
    const names = await page.locator('.events summary code').allTextContents();
    return names.length > 0 && names.every((name) => name === 'message.created');
  });
  await runsNothing(page);
});

test('a webhook is made, shows its secret once, and what failed arrives when it is replayed', async () => {
  answers.set('/praxis', FAILURE);
  const page = await open('webhooks');
  await button(page, 'Webhook anlegen').click();
  await page.getByLabel('Name').fill(hostile('name').slice(0, 100));
  await page.getByLabel('Adresse', { exact: true }).fill(receiver.url('/praxis'));
  await page.locator('dialog').getByRole('button', { name: 'Webhook anlegen' }).click();
  expect(
    await page
      .getByLabel('Alle')
      .evaluate((box) => (box as unknown as { validationMessage: string }).validationMessage),
  ).toBe('Wählen Sie mindestens ein Ereignis.');
  await page.getByLabel('message.created').check();
  await checkAccessibility(page);
  await page.locator('dialog').getByRole('button', { name: 'Webhook anlegen' }).click();
  const shown = page.getByRole('dialog', { name: /Geheimnis des Webhooks/ });
  const secret = await shown.locator('code').textContent();
  expect(secret).toMatch(/^whsec_/);
  await button(page, 'Ich habe es kopiert').click();
  await page.locator('tbody a').first().click();
  await page.getByText('Noch keine Zustellungen').waitFor();
  expect(await page.content()).not.toContain(secret);

  await app.send(sender, { ...letter, metadata: { note: hostile('metadata') } });
  await requestTo(receiver, { path: '/praxis' });
  await until('the attempt failed', async () => {
    await button(page, 'Neu laden').click();
    return page.locator('tbody').getByText('500').isVisible();
  });
  // Its next attempt is an hour away; disabling gives it up at once.
  await button(page, 'Abschalten').click();
  await page.locator('dialog').getByRole('button', { name: 'Abschalten' }).click();
  await until('the delivery is given up', async () => {
    await button(page, 'Neu laden').click();
    return page.locator('tbody').getByText('Fehlgeschlagen').isVisible();
  });
  await button(page, 'Einschalten').click();
  await page.getByText('Läuft').waitFor();
  await page.getByRole('link', { name: 'Fehlgeschlagen' }).click();
  await page.locator('tbody a').click();
  const dialog = page.getByRole('dialog', { name: 'Zustellung' });
  await dialog.getByRole('heading', { name: 'Anfang der Antwort' }).waitFor();
  expect(await dialog.locator('time').last().textContent()).toMatch(WITH_SECONDS);
  await checkAccessibility(page);
  await runsNothing(page);

  answers.delete('/praxis');
  await dialog.getByRole('button', { name: 'Wiederholen' }).click();
  await requestTo(receiver, { path: '/praxis' }, 1);
  await page.getByRole('link', { name: 'Angekommen' }).click();
  await until('the replay arrived', async () => {
    await button(page, 'Neu laden').click();
    return page.locator('tbody').getByText('Angekommen').isVisible();
  });

  await button(page, 'Testen').click();
  await page.getByText('Der Test kam an.').waitFor();
  await button(page, 'Geheimnis tauschen').click();
  await page.locator('dialog').getByRole('button', { name: 'Geheimnis tauschen' }).click();
  await page.getByText('whsec_').waitFor();
  expect(await shown.locator('code').textContent()).not.toBe(secret);
  await button(page, 'Ich habe es kopiert').click();
  await button(page, 'Löschen').click();
  await page.locator('dialog').getByRole('button', { name: 'Löschen' }).click();
  await page.getByText('Noch keine Webhooks').waitFor();
});

test('all that failed since a time is replayed at once', async () => {
  answers.set('/viele', FAILURE);
  const hook = await createHook(app, sender, receiver.url('/viele'), ['message.created']);
  await app.send(sender);
  await app.send(sender);
  await requestTo(receiver, hook, 1);
  await until('both were refused', async () => {
    const all = await deliveriesOf(app, hook);
    return all.length === 2 && all.every(({ response_status }) => response_status === 500);
  });
  await app.request('PATCH', hook.base, { status: 'disabled' }, sender.token);
  await until('both are given up', async () =>
    (await deliveriesOf(app, hook)).every(({ status }) => status === 'failed'),
  );
  await app.request('PATCH', hook.base, { status: 'active' }, sender.token);
  answers.delete('/viele');
  const page = await open(`webhooks/${hook.id}`);
  await button(page, 'Fehlgeschlagene wiederholen').click();
  await page.locator('dialog').getByRole('button', { name: 'Wiederholen' }).click();
  await page.getByText('2 Zustellungen werden wiederholt.').waitFor();
  await requestTo(receiver, hook, 3);
});

test('a chat alert is made, tested, changed, and deleted', async () => {
  answers.set('/chat', { status: 404, body: hostile('chat') });
  const page = await open('alerts');
  await button(page, 'Meldung anlegen').click();
  await page.getByLabel('Name').fill('Empfang');
  await page.getByLabel('Adresse', { exact: true }).fill(receiver.url('/chat'));
  await checkAccessibility(page);
  await page.locator('dialog').getByRole('button', { name: 'Meldung anlegen' }).click();
  await button(page, 'Testen: Empfang').click();
  await page.getByText(/^Der Test kam nicht an: /).waitFor();
  await runsNothing(page);
  answers.delete('/chat');
  await button(page, 'Testen: Empfang').click();
  await page.getByText('Der Test kam im Chat an.').waitFor();
  await button(page, 'Bearbeiten').click();
  await page.getByLabel('Name').fill('Anmeldung');
  await button(page, 'Speichern').click();
  await page.locator('tbody').getByText('Anmeldung').waitFor();
  await button(page, 'Löschen').click();
  await page.locator('dialog').getByRole('button', { name: 'Löschen' }).click();
  await page.getByText('Noch keine Meldungen').waitFor();
});

test('a token is shown once, sends, shows that it was used, and is refused once it is revoked', async () => {
  const page = await open('tokens');
  await button(page, 'Token anlegen').click();
  await page.getByLabel('Name').fill('Praxissoftware');
  await page.locator('dialog').getByRole('button', { name: 'Token anlegen' }).click();
  const token = (await page.locator('dialog code').textContent()) ?? '';
  await button(page, 'Ich habe es kopiert').click();
  const send = () => app.request('POST', `${sender.base}/send`, letter, token);
  expect((await send()).status).toBe(202);
  await app.runJob('note when tokens were used');
  await page.reload();
  const row = page.locator('tbody tr', { hasText: 'Praxissoftware' });
  await row.getByText('jetzt').waitFor();
  expect(await page.content()).not.toContain(token);
  await row.getByRole('button', { name: 'Widerrufen' }).click();
  await page.locator('dialog').getByRole('button', { name: 'Widerrufen' }).click();
  await until('it is gone from the list', async () => (await row.count()) === 0);
  expect((await send()).status).toBe(401);
});

test('the examples run as they are shown, and ask for the message that was sent last', async () => {
  const page = await open('examples?kind=node');
  const shown = page.locator('.code code');
  const program = (await shown.textContent()) ?? '';
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    env: { SENDWERK_TOKEN: sender.token },
  });
  const [id] = stdout.split(' ');
  await page.goto(`/app/${sender.practice.id}/examples`);
  await shown.last().getByText(`/messages/${id}/events`).waitFor();
  for (const kind of ['Node.js', 'Python', 'SMTP', 'Webhook prüfen']) {
    await page.getByRole('link', { name: kind }).click();
    await page.locator('.tabs [aria-current=page]', { hasText: kind }).waitFor();
    await checkAccessibility(page);
    if (kind === 'SMTP')
      expect(await shown.last().textContent()).toMatch(/^swaks --server 127\.0\.0\.1:\d+ --auth PLAIN/);
  }
});

test('an error of a program is explained in the log of the API as it happens, and a message leads to its request', async () => {
  const page = await open('requests?status=4xx');
  await page.getByText('Keine Anfrage passt dazu').waitFor();
  const { body } = await app.request<{ id: string }>('POST', `${sender.base}/send`, letter, sender.token);
  await app.request('POST', `${sender.base}/send`, { to: 'no address' }, sender.token);
  const lines = page.locator('.requests > li');
  await lines.filter({ hasText: 'invalid_request' }).getByRole('group').click();
  await page.getByText('Berichtigen Sie die Felder').waitFor();
  expect(await lines.count(), 'the other request was answered with 202').toBe(1);
  await isFit(page);

  await page.goto(`/app/${sender.practice.id}/post/${body.id}`);
  await page.getByText('Technik').click();
  await page.getByRole('link', { name: 'Anfrage im Protokoll der API' }).click();
  await lines.filter({ hasText: body.id }).waitFor();
  expect(await lines.textContent()).toMatch(/202.*POST \/api\/practices\/\{id\}\/send/);
});
