// @module-tag debian/chromium-headless-shell
// What an owner does: sets the practice up from the invitation to the first message, sees how it goes, pauses it, pays for a plan.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { isFit, openBrowser, runsNothing } from '#test/support/browser.ts';
import { hostile, type TestPage } from '#test/support/chromium.ts';
import { codesTo, invite, makeOwner, signIn, unlimitedSignIn } from '#test/support/people.ts';
import { type PlayedStripe, startPlayedStripe } from '#test/support/played-stripe.ts';
import { freePort, until } from '#test/support/process.ts';

const NEW_OWNER = 'neu@example.org';
const OWNER = 'sommer@example.org';

let stripe: PlayedStripe;
let app: TestApp;
let practice: Sender;
beforeAll(async () => {
  stripe = await startPlayedStripe();
  const port = await freePort();
  app = await startApp({
    config: {
      ...unlimitedSignIn,
      service: { public_origin: `http://127.0.0.1:${port}` },
      http: { listen: `127.0.0.1:${port}` },
      safe_mode: { default: true, allowlist: [NEW_OWNER] },
      billing: stripe.config,
    },
  });
  practice = await app.createSender({ name: 'Praxis Dr. Sommer' });
  await makeOwner(app, practice.practice.id, OWNER);
  await app.send(practice, { to: NEW_OWNER, subject: hostile('subject') });
});
afterAll(async () => {
  await app?.remove();
  await stripe?.stop();
});
const browser = openBrowser();

const asOwner = async (path: string): Promise<TestPage> => {
  const { cookie } = await signIn(app, OWNER);
  const page = await browser.newPage({ origin: app.origin, cookie });
  await page.goto(`/app/${practice.practice.id}/${path}`);
  return page;
};

