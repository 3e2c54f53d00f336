// @module-tag debian/chromium-headless-shell
// The operator's pages and the list of an agency, as they are used, over a daemon whose upstream refuses every connection.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MINUTE } from '#src/kernel/time.ts';
import { upstreamBreakerPolicy } from '#src/relay/upstreams.ts';
import { type List, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { checkAccessibility, openBrowser, runsNothing } from '#test/support/browser.ts';
import { hostile, type TestPage } from '#test/support/chromium.ts';
import { codesTo, join, makeOwner, signIn, unlimitedSignIn } from '#test/support/people.ts';
import { freePort, until } from '#test/support/process.ts';
import { createTestClock } from '#test/support/storage.ts';

const OPERATOR = 'olga@betrieb.example';
const OWNER = 'mueller@example.org';
const AGENCY = 'agentur@example.org';
const NOT_YOURS = 'Diese Seite ist nicht für Ihre Rolle';

const browser = openBrowser();
const clock = createTestClock(Date.now());
let app: TestApp;
let first: Sender;
let second: Sender;

beforeAll(async () => {
  app = await startApp({
    clock,
    config: {
      ...unlimitedSignIn,
      operators: [OPERATOR],
      upstreams: [
        {
          name: 'relay',
          kind: 'smtp',
          host: '127.0.0.1',
          port: await freePort(),
          tls: 'none',
        },
        { name: 'capture', kind: 'capture', for: { practices: ['sendwerk', 'zahnaerzte-am-ring'] } },
      ],
    },
  });
  first = await app.createSender({ name: 'Praxis Müller', plan: 'praxis' });
  second = await app.createSender({ name: 'Zahnärzte am Ring', domain: 'zahn.example' });
  await makeOwner(app, first.practice.id, OWNER);
  for (const { practice } of [first, second]) await makeOwner(app, practice.id, AGENCY);
});
afterAll(() => app?.remove());

/** A minute after all before: so long there is no other code for the same address. */
const newPage = async (email: string): Promise<TestPage> => {
  clock.set(clock.now() + MINUTE);
  return browser.newPage({ origin: app.origin, cookie: (await signIn(app, email)).cookie });
};

/** Asks for a code in the page, and types it. */
const typeCode = async (page: TestPage, email: string): Promise<void> => {
  const before = (await codesTo(app, email)).length;
  await page.getByRole('button', { name: 'Code senden' }).click();
  await page.getByLabel('Ziffer 1').waitFor();
  await until('the code is mailed', async () => (await codesTo(app, email)).length > before);
  await page.keyboard.type((await codesTo(app, email)).at(-1) ?? '');
};

const toast = (page: TestPage, text: string) => page.locator('.toasts').getByText(text).waitFor();
const statusOf = async (): Promise<unknown> =>
  (await app.request('GET', first.base, undefined, app.adminToken)).body.status;

test('an operator finds the broken upstream, looks at it and resets it; pauses a practice with a new code; enters it', async () => {
  for (let failed = 0; failed < upstreamBreakerPolicy.threshold; failed += 1) await app.send(first);
  const page = await browser.newPage({ origin: app.origin });
  await page.goto('/app/sign-in');
  await page.getByLabel('E-Mail-Adresse').fill(OPERATOR);
  await typeCode(page, OPERATOR);
  await page.waitForURL('/app/operator/practices');

  await page.getByRole('link', { name: 'Warteschlangen' }).click();
  const card = page.locator('.card').filter({ has: page.getByRole('heading', { name: 'relay' }) });
  // The page loads itself again until it is so.
  await card.getByText('vorübergehend außer Betrieb', { exact: true }).waitFor();
  await card.getByText('Älteste Mail in der Schlange').waitFor();
  const hour = card.locator('.facts div').filter({ hasText: 'Versuche der letzten Stunde' });
  // Each step of the clock brings a probe that fails too.
  await hour.getByText(/^\d+ am Server gescheitert$/).waitFor();
  const waiting = page.getByRole('row').filter({ hasText: 'Praxis Müller' });
  await waiting.getByText('kein Server nimmt sie').waitFor();
  await card.getByRole('button', { name: 'Verbindung prüfen' }).click();
  const probed = page.getByRole('dialog', { name: 'Verbindung zu relay' });
  await probed.getByText('Gescheitert bei: connect').waitFor();
  await page.keyboard.press('Escape');
  await card.getByRole('button', { name: 'Wieder benutzen' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Wieder benutzen' }).click();
  await toast(page, 'relay wird wieder benutzt.');
  const reset = await app.request('GET', '/api/admin/audit?action=upstream.reset', undefined, app.adminToken);
  expect(reset.body).toMatchObject({ data: [{ actor: { kind: 'operator', name: OPERATOR } }] });

  await page.getByRole('link', { name: 'Alle Praxen' }).click();
  await page.getByRole('searchbox').fill('mueller');
  await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
  await page.getByRole('button', { name: 'Praxis Müller verwalten' }).click();
  const reason = page.getByLabel('Grund');
  await reason.fill('Beschwerden über Werbung');
  clock.set(clock.now() + 16 * MINUTE);
  await page.getByRole('button', { name: 'Anhalten' }).click();
  await page.getByText('noch einmal ausweisen').waitFor();
  expect(await reason.inputValue()).toBe('Beschwerden über Werbung');
  expect(await statusOf()).toBe('active');
  await typeCode(page, OPERATOR);
  await toast(page, '„Praxis Müller“ ist geändert.');
  await page.getByRole('row').getByText('Angehalten').waitFor();
  const paused = await app.request('GET', first.base, undefined, app.adminToken);
  expect(paused.body).toMatchObject({
    status: 'paused',
    pause: { reason: 'Beschwerden über Werbung', by: 'operator' },
  });

  await page.getByRole('link', { name: 'Praxis Müller' }).click();
  await page.getByText('Sie sind als Betreiber in „Praxis Müller“').waitFor();
  await page.waitForURL(new RegExp(`/app/${first.practice.id}/`));
  const owner = await signIn(app, OWNER);
  const audit = await app.request('GET', `${first.base}/audit?action=operator`, undefined, owner.token);
  expect(audit.body).toMatchObject({
    data: [{ action: 'operator.enter', actor: { kind: 'operator', name: OPERATOR } }],
  });
});

test('an operator decides on a practice: test mode, approval, plan, owner, and the end of a pause', async () => {
  const { id } = await app.createPractice({ name: 'Praxis Süd', plan: 'test' });
  const page = await newPage(OPERATOR);
  await page.goto('/app/operator/practices?q=süd');
  const row = page.locator('tbody tr').filter({ hasText: 'Praxis Süd' });
  const shown = (text: string) => row.getByText(text, { exact: true });
  const manage = async (button: string, field?: readonly [label: string, value: string]): Promise<void> => {
    await page.getByRole('button', { name: 'Praxis Süd verwalten' }).click();
    const dialog = page.getByRole('dialog', { name: 'Praxis Süd verwalten' });
    if (field) await dialog.getByLabel(field[0], { exact: true }).fill(field[1]);
    await dialog.getByRole('button', { name: button }).click();
    await dialog.waitFor({ state: 'hidden' });
  };
  const practice = async () =>
    (await app.request('GET', `/api/practices/${id}`, undefined, app.adminToken)).body;

  await manage('Testbetrieb einschalten');
  await shown('Wartet auf Freigabe').waitFor();
  expect(await practice()).toMatchObject({ safe_mode: true });
  await manage('Freigeben');
  await shown('Wartet auf Freigabe').waitFor({ state: 'detached' });
  await manage('Freigabe zurücknehmen');
  await shown('Wartet auf Freigabe').waitFor();
  await manage('Testbetrieb ausschalten');
  await shown('Testbetrieb').waitFor({ state: 'detached' });
  expect(await practice()).toMatchObject({ safe_mode: false });

  await page.getByRole('button', { name: 'Praxis Süd verwalten' }).click();
  const dialog = page.getByRole('dialog', { name: 'Praxis Süd verwalten' });
  await dialog.getByLabel('Tarif', { exact: true }).selectOption('Termin');
  await checkAccessibility(page);
  await dialog.getByRole('button', { name: 'Tarif ändern' }).click();
  await shown('Termin').waitFor();
  await manage('Zum Inhaber machen', ['E-Mail-Adresse', 'sued@example.org']);
  await shown('sued@example.org').waitFor();
  await manage('Anhalten', ['Grund', 'Rückfrage']);
  await shown('Angehalten').waitFor();
  await manage('Fortsetzen');
  await shown('Aktiv').waitFor();
  expect(await practice()).toMatchObject({ status: 'active', plan: 'termin', pause: null });

  const audit = await app.request<List<{ action: string; actor: { name: string } }>>(
    'GET',
    `/api/practices/${id}/audit`,
    undefined,
    app.adminToken,
  );
  const done = audit.body.data.filter(({ actor }) => actor.name === OPERATOR).map(({ action }) => action);
  expect(done.toReversed()).toEqual([
    'operator.enter',
    'practice.safe_mode',
    'practice.approval',
    'practice.approval',
    'practice.safe_mode',
    'practice.plan',
    'member.make_owner',
    'practice.pause',
    'practice.resume',
  ]);
});

test('an operator finds a practice that is not their own by its name in the palette', async () => {
  const page = await newPage(OPERATOR);
  await page.goto('/app');
  await page.waitForURL('/app/operator/practices');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Suchen und springen' }).waitFor();
  await page.keyboard.insertText('ring');
  await page.getByRole('option', { name: 'Zahnärzte am Ring' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('Sie sind als Betreiber in „Zahnärzte am Ring“').waitFor();
});

test('an agency sees what needs attention first, and goes from practice to practice by the keyboard', async () => {
  const page = await newPage(AGENCY);
  await page.goto('/app');
  await page.waitForURL('/app/practices');
  const rows = page.locator('tbody tr');
  await rows.first().waitFor();
  await expect
    .poll(() => rows.first().textContent(), { message: 'the paused one first' })
    .toMatch(/^Praxis Müller.*Angehalten/);
  expect(await rows.nth(1).textContent()).toMatch(/^Zahnärzte am Ring.*noch nicht geprüft/);
  for (const [typed, { practice }] of [
    ['zahn', second],
    ['müll', first],
  ] as const) {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Suchen und springen' }).waitFor();
    await page.keyboard.type(typed);
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/app/${practice.id}/`));
    await page.locator('.switcher').getByText(practice.name).waitFor();
  }
  await page.goto('/app/practices');
  await page.getByRole('button', { name: 'Neue Praxis' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Praxis Nord');
  await page.getByRole('button', { name: 'Anlegen' }).click();
  await page.locator('.switcher').getByText('Praxis Nord').waitFor();
});

test('a viewer sees none of the operator’s pages, and gets none by its address', async () => {
  await join(app, first.practice.id, 'steuer@example.org', { role_id: 'viewer' });
  const page = await newPage('steuer@example.org');
  await page.goto('/app/account');
  await page.getByRole('heading', { name: 'Konto', level: 1 }).waitFor();
  expect(await page.locator('a[href^="/app/operator"]').count()).toBe(0);
  for (const name of ['practices', 'queues', 'tickets', 'tickets/1', 'waitlist', 'health', 'doctor']) {
    await page.goto(`/app/operator/${name}`);
    await page.getByRole('heading', { name: NOT_YOURS }).waitFor();
  }
});

test('the operator has the installation checked, and sees what is to be mended', async () => {
  const page = await newPage(OPERATOR);
  await page.goto('/app/operator/doctor');
  await page.getByText('Seit dem Start hat noch keine Prüfung stattgefunden.').waitFor();
  await page.getByRole('button', { name: 'Neu prüfen' }).click();
  const row = page.locator('tbody tr', { hasText: '11. Sicherung' });
  await row.getByText('no backups are made').waitFor();
  await row.getByText('Warnung').waitFor();
  await row.locator('code').getByText('sendwerk-backup.timer').waitFor();
  await page.getByRole('button', { name: 'Neu prüfen' }).waitFor();
});

test('a report of abuse is worked on to its end, and nothing that a stranger wrote runs', async () => {
  const report = await app.request('POST', '/api/public/abuse', {
    email: 'erika@example.org',
    name: hostile('name').slice(0, 80),
    subject: hostile('subject').slice(0, 150),
    description: hostile('description'),
    source: `From: ${hostile('from')}\r\n\r\n${hostile('body')}`,
  });
  expect(report.status).toBe(202);
  const note = hostile('note').slice(0, 200);
  await app.request('POST', '/api/public/waitlist', { email: 'w@example.org', plan: 'praxis', note });
  const page = await newPage(OPERATOR);
  await page.goto('/app/operator/tickets');
  await page.locator('tbody a').click();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Gemeldete Mail herunterladen' }).click();
  expect((await download).suggestedFilename()).toBe('reported.eml');
  await page.getByRole('button', { name: 'Zuordnen' }).click();
  await page.getByLabel('Name, Domain oder Kennung').fill('ring');
  await page.getByRole('button', { name: 'Zuordnen: Zahnärzte am Ring' }).click();
  await page.locator('.card strong').getByText('Zahnärzte am Ring').waitFor();
  await page.getByLabel('Notiz').fill(hostile('own note'));
  await page.getByRole('button', { name: 'Prüfung beginnen' }).click();
  await page.getByRole('row').getByText('In Prüfung').waitFor();
  await page.getByRole('button', { name: 'Praxis anhalten' }).click();
  await page.getByLabel('Grund').fill('Missbrauch');
  await page.getByRole('dialog').getByRole('button', { name: 'Praxis anhalten' }).click();
  await toast(page, 'Die Praxis ist angehalten.');
  await page.getByRole('button', { name: 'Abschließen' }).click();
  await page.getByRole('row').getByText('Abgeschlossen').waitFor();
  await runsNothing(page);

  await page.getByRole('link', { name: 'Warteliste' }).click();
  await page.getByRole('button', { name: 'Entfernen', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Entfernen' }).click();
  await page.getByText('Es wartet niemand').waitFor();
  await page.getByRole('link', { name: 'Zustand' }).click();
  await page.getByRole('row').getByText('Server relay').waitFor();
  await runsNothing(page);
});
