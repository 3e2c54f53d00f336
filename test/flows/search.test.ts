// Finding messages again: search by every filter, and what a capture upstream kept.
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { statuses } from '#src/messages/rules.ts';
import { type Message, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { asking, type Found, ISO, refused, UNKNOWN_ID, UUID } from '#test/support/asking.ts';
import { until } from '#test/support/process.ts';

let app: TestApp;
let sender: Sender;
beforeAll(async () => {
  app = await startApp();
  sender = await app.createSender();
});
afterAll(() => app?.remove());

const { call, list, pages } = asking(() => ({ app, token: sender.token }));

describe('search', () => {
  let who: Sender;
  let since: string;
  const ids: string[] = [];
  const search = async (query: string, token = who.token): Promise<string[]> => {
    const found = await list<Message>(`${who.base}/messages/search?${query}`, token);
    return found.map(({ subject }) => subject);
  };

  beforeAll(async () => {
    who = await app.createSender({ name: 'Suche' });
    await app.completeLegal(who.practice.id);
    const mails = [
      { subject: 'eins', tags: ['Rechnung', 'März'], message_kind: 'termin' },
      { subject: 'zwei 100%', to: ['a_b@example.org', 'Max@Example.net'] },
      { subject: 'drei', tag: 'rechnung', to: 'Änne Großmann <anne@example.org>' },
      { subject: 'Vier Äpfel', route: 'broadcast', message_kind: 'newsletter', bcc: 'geheim@example.com' },
      { subject: 'fünf', tags: ['back\\slash', 'a"b'] },
    ];
    for (const mail of mails) {
      ids.push(await app.send(who, mail));
      since ??= (await app.message(who, ids[0] ?? '')).created_at;
    }
    for (const id of ids) await app.untilStatus(who, id, 'processed');
  });

  const newestFirst = ['fünf', 'Vier Äpfel', 'drei', 'zwei 100%', 'eins'];
  const queries: readonly (readonly [query: string, found: readonly string[]])[] = [
    ['', newestFirst],
    ['q=eins', ['eins']],
    ['q=EINS', ['eins']],
    ['q=max@example.NET', ['zwei 100%']],
    ['q=geheim@', ['Vier Äpfel']],
    ['q=echnun', []],
    ['q=rechn', ['drei', 'eins']],
    ['q=rechnung märz', ['eins']],
    ['q=rechnung example.org', ['drei', 'eins']],
    ['q=rechnung broadcast', []],
    ['q="vier äpfel"', ['Vier Äpfel']],
    ['q="äpfel vier"', []],
    ['q=äpfel vier', ['Vier Äpfel']],
    ['q=März', ['eins']],
    ['q=Äpfel', ['Vier Äpfel']],
    ['q=VIER ÄPFEL', ['Vier Äpfel']],
    ['q=apfel', ['Vier Äpfel']],
    ['q=marz', ['eins']],
    ['q=maerz', ['eins']],
    ['q=grossmann', ['drei']],
    ['q=aenne', ['drei']],
    ['q=großmann anne@', ['drei']],
    ['q=Änne Großmann <anne@example.org>', ['drei']],
    ['q=fuenf', ['fünf']],
    ['q=ein', ['eins']],
    ['q=ä', ['fünf', 'Vier Äpfel', 'drei', 'zwei 100%']],
    ['q=eins OR drei', []],
    ['q=drei*', []],
    ['q=', newestFirst],
    ['q=%25', ['zwei 100%']],
    ['q=a_b', ['zwei 100%']],
    ['q=%5C', ['fünf']],
    ['q=a%22b', ['fünf', 'zwei 100%']],
    ['q=%22', newestFirst],
    ['q=%5B', []],
    ['q=%2C', newestFirst],
    ['q=nothing', []],
    ['tag=rechnung', ['drei', 'eins']],
    ['tag=RECHNUNG', ['drei', 'eins']],
    ['tag=rech', []],
    ['tag=MÄRZ', ['eins']],
    ['tag=marz', []],
    ['tag=', []],
    ['tag=back%5Cslash&q=f', ['fünf']],
    ['status=processed', newestFirst],
    ['status=queued', []],
    ['status=queued&status=processed', newestFirst],
    ['status=queued&status=failed&q=eins', []],
    ['status=failed&status=processed&q=eins', ['eins']],
    ['route=broadcast', ['Vier Äpfel']],
    ['route=outgoing&q=example.com', []],
    ['kind=termin', ['eins']],
    ['kind=transactional&tag=rechnung', ['drei']],
    ['from=2020-01-01T00:00:00Z', newestFirst],
    ['from=2100-01-01T00:00:00Z', []],
    ['to=2020-01-01T00:00:00%2B02:00', []],
    ['to=2100-01-01T00:00:00Z', newestFirst],
    ['limit=2', ['fünf', 'Vier Äpfel']],
  ];
  test.each(queries)('?%s', async (query, found) => {
    expect(await search(query)).toEqual(found);
  });

  test('takes the time of a message as included below and excluded above', async () => {
    expect(await search(`from=${since}`)).toContain('eins');
    expect(await search(`to=${since}`)).not.toContain('eins');
  });

  test('takes a day from its first moment to its last', async () => {
    const day = since.slice(0, 10);
    expect(await search(`from=${day}&to=${day}`)).toContain('eins');
    expect(await search('to=2020-01-01')).toEqual([]);
    expect(await search('from=2100-01-01')).toEqual([]);
  });

  test('finds a route by its id', async () => {
    const routes = await list(`${who.base}/routes`, who.token);
    const broadcast = routes.find(({ slug }) => slug === 'broadcast');
    expect(await search(`route=${broadcast?.id}`)).toEqual(['Vier Äpfel']);
  });

  test.each(['%s', '%s'.toUpperCase(), '<%s@suche.send.example.com>', '%s@suche.send.example.com'])(
    'finds the message with the id %s',
    async (form) => {
      const id = ids[2] ?? '';
      const q = encodeURIComponent(form.replace(/%s/i, form.startsWith('%S') ? id.toUpperCase() : id));
      expect(await search(`q=${q}`)).toEqual(['drei']);
      expect(await search(`q=${q}&tag=rechnung&status=processed`)).toEqual(['drei']);
      for (const other of ['tag=märz', 'status=failed', 'kind=termin', 'from=2100-01-01'])
        expect(await search(`q=${q}&${other}`), other).toEqual([]);
    },
  );

  test('shows of each message what a table of them needs', async () => {
    const [found] = await list<Message>(`${who.base}/messages/search?q=grossmann`, who.token);
    expect(found).toMatchObject({
      subject: 'drei',
      status: 'processed',
      opened: null,
      route: { slug: 'outgoing' },
      message_kind: 'transactional',
      tag: 'rechnung',
      template_id: null,
      recipients: [{ address: 'anne@example.org', name: 'Änne Großmann', status: 'processed' }],
    });
  });

  test('counts what is found of each status, also that of no message', async () => {
    const counts = async (query: string, token = who.token) => {
      const { status, body } = await call(
        'GET',
        `${who.base}/messages/search/counts?${query}`,
        undefined,
        token,
      );
      expect(status).toBe(200);
      const data = body.data as { status: string; count: number; at_least: boolean }[];
      expect(data.map((row) => row.status)).toEqual([...statuses]);
      return Object.fromEntries(
        data.flatMap((row) => (row.count > 0 || row.at_least ? [[row.status, row]] : [])),
      );
    };
    const processed = (count: number) => ({ processed: { status: 'processed', count, at_least: false } });
    expect(await counts('')).toEqual(processed(5));
    expect(await counts(`from=${since.slice(0, 10)}`)).toEqual(processed(5));
    expect(await counts('from=2100-01-01')).toEqual({});
    expect(await counts('q=rechnung')).toEqual(processed(2));
    expect(await counts('q=rechnung&kind=termin')).toEqual(processed(1));
    expect(await counts(`q=${ids[2]}`)).toEqual(processed(1));
    expect(await counts('q=nothing')).toEqual({});
    await refused(
      'invalid_request',
      call('GET', `${who.base}/messages/search/counts?status=processed`, undefined, who.token),
      'query.status',
    );
  });

  test('finds messages by the template that they were made from, deleted or not', async () => {
    const template = { name: 'recall', subject: 'Vorsorge {{name}}', text: 'Guten Tag' };
    const made = await call('POST', `${who.base}/templates`, template, who.token);
    const sent = { to: 'frieda@example.org', template: 'recall', data: { name: 'Frieda' } };
    const answer = await call('POST', `${who.base}/send`, sent, who.token);
    await app.untilStatus(who, answer.body.id, 'processed');
    const query = `template_id=${made.body.id}`;
    expect(await search(query)).toEqual(['Vorsorge Frieda']);
    expect(await search(`${query}&q=vorsorge`)).toEqual(['Vorsorge Frieda']);
    expect(await search(`${query}&q=rechnung`)).toEqual([]);
    expect(await search(`template_id=${UNKNOWN_ID}`)).toEqual([]);
    expect((await app.message(who, answer.body.id)).template_id).toBe(made.body.id);
    await call('DELETE', `${who.base}/templates/${made.body.id}`, undefined, who.token);
    expect(await search(query)).toEqual(['Vorsorge Frieda']);
    app.sql(who.practice.id, `DELETE FROM messages WHERE id = '${answer.body.id}'`);
  });

  test('exports what is found, a line for each recipient, that no spreadsheet program runs', async () => {
    const danger = { to: ['=1+1 <z1@example.org>', 'z2@example.org'], subject: '=cmd|"/c calc"!A1 Übung' };
    const id = await app.send(who, danger);
    await app.untilStatus(who, id, 'processed');
    const file = await call(
      'GET',
      `${who.base}/messages/search/export?q=cmd&status=processed`,
      undefined,
      who.token,
    );
    expect(file.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="suche-messages.csv"');
    expect(file.text.startsWith('created_at,address,name,field,subject,status,')).toBe(true);
    const lines = file.text.split('\r\n').slice(1, -1);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain(',z1@example.org,\'=1+1,to,"\'=cmd|""/c calc""!A1 Übung",processed,');
    expect(lines[1]).toContain(',z2@example.org,,to,');
    const all = await call('GET', `${who.base}/messages/search/export?q=rechnung`, undefined, who.token);
    expect(
      all.text
        .split('\r\n')
        .slice(1, -1)
        .map((line) => line.split(',')[4]),
    ).toEqual(['drei', 'eins']);
    await refused(
      'not_found',
      call('GET', `${who.base}/messages/search/export?route=nowhere`, undefined, who.token),
    );
    app.sql(who.practice.id, `DELETE FROM messages WHERE id = '${id}'`);
  });

  test('goes page by page, each message once', async () => {
    const found = await pages<Message>(`${who.base}/messages/search`, 2, who.token);
    expect(found.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(found.flat().map(({ id }) => id)).toEqual(ids.toReversed());
    for (const message of found.flat()) expect(message).not.toHaveProperty('text');
  });

  test('shows a project token the messages of its project only', async () => {
    const project = await call('POST', `${who.base}/projects`, { name: 'Leer' }, who.token);
    const scope = { scope: 'project', project_id: project.body.id };
    const token = await app.createToken(who.practice.id, scope);
    expect(await search('', token)).toEqual([]);
    expect(await search(`q=${ids[0]}`, token)).toEqual([]);
    const target = `${who.base}/messages/search/`;
    const { body } = await call('GET', `${target}counts`, undefined, token);
    expect((body.data as { count: number }[]).filter(({ count }) => count > 0)).toEqual([]);
    expect((await call('GET', `${target}export`, undefined, token)).text.split('\r\n')).toHaveLength(2);
  });

  const bad = [
    'status=done',
    'status=processed,failed',
    'template_id=termin',
    'q=%00',
    'q=eins%00x',
    'kind=x',
    'from=yesterday',
    'to=2026-01',
    'from=2026-02-30',
    'limit=500',
    `q=${'a'.repeat(201)}`,
    'Q=a',
  ];
  test.each(bad)('refuses ?%s', async (query) => {
    const answer = call('GET', `${who.base}/messages/search?${query}`, undefined, who.token);
    await refused('invalid_request', answer, `query.${query.split('=')[0]}`);
  });

  test("tells a project token nothing of another project's route: as if there were none", async () => {
    const made = async (path: string, body: object) =>
      (await call('POST', `${who.base}/${path}`, body, who.token)).body;
    const [own, other] = [await made('projects', { name: 'A' }), await made('projects', { name: 'B' })];
    const token = await app.createToken(who.practice.id, { scope: 'project', project_id: own.id });
    const fields = { type: 'transactional', name: 'Fremd', project_id: other.id };
    const foreign = await made('routes', fields);
    const usable = await made('routes', { ...fields, name: 'Eigen', project_id: own.id });
    const ask = (route: string) =>
      call('GET', `${who.base}/messages/search?route=${route}`, undefined, token);
    const answers = await Promise.all(['nowhere', UNKNOWN_ID, foreign.slug, foreign.id].map(ask));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 404, body: { code: 'not_found' } });
    for (const route of [usable.slug, usable.id, 'outgoing']) expect((await ask(route)).status).toBe(200);
    expect(await search(`route=${foreign.slug}`)).toEqual([]);
  });

  test('refuses an unknown route', async () => {
    const target = `${who.base}/messages/search?route=nowhere`;
    await refused('not_found', call('GET', target, undefined, who.token));
  });
});

describe('the index', () => {
  test('follows what is accepted, and the nightly look finds what was left', async () => {
    const who = await app.createSender({ name: 'Viele', plan: 'gruppe' });
    const letters = (count: number) =>
      Array.from({ length: count }, (_, n) => ({
        to: `r${n}@example.org`,
        subject: `Nummer ${n}`,
        text: 'x',
      }));
    const indexed = () =>
      app.sql<{ count: number }>(who.practice.id, 'SELECT count(*) AS count FROM search_texts')[0]?.count;
    const send = async (count: number) =>
      expect((await call('POST', `${who.base}/send/batch`, letters(count), who.token)).status).toBe(202);
    await send(250);
    expect(indexed()).toBe(0);
    await send(250);
    await until('all are in the index', () => indexed() === 500);
    const found = await list<Message>(`${who.base}/messages/search?q=NUMMER 249`, who.token);
    expect(found.map(({ subject }) => subject)).toEqual(['Nummer 249', 'Nummer 249']);
    app.sql(who.practice.id, "INSERT INTO search_trigrams (search_trigrams) VALUES ('delete-all')");
    app.sql(who.practice.id, 'DELETE FROM search_texts');
    await app.runJob('remove what is old');
    await until('all are in the index again', () => indexed() === 500);
  });
});

describe('captured mail', () => {
  let who: Sender;
  let sent: string[];
  const at = () => `${who.base}/captures`;
  beforeAll(async () => {
    who = await app.createSender({ name: 'Fang' });
    sent = [
      await app.send(who, { to: ['a@example.org', 'b@example.org'] }),
      await app.send(who, { subject: 'zwei' }),
    ];
    for (const id of sent) await app.untilStatus(who, id, 'processed');
  });

  test('is listed newest first, page by page, and by message', async () => {
    const all = (await pages<Found>(at(), 1, who.token)).flat();
    expect(all.map(({ message_id }) => message_id)).toContain(sent[1]);
    expect(await list(at(), who.token)).toEqual(all);
    const ofFirst = await list(`${at()}?message_id=${sent[0]}`, who.token);
    expect(ofFirst.map(({ recipient }) => recipient).toSorted()).toEqual(['a@example.org', 'b@example.org']);
    expect(ofFirst[0]).toEqual({
      id: UUID,
      message_id: sent[0],
      subject: 'Ihr Termin',
      recipient: expect.any(String),
      return_path: expect.stringMatching(/^b\+[a-z0-9]+@bounce\.fang\.send\.example\.com$/),
      size_bytes: expect.any(Number),
      captured_at: ISO,
    });
  });

  test('is a message to download', async () => {
    const [capture] = await list(`${at()}?message_id=${sent[1]}`, who.token);
    const { headers, text } = await call('GET', `${at()}/${capture?.id}`, undefined, who.token);
    expect(headers.get('content-type')).toBe('message/rfc822');
    expect(headers.get('content-disposition')).toBe('attachment; filename="message.eml"');
    expect(Buffer.byteLength(text)).toBe(capture?.size_bytes);
    expect((await simpleParser(text)).subject).toBe('zwei');
    await refused('not_found', call('GET', `${at()}/${UNKNOWN_ID}`, undefined, who.token));
  });
});