test('a new owner goes from the invitation to a test message, and finds it in Post', async () => {
  const { id } = await app.createPractice({ name: 'Praxis am Wall' });
  const token = await invite(app, id, NEW_OWNER, { role_id: 'owner' });
  const page = await browser.newPage({ origin: app.origin });
  await page.goto(`/invitation/${token}`);
  await page.getByRole('button', { name: 'Einladung annehmen' }).click();
  await page.getByRole('link', { name: 'Weiter zu' }).click();
  await page.getByLabel('E-Mail-Adresse').fill(NEW_OWNER);
  await page.getByRole('button', { name: 'Code senden' }).click();
  await until('the code is mailed', async () => (await codesTo(app, NEW_OWNER)).length === 1);
  const [code = ''] = await codesTo(app, NEW_OWNER);
  await page.getByLabel('Ziffer 1').waitFor();
  await page.keyboard.type(code);

  await page.getByRole('heading', { name: 'Wer sendet' }).waitFor();
  await isFit(page);
  await page.getByLabel('Straße und Hausnummer').fill('Am Wall 1');
  await page.getByLabel('Postleitzahl und Ort').fill('28195 Bremen');
  await page.getByLabel('Adresse der Datenschutzerklärung').fill('https://praxis.example.org/datenschutz');
  await page.getByRole('button', { name: 'Speichern und weiter' }).click();

  await page.getByRole('heading', { name: 'Testnachricht' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Testnachricht' }).waitFor();
  await isFit(page);
  await expect.poll(() => page.getByLabel('An', { exact: true }).inputValue()).toBe(NEW_OWNER);
  await page.getByRole('button', { name: 'Testnachricht senden' }).click();
  await page.getByRole('link', { name: 'Ansehen, was aus ihr wird' }).waitFor();

  await page.getByRole('link', { name: /^Testnachricht.*erledigt/ }).waitFor();
  await page.getByRole('link', { name: /^Software und Team/ }).click();
  await isFit(page);
  await page.getByLabel('Name, zum Beispiel des Programms').fill('Praxissoftware');
  await page.getByRole('button', { name: 'API-Token erstellen' }).click();
  await page.getByRole('dialog').getByText('svc_').first().waitFor();
  await page.getByRole('button', { name: 'Ich habe es kopiert' }).click();
  await page.getByRole('link', { name: 'Weiter: Versand freigeben' }).click();
  await page.getByText('Öffentliche Adresse').waitFor();
  await isFit(page);
  expect(await page.getByRole('button', { name: 'Versand freigeben' }).count()).toBe(0);

  await page.getByRole('link', { name: 'Post', exact: true }).click();
  await page.getByRole('row').filter({ hasText: NEW_OWNER }).waitFor();
});

test('the overview has the use of the plan, a curve with its table, and a pause that ends there', async () => {
  const page = await asOwner('settings');
  await page.getByRole('heading', { name: 'Versand anhalten' }).waitFor();
  await isFit(page);
  await page.getByLabel('Name der Praxis').fill('Praxis Sommer & Kollegen');
  const save = (label: string) =>
    page
      .locator('form')
      .filter({ has: page.getByLabel(label) })
      .getByRole('button', { name: 'Speichern' })
      .click();
  await save('Name der Praxis');
  await page.getByRole('button', { name: 'Praxis Sommer & Kollegen' }).waitFor();
  await page.getByLabel('Antworten gehen an').fill('praxis@sommer.example');
  const stored = page.waitForResponse((answer) => answer.request().method() === 'PATCH' && answer.ok());
  await save('Antworten gehen an');
  expect(await (await stored).json()).toMatchObject({
    name: 'Praxis Sommer & Kollegen',
    reply_address: 'praxis@sommer.example',
    add_reply_to: true,
  });
  await page.getByLabel('Grund').fill(hostile('reason'));
  await page.getByRole('button', { name: 'Versand anhalten' }).click();
  await page.getByText('Der Versand ist angehalten.').waitFor();

  await page.getByRole('link', { name: 'Übersicht' }).click();
  await page.getByText(hostile('reason')).waitFor();
  await page.getByText('In diesem Monat versendet: 1 / ').waitFor();
  await page.getByText('Ihr nächster Schritt').waitFor();
  await page.locator('.chart svg').waitFor();
  await isFit(page);
  await page.getByText('Als Tabelle').click();
  const rows = page.getByRole('table', { name: /angenommen in|abgewiesen in/ }).getByRole('row');
  expect(await rows.count()).toBe(31);
  await page.getByRole('link', { name: '7 Tage' }).click();
  await expect.poll(() => rows.count()).toBe(8);
  await runsNothing(page);

  await page.getByRole('button', { name: 'Versand fortsetzen' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Versand fortsetzen' }).click();
  await page.getByText('Der Versand geht weiter').waitFor();
  await expect.poll(() => page.getByText(hostile('reason')).count()).toBe(0);
});

test('what a restore holds is shown, and sent or discarded there', async () => {
  const { id } = practice.practice;
  // The restore itself has its own tests: a command makes these rows while no daemon has the file.
  const hold = async (subject: string): Promise<string> => {
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const sent = await app.send(practice, { to: NEW_OWNER, subject, scheduled_at: scheduledAt });
    app.sql(id, 'UPDATE queue SET claimed = 2, due_at = 0');
    return sent;
  };
  const first = await hold('Ihr Termin am Montag');
  const page = await asOwner('overview');
  const note = page.getByText('1 Nachricht wartet auf Ihre Entscheidung.');
  await note.waitFor();
  await isFit(page);
  await page.getByRole('button', { name: 'Senden', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Senden', exact: true }).click();
  await expect.poll(() => note.count()).toBe(0);
  await app.untilStatus(practice, first, 'processed');

  const second = await hold('Ihr Termin am Dienstag');
  await page.reload();
  await note.waitFor();
  await page.getByRole('button', { name: 'Verwerfen' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Verwerfen' }).click();
  await expect.poll(() => note.count()).toBe(0);
  await app.untilStatus(practice, second, 'failed');
});

test('the colours of the chart follow the scheme', async () => {
  const page = await asOwner('overview');
  await page.locator('.chart svg').waitFor();
  const drawn = () => page.evaluate<string>("getComputedStyle(document.querySelector('.chart .part')).fill");
  const light = await drawn();
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(drawn).not.toBe(light);
});

test('a plan is paid for on the page of the provider, and shown on the way back', async () => {
  const page = await asOwner('billing');
  await page.getByRole('heading', { name: 'Ihr Tarif: Test' }).waitFor();
  await isFit(page);
  await page.getByRole('button', { name: 'Auf die Warteliste Gruppe' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Auf die Warteliste' }).click();
  await page.getByText('Sie stehen auf der Warteliste').waitFor();

  await page.route('https://checkout.stripe.com/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<h1>Kasse</h1>' }),
  );
  await page.getByRole('button', { name: 'Buchen Supporter' }).click();
  await page.getByRole('heading', { name: 'Kasse' }).waitFor();
  const session = stripe.sessions.find(({ url }) => url === page.url());
  if (session === undefined) throw new Error(`not the page of a session: ${page.url()}`);
  expect(await page.problems()).toEqual([`request to another origin: ${session.url}`]);

  await page.goto(session.fields.get('cancel_url') ?? '');
  await page.getByRole('button', { name: 'Buchen Supporter' }).waitFor();
  expect(await page.getByText('Ihre Zahlung wird bestätigt').count()).toBe(0);
  await page.goto(session.fields.get('success_url') ?? '');
  await page.getByText('Ihre Zahlung wird bestätigt').waitFor();
  const { bytes, signature } = stripe.event(
    'customer.subscription.created',
    stripe.pay(session, Date.now()),
    Date.now(),
  );
  await app.request('POST', '/api/public/billing/stripe', bytes, undefined, {
    'Stripe-Signature': signature,
  });
  await page.getByText('Ihr Abonnement läuft').waitFor();
  await page.getByRole('heading', { name: 'Ihr Tarif: Supporter' }).waitFor();
  await page.getByRole('button', { name: 'Zahlung und Rechnungen verwalten' }).waitFor();
  await isFit(page);

  await page.route('https://billing.stripe.com/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<h1>Kundenbereich</h1>' }),
  );
  await page.getByRole('button', { name: 'Zahlung und Rechnungen verwalten' }).click();
  await page.getByRole('heading', { name: 'Kundenbereich' }).waitFor();
  expect(await page.problems()).toEqual([`request to another origin: ${page.url()}`]);
  await page.goBack();
  await page.getByRole('button', { name: 'Zahlung und Rechnungen verwalten' }).click();
  await page.getByRole('heading', { name: 'Kundenbereich' }).waitFor();
  expect(await page.problems()).toEqual([`request to another origin: ${page.url()}`]);
});
