// Who must not be mailed: suppressed by hand or by a file, listed, looked up, exported, let go; who of a practice may see and
// change what; and that nothing goes to them, also where they were suppressed while their mail waited.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { z } from 'zod';
import type { suppressionSchema } from '#src/feedback/suppressions/schema.ts';
import { newId } from '#src/kernel/id.ts';
import { type List, type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { bearer } from '#test/support/daemon.ts';
import { importFile as importInto } from '#test/support/imports.ts';
import { join, type Person, unlimitedSignIn } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';

type Suppression = z.infer<typeof suppressionSchema>;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({
    runsTwice: true,
    config: unlimitedSignIn,
    clock: { now: () => stopped ?? Date.now() },
  });
});
afterAll(() => app?.remove());

const LIST = '/suppression';

/** The time at which the application's clock is stopped; undefined while it runs. */
let stopped: number | undefined;

const ask = <Body = Suppression & Refusal>(
  sender: Pick<Sender, 'base' | 'token'>,
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => app.request<Body>(method, sender.base + path, body, sender.token, headers);

const suppress = async (sender: Sender, address: string, fields: object = {}): Promise<Suppression> => {
  const { status, body, text } = await ask(sender, 'POST', LIST, { address, ...fields });
  if (status !== 201) throw new Error(`not suppressed: ${text}`);
  return body;
};

const listed = async (sender: Sender, query = ''): Promise<readonly Suppression[]> => {
  const { status, body, text } = await ask<List<Suppression>>(sender, 'GET', `${LIST}${query}`);
  if (status !== 200) throw new Error(text);
  return body.data;
};

const addresses = async (sender: Sender, query = '') =>
  (await listed(sender, query)).map(({ address }) => address);

/** The counts that are not 0, and what is reported of rows. */
const importFile = async (sender: Sender, file: string | Uint8Array, query = '', type?: string) => {
  const came = await importInto(app, sender, `${LIST}/import${query}`, file, type);
  if (came.record === undefined) return { status: came.status, body: came.body };
  const counts = Object.fromEntries(Object.entries(came.record.counts).filter(([, count]) => count > 0));
  const failed = came.report.map(({ line, reason }) => ({ line, reason }));
  return { status: 202, state: came.record.status, failure: came.record.failure, counts, failed };
};

const eventsOf = ({ practice }: Sender) =>
  app
    .sql<{ type: string; data_json: string | null; message_seq: number }>(
      practice.id,
      'SELECT type, data_json, message_seq FROM events ORDER BY seq',
    )
    .map(({ type, data_json, message_seq }) => ({
      type,
      message_seq,
      suppression: data_json === null ? null : JSON.parse(data_json).suppression,
    }));

const actionsOf = async (sender: Sender) => {
  const { body } = await ask<List<{ action: string; before: unknown; after: unknown }>>(
    sender,
    'GET',
    '/audit?limit=200',
  );
  return body.data.filter(({ action }) => action.startsWith('suppression.'));
};

const project = async ({ base, token }: Sender, name: string) =>
  (await app.request<{ id: string; slug: string }>('POST', `${base}/projects`, { name }, token)).body;
const route = async ({ base, token }: Sender, fields: object) =>
  (
    await app.request<{ id: string; slug: string }>(
      'POST',
      `${base}/routes`,
      { type: 'transactional', ...fields },
      token,
    )
  ).body;

const sentTo = async (sender: Sender, fields: object) => {
  const { status, body } = await app.request<{ status: string; code?: string; suppressed?: string[] }>(
    'POST',
    `${sender.base}/send`,
    { subject: 'Ihr Termin', text: 'Am Montag um 9:30 Uhr.', ...fields },
    sender.token,
  );
  return { http: status, status: body.status, code: body.code ?? null, suppressed: body.suppressed ?? [] };
};

describe('an address that is suppressed', () => {
  test('is a record with all that is known of it, an event and an audit entry without the address', async () => {
    const sender = await app.createSender();
    const record = await suppress(sender, 'Erika <Erika.Muster@Example.ORG>', { note: ' hat angerufen ' });
    expect(record).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      address: 'Erika.Muster@example.org',
      scope: 'team',
      project_id: null,
      route_id: null,
      project_slug: null,
      route_slug: null,
      reason: 'manual',
      source_message_id: null,
      note: 'hat angerufen',
      lifted: [],
      created_at: expect.stringMatching(/Z$/),
    });
    expect(eventsOf(sender)).toMatchObject([
      {
        type: 'suppression.added',
        message_seq: 0,
        suppression: { id: record.id, address: record.address, scope: 'team', reason: 'manual' },
      },
    ]);
    const [entry] = await actionsOf(sender);
    expect(entry).toMatchObject({
      action: 'suppression.create',
      before: null,
      after: { id: record.id, address: 'E…@example.org' },
    });
    expect(JSON.stringify(entry)).not.toContain('Muster');
  });

  test.each(['hard_bounce', 'complaint', 'unsubscribe', 'unsubscribe_all', 'import', 'manual'])(
    'may have the reason %s that another service knew',
    async (reason) => {
      const sender = await app.createSender();
      const record = await suppress(sender, 'erika@example.org', { reason, note: 'aus dem alten Dienst' });
      expect(record).toMatchObject({ reason, note: 'aus dem alten Dienst', scope: 'team' });
    },
  );

  test.each(['erasure', 'soft_bounces'])('may not have the reason %s by hand', async (reason) => {
    const sender = await app.createSender();
    const body = { address: 'erika@example.org', reason };
    const answer = await app.request('POST', `${sender.base}/suppression`, body, sender.token);
    expect(answer).toMatchObject({ status: 400, body: { fields: [{ path: 'body.reason' }] } });
  });

  test('is answered as it is when it is suppressed again, however it is spelled', async () => {
    const sender = await app.createSender();
    const first = await suppress(sender, 'anna@example.org', { note: 'first' });
    const again = await ask(sender, 'POST', LIST, { address: 'ANNA@example.org', note: 'second' });
    expect(again).toMatchObject({ status: 200, body: first });
    expect(eventsOf(sender)).toHaveLength(1);
    expect(await actionsOf(sender)).toHaveLength(1);
  });

  test('gets nothing, the others do, and gets mail again after it was let go', async () => {
    const sender = await app.createSender();
    const { id } = await suppress(sender, 'anna@example.org');
    expect(await sentTo(sender, { to: 'Anna@example.org' })).toEqual({
      http: 202,
      status: 'suppressed',
      code: 'recipient_suppressed',
      suppressed: ['Anna@example.org'],
    });
    expect(await sentTo(sender, { to: 'anna@example.org', cc: 'ben@example.org' })).toEqual({
      http: 202,
      status: 'queued',
      code: 'recipients_suppressed',
      suppressed: ['anna@example.org'],
    });
    expect((await ask(sender, 'DELETE', `${LIST}/${id}`)).status).toBe(204);
    expect(await sentTo(sender, { to: 'anna@example.org' })).toMatchObject({ status: 'queued', code: null });
    expect(eventsOf(sender).filter(({ type }) => type === 'suppression.removed')).toMatchObject([
      { message_seq: 0, suppression: { id, address: 'anna@example.org' } },
    ]);
    expect((await ask(sender, 'DELETE', `${LIST}/${id}`)).body.code).toBe('not_found');
    expect((await actionsOf(sender)).map(({ action }) => action)).toEqual([
      'suppression.delete',
      'suppression.create',
    ]);
  });

  test('gets what leaves from elsewhere, where it is suppressed for a project or a route alone', async () => {
    const sender = await app.createSender();
    await app.completeLegal(sender.practice.id);
    const recall = await project(sender, 'Recall');
    const byProject = await suppress(sender, 'anna@example.org', { project_id: recall.slug });
    expect(byProject).toMatchObject({ scope: 'project', project_id: recall.id, project_slug: 'recall' });
    const byRoute = await suppress(sender, 'ben@example.org', { scope: 'route', route_id: 'broadcast' });
    expect(byRoute).toMatchObject({ scope: 'route', route_slug: 'broadcast', project_id: null });
    const statusOf = async (fields: object) => (await sentTo(sender, fields)).status;
    expect(await statusOf({ to: 'anna@example.org' })).toBe('queued');
    expect(await statusOf({ to: 'anna@example.org', project_id: recall.id })).toBe('suppressed');
    expect(await statusOf({ to: 'ben@example.org' })).toBe('queued');
    expect(await statusOf({ to: 'ben@example.org', route: 'broadcast' })).toBe('suppressed');
  });
});

