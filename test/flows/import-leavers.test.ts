// Exports of other tools by the API: who left there is not brought here, the preview says so before anything is stored, the
// importer can say better what columns are for, and the same files suppress.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { z } from 'zod';
import type { previewSchema } from '#src/audience/imports/schema.ts';
import { type List, type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { importEnded, importFile } from '#test/support/imports.ts';
import { workbookOf } from '#test/support/workbook.ts';

type Preview = z.infer<typeof previewSchema>;
interface Suppressed {
  readonly address: string;
  readonly reason: string;
}

const FOLDER = join(import.meta.dirname, '../fixtures/imports');
const fixture = (name: string): Buffer => readFileSync(join(FOLDER, name));
const ACTIVE = 'status=active&evidence=Bogen';

let app: TestApp;
let sender: Sender;
let list = '';
beforeAll(async () => {
  app = await startApp({ runsTwice: true });
});
afterAll(() => app?.remove());
beforeEach(async () => {
  sender = await app.createSender();
  const made = await app.request<{ id: string }>(
    'POST',
    `${sender.base}/lists`,
    { name: 'Praxisbrief' },
    sender.token,
  );
  list = `/lists/${made.body.id}`;
});

const get = async <Body>(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Body> =>
  (await app.request<Body>('GET', `${sender.base}${path}`, undefined, sender.token, headers)).body;
const subscribers = async (): Promise<readonly string[]> =>
  (await get<List<{ address: string }>>(`${list}/subscribers?limit=200`)).data
    .map(({ address }) => address)
    .sort();
const suppressed = async () =>
  (await get<List<Suppressed>>('/suppression?limit=200')).data
    .map(({ address, reason }) => `${address} ${reason}`)
    .sort();
const named = async (
  path: string,
  name: string,
  file: Buffer,
  fields: Readonly<Record<string, string>> = {},
) => {
  const form = new FormData();
  form.set('file', new Blob([Buffer.from(file)]), name);
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  const encoded = new Response(form);
  const type = encoded.headers.get('content-type') ?? '';
  const body = Buffer.from(await encoded.arrayBuffer());
  return app.request<{ id: string } & Refusal & Preview>(
    'POST',
    `${sender.base}${path}`,
    body,
    sender.token,
    { 'Content-Type': type },
  );
};
const countsOf = (counts: object) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

test('whoever left is reported by line and reason, also where an earlier line says otherwise', async () => {
  const path = `${list}/subscribers/import?${ACTIVE}`;
  const { record, report = [] } = await importFile(app, sender, path, fixture('mailpoet.csv'));
  expect(record && countsOf(record.counts)).toEqual({ added: 1, left_out: 4 });
  expect(record?.suppressible).toBe(2);
  expect(report.map(({ line, outcome, reason }) => `${line} ${outcome} ${reason}`)).toEqual([
    '3 left_out is no subscriber by line 6 of the file',
    '4 left_out has left or cannot be reached by the file: “Global Status” is “inactive”',
    '5 left_out has not confirmed or agreed by the file: “List Status” is “unconfirmed”',
    '6 left_out has left or cannot be reached by the file: “List Status” is “unsubscribed”',
  ]);
  expect(await subscribers()).toEqual(['erika@example.org']);

  const german = await get<List<{ reason: string }>>(`/imports/${record?.id}/report`, {
    'Accept-Language': 'de',
  });
  expect(german.data.map(({ reason }) => reason).slice(0, 2)).toEqual([
    'ist laut Zeile 6 der Datei abgemeldet',
    'hat sich laut Datei abgemeldet oder ist nicht erreichbar: „Global Status“ ist „inactive“',
  ]);
  const csv = await app.request(
    'GET',
    `${sender.base}/imports/${record?.id}/report`,
    undefined,
    sender.token,
    {
      Accept: 'text/csv',
      'Accept-Language': 'de',
    },
  );
  expect(csv.text).toContain('3;beide@example.org;ausgelassen;ist laut Zeile 6 der Datei abgemeldet');
});

test('a file that its name calls unsubscribed brings nobody, and can be put on the suppression list', async () => {
  const file = Buffer.from('E-Mail\na@example.org\nb@example.org\n');
  const { body } = await named(`${list}/subscribers/import`, 'unsubscribed_2026.csv', file, {
    status: 'active',
    evidence: 'Bogen',
  });
  const record = await importEnded(app, sender, body.id);
  expect(record).toMatchObject({ counts: { added: 0, left_out: 2 }, suppressible: 2 });
  const taken = await named('/suppression/import', 'unsubscribed_2026.csv', file);
  await importEnded(app, sender, taken.body.id);
  expect(await suppressed()).toEqual(['a@example.org unsubscribe', 'b@example.org unsubscribe']);
});

test('of an export of everyone only those are suppressed who have left, with the reason that it has', async () => {
  const { record, report = [] } = await importFile(
    app,
    sender,
    '/suppression/import',
    fixture('rapidmail.csv'),
  );
  expect(record && countsOf(record.counts)).toEqual({ added: 3, left_out: 2 });
  expect(report.map(({ line, reason }) => `${line} ${reason}`)).toEqual([
    '2 is not suppressed: the file does not say that the person has left',
    '3 is not suppressed: the file does not say that the person has left',
  ]);
  expect(await suppressed()).toEqual([
    'boese@example.org complaint',
    'tot@example.org hard_bounce',
    'weg@example.org import',
  ]);
});

test('the preview says what is found, stores nothing, and follows the importer’s word on columns', async () => {
  const path = `${list}/subscribers/import/preview`;
  const preview = async (query: string, language = 'en') =>
    (
      await app.request<Preview>(
        'POST',
        `${sender.base}${path}${query}`,
        fixture('libreoffice.csv'),
        sender.token,
        {
          'Content-Type': 'text/csv',
          'Accept-Language': language,
        },
      )
    ).body;
  const found = await preview('?status=active');
  expect(found).toMatchObject({
    form: 'table',
    encoding: 'utf-8',
    delimiter: ',',
    has_head: true,
    rows: { read: 4, is_complete: true },
    counts: { active: 1, pending: 0, left_out: 3, duplicates: 0, failed: 0 },
    suppressible: 1,
    failure: null,
  });
  expect(found.columns.map(({ number, heading, role, value }) => [number, heading, role, value])).toEqual([
    [1, 'Nachname', 'last_name', null],
    [2, 'Vorname', 'first_name', null],
    [3, 'E-Mail', 'address', null],
    [4, 'Ort', 'value', 'ort'],
    [5, 'Status', 'status', null],
  ]);
  expect(found.reasons.map(({ state, count }) => [state, count])).toEqual([
    ['left_out', 2],
    ['left_out', 1],
  ]);
  expect((await preview('', 'de')).first[1]).toEqual({
    line: 3,
    address: 'weg@example.org',
    name: 'Wilma Weg',
    state: 'left_out',
    reason: 'hat sich laut Datei abgemeldet oder ist nicht erreichbar: „Status“ ist „ausgetreten“',
  });
  const ignored = '&columns=5:ignore,4:ignore';
  expect((await preview(`?status=active${ignored}`)).counts).toMatchObject({ active: 4, left_out: 0 });
  expect(await subscribers()).toEqual([]);
  expect((await get<List<unknown>>('/imports')).data).toEqual([]);

  const { record } = await importFile(
    app,
    sender,
    `${list}/subscribers/import?${ACTIVE}${ignored}`,
    fixture('libreoffice.csv'),
  );
  expect(record).toMatchObject({ counts: { added: 4 }, columns: { 4: 'ignore', 5: 'ignore' } });
});

test('a file without a column of addresses shows its columns, so that one of them can be named', async () => {
  const file = Buffer.from('Kunde;Wo\nErika;erika@example.org\nMax;\nUte;ute at example.org\n');
  const path = `${list}/subscribers/import/preview`;
  const ask = async (columns: string) =>
    (await named(path, 'kunden.csv', file, columns === '' ? {} : { columns })).body;
  expect(await ask('')).toMatchObject({
    failure: expect.stringContaining('names no column'),
    counts: { pending: 0 },
  });
  expect((await ask('')).columns.map(({ heading }) => heading)).toEqual(['Kunde', 'Wo']);
  expect((await ask('2:address,1:name')).counts).toMatchObject({ pending: 1, failed: 3 });
  const wrong = await named(path, 'kunden.csv', file, { columns: '2:mail' });
  expect(wrong).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
});

test('Excel, cards and a pasted line are imported, and what is none of them is refused with what to do', async () => {
  const workbook = workbookOf({
    1: ['E-Mail', 'Abgemeldet'],
    2: ['x@example.org', 'nein'],
    4: ['y@example.org', 'ja'],
  });
  const taken = await named(`${list}/subscribers/import`, 'liste.xlsx', workbook, {
    status: 'active',
    evidence: 'Bogen',
  });
  expect(await importEnded(app, sender, taken.body.id)).toMatchObject({
    file_name: 'liste.xlsx',
    size_bytes: workbook.length,
    rows: { done: 2, total: 2 },
    counts: { added: 1, left_out: 1 },
  });
  await importFile(app, sender, `${list}/subscribers/import?${ACTIVE}`, fixture('apple.vcf'), 'text/plain');
  const pasted = await importFile(
    app,
    sender,
    `${list}/subscribers/import?${ACTIVE}`,
    fixture('pasted.txt'),
    'text/plain',
  );
  expect(pasted.record && countsOf(pasted.record.counts)).toEqual({ added: 7, updated: 1, failed: 1 });
  expect(await subscribers()).toHaveLength(9);
  const refused = await named(
    `${list}/subscribers/import`,
    'alt.xls',
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    {
      status: 'active',
      evidence: 'Bogen',
    },
  );
  expect(refused).toMatchObject({
    status: 400,
    body: {
      code: 'invalid_request',
      error: expect.stringContaining('Save it as .xlsx'),
      fields: [{ path: 'file' }],
    },
  });
  expect((await get<List<unknown>>('/imports')).data).toHaveLength(3);
});
