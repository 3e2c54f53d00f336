// The numbers of a practice as files: what is in them, who may have which rows, and that a spreadsheet program opens them, and all
// other files that the service makes, with their columns and umlauts and runs nothing that is in them.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { dayName, utcDay } from '#src/accounts/counters/rules.ts';
import { DAY, MINUTE } from '#src/kernel/time.ts';
import type { Status } from '#src/messages/rules.ts';
import { startApp, type TestApp } from '#test/support/app.ts';
import { asking, refused } from '#test/support/asking.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { seedList } from '#test/support/subscribers.ts';

const FORMULA = `=cmd|' /C calc'!A0 für Müller`;

/** Where semicolons end a cell. */
const INNER_FORMULA = 'x;=1+41;y; "=1+41"';

/** The names that other programs rely on. */
const columns = {
  stats:
    'day,project,route,stream,accepted,sent,refused,delivered,hard_bounced,soft_bounced,complaints,unsubscribes,opens,clicks',
  campaigns:
    'id,name,lists,project,route,subject,status,reason,created_at,schedule_at,started_at,finished_at,audience,left_out,left_out_by_reason,' +
    'handed_over,queued,sent,refused,delivered,opened,clicked,unsubscribed,soft_bounced,hard_bounced,complained,failed,suppressed,' +
    'bounce_rate,complaint_rate,open_rate,click_rate,unsubscribe_rate',
  bounces:
    'at,event_id,message_id,recipient,type,rule,smtp_code,enhanced_code,diagnostic,upstream,project,route,tag,campaign_id',
  scores: 'created_at,message_id,project,route,message_kind,subject,score,grade,inbox_risk,status',
} as const;
type Kind = keyof typeof columns;
const kinds = Object.keys(columns) as Kind[];

/** The daemon's clock begins at noon of tomorrow: no test comes near a midnight. */
const noon = (utcDay(Date.now()) + 1.5) * DAY;
const TODAY = dayName(utcDay(noon));
let ahead = noon - Date.now();
/** Where the clock stands, at what. */
let standsAt: number | undefined;
let receiver: SmtpReceiver;
let app: TestApp;
let practiceId: string;
let base: string;
let token: string;
let listId: string;
let campaignId: string;
let ids: Readonly<Record<'plain' | 'hard' | 'soft', string>>;
let ofProject: string;
const { call } = asking(() => ({ app, token }));

const file = async (target: string, by = token) => {
  const { status, text, headers } = await app.request('GET', base + target, undefined, by);
  expect(status, text).toBe(200);
  return { text, headers, rows: parse<Readonly<Record<string, string>>>(text, { columns: true, bom: true }) };
};
const exported = async (kind: Kind, query = '', by = token) =>
  (await file(`/exports/bi?kind=${kind}${query}`, by)).rows;

