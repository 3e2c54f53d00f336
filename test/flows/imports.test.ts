// A file of subscribers with every ugliness, imported as active and asked to confirm: what became of each row is counted and
// reported, whoever left stays away, and a daemon that is killed goes on where it was.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type List, type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { startDaemon } from '#test/support/daemon.ts';
import { type Import, importFile } from '#test/support/imports.ts';
import { until } from '#test/support/process.ts';
import { soak } from '#test/support/soak.ts';

const EVIDENCE = 'status=active&evidence=Aufnahmeb%C3%B6gen+2026&given_at=2026-05-04T00:00:00Z';

/** Of the import that is killed: its first kill must come before the end. */
const ROWS = soak(3_000, 6_000);

interface Subscriber {
  readonly address: string;
  readonly name: string | null;
  readonly data: Readonly<Record<string, string>>;
  readonly status: string;
}

let app: TestApp;
let sender: Sender;
beforeAll(async () => {
  app = await startApp({ runsTwice: true });
});
afterAll(() => app?.remove());

const newList = async (name: string): Promise<string> => {
  const { base, token } = sender;
  return `/lists/${(await app.request<{ id: string }>('POST', `${base}/lists`, { name }, token)).body.id}`;
};
const subscribersOf = async (list: string): Promise<readonly Subscriber[]> =>
  (
    await app.request<List<Subscriber>>(
      'GET',
      `${sender.base}${list}/subscribers?limit=200`,
      undefined,
      sender.token,
    )
  ).body.data;
const entriesOf = () =>
  app
    .sql<{ facts_json: string; openings_json: string }>(
      sender.practice.id,
      'SELECT facts_json, openings_json FROM consent_entries ORDER BY seq',
    )
    .map(({ facts_json, openings_json }) => ({
      ...JSON.parse(facts_json),
      openings: JSON.parse(openings_json),
    }))
    .filter(({ action }) => action !== 'wording');
const countsOf = ({ counts }: Import) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

