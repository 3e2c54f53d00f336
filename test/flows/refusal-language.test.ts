// In which language the API refuses: as Accept-Language asks, whole, and other APIs' forms in English.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { letter, type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';

let app: TestApp;
let sender: Sender;

beforeAll(async () => {
  app = await startApp();
  sender = await app.createSender({ plan: 'gruppe' });
});
afterAll(() => app?.remove());

const GERMAN = { 'Accept-Language': 'de-DE,de;q=0.9' };
const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = GERMAN) =>
  app.request<Refusal & { readonly fields?: readonly { readonly message: string }[] }>(
    'POST',
    path,
    body,
    sender.token,
    headers,
  );

test('a request that does not fit is refused in German, its fields too', async () => {
  const { body } = await post(`${sender.base}/send`, { ...letter, subject: 7, betreff: 'x' });
  expect(body).toMatchObject({
    code: 'invalid_request',
    hint: 'Berichtigen Sie die Felder, die `fields` nennt; /reference beschreibt jedes.',
  });
  expect(body.fields?.map(({ message }) => message).toSorted()).toEqual([
    'muss ein Text sein, nicht eine Zahl',
    expect.stringMatching(/^unbekanntes Feld `betreff`/),
  ]);
});

test('an address that is none is refused in German, and Content-Language says it', async () => {
  const { body, headers } = await post(`${sender.base}/send`, { ...letter, from: 'chef{} $&' });
  expect(headers.get('content-language')).toBe('de');
  expect(body.fields).toEqual([
    { path: 'body.from', message: expect.stringMatching(/^"chef\{\} \$&" ist /) },
  ]);
});

test('a gate, a path that is not there and an item of a batch are refused in German', async () => {
  const from = { ...letter, from: 'praxis@fremd.example' };
  const gate = await post(`${sender.base}/send`, from);
  expect(gate.body).toMatchObject({ code: 'from_not_allowed' });
  expect(gate.body.error).toBe('Diese Praxis darf nicht von fremd.example senden.');
  const nothing = await post('/api/nothing/here', {});
  expect(nothing.body.error).toBe('Unter diesem Pfad gibt es nichts.');
  const batch = await app.request<Refusal[]>(
    'POST',
    `${sender.base}/send/batch`,
    [from],
    sender.token,
    GERMAN,
  );
  expect(batch.body[0]?.error).toBe('Diese Praxis darf nicht von fremd.example senden.');
});

test('without a wish, and in the form of another API, the refusal is English', async () => {
  const from = { ...letter, from: 'praxis@fremd.example' };
  const { body, headers } = await post(`${sender.base}/send`, from, {});
  expect(body.error).toMatch(/^This practice may not send/);
  expect(headers.get('content-language')).toBe('en');
  const foreign = await post('/api/compat/vendor-a/emails', from);
  expect(JSON.stringify(foreign.body)).toContain('may not send from');
});