beforeAll(async () => {
  receiver = await createSmtpReceiver({
    rcpt: ({ address }) => {
      if (address.startsWith('unknown')) return '550 5.1.1 User unknown';
      return address.startsWith('full') ? '552 5.2.2 Mailbox full' : '250 2.1.5 Ok';
    },
  });
  app = await startApp({ receiver, clock: { now: () => standsAt ?? Date.now() + ahead } });
  const sender = await app.createSender({ name: 'Praxis Müller', plan: 'gruppe' });
  ({ base, token } = sender);
  practiceId = sender.practice.id;
  await app.completeLegal(practiceId);
  const branch = await call('POST', `${base}/projects`, { name: 'Zweigstelle' });
  ofProject = await app.createToken(practiceId, { scope: 'project', project_id: branch.body.id });
  // One after the other: bounces are listed as they came.
  const send = async (status: Status, fields: object) =>
    (await app.untilStatus(sender, await app.send(sender, { ...fields }), status)).id;
  ids = {
    plain: await send('processed', { to: 'erika@example.org', subject: FORMULA }),
    hard: await send('hard_bounced', {
      to: 'unknown@example.org',
      project_id: branch.body.id,
      tag: '@termin',
    }),
    soft: await send('soft_bounced', { to: 'full@example.org', tag: 'recall', subject: INNER_FORMULA }),
  };
  const people = [
    { address: 'joerg@example.org', name: '=1+1 Jörg Groß', data: { ort: 'Köln' } },
    { address: 'nameless@example.org', data: { ort: INNER_FORMULA } },
  ];
  listId = seedList(app.home, practiceId, people, { name: '+Grüße' }).id;
  const letter = { subject: 'Für {{name}}', text: 'Guten Tag {{name}}' };
  const made = await call('POST', `${base}/campaigns`, { list_id: listId, name: '=1+1 Grüße', ...letter });
  campaignId = made.body.id;
  await call('POST', `${base}/campaigns/${campaignId}/send`);
  await until('the campaign is sent and counted', async () => {
    const { body } = await call<{ status: string; counts: { sent: number } }>(
      'GET',
      `${base}/campaigns/${campaignId}`,
    );
    return body.status === 'sent' && body.counts.sent === 1;
  });
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

/** Later the practice may export again. */
beforeEach(() => {
  ahead += MINUTE;
});

test.each(kinds)('%s has its columns, and a name that says what it is', async (kind) => {
  const { text, headers } = await file(`/exports/bi?kind=${kind}`);
  expect(text.split('\r\n')[0]).toBe(columns[kind]);
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(headers.get('content-disposition')).toBe(
    `attachment; filename="praxis-mueller-${kind}-${dayName(utcDay(noon) - 29)}-${TODAY}.csv"`,
  );
  const described = (await app.request('GET', '/openapi.yaml')).text;
  for (const column of columns[kind].split(',')) expect(described).toContain(`\`${column}\``);
});

test('stats have a row for each day, project and route, with what was counted', async () => {
  const rows = await exported('stats');
  const branch = { day: TODAY, project: 'zweigstelle', route: 'outgoing', stream: 'transactional' };
  expect(rows.find(({ project }) => project === 'zweigstelle')).toMatchObject({
    ...branch,
    ...{ accepted: '1', sent: '0', refused: '1', hard_bounced: '1', soft_bounced: '0' },
  });
  expect(rows).toHaveLength(3);
  expect(rows.find(({ route }) => route === 'broadcast')).toMatchObject({ stream: 'marketing', sent: '1' });
});

test('campaigns have their lists, those left out by reason, and their numbers', async () => {
  expect(await exported('campaigns')).toMatchObject([
    {
      id: campaignId,
      name: "'=1+1 Grüße",
      lists: "'+Grüße",
      status: 'sent',
      audience: '2',
      left_out: '1',
      left_out_by_reason: 'missing_value=1',
      handed_over: '1',
      sent: '1',
      bounce_rate: '0',
      delivered: '0',
    },
  ]);
});

test('bounces have the reply of the other server and what the mail was', async () => {
  expect(await exported('bounces')).toMatchObject([
    {
      message_id: ids.hard,
      recipient: 'unknown@example.org',
      type: 'hard',
      smtp_code: '550',
      enhanced_code: '5.1.1',
      diagnostic: expect.stringContaining('User unknown'),
      upstream: 'relay',
      project: 'zweigstelle',
      tag: "'@termin",
      campaign_id: '',
    },
    { message_id: ids.soft, recipient: 'full@example.org', type: 'soft', smtp_code: '552', tag: 'recall' },
  ]);
});

test('scores have each message with the score that it has in the API', async () => {
  const rows = await exported('scores');
  expect(rows.map(({ message_id }) => message_id).slice(0, 3)).toEqual(Object.values(ids));
  const message = (await call<{ score: number }>('GET', `${base}/messages/${ids.plain}`)).body;
  expect(rows[0]).toMatchObject({
    subject: `'${FORMULA}`,
    score: String(message.score),
    grade: expect.stringMatching(/^[A-F]$/),
    inbox_risk: expect.stringMatching(/^(low|medium|high)$/),
    status: 'processed',
  });
  expect(rows).toHaveLength(4);
});

test('a token of a project gets the rows of its project, and no campaigns', async () => {
  for (const kind of ['stats', 'bounces', 'scores'] as const)
    expect((await exported(kind, '', ofProject)).map(({ project }) => project)).toEqual(['zweigstelle']);
  const { body } = await call('GET', `${base}/exports/bi?kind=campaigns`, undefined, ofProject);
  expect(body).toMatchObject({ code: 'forbidden', permission: 'stats.view' });
});

test.each(['', '?kind=all', '?kind=stats&days=0', '?kind=stats&days=401', '?kind=stats&day=1'])(
  'it is refused with the query %j',
  async (query) => {
    await refused('invalid_request', call('GET', `${base}/exports/bi${query}`));
  },
);

test('a practice makes twenty in a minute', async () => {
  const busy = await app.createSender();
  const ask = () => call('GET', `${busy.base}/exports/bi?kind=stats`, undefined, busy.token);
  // Three seconds later there would be one more.
  standsAt = Date.now() + ahead;
  try {
    for (let count = 0; count < 20; count += 1) expect((await ask()).status).toBe(200);
    await refused('rate_limited', ask());
  } finally {
    standsAt = undefined;
  }
});

interface Cell {
  readonly text: string;
  readonly type: string;
  readonly isComputed: boolean;
}

const plainText = (xml: string): string =>
  [...xml.matchAll(/<text:p>([\s\S]*?)<\/text:p>/g)]
    .map(([, line = '']) => line.replace(/<[^>]*>/g, ''))
    .join('\n')
    .replace(
      /&(lt|gt|quot|apos|amp);/g,
      (_, name: 'lt') => ({ lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' })[name],
    );

/** The rows of a sheet as the program has understood them. */
const sheetOf = (xml: string): Cell[][] =>
  [...xml.matchAll(/<table:table-row[^>]*>([\s\S]*?)<\/table:table-row>/g)].map(([, row = '']) =>
    [...row.matchAll(/<table:table-cell([^>]*?)(?:\/>|>([\s\S]*?)<\/table:table-cell>)/g)].flatMap(
      ([, attributes = '', content = '']) =>
        Array<Cell>(Number(/columns-repeated="(\d+)"/.exec(attributes)?.[1] ?? 1)).fill({
          text: plainText(content),
          type: /office:value-type="(\w+)"/.exec(attributes)?.[1] ?? '',
          isComputed: attributes.includes('table:formula'),
        }),
    ),
  );

test('opened by LibreOffice, the files have their columns and umlauts, and compute nothing', {
  tags: ['debian/libreoffice-calc-nogui'],
}, async () => {
  await call('POST', `${base}/suppression`, { address: 'weg@example.org', note: '=2*3 hört schlecht' });
  const files: Readonly<Record<string, string>> = {
    ...Object.fromEntries(kinds.map((kind) => [kind, `/exports/bi?kind=${kind}`])),
    suppressions: '/suppression/export',
    subscribers: `/lists/${listId}/subscribers/export`,
    recipients: `/campaigns/${campaignId}/recipients/export`,
  };
  const directory = await mkdtemp(path.join(tmpdir(), 'calc-'));
  try {
    const given: Record<string, Record<string, string>[]> = {};
    for (const [name, target] of Object.entries(files)) {
      const answer = await fetch(`${app.origin}${base}${target}`, {
        headers: { Authorization: `Bearer ${token}` },
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      given[name] = parse(bytes, { columns: true, bom: true });
      await writeFile(path.join(directory, `${name}.csv`), bytes);
    }
    const COMMA = 44;
    const SEMICOLON = 59;
    const QUOTE = 34;
    const UTF_8 = 76;
    const openedWith = async (separator: number): Promise<Map<string, Cell[][]>> => {
      await promisify(execFile)('soffice', [
        `-env:UserInstallation=file://${directory}/profile`,
        '--headless',
        // What its import dialog proposes.
        `--infilter=CSV:${separator},${QUOTE},${UTF_8}`,
        ...['--convert-to', 'fods', '--outdir', directory],
        ...Object.keys(files).map((name) => path.join(directory, `${name}.csv`)),
      ]);
      const found = new Map<string, Cell[][]>();
      for (const name of Object.keys(files))
        found.set(name, sheetOf(await readFile(path.join(directory, `${name}.fods`), 'utf8')));
      return found;
    };
    // As it is proposed where the comma is the decimal sign.
    for (const [name, rows] of await openedWith(SEMICOLON))
      expect(
        rows.flat().filter(({ isComputed }) => isComputed),
        name,
      ).toEqual([]);
    const sheets = await openedWith(COMMA);
    for (const [name, rows] of Object.entries(given)) {
      const [head = [], ...body] = sheets.get(name) ?? [];
      expect(
        head.map(({ text }) => text),
        name,
      ).toEqual(Object.keys(rows[0] ?? {}));
      expect(body.length, name).toBe(rows.length);
      expect(
        body.flat().filter(({ isComputed }) => isComputed),
        name,
      ).toEqual([]);
    }
    const cell = (name: string, column: string, row = 0): Cell | undefined => {
      const [head = [], ...body] = sheets.get(name) ?? [];
      return body[row]?.[head.findIndex(({ text }) => text === column)];
    };
    const text = (words: string): Cell => ({ text: words, type: 'string', isComputed: false });
    expect(cell('scores', 'subject')).toEqual(text(`'${FORMULA}`));
    expect(cell('campaigns', 'name')).toEqual(text("'=1+1 Grüße"));
    expect(cell('campaigns', 'lists')).toEqual(text("'+Grüße"));
    expect(cell('subscribers', 'name')).toEqual(text("'=1+1 Jörg Groß"));
    expect(cell('subscribers', 'ort')).toEqual(text('Köln'));
    expect(cell('suppressions', 'note', 1)).toEqual(text("'=2*3 hört schlecht"));
    expect(cell('subscribers', 'ort', 1)).toEqual(text(`x;'=1+41;y;' "=1+41"`));
    expect(cell('bounces', 'tag')).toEqual(text("'@termin"));
    expect(cell('stats', 'day')).toMatchObject({ type: 'date' });
    expect(cell('stats', 'accepted')).toMatchObject({ type: 'float' });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test('the days are whole UTC days, the last of them today', async () => {
  ahead += 2 * DAY;
  for (const kind of kinds) {
    expect(await exported(kind, '&days=2')).toEqual([]);
    expect((await exported(kind, '&days=3')).length).toBeGreaterThan(0);
  }
});