describe('what is asked for', () => {
  const REFUSED: readonly (readonly [says: string, body: object, path: string])[] = [
    ['no address', {}, 'body.address'],
    ['two addresses', { address: 'a@example.org, b@example.org' }, 'body.address'],
    ['no full domain', { address: 'a@localhost' }, 'body.address'],
    ['a project without its name', { address: 'a@example.org', scope: 'project' }, 'body.project_id'],
    ['a route without its name', { address: 'a@example.org', scope: 'route' }, 'body.route_id'],
    [
      'a team with a route',
      { address: 'a@example.org', scope: 'team', route_id: 'outgoing' },
      'body.route_id',
    ],
    [
      'a project and a route',
      { address: 'a@example.org', project_id: 'default', route_id: 'outgoing' },
      'body.project_id',
    ],
    ['a reason that is none', { address: 'a@example.org', reason: 'sonst' }, 'body.reason'],
    ['a note of two lines', { address: 'a@example.org', note: 'a\nb' }, 'body.note'],
  ];
  test.each(REFUSED)('is refused with %s', async (_, body, path) => {
    const sender = await app.createSender();
    const answer = await ask(sender, 'POST', LIST, body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request', fields: [{ path }] } });
    expect(await listed(sender)).toEqual([]);
  });

  test('is not found for a project or route that is not there', async () => {
    const sender = await app.createSender();
    for (const place of [{ project_id: newId() }, { route_id: 'nirgends' }]) {
      const { status } = await ask(sender, 'POST', LIST, { address: 'a@example.org', ...place });
      expect(status).toBe(404);
    }
  });
});

describe('the list', () => {
  let sender: Sender;
  beforeAll(async () => {
    sender = await app.createSender();
    await project(sender, 'Recall');
    await suppress(sender, 'a@example.org');
    await suppress(sender, 'b@example.org', { project_id: 'recall' });
    await suppress(sender, 'a@example.org', { route_id: 'broadcast' });
    await importFile(sender, 'c@example.org\nd@example.org\n');
  });

  const FILTERS: readonly (readonly [query: string, expected: string[]])[] = [
    ['', ['d', 'c', 'a', 'b', 'a']],
    ['?limit=200&scope=team', ['d', 'c', 'a']],
    ['?reason=import', ['d', 'c']],
    ['?reason=complaint', []],
    ['?project_id=recall', ['b']],
    ['?route_id=broadcast', ['a']],
    ['?address=A%40example.org', ['a', 'a']],
    ['?address=a%40example.org&scope=route', ['a']],
    ['?address=z%40example.org', []],
    ['?q=A@ example', ['a', 'a']],
    ['?q=a@example.org&reason=manual&scope=team', ['a']],
    ['?q=example.org&reason=import', ['d', 'c']],
    ['?q=xample', []],
    ['?q=b&address=a%40example.org', []],
  ];
  test.each(FILTERS)('%s is, newest first, %j', async (query, expected) => {
    expect(await addresses(sender, query)).toEqual(expected.map((name) => `${name}@example.org`));
  });

  test.each(['', '&address=a%40example.org'])('comes page by page%s', async (filter) => {
    const seen: (string | null)[] = [];
    let cursor: string | null = null;
    do {
      const more: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { body } = await ask<List<Suppression>>(sender, 'GET', `${LIST}?limit=1${filter}${more}`);
      expect(body.data.length).toBeLessThanOrEqual(1);
      seen.push(...body.data.map(({ id }) => id));
      cursor = body.next_cursor;
    } while (cursor !== null);
    const all = await listed(sender, `?limit=200${filter}`);
    expect(seen).toEqual(all.map(({ id }) => id));
  });

  test.each([
    ['?address=nobody', 400],
    ['?scope=world', 400],
    ['?cursor=x', 400],
    ['?project_id=nirgends', 404],
  ])('%s is refused with %i', async (query, status) => {
    expect((await ask(sender, 'GET', `${LIST}${query}`)).status).toBe(status);
  });

  test('of the flat path is the practice’s that token, header or query name', async () => {
    const other = await app.createSender();
    await suppress(other, 'other@example.org');
    const { id } = sender.practice;
    const flat = async (query: string, token: string, headers = {}) => {
      const { status, body } = await app.request<List<Suppression>>(
        'GET',
        `/api/suppressions${query}`,
        undefined,
        token,
        headers,
      );
      return status === 200 ? body.data.length : status;
    };
    expect(await flat('', sender.token)).toBe(5);
    expect(await flat(`?practice_id=${id}`, sender.token)).toBe(5);
    expect(await flat(`?practice_id=${id.toUpperCase()}&scope=team`, app.adminToken)).toBe(3);
    expect(await flat(`?project_id=${id}`, app.adminToken)).toBe(5);
    expect(await flat('?project_id=recall', sender.token)).toBe(1);
    expect(await flat(`?project_id=recall&practice_id=${id}`, app.adminToken)).toBe(1);
    expect(await flat('', app.adminToken, { 'X-Service-Practice': id })).toBe(5);
    expect(await flat('', app.adminToken)).toBe(400);
    expect(await flat(`?practice_id=${id}&practice_id=${id}`, app.adminToken)).toBe(400);
    expect(await flat(`?practice_id=${id}`, other.token)).toBe(404);
    expect(await flat(`?practice_id=${newId()}`, app.adminToken)).toBe(404);
    const member = await join(app, id, 'flat@example.org', { role_id: 'member' });
    expect(await flat(`?practice_id=${id}`, member.token)).toBe(5);
    expect(await flat(`?practice_id=${other.practice.id}`, member.token)).toBe(404);
  });
});

describe('an import', () => {
  test('takes the lines it can, names those it cannot, and does nothing twice', async () => {
    const sender = await app.createSender();
    const file = [
      'E-Mail;Name;Scope;Route;Reason;Note',
      'a@example.org;Anna;;;;',
      '"""Ben Berg"" <ben@example.org>";;route;broadcast;hard_bounce;"sagt ""nein""; laut"',
      'keine Adresse;;;;;',
      'c@example.org;;world;;;',
      ';;;;;',
      'd@example.org;;route;nirgends;;',
      'A@EXAMPLE.ORG;;;;Bounced;',
      '',
      'jörg@müller.example;;;;unsubscribe;',
    ].join('\r\n');
    expect(await importFile(sender, `\ufeff${file}`)).toMatchObject({
      state: 'done',
      counts: { added: 3, already: 1, failed: 3 },
      failed: [
        { line: 4, reason: expect.stringContaining('"keine Adresse"') },
        { line: 5, reason: 'has a scope that is none of team, project, route' },
        { line: 7, reason: 'There is no such route.' },
      ],
    });
    expect(
      (await listed(sender)).map(({ address, scope, reason, note }) => [address, scope, reason, note]),
    ).toEqual([
      ['jörg@xn--mller-kva.example', 'team', 'unsubscribe', null],
      ['ben@example.org', 'route', 'hard_bounce', 'sagt "nein"; laut'],
      ['a@example.org', 'team', 'import', null],
    ]);
    expect((await importFile(sender, file)).counts).toEqual({ already: 4, failed: 3 });
    expect(eventsOf(sender).map(({ type }) => type)).toEqual(Array(3).fill('suppression.added'));
    expect(await actionsOf(sender)).toMatchObject(
      Array(2).fill({ action: 'suppression.import', after: { kind: 'suppressions' } }),
    );
  });

  const FILES: readonly (readonly [says: string, file: string, added: number])[] = [
    ['a plain list', 'a@example.org\nb@example.org', 2],
    ['a plain list with other columns', 'a@example.org,Anna\nb@example.org,"Berg, Ben"\n', 2],
    ['tabs', 'note\taddress\nx\ta@example.org\n', 1],
    ['old line ends', 'email\ra@example.org\rb@example.org\r', 2],
    ['quotes inside of a cell', 'address,note\na@example.org,5" zu viel\n', 1],
    ['rows of unequal length', 'address,note\na@example.org\nb@example.org,x,y,z\n', 2],
    ['a head line alone', 'address\n', 0],
  ];
  test.each(FILES)('of %s is read', async (_, file, added) => {
    const { state, counts } = await importFile(await app.createSender(), file);
    expect({ state, counts }).toEqual({ state: 'done', counts: added > 0 ? { added } : {} });
  });

  const UNREADABLE: readonly (readonly [says: string, file: string, message: RegExp])[] = [
    ['names no address column', 'Name,Telefon\nAnna,040\n', /line 1 names no column `email` or `address`/],
    ['goes on behind a quote', 'address\n"Ben" <b@example.org>\n', /line 2 goes on behind a closing quote/],
    [
      'never closes a quote',
      'address\na@example.org\n"b@example.org\nc@example.org\n',
      /quote that is never closed/,
    ],
    [
      'has too long a line',
      `address,note\na@example.org,"${'x'.repeat(20_000)}"\n`,
      /longer than 16384 octets/,
    ],
    ['is no text', 'address\n\0\u0001\n', /line 2 has a NUL/],
    ['is empty', '\n \n', /line 1/],
  ];
  test.each(UNREADABLE)('of a file that %s fails as a whole', async (_, file, message) => {
    const sender = await app.createSender();
    const { state, failure, counts, failed } = await importFile(sender, file);
    expect({ state, counts, failed }).toEqual({ state: 'failed', counts: {}, failed: [] });
    expect(failure).toMatch(message);
    expect(await listed(sender)).toEqual([]);
  });

  test('comes as a form’s file and as JSON too, and as nothing else', async () => {
    const sender = await app.createSender();
    const form = new FormData();
    form.set('file', new Blob(['address\nform@example.org\n'], { type: 'text/csv' }), 'liste.csv');
    const encoded = new Response(form);
    const type = encoded.headers.get('content-type') ?? '';
    const added = { counts: { added: 1 } };
    expect(await importFile(sender, new Uint8Array(await encoded.arrayBuffer()), '', type)).toMatchObject(
      added,
    );
    const json = JSON.stringify({ file: 'json@example.org' });
    expect(await importFile(sender, json, '', 'application/json')).toMatchObject(added);
    expect(await importFile(sender, 'plain@example.org', '', 'text/plain; charset=UTF-8')).toMatchObject(
      added,
    );
    expect((await importFile(sender, '<a/>', '', 'text/xml')).status).toBe(415);
    expect(await addresses(sender)).toEqual(['plain', 'json', 'form'].map((name) => `${name}@example.org`));
  });

  test('into another place than the whole practice is said once for all lines', async () => {
    const sender = await app.createSender();
    await importFile(sender, 'address,scope\na@example.org,\nb@example.org,team\n', '?route_id=broadcast');
    expect((await listed(sender)).map(({ address, scope }) => [address, scope])).toEqual([
      ['b@example.org', 'team'],
      ['a@example.org', 'route'],
    ]);
    const { status } = await importFile(sender, 'c@example.org', '?route_id=nirgends');
    expect(status).toBe(404);
  });

  test('of thousands leaves none out, and others are answered meanwhile', async () => {
    const sender = await app.createSender();
    const other = await app.createSender();
    const lines = Array.from({ length: 3_000 }, (_, index) => `r${index}@example.org`);
    const importing = importFile(sender, lines.join('\n'));
    let answered = 0;
    let ended = false;
    const ending = importing.finally(() => {
      ended = true;
    });
    while (!ended) {
      expect((await ask(other, 'GET', LIST)).status).toBe(200);
      answered += 1;
    }
    expect((await ending).counts).toEqual({ added: 3_000 });
    expect(answered).toBeGreaterThan(3);
    const [row] = app.sql<{ rows: number }>(
      sender.practice.id,
      'SELECT count(DISTINCT address_hash) AS rows FROM suppressions',
    );
    expect(row?.rows).toBe(3_000);
  });
});

describe('an export', () => {
  test('holds everything, guards against formulas, and can be imported elsewhere', async () => {
    const sender = await app.createSender();
    await suppress(sender, 'a@example.org', { note: '=HYPERLINK("https://evil.example")' });
    await suppress(sender, '-b@example.org', { route_id: 'broadcast', note: 'eins, zwei' });
    const exported = await ask(sender, 'GET', `${LIST}/export`);
    expect(exported.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(exported.headers.get('content-disposition')).toBe('attachment; filename="suppressions.csv"');
    const [head, first, second, ...rest] = exported.text.split('\r\n');
    expect(head).toBe('address,scope,project,route,reason,note,source_message_id,created_at,id');
    expect(first).toMatch(/^a@example\.org,team,,,manual,"'=HYPERLINK\(""https:\/\/evil\.example""\)",,2/);
    expect(second).toMatch(/^'-b@example\.org,route,,broadcast,manual,"eins, zwei",,2/);
    expect(rest).toEqual(['']);

    const other = await app.createSender();
    expect((await importFile(other, exported.text)).counts).toEqual({ added: 2 });
    const comparable = async (of: Sender) =>
      (await listed(of)).map(({ address, scope, route_slug, reason, note }) => [
        address,
        scope,
        route_slug,
        reason,
        note,
      ]);
    expect(await comparable(other)).toEqual(await comparable(sender));
  });

  test('of more than a page leaves none out and names none twice', async () => {
    const sender = await app.createSender();
    const lines = Array.from({ length: 2_345 }, (_, index) => `r${index}@example.org`);
    await importFile(sender, lines.join('\n'));
    const { text } = await ask(sender, 'GET', `${LIST}/export`);
    const came = text.trimEnd().split('\r\n').slice(1);
    expect(came.map((line) => line.slice(0, line.indexOf(',')))).toEqual(lines);
  });
});

test('files are taken ten times a minute for a practice, and given ten times', async () => {
  const sender = await app.createSender();
  // Else the limit would be given back while the files are taken.
  stopped = Date.now();
  onTestFinished(() => {
    stopped = undefined;
  });
  for (let file = 0; file < 10; file++) {
    expect((await importFile(sender, 'a@example.org')).status).toBe(202);
    expect((await ask(sender, 'GET', `${LIST}/export`)).status).toBe(200);
  }
  expect(await importFile(sender, 'b@example.org')).toMatchObject({
    status: 429,
    body: { code: 'rate_limited', retry_after: 6 },
  });
  expect((await ask(sender, 'GET', `${LIST}/export`)).status).toBe(429);
  expect(await addresses(sender)).toEqual(['a@example.org']);
});

describe('letting go of many', () => {
  test('removes those that are there, says which were not, and tells of each', async () => {
    const sender = await app.createSender();
    const other = await app.createSender();
    await importFile(sender, Array.from({ length: 450 }, (_, index) => `r${index}@example.org`).join('\n'));
    const kept = await suppress(sender, 'kept@example.org');
    const foreign = await suppress(other, 'foreign@example.org');
    const ids = app
      .sql<{ id: string }>(sender.practice.id, "SELECT id FROM suppressions WHERE reason = 'import'")
      .map(({ id }) => id);
    const asked = [...ids, ids[0], foreign.id];
    const answer = await ask<{ deleted: number; not_found: string[] }>(
      sender,
      'POST',
      `${LIST}/bulk-delete`,
      {
        ids: asked,
      },
    );
    expect(answer).toMatchObject({ status: 200, body: { deleted: 450, not_found: [foreign.id] } });
    expect((await listed(sender)).map(({ id }) => id)).toEqual([kept.id]);
    expect(await listed(other)).toHaveLength(1);
    expect(eventsOf(sender).filter(({ type }) => type === 'suppression.removed')).toHaveLength(450);
    const entries = (await actionsOf(sender)).filter(({ action }) => action === 'suppression.bulk_delete');
    const told = entries.flatMap(({ before }) => (before as { suppressions: Suppression[] }).suppressions);
    expect(new Set(told.map(({ id }) => id))).toEqual(new Set(ids));
    const again = await ask<{ deleted: number }>(sender, 'POST', `${LIST}/bulk-delete`, { ids: [ids[0]] });
    expect(again).toMatchObject({ status: 200, body: { deleted: 0, not_found: [ids[0]] } });
    expect(
      (await actionsOf(sender)).filter(({ action }) => action === 'suppression.bulk_delete'),
    ).toHaveLength(entries.length);
  });

  test.each([0, 1_001])('is refused with %i ids', async (count) => {
    const sender = await app.createSender();
    const ids = Array.from({ length: count }, () => newId());
    expect((await ask(sender, 'POST', `${LIST}/bulk-delete`, { ids })).body.code).toBe('invalid_request');
  });
});

describe('who is limited to projects', () => {
  let sender: Sender;
  let limited: Sender;
  let rows: Record<'team' | 'shared' | 'mine' | 'mineRoute' | 'theirs' | 'theirsRoute', Suppression>;
  beforeAll(async () => {
    sender = await app.createSender();
    const [mine, theirs] = [await project(sender, 'Mine'), await project(sender, 'Theirs')];
    await route(sender, { name: 'Of mine', project_id: mine.id });
    await route(sender, { name: 'Of theirs', project_id: theirs.id });
    const member: Person = await join(app, sender.practice.id, 'limited@example.org', {
      role_id: 'member',
      all_projects: false,
      project_ids: [mine.id],
    });
    limited = { ...sender, token: member.token };
    rows = {
      team: await suppress(sender, 'a@example.org'),
      shared: await suppress(sender, 'a@example.org', { route_id: 'outgoing' }),
      mine: await suppress(sender, 'a@example.org', { project_id: 'mine' }),
      mineRoute: await suppress(sender, 'b@example.org', { route_id: 'of-mine' }),
      theirs: await suppress(sender, 'a@example.org', { project_id: 'theirs' }),
      theirsRoute: await suppress(sender, 'b@example.org', { route_id: 'of-theirs' }),
    };
  });

  const namesOf = (found: readonly { readonly id: string }[]) =>
    found.map(({ id }) => Object.entries(rows).find(([, row]) => row.id === id)?.[0]);

  test('sees those of their projects, and of one address all that concern them', async () => {
    expect(namesOf(await listed(limited))).toEqual(['mineRoute', 'mine']);
    expect(namesOf(await listed(limited, '?scope=team'))).toEqual([]);
    expect(namesOf(await listed(limited, '?address=a%40example.org'))).toEqual(['mine', 'shared', 'team']);
    expect(namesOf(await listed(limited, '?address=b%40example.org'))).toEqual(['mineRoute']);
    expect((await ask(limited, 'GET', `${LIST}?project_id=theirs`)).status).toBe(404);
    expect((await ask(limited, 'GET', `${LIST}?route_id=of-theirs`)).status).toBe(404);
    const { text } = await ask(limited, 'GET', `${LIST}/export`);
    const ids = [...text.matchAll(/,([0-9a-f-]{36})\r\n/g)].map(([, id]) => ({ id: id ?? '' }));
    expect(namesOf(ids)).toEqual(['mine', 'mineRoute']);
  });

  test('suppresses in their projects only', async () => {
    const codeOf = async (fields: object) => {
      const { status, body } = await ask(limited, 'POST', LIST, { address: 'new@example.org', ...fields });
      return status < 300 ? status : body.code;
    };
    expect(await codeOf({})).toBe('forbidden');
    expect(await codeOf({ route_id: 'outgoing' })).toBe('forbidden');
    expect(await codeOf({ project_id: 'theirs' })).toBe('not_found');
    expect(await codeOf({ route_id: 'of-theirs' })).toBe('not_found');
    expect(await codeOf({ project_id: 'mine' })).toBe(201);
    expect(await codeOf({ route_id: 'of-mine' })).toBe(201);
    const file = 'address,project,scope\nx@example.org,mine,\ny@example.org,theirs,\nz@example.org,,\n';
    expect(await importFile(limited, file)).toMatchObject({
      counts: { added: 1, failed: 2 },
      failed: [
        { line: 3, reason: 'There is no such project.' },
        { line: 4, reason: expect.stringContaining('concerns all projects') },
      ],
    });
    expect(await importFile(limited, 'x@example.org', '?scope=team')).toMatchObject({
      body: { code: 'forbidden' },
    });
  });

  test('lets go of theirs only, and of none where one is not theirs', async () => {
    const codeOf = async (row: Suppression) => {
      const { status, body } = await ask(limited, 'DELETE', `${LIST}/${row.id}`);
      return status < 300 ? status : body.code;
    };
    expect(await codeOf(rows.team)).toBe('forbidden');
    expect(await codeOf(rows.shared)).toBe('forbidden');
    expect(await codeOf(rows.theirs)).toBe('not_found');
    expect(await codeOf(rows.theirsRoute)).toBe('not_found');
    const bulk = (ids: string[]) =>
      ask<{ code?: string; deleted?: number; not_found?: string[] }>(limited, 'POST', `${LIST}/bulk-delete`, {
        ids,
      });
    expect((await bulk([rows.mine.id, rows.team.id])).body.code).toBe('forbidden');
    expect((await bulk([rows.theirs.id])).body).toEqual({ deleted: 0, not_found: [rows.theirs.id] });
    const before = await listed(sender, '?limit=200');
    for (const row of Object.values(rows)) expect(before.map(({ id }) => id)).toContain(row.id);
    expect(await codeOf(rows.mine)).toBe(204);
    expect((await bulk([rows.mineRoute.id])).body).toEqual({ deleted: 1, not_found: [] });
  });
});

describe('suppressed while their mail waits', () => {
  /** Mail that waits, and a look at the queue after they were suppressed. */
  const WAITING: readonly (readonly [
    says: string,
    hold: (of: Sender) => void,
    release: (of: Sender) => void,
  ])[] = [
    [
      'because the practice is paused',
      ({ practice }) =>
        app.sql(practice.id, "UPDATE practice SET paused_at = 1, pause_reason = 'x', pause_by = 'operator'"),
      ({ practice }) =>
        app.sql(practice.id, 'UPDATE practice SET paused_at = NULL, pause_reason = NULL, pause_by = NULL'),
    ],
    ['for its next attempt', () => undefined, () => undefined],
  ];

  const queued = async (sender: Sender, fields: object): Promise<string> => {
    const id = await app.send(sender, { to: ['anna@example.org', 'ben@example.org'], ...fields });
    await until('both have left', () => app.sql(sender.practice.id, 'SELECT 1 FROM queue').length === 0);
    // As if it had been deferred: it waits for an hour.
    app.sql(
      sender.practice.id,
      `INSERT INTO queue (recipient_id, message_seq, lane, due_at, attempts, size_bytes, queued_at)
       SELECT id, message_seq, 0, ?, 1, 100, 0 FROM recipients`,
      Date.now() + 3_600_000,
    );
    app.sql(sender.practice.id, "UPDATE recipients SET status = 'delivery_delayed'");
    app.sql(sender.practice.id, 'DELETE FROM captures');
    return id;
  };

  test.each(WAITING)('they get nothing of what waits %s, the others do', async (_, hold, release) => {
    const sender = await app.createSender();
    const id = await queued(sender, {});
    hold(sender);
    const { id: suppressionId } = await suppress(sender, 'anna@example.org');
    release(sender);
    app.sql(sender.practice.id, 'UPDATE queue SET due_at = 0');
    // Wakes the dispatcher.
    await app.send(sender, { to: 'carla@example.org' });
    await until('nothing waits', () => app.sql(sender.practice.id, 'SELECT 1 FROM queue').length === 0);
    const { recipients, status } = await app.message(sender, id);
    expect(recipients.map(({ address, status }) => [address, status])).toEqual([
      ['anna@example.org', 'suppressed'],
      ['ben@example.org', 'processed'],
    ]);
    expect(status).toBe('processed');
    expect(
      app
        .sql<{ recipient: string }>(sender.practice.id, 'SELECT recipient FROM captures ORDER BY recipient')
        .map(({ recipient }) => recipient),
    ).toEqual(['ben@example.org', 'carla@example.org']);
    const told = eventsOf(sender).filter(({ type }) => type === 'message.suppressed');
    expect(told).toMatchObject([{ suppression: { id: suppressionId, address: 'anna@example.org' } }]);
  });

  test('the service’s own mail reaches them all the same', async () => {
    const sender = await app.createSender();
    await suppress(sender, 'owner@example.org');
    const person = await join(app, sender.practice.id, 'owner@example.org', { role_id: 'member' });
    expect(bearer(person.token)).toBeDefined();
  });
});