describe('a file of subscribers', () => {
  beforeAll(async () => {
    sender = await app.createSender();
  });

  test('in Latin-1 with semicolons is taken with names and values, and each other row is reported with its reason', async () => {
    const list = await newList('Praxisbrief');
    const { base, token } = sender;
    const post = (path: string, body: object) => app.request('POST', `${base}${path}`, body, token);
    const asserted = { status: 'active', consent: { evidence: 'Bogen' } };
    const add = async (address: string) =>
      (
        await app.request<{ id: string }>(
          'POST',
          `${base}${list}/subscribers`,
          { address, ...asserted },
          token,
        )
      ).body.id;
    await add('known@example.org');
    await add('same@example.org');
    const left = await add('left@example.org');
    await app.request('PATCH', `${base}${list}/subscribers/${left}`, { status: 'unsubscribed' }, token);
    await post('/suppression', { address: 'bounced@example.org' });
    await importFile(app, sender, '/suppression/import', 'address,reason\nangry@example.org,complaint\n');
    const before = entriesOf().length;

    const rows = [
      'Vorname;Nachname;E-Mail-Adresse;Straße;2. Termin;E-Mail-Adresse (privat)',
      ' Jörg ;Müller; Jörg@Müller.example ;"Am ""Deich""; 4";Mo;',
      ';;MAILTO:plain@example.org;;;',
      ';;"Anna Berg <anna@example.org>";;;x',
      '',
      ';;;;;',
      'Ohne;Adresse;;;;',
      'Zwei;Zeilen;zeilen@example.org;"Weg 1',
      'Hinterhaus";;',
      'Jörg;Müller;JÖRG@xn--mller-kva.example;;;',
      'Falsch;;keine.adresse;;;',
      'Neu;Name;known@example.org;Gasse 1;;',
      ';;same@example.org;;;',
      ';;left@example.org;;;',
      ';;angry@example.org;;;',
      ';;bounced@example.org;;;',
      ';;left@example.org;;;',
      `Lang;;lang@example.org;${'x'.repeat(1_001)};;`,
    ];
    const file = Buffer.from(rows.join('\r\n'), 'latin1');
    const { record, report = [] } = await importFile(
      app,
      sender,
      `${list}/subscribers/import?${EVIDENCE}`,
      file,
    );
    expect(record).toMatchObject({
      kind: 'subscribers',
      status: 'done',
      size_bytes: file.length,
      rows: { done: 14, total: 14 },
      failure: null,
      waits: null,
    });
    expect(record && countsOf(record)).toEqual({
      added: 4,
      updated: 1,
      already: 1,
      duplicates: 2,
      suppressed: 1,
      left_out: 2,
      failed: 3,
    });
    expect(report).toEqual([
      { line: 7, address: null, outcome: 'failed', reason: 'has no address' },
      {
        line: 10,
        address: 'JÖRG@xn--mller-kva.example',
        outcome: 'duplicates',
        reason: 'has the address of line 2',
      },
      { line: 11, address: 'keine.adresse', outcome: 'failed', reason: '"keine.adresse" has no @' },
      {
        line: 14,
        address: 'left@example.org',
        outcome: 'left_out',
        reason: expect.stringContaining('only they can subscribe again'),
      },
      {
        line: 15,
        address: 'angry@example.org',
        outcome: 'left_out',
        reason: expect.stringContaining('own wish (reported as spam)'),
      },
      {
        line: 16,
        address: 'bounced@example.org',
        outcome: 'suppressed',
        reason: expect.stringContaining('is on the list, and gets nothing'),
      },
      { line: 17, address: 'left@example.org', outcome: 'duplicates', reason: 'has the address of line 14' },
      {
        line: 18,
        address: 'lang@example.org',
        outcome: 'failed',
        reason: 'has more than 1000 characters in the column strasse',
      },
    ]);
    const shown = new Map((await subscribersOf(list)).map((one) => [one.address, one]));
    expect(shown.get('Jörg@xn--mller-kva.example')).toMatchObject({
      name: 'Jörg Müller',
      data: { strasse: 'Am "Deich"; 4', _2_termin: 'Mo' },
      status: 'active',
    });
    expect(shown.get('anna@example.org')).toMatchObject({
      name: 'Anna Berg',
      data: {},
    });
    expect(shown.get('zeilen@example.org')?.data).toEqual({ strasse: 'Weg 1\r\nHinterhaus' });
    expect(shown.get('known@example.org')).toMatchObject({ name: 'Neu Name', data: { strasse: 'Gasse 1' } });
    expect(shown.get('left@example.org')?.status).toBe('unsubscribed');
    expect(shown.has('angry@example.org')).toBe(false);

    // Each has the importer's assertion as its evidence; who was on the list keeps theirs.
    const entries = entriesOf().slice(before);
    expect(entries).toHaveLength(5);
    expect(entries[0]).toMatchObject({
      action: 'import',
      legal_basis: 'consent',
      details: {
        import_id: record?.id,
        by: 'team_token',
        file_sha256: record?.sha256,
        line: 2,
        given_at: '2026-05-04T00:00:00Z',
      },
      openings: { evidence: { value: 'Aufnahmebögen 2026' } },
    });
    await until('nothing is left of the file', () =>
      ['import_pieces', 'import_addresses'].every(
        (table) => app.sql(sender.practice.id, `SELECT 1 FROM ${table} LIMIT 1`).length === 0,
      ),
    );
    const csv = await app.request('GET', `${base}/imports/${record?.id}/report`, undefined, token, {
      Accept: 'text/csv',
    });
    expect(csv.text.split('\r\n').slice(0, 3)).toEqual([
      'line,address,outcome,reason',
      '7,,failed,has no address',
      '10,JÖRG@xn--mller-kva.example,duplicates,has the address of line 2',
    ]);
  });

  test.each([
    ['UTF-8 with a byte order mark', Buffer.from('\ufeffE-Mail,Name\njö@example.org,Jörg\n')],
    ['UTF-16', Buffer.from('\ufeffE-Mail\tName\njö@example.org\tJörg\n', 'utf16le')],
    ['Windows-1252', Buffer.from('Name;Mail\nJörg;jö@example.org\n', 'latin1')],
  ])('in %s is read', async (name, file) => {
    const list = await newList(name);
    await importFile(app, sender, `${list}/subscribers/import?${EVIDENCE}`, file);
    expect(await subscribersOf(list)).toMatchObject([{ address: 'jö@example.org', name: 'Jörg' }]);
  });

  test('that was exported from another list brings no one who left that one', async () => {
    // Files are taken ten times a minute.
    sender = await app.createSender();
    const from = await newList('Früher');
    const file = 'email,name,Ort\nada@example.org,Ada,Kiel\nleft@example.org,Left,Bonn\n';
    await importFile(app, sender, `${from}/subscribers/import?${EVIDENCE}`, file);
    const { base, token } = sender;
    const [left] = (
      await app.request<List<{ id: string }>>('GET', `${base}${from}/subscribers?q=left`, undefined, token)
    ).body.data;
    await app.request('PATCH', `${base}${from}/subscribers/${left?.id}`, { status: 'unsubscribed' }, token);
    const exported = await app.request('GET', `${base}${from}/subscribers/export`, undefined, token);
    const to = await newList('Später');
    const { record, report } = await importFile(
      app,
      sender,
      `${to}/subscribers/import?${EVIDENCE}`,
      exported.text,
    );
    if (!record) throw new Error('the file was refused');
    expect(countsOf(record)).toEqual({ added: 1, left_out: 1 });
    expect(report).toMatchObject([
      { line: 3, reason: 'has left or cannot be reached by the file: “status” is “unsubscribed”' },
    ]);
    const all = await subscribersOf(to);
    expect(all).toMatchObject([{ address: 'ada@example.org', name: 'Ada', status: 'active' }]);
    expect(all[0]).toHaveProperty('data', { ort: 'Kiel' });
  });

  test('of many pieces loses no row, and its head alone is no error', async () => {
    const list = await newList('Viele');
    const row = (index: number): string => `r${index % 3_000}@example.org,${'x'.repeat(400)}`;
    const file = ['email,note', ...Array.from({ length: 3_300 }, (_, index) => row(index))].join('\n');
    const { record, report = [] } = await importFile(
      app,
      sender,
      `${list}/subscribers/import?${EVIDENCE}`,
      file,
    );
    expect(record).toMatchObject({
      rows: { done: 3_300, total: 3_300 },
      counts: { added: 3_000, duplicates: 300 },
    });
    expect(report.every(({ line, reason }) => reason === `has the address of line ${line - 3_000}`)).toBe(
      true,
    );
    expect(report.map(({ line }) => line)).toEqual(Array.from({ length: 300 }, (_, index) => 3_002 + index));
  });

  test('asks each to confirm, few in a minute, and can be cancelled meanwhile', async () => {
    const list = await newList('Gefragt');
    const file = Array.from({ length: 50 }, (_, index) => `p${index}@example.org`).join('\n');
    const { base, token } = sender;
    const asked = await app.request<Import>(
      'POST',
      `${base}${list}/subscribers/import`,
      Buffer.from(file),
      token,
      {
        'Content-Type': 'text/plain',
      },
    );
    const record = async () =>
      (await app.request<Import>('GET', `${base}/imports/${asked.body.id}`, undefined, token)).body;
    await until('the first are asked', async () => (await record()).rows.done > 0);
    const cancel = () =>
      app.request<Import & Refusal>('DELETE', `${base}/imports/${asked.body.id}`, undefined, token);
    const cancelled = (await cancel()).body;
    expect(cancelled).toMatchObject({ status: 'cancelled', rows: { done: 10, total: 50 } });
    expect((await subscribersOf(list)).map(({ status }) => status)).toEqual(Array(10).fill('pending'));
    expect((await cancel()).body.code).toBe('conflict');
  });

  test.each([
    ['active without evidence', '?status=active'],
    ['pending with an assertion', '?evidence=x'],
  ])('is refused as %s', async (_, query) => {
    const list = await newList(query);
    expect(
      await importFile(app, sender, `${list}/subscribers/import${query}`, 'a@example.org'),
    ).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
  });
});

