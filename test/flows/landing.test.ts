// The page at the origin: what a stranger reads there, and the form of the waiting list, which is sent as a browser without
// a script sends it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type List, startApp, type TestApp } from '#test/support/app.ts';
import { pageFaults } from '#test/support/page-rules.ts';
import { unlimitedSignIn } from '#test/support/people.ts';
import { visitorAt } from '#test/support/visitor.ts';

const MAX_BYTES = 20_000;
const OPERATOR = { operated_by: 'Müller & Söhne', legal_notice: 'https://mueller.example/imprint?a=1&b=2' };
let app: TestApp;
beforeAll(async () => {
  app = await startApp({ config: { ...unlimitedSignIn, service: OPERATOR } });
});
afterAll(() => app?.remove());

const waiting = async (of: TestApp) =>
  (await of.request<List<{ email: string }>>('GET', '/api/admin/waitlist', undefined, of.adminToken)).body
    .data;
const open = async (of: TestApp, language: string, headers: Readonly<Record<string, string>> = {}) => {
  const answer = await fetch(of.origin, {
    headers: { Accept: 'text/html', 'Accept-Language': language, ...headers },
  });
  return { html: await answer.text(), policy: answer.headers.get('content-security-policy') ?? '' };
};

test.each([
  ['de', 'Anmelden', 'Betrieben von Müller &amp; Söhne', 'bis 20.000 E-Mails im Monat', '730 Tagen'],
  ['en', 'Sign in', 'Operated by Müller &amp; Söhne', 'up to 20,000 emails a month', '730 days'],
  ['fr', 'Se connecter', 'Exploité par Müller &amp; Söhne', 'e-mails par mois', '730 jours'],
])('it is whole in %s, small, and loads nothing', async (language, ...words) => {
  const { html, policy } = await open(app, language);
  expect(html).toContain(`<html lang="${language}">`);
  for (const word of words) expect(html).toContain(word);
  expect(html).toContain('href="https://mueller.example/imprint?a=1&amp;b=2"');
  for (const path of ['/app', '/reference', '/api/public/abuse', '/healthz'])
    expect(html).toContain(`href="${path}"`);
  expect(pageFaults(html)).toEqual([]);
  expect(Buffer.byteLength(html)).toBeLessThan(MAX_BYTES);
  expect(html).not.toMatch(/<script|<link|<img|url\(|@import|style="/);
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'/);
});

test.each([
  ['svc_session=svc_ses_1', true],
  ['a=1; __Host-svc_session=svc_ses_1', true],
  ['other_svc_session=1', false],
])('with the cookie %s it leads on to the dashboard: %s', async (cookie, isSignedIn) => {
  const { html } = await open(app, 'en', { Cookie: cookie });
  expect(html).toContain(`href="/app">${isSignedIn ? 'To your email' : 'Sign in'}</a>`);
});

describe('the form', () => {
  test.each([
    ['de', 'Eintragen', 'Sie stehen auf der Warteliste'],
    ['en', 'Join the waiting list', 'You are on the waiting list'],
    ['fr', 'S’inscrire', 'Vous êtes sur la liste d’attente'],
  ])('in %s stores an entry once and confirms it', async (language, button, title) => {
    const email = `${language}@example.org`;
    const visitor = visitorAt(app.origin, { 'Accept-Language': language });
    const form = await visitor.open('/');
    for (let time = 0; time < 2; time += 1) {
      const { html } = await visitor.submit(form, button, { email });
      expect(html).toContain(`<h1>${title}</h1>`);
      expect(pageFaults(html)).toEqual([]);
    }
    expect((await waiting(app)).filter((entry) => entry.email === email)).toHaveLength(1);
  });

  test('with the field that people do not see stores nothing, and says the same', async () => {
    const answer = await fetch(`${app.origin}/api/public/waitlist`, {
      method: 'POST',
      headers: { Accept: 'text/html' },
      body: new URLSearchParams({ email: 'bot@example.org', plan: 'termin', website: 'https://x.example' }),
    });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Warteliste')]);
    expect((await waiting(app)).map(({ email }) => email)).not.toContain('bot@example.org');
  });
});

test('without a waiting list and with nothing said of the operator the page offers neither', async () => {
  const closed = await startApp({ config: { service: { waiting_list: false } } });
  try {
    const { html } = await open(closed, 'de');
    expect(pageFaults(html)).toEqual([]);
    expect(html).not.toMatch(/<form|Betrieben von|Impressum/);
    const join = { email: 'erika@example.org', plan: 'termin' };
    const refused = await closed.request('POST', '/api/public/waitlist', join);
    expect(refused).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await waiting(closed)).toEqual([]);
    const { base } = await closed.createSender();
    const billing = await closed.request<{ plans: { plan: string; by: string }[] }>(
      'GET',
      `${base}/billing`,
      undefined,
      closed.adminToken,
    );
    expect(billing.body.plans.map(({ by }) => by)).not.toContain('waiting_list');
  } finally {
    await closed.remove();
  }
});
