// What strangers see in French: the form of a list, the mail that asks to confirm, its page and the page of the person's lists; and
// what members whose language is French see, which is English.
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

const FRENCH = { Accept: 'text/html', 'Accept-Language': 'fr-FR,fr;q=0.9,de;q=0.5' };

let app: TestApp;
let receiver: SmtpReceiver;
let sender: Sender;
beforeAll(async () => {
  receiver = await createSmtpReceiver();
  app = await startApp({ receiver });
  sender = await app.createSender({ name: 'Cabinet du Marché', plan: 'praxis' });
  await app.completeLegal(sender.practice.id);
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

const pageOf = async (url: string): Promise<string> => {
  const { pathname, search } = new URL(url, app.origin);
  const answer = await fetch(`${app.origin}${pathname}${search}`, { headers: FRENCH });
  expect(answer.headers.get('Content-Language')).toBe('fr');
  return await answer.text();
};

test('a stranger subscribes, confirms and finds their lists in French', async () => {
  const made = await app.request<{ id: string; wording: string }>(
    'POST',
    `${sender.base}/lists`,
    { name: 'Nouvelles', language: 'fr', is_public: true },
    sender.token,
  );
  expect(made.status, made.text).toBe(201);
  expect(made.body.wording).toContain('Je souhaite recevoir de Cabinet du Marché');
  const form = await app.request<{ url: string; html: string }>(
    'GET',
    `${sender.base}/lists/${made.body.id}/form`,
    undefined,
    sender.token,
  );
  expect(form.body.html).toContain('S’inscrire');
  const page = await pageOf(form.body.url);
  expect(page).toContain('<html lang="fr">');
  expect(page).toContain('Protection des données');
  const token = /name="list" value="([^"]+)"/.exec(page)?.[1] ?? '';
  const sent = await fetch(`${app.origin}/api/public/subscribe`, {
    method: 'POST',
    headers: { ...FRENCH, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ list: token, email: 'amelie@example.org', language: 'fr' }),
  });
  expect(await sent.text()).toContain('Veuillez consulter votre boîte de réception');
  await receiver.waitFor(1);
  const mail = await simpleParser(receiver.messages[0]?.content ?? '');
  expect(mail.subject).toBe('Veuillez confirmer votre inscription\u00a0: Nouvelles');
  expect(mail.text).toContain('En confirmant, vous déclarez');
  const link = /https?:\/\/\S+/.exec(mail.text ?? '')?.[0] ?? '';
  expect(await pageOf(link)).toContain('Oui, confirmer');
});

test('a page that is not there is French, a refusal of the API and a member’s checklist English', async () => {
  expect(await pageOf('/nothing/here')).toContain('Cette page n’existe pas');
  const checklist = await fetch(`${app.origin}${sender.base}/cutover`, {
    headers: { Authorization: `Bearer ${sender.token}`, 'Accept-Language': 'fr' },
  });
  expect(await checklist.text()).toContain('"Legal block"');
});
