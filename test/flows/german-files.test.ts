// Files for people who ask in German: as Excel in their country reads them. Programs that ask for no language get what they always got.
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { words } from '#src/kernel/words/columns/de.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';

let app: TestApp;
let sender: Sender;
let list: string;
let campaign: string;

const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  app.request<Record<string, string>>(method, sender.base + path, body, sender.token, headers);
const made = async (path: string, body: object): Promise<string> => {
  const answer = await ask('POST', path, body);
  if (answer.status >= 300) throw new Error(answer.text);
  return answer.body.id ?? '';
};

beforeAll(async () => {
  // 1 July, 22:30 UTC: in Berlin it is the next day.
  const now = Date.parse('2026-07-01T22:30:05.000Z');
  app = await startApp({ clock: { now: () => now } });
  sender = await app.createSender({ plan: 'gruppe' });
  await app.completeLegal(sender.practice.id);
  list = await made('/lists', { name: 'Freunde; Förderer', channel: 'newsletter', language: 'de' });
  campaign = await made('/campaigns', { list_id: list, subject: 'Neues', text: 'Es gibt Neues.' });
  await made(`/lists/${list}/subscribers`, {
    address: 'anna@example.org',
    name: '=1+1',
    status: 'active',
    data: { geboren: '1980-12-24', betrag: '2.5' },
    consent: { evidence: 'at the desk' },
  });
  await made('/suppression', { address: 'weg@example.org', note: 'sagte; nein' });
  await app.untilStatus(sender, await app.send(sender, { subject: 'Ihr "Termin"; bald' }), 'processed');
});
afterAll(() => app?.remove());

const MARK = '\ufeff';
const read = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(app.origin + sender.base + path, {
    headers: { Authorization: `Bearer ${sender.token}`, ...headers },
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('Vary')).toContain('Accept-Language');
  const text = Buffer.from(await answer.arrayBuffer()).toString();
  expect(text.startsWith(MARK), 'begins with the mark of UTF-8').toBe(true);
  return text.slice(MARK.length);
};
const rowsOf = (text: string, delimiter: string): Record<string, string>[] =>
  parse(text, { delimiter, columns: true, record_delimiter: '\r\n' });

const files = [
  ['messages', () => '/messages/search/export?'],
  ['subscribers', () => `/lists/${list}/subscribers/export?`],
  ['suppressions', () => '/suppression/export?'],
  ['recipients of a campaign', () => `/campaigns/${campaign}/recipients/export?state=sent&`],
  ...['stats', 'campaigns', 'bounces', 'scores'].map(
    (kind) => [`the table ${kind}`, () => `/exports/bi?kind=${kind}&`] as const,
  ),
] as const;

test.each(files)(
  '%s are in German by the parameter or by Accept-Language, else as programs know them',
  async (_, path) => {
    const german = await read(`${path()}language=de`);
    expect(await read(path(), { 'Accept-Language': 'de-DE,de;q=0.9' })).toBe(german);
    const english = await read(path());
    expect(await read(`${path()}language=en`, { 'Accept-Language': 'de' })).toBe(english);

    const columns = english.split('\r\n')[0]?.split(',') ?? [];
    const headings = german.split('\r\n')[0]?.split(';') ?? [];
    const own = ['geboren', 'betrag'];
    expect(headings).toEqual(columns.map((name) => (own.includes(name) ? name : words[name])));
    expect(new Set(headings).size, 'no heading is there twice').toBe(headings.length);
    expect(rowsOf(german, ';')).toHaveLength(rowsOf(english, ',').length);
  },
);

test('times are those of Germany, texts of people stay as they are, and no formula runs', async () => {
  const [person] = rowsOf(await read(`/lists/${list}/subscribers/export?language=de`), ';');
  expect(person).toMatchObject({
    'E-Mail-Adresse': 'anna@example.org',
    'Vor- und Nachname': "'=1+1",
    'Angelegt am': '02.07.2026 00:30:05',
    'Name der Liste': 'Freunde; Förderer',
    geboren: '1980-12-24',
    betrag: '2.5',
  });
  const [message] = rowsOf(await read('/messages/search/export?language=de'), ';');
  expect(message).toMatchObject({ Betreff: 'Ihr "Termin"; bald', 'Angelegt am': '02.07.2026 00:30:05' });
  const [day] = rowsOf(await read('/exports/bi?kind=stats&language=de'), ';');
  expect(day).toMatchObject({ Tag: '01.07.2026' });
});

test('the report of an import says in German what became of a row, and in English what programs know', async () => {
  const started = await app.request<{ id: string }>(
    'POST',
    `${sender.base}/lists/${list}/subscribers/import`,
    Buffer.from(
      'E-Mail;Status\nanna@example.org;active\nANNA@example.org;active\nweg2@example.org;unsubscribed\nkeine;active\n',
    ),
    sender.token,
    { 'Content-Type': 'text/csv' },
  );
  expect(started.status, started.text).toBeLessThan(300);
  const path = `/imports/${started.body.id}`;
  await expect
    .poll(async () => (await app.request('GET', sender.base + path, undefined, sender.token)).text)
    .toContain('"status":"done"');
  const outcomes = async (language: string, delimiter: string) =>
    rowsOf(await read(`${path}/report`, { Accept: 'text/csv', 'Accept-Language': language }), delimiter).map(
      (row) => row.Ergebnis ?? row.outcome,
    );
  expect(await outcomes('de', ';')).toEqual(['doppelt in der Datei', 'ausgelassen', 'nicht lesbar']);
  expect(await outcomes('en', ',')).toEqual(['duplicates', 'left_out', 'failed']);
});

test('suppressions that were exported in German can be imported again', async () => {
  const text = MARK + (await read('/suppression/export?language=de'));
  const other = await app.createSender();
  const answer = await app.request<{ id: string }>(
    'POST',
    `${other.base}/suppression/import`,
    Buffer.from(text),
    other.token,
    { 'Content-Type': 'text/csv' },
  );
  expect(answer.status, answer.text).toBeLessThan(300);
  await expect
    .poll(async () => (await app.request('GET', `${other.base}/suppression`, undefined, other.token)).text)
    .toContain('weg@example.org');
});
