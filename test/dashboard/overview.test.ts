// @module-tag debian/chromium-headless-shell
// What an office sees first: what needs a look, what became of the mail, and the last messages.
import { expect, test } from 'vitest';
import { isFit } from '#test/support/browser.ts';
import { join, signIn } from '#test/support/people.ts';
import { openOffice, UNKNOWN } from './office.ts';

const office = openOffice('leaves');

test('the overview has the numbers of the mail, and says what is not measured; by six requests', async () => {
  const { app, sender } = office;
  const ids = await Promise.all(
    ['eins', 'zwei', 'drei'].map((name) => app.send(sender, { to: `${name}@example.org`, subject: name })),
  );
  for (const id of ids) await app.untilStatus(sender, id, 'processed');
  await join(app, sender.practice.id, 'empfang@example.org', { role_id: 'member' });
  const { cookie } = await signIn(app, 'empfang@example.org');
  const page = await office.browser.newPage({ origin: app.origin, cookie });
  // A stream that comes late has the page loaded once more: here none comes.
  await page.route(/\/api\/practices\/[^/]+\/events$/, () => {});
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/practices/') && !/\/(?:unread|stream|events)/.test(pathname))
      asked.push(pathname);
  });
  await page.goto(`/app/${sender.practice.id}/overview`);
  const figure = (name: string) =>
    page.locator('.figures div', { hasText: name }).locator('dd').textContent();
  await page.locator('.figures').waitFor();
  expect(await figure('Gesendet')).toBe('3');
  expect(await figure('Angenommen')).toBe('nicht gemeldet');
  expect(await figure('Geöffnet')).toBe('nicht gemessen');
  expect(await figure('Abgewiesen')).toMatch(/^0\s%$/);
  await page.getByText('Für einen Vergleich mit der Zeit davor sind es zu wenige Mails.').waitFor();
  await page
    .getByText(/^0\s% abgewiesen in 30 Tagen$/)
    .first()
    .waitFor();
  // Nothing needs a look, nothing waits, and what an office does not set up is not shown to it.
  expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
    'Was aus Ihrer Post geworden ist',
    'Die letzten Nachrichten',
  ]);
  expect(asked.length, asked.join('\n')).toBeLessThanOrEqual(6);
  await isFit(page);

  // An address that does not exist: what needs a look comes first, and leads to it.
  const id = await app.send(sender, { to: UNKNOWN });
  await app.untilStatus(sender, id, 'hard_bounced');
  await page.reload();
  await page.getByRole('link', { name: '1 Mail wurde abgewiesen' }).click();
  await page.getByRole('heading', { level: 1, name: 'Post' }).waitFor();
  expect(page.url()).toContain('status=hard_bounced');
});

test('a printed message is a record of the letter: what was written to whom, and what became of it', async () => {
  const { app, sender } = office;
  const text = `Guten Tag,\n\nIhr Befund ist da.\n${'Zeile\n'.repeat(120)}Ende des Briefs.`;
  const id = await app.send(sender, {
    to: '"Erika Muster" <erika@example.org>',
    subject: 'Ihr Befund',
    text,
  });
  await app.untilStatus(sender, id, 'processed');
  const page = await office.open(`post/${id}`, { colorScheme: 'dark' });
  await page.getByRole('button', { name: 'Drucken' }).waitFor();
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  for (const shown of ['Praxis Dr. Sommer', 'Ihr Befund', 'Verlauf', 'Abgegeben', 'Ende des Briefs.'])
    await page.getByText(shown).filter({ visible: true }).first().waitFor();
  await page.getByText('Erika Muster <erika@example.org>').filter({ visible: true }).first().waitFor();
  for (const pressed of ['button', 'nav', 'summary', 'iframe', '.bar', '.skip'])
    expect(await page.locator(pressed).filter({ visible: true }).count(), pressed).toBe(0);
  // On white paper, whatever the screen is, and on as many sheets as the letter needs.
  expect(await page.evaluate("getComputedStyle(document.querySelector('h1')).color")).toBe('rgb(22, 32, 31)');
  const sheets = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type \/Page\b/g);
  expect(sheets?.length).toBeGreaterThan(2);
});