test('kill -9 in the middle of an import: each row is taken once, and the counts are right', {
  tags: 'soak',
}, async () => {
  let daemon = await startDaemon();
  onTestFinished(() => daemon.remove());
  const practice = await daemon.createPractice();
  const token = await daemon.createToken(practice.id);
  const base = `/api/practices/${practice.id}`;
  const { id: listId } = (
    await daemon.request<{ id: string }>('POST', `${base}/lists`, { name: 'Praxisbrief' }, token)
  ).body;
  const file = Array.from({ length: ROWS }, (_, index) =>
    index % 10 === 9 ? `falsch${index}` : `r${index % ((2 * ROWS) / 3)}@example.org`,
  ).join('\n');
  const consent = { file, status: 'active', evidence: 'Aufnahmebögen' };
  const { id } = (
    await daemon.request<Import>('POST', `${base}/lists/${listId}/subscribers/import`, consent, token)
  ).body;
  const record = async () =>
    (await daemon.request<Import>('GET', `${base}/imports/${id}`, undefined, token)).body;
  const killedAt: number[] = [];
  for (const least of soak([1], [1, 1_500, 3_000])) {
    let done = 0;
    await until('some rows are done', async () => {
      ({ done } = (await record()).rows);
      return done >= least;
    });
    killedAt.push(done);
    await daemon.kill();
    daemon = await startDaemon({ dataDir: daemon.dataDir });
  }
  await until('the import ends', async () => (await record()).finished_at !== null);
  expect(killedAt[0]).toBeLessThan(ROWS);
  expect(await record()).toMatchObject({
    status: 'done',
    rows: { done: ROWS, total: ROWS },
    counts: { added: 0.6 * ROWS, duplicates: 0.3 * ROWS, failed: 0.1 * ROWS },
  });
  const list = (await daemon.request<{ counts: unknown }>('GET', `${base}/lists/${listId}`, undefined, token))
    .body;
  expect(list.counts).toMatchObject({ active: 0.6 * ROWS, pending: 0 });
  expect(await daemon.stop()).toBe(0);
});
