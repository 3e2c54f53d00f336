// What is refused, by which status and code, with which extra fields; and that nothing of it is stored: no row in any
// table, no file, nothing queued. The form of each refusal is checked where requests are made (support/app.ts).
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorCode } from '#src/kernel/errors.ts';
import { contentOf } from '#test/fixtures/file-contents.ts';
import { type HealthBody, health } from '#test/flows/fixture.ts';
import { type List, letter, type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { UNKNOWN_ID } from '#test/support/asking.ts';
import { until } from '#test/support/process.ts';

const MIB = 1_024 * 1_024;
const MANAGED_HOST = 'praxis-am-markt.send.example.com';
const NUL = '\0';

let app: TestApp;
let sender: Sender;
/** In safe mode. */
let careful: Sender;
let paused: Sender;
/** Has two projects and a message in the default one. */
let busy: Sender & {
  readonly messageId: string;
  readonly archivedToken: string;
  readonly otherToken: string;
};
let revokedToken: string;
/** Rows of each practice, what its search finds, names of all files: before the request that is refused. */
let untouched: unknown;

const search = async ({ base, token }: Sender): Promise<unknown> =>
  (await app.request<List<unknown>>('GET', `${base}/messages/search`, undefined, token)).body;

/** But for what the schedule writes meanwhile: it looks at the domain that one of them has asked for. */
const rowsOf = ({ practice }: Sender): Record<string, number> => {
  const { dns_checks: _, ...rows } = app.rowCounts(practice.id);
  return rows;
};

/** The queue, once no one looks for what may be due: that takes places for a moment, also for the service's own practice. */
const queueAtRest = async (): Promise<unknown> => {
  let queue: HealthBody['queue'] | undefined;
  await until('no one looks for what is due', async () => {
    ({ queue } = await health(app));
    return queue.in_flight === 0;
  });
  return queue;
};

const everything = async () => ({
  found: await Promise.all([sender, careful, paused, busy].map(search)),
  rows: [sender, careful, paused, busy].map(rowsOf),
  queue: await queueAtRest(),
  files: await app.files(),
});

const createProjectToken = async (name: string): Promise<{ id: string; token: string }> => {
  const created = await app.request<{ id: string }>('POST', `${busy.base}/projects`, { name }, busy.token);
  const scope = { scope: 'project', project_id: created.body.id };
  return { id: created.body.id, token: await app.createToken(busy.practice.id, scope) };
};

beforeAll(async () => {
  app = await startApp({ config: { safe_mode: { allowlist: ['friend@example.org', '@allowed.example'] } } });
  sender = await app.createSender({ domain: 'praxis-mueller.example' });
  careful = await app.createSender({ name: 'Vorsicht' });
  app.sql(careful.practice.id, 'UPDATE practice SET safe_mode = 1');
  paused = await app.createSender({ name: 'Pause' });
  const pause = "UPDATE practice SET paused_at = 1767225600000, pause_by = 'operator', pause_reason = 'list'";
  app.sql(paused.practice.id, pause);

  const plain = await app.createSender({ name: 'Zwei Projekte' });
  const messageId = await app.send(plain);
  await app.untilStatus(plain, messageId, 'processed');
  busy = { ...plain, messageId, archivedToken: '', otherToken: '' };
  const archived = await createProjectToken('Alt');
  const target = `${busy.base}/projects/${archived.id}`;
  expect((await app.request('PATCH', target, { archived: true }, busy.token)).status).toBe(200);
  const { token: otherToken } = await createProjectToken('Labor');
  busy = { ...busy, archivedToken: archived.token, otherToken };

  const tokens = `${sender.base}/api-tokens`;
  const created = await app.request<{ id: string; token: string }>(
    'POST',
    tokens,
    { name: 'gone', scope: 'team' },
    sender.token,
  );
  revokedToken = created.body.token;
  expect((await app.request('DELETE', `${tokens}/${created.body.id}`, undefined, sender.token)).status).toBe(
    204,
  );
  untouched = await everything();
  expect(untouched).toMatchObject({ found: [{ data: [] }, { data: [] }, { data: [] }, { data: [{}] }] });
});
afterAll(() => app?.remove());
afterEach(async () => {
  const before = untouched;
  untouched = await everything();
  expect(untouched).toEqual(before);
});

interface Row {
  /** Laid over a good letter; undefined leaves a field out. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Instead of the letter: sent as it is where it is bytes. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly as?: () => Sender;
  readonly token?: () => string | undefined;
  /** `POST /send` of the sender where absent. */
  readonly request?: () => readonly [method: string, path: string];
  readonly status: number;
  readonly code: ErrorCode;
  readonly extra?: Readonly<Record<string, unknown>>;
}
type Rows = readonly (readonly [name: string, row: Row])[];

const refuse = async (row: Row): Promise<void> => {
  const who = row.as?.() ?? sender;
  const [method, path] = row.request?.() ?? ['POST', `${who.base}/send`];
  const body = 'body' in row ? row.body : method === 'POST' ? { ...letter, ...row.fields } : undefined;
  const token = row.token ? row.token() : who.token;
  const answer = await app.request<Refusal>(method, path, body, token, row.headers);
  expect(answer.body).toMatchObject({ code: row.code, ...row.extra });
  expect(answer.status).toBe(row.status);
};

const field = (path: string, message: string = '') => ({
  fields: expect.arrayContaining([{ path: `body.${path}`, message: expect.stringContaining(message) }]),
});
const invalid = (fields: Row['fields'], path: string, message?: string): Row => ({
  ...(fields ? { fields } : {}),
  status: 400,
  code: 'invalid_request',
  extra: field(path, message),
});
const notJson = (body: Uint8Array): Row => ({ body, status: 400, code: 'invalid_json' });

/** 30 MB of one address, in as many texts as it takes. */
const ADDRESSES = Array.from({ length: 480 }, () =>
  Array.from({ length: 4_200 }, () => 'a@example.org').join(', '),
);

const forms: Rows = [
  ['JSON that ends too early', notJson(Buffer.from('{"to": "a@example.org", "subject": '))],
  ['something else than JSON', notJson(Buffer.from('to=a@example.org'))],
  ['two documents', notJson(Buffer.from('{}{}'))],
  ['malformed UTF-8', notJson(Buffer.from(JSON.stringify({ ...letter, text: 'Grüße' }), 'latin1'))],
  ['no body', { body: undefined, status: 400, code: 'invalid_request' }],
  ['an empty body', { body: new Uint8Array(), status: 400, code: 'invalid_request' }],
  ['an array', { body: [letter], status: 400, code: 'invalid_request' }],
  ['null', { body: null, status: 400, code: 'invalid_request' }],
  ['half a surrogate pair in the subject', invalid({ subject: 'a\ud83c' }, 'subject', 'surrogate')],
  ['half a surrogate pair in the text', invalid({ text: '\udf4e' }, 'text', 'surrogate')],
  ['half a surrogate pair deep inside', invalid({ metadata: { a: '\ud83c' } }, 'metadata.a', 'surrogate')],
  ['an unknown field', invalid({ subjekt: 'x' }, 'subjekt', 'did you mean `subject`?')],
  ['a field in another spelling', invalid({ messageKind: 'termin' }, 'messageKind', '`message_kind`')],
  [
    'an unknown field of an attachment',
    invalid(
      { attachments: [{ filename: 'a.pdf', content: 'YQ==', contentId: 'x' }] },
      'attachments[0].contentId',
      '`content_id`',
    ),
  ],
  ['no to', invalid({ to: undefined }, 'to', 'required')],
  ['no subject', invalid({ subject: undefined }, 'subject', 'required')],
  ['an empty subject', invalid({ subject: '' }, 'subject', 'empty')],
  ['a subject of spaces', invalid({ subject: '  \t' }, 'subject', 'empty')],
  ['a subject that nobody can see', invalid({ subject: '\u200b \u202e' }, 'subject', 'empty')],
  ['neither text nor html', invalid({ text: undefined }, 'text', 'required')],
  ['a text that contradicts its alias', invalid({ text_body: 'other' }, 'text_body', 'alias')],
  ['a number as to', invalid({ to: 7 }, 'to', 'string')],
  ['a number among the recipients', invalid({ to: ['a@example.org', 7] }, 'to[1]')],
  ['null as subject', invalid({ subject: null }, 'subject')],
  ['an object as text', invalid({ text: {} }, 'text')],
  ['a string as tags', invalid({ tags: 'a' }, 'tags')],
  ['a number in the metadata', invalid({ metadata: { case: 7 } }, 'metadata.case')],
  ['a word as setting', invalid({ settings: { track_opens: 'yes' } }, 'settings.track_opens')],
  ['an object as attachments', invalid({ attachments: {} }, 'attachments')],
  ['an unknown kind', invalid({ message_kind: 'newsleter' }, 'message_kind', 'newsletter')],
  ['a subject of more than 998 characters', invalid({ subject: 'a'.repeat(999) }, 'subject', '998')],
  [
    'a text of more than five million characters',
    invalid({ text: 'x'.repeat(5_000_001) }, 'text', '5000000'),
  ],
  ['such an HTML text', invalid({ html: 'x'.repeat(5_000_001) }, 'html', '5000000')],
  ...['to', 'cc', 'bcc', 'reply_to'].map(
    (name) =>
      [`30 MB of addresses in ${name}`, invalid({ [name]: ADDRESSES }, name, '131072 characters')] as const,
  ),
  ['an empty idempotency key', invalid({ idempotency_key: '' }, 'idempotency_key')],
  [
    'an idempotency key of 257 characters',
    invalid({ idempotency_key: 'k'.repeat(257) }, 'idempotency_key', '256'),
  ],
  [
    'a header with such a key',
    {
      headers: { 'Idempotency-Key': 'k'.repeat(257) },
      status: 400,
      code: 'invalid_request',
      extra: { fields: [{ path: 'header.Idempotency-Key', message: expect.any(String) }] },
    },
  ],
];

const badRecipient = (fields: Row['fields'], recipients: unknown = expect.any(Array)): Row => ({
  ...(fields ? { fields } : {}),
  status: 422,
  code: 'invalid_recipient',
  extra: { recipients },
});
const badHeader = (name: string, value = 'x'): Row => ({
  fields: { headers: { [name]: value } },
  status: 422,
  code: 'header_not_allowed',
  extra: { header: name },
});

const injections: Rows = [
  ['CRLF in the subject', invalid({ subject: 'a\r\nBcc: x@example.org' }, 'subject', 'line break')],
  ['a bare CR in the subject', invalid({ subject: 'a\rb' }, 'subject')],
  ['a bare LF in the subject', invalid({ subject: 'a\nb' }, 'subject')],
  ['NUL in the subject', invalid({ subject: `a${NUL}b` }, 'subject')],
  ['NUL in the text', invalid({ text: `a${NUL}b` }, 'text', 'NUL')],
  ['NUL in the HTML', invalid({ html: `<p>${NUL}</p>` }, 'html', 'NUL')],
  ['a line break in a tag', invalid({ tag: 'a\nb' }, 'tag')],
  ['a line break among the tags', invalid({ tags: ['ok', 'a\r\nb'] }, 'tags[1]')],
  ['a line break in the idempotency key', invalid({ idempotency_key: 'a\r\nb' }, 'idempotency_key')],
  ['a line break in the name of From', invalid({ from: `A\r\nBcc: x@y.de <a@${MANAGED_HOST}>` }, 'from')],
  ['a line break in the name of Reply-To', invalid({ reply_to: 'A\nB <a@example.org>' }, 'reply_to')],
  ['a line break in the name of a recipient', badRecipient({ to: 'A\r\nBcc: x@y.de <a@example.org>' })],
  ['a line break in an address', badRecipient({ cc: 'a@example.org\r\nRCPT TO:<x@y.de>' })],
  ['NUL in an address', badRecipient({ bcc: `a${NUL}@example.org` })],
  ['CRLF in a header value', badHeader('X-Case', '1\r\nBcc: x@example.org')],
  ['a bare LF in a header value', badHeader('X-Case', '1\nBcc: x@example.org')],
  ['NUL in a header value', badHeader('X-Case', `1${NUL}2`)],
  ['CRLF in a header name', badHeader('X-Case: 1\r\nBcc', 'x@example.org')],
  ['a header name with a colon', badHeader('X-Case:')],
];

const headers: Rows = [
  ...['Bcc', 'from', 'To', 'Sender', 'Return-Path', 'Received', 'Message-ID', 'Date', 'Subject'],
  ...['DKIM-Signature', 'MIME-Version', 'Content-Type', 'List-Unsubscribe', 'Auto-Submitted', 'Precedence'],
  ...['X-Service-Tenant', 'x-sendwerk-id', 'X-Auto-Response-Suppress'],
  ...[
    'X-SMTPAPI',
    'x-smtpapi',
    'X-SES-Configuration-Set',
    'X-Mailgun-Recipient-Variables',
    'X-MC-BccAddress',
  ],
].map((name) => [`the header ${name}`, badHeader(name)] as const);

const repeatedHeaders: Rows = [
  [
    'a header in two spellings',
    { ...badHeader('x-case'), fields: { headers: { 'X-Case': '1', 'x-case': '2' } } },
  ],
  [
    'a header for threads in two spellings',
    { ...badHeader('REFERENCES'), fields: { headers: { References: '<a@b.c>', REFERENCES: '<d@e.f>' } } },
  ],
];

const recipients: Rows = [
  ['no recipient at all', badRecipient({ to: [] }, [])],
  ['an empty to', badRecipient({ to: '' }, [])],
  ['no @', badRecipient({ to: 'erika.example.org' }, ['erika.example.org'])],
  ['two @', badRecipient({ to: 'a@b@example.org' })],
  ['no full domain', badRecipient({ to: 'a@localhost' })],
  ['an IP literal', badRecipient({ to: 'a@[127.0.0.1]' })],
  ['a quoted local part', badRecipient({ to: '"a b"@example.org' })],
  [
    'one bad among good ones',
    badRecipient({ to: 'a@example.org', cc: ['b@example.org', 'nobody'] }, ['nobody']),
  ],
  [
    'letters beyond ASCII before the @ of an address for answers',
    badRecipient({ reply_to: 'müller@example.org' }, ['müller@example.org']),
  ],
  [
    'more than 50 recipients in all fields',
    {
      fields: {
        to: Array.from({ length: 30 }, (_, index) => `to${index}@example.org`),
        bcc: Array.from({ length: 21 }, (_, index) => `bcc${index}@example.org`),
      },
      status: 422,
      code: 'too_many_recipients',
      extra: { count: 51, limit: 50 },
    },
  ],
  [
    'a stranger in safe mode',
    {
      as: () => careful,
      fields: { to: 'friend@example.org', cc: 'a@allowed.example', bcc: 'stranger@example.org' },
      status: 422,
      code: 'safe_mode_recipient',
      extra: { recipients: ['stranger@example.org'] },
    },
  ],
  [
    'a subdomain of an allowed domain in safe mode',
    {
      as: () => careful,
      fields: { to: 'a@sub.allowed.example' },
      status: 422,
      code: 'safe_mode_recipient',
      extra: { recipients: ['a@sub.allowed.example'] },
    },
  ],
];

const fromNotAllowed = (from: string): Row => ({
  fields: { from },
  status: 422,
  code: 'from_not_allowed',
  extra: { allowed: [MANAGED_HOST] },
});
const wrongStream = (message_kind: string, route?: string): Row => ({
  fields: { message_kind, route },
  status: 422,
  code: 'kind_not_allowed_on_route',
});

const gates: Rows = [
  ['From on a foreign domain', fromNotAllowed('ceo@bank.example')],
  ['From on the service host', fromNotAllowed('noreply@mail.example.com')],
  ['From on the host of another practice', fromNotAllowed('a@vorsicht.send.example.com')],
  ['From on a host below ours', fromNotAllowed(`a@sub.${MANAGED_HOST}`)],
  ['From that only looks like ours', fromNotAllowed(`"a@${MANAGED_HOST}" <a@bank.example>`)],
  ['two addresses in From', invalid({ from: `a@${MANAGED_HOST}, b@${MANAGED_HOST}` }, 'from')],
  [
    'From on a domain whose DKIM is not verified',
    {
      fields: { from: 'praxis@Praxis-Mueller.example' },
      status: 422,
      code: 'dkim_not_verified',
      extra: { missing: ['dkim'] },
    },
  ],
  ['a newsletter on the default route', wrongStream('newsletter')],
  ['a newsletter on outgoing', wrongStream('newsletter', 'outgoing')],
  ['a marketing kind on outgoing', wrongStream('custom', 'outgoing')],
  ['an appointment on broadcast', wrongStream('termin', 'broadcast')],
  ['a recall on broadcast', wrongStream('recall', 'broadcast')],
  ['a confirmation mail on broadcast', wrongStream('doi', 'broadcast')],
  ['an unknown route', { fields: { route: 'nowhere' }, status: 404, code: 'not_found' }],
  [
    'a paused practice',
    {
      as: () => paused,
      status: 409,
      code: 'tenant_paused',
      extra: { reason: 'list', paused_at: '2026-01-01T00:00:00.000Z' },
    },
  ],
  ['an archived project', { as: () => busy, token: () => busy.archivedToken, status: 409, code: 'conflict' }],
];

const base64 = (content: Uint8Array | string): string => Buffer.from(content).toString('base64');
const pdfOf = (bytes?: number): string => base64(contentOf('pdf', bytes));
const pdf = (filename: string, content = pdfOf()) => ({ filename, content });
/** How a program begins. */
const PROGRAM = `MZ\x03${NUL.repeat(61)}This program cannot be run`;
const badAttachment = (attachments: readonly object[], reason: string, attachment?: string): Row => ({
  fields: { attachments },
  status: 422,
  code: 'attachment_rejected',
  extra: { reason: expect.stringContaining(reason), ...(attachment === undefined ? {} : { attachment }) },
});

const attachments: Rows = [
  ...['a.zip', 'a.rar', 'a.exe', 'a.js', 'a.html', 'a.svg', 'a.docm', 'a', 'pdf', '.pdf.EXE', 'a.pdf.'].map(
    (name) => [`the file ${name}`, badAttachment([pdf(name)], 'type of file', name)] as const,
  ),
  ['a double extension', badAttachment([pdf('rechnung.exe.pdf')], '.exe.pdf')],
  ['a double extension with spaces', badAttachment([pdf('rechnung.exe .pdf')], '.exe.pdf')],
  [
    'six files',
    badAttachment(
      [1, 2, 3, 4, 5, 6].map((n) => pdf(`${n}.pdf`)),
      '5',
      '6.pdf',
    ),
  ],
  ['a file above 10 MiB', badAttachment([pdf('a.pdf', pdfOf(10 * MIB + 1))], 'larger')],
  ['files above 30 MiB together', badAttachment(Array(4).fill(pdf('a.pdf', pdfOf(8 * MIB))), 'all together')],
  ['an empty file', badAttachment([pdf('a.pdf', '')], 'empty')],
  ['a program as pdf', badAttachment([pdf('a.pdf', base64(PROGRAM))], 'content', 'a.pdf')],
  ['a program as csv', badAttachment([pdf('a.csv', base64(PROGRAM))], 'content', 'a.csv')],
  ['an archive as csv', badAttachment([pdf('a.csv', base64(contentOf('docx')))], 'content', 'a.csv')],
  ['a page as png', badAttachment([pdf('a.png', base64('<!doctype html>'))], 'content', 'a.png')],
  [
    'one such file behind a good one',
    badAttachment([pdf('a.pdf'), pdf('b.xlsx', base64(contentOf('xls')))], 'content', 'b.xlsx'),
  ],
  ['a type that does not fit', badAttachment([{ ...pdf('a.pdf'), content_type: 'image/png' }], 'image/png')],
  [
    'an executable type',
    badAttachment([{ ...pdf('a.pdf'), content_type: 'application/x-msdownload' }], 'type'),
  ],
  ['a name written from right to left', badAttachment([pdf('rechnung\u202efdp.pdf')], 'direction')],
  ['a path as name', badAttachment([pdf('../../etc/a.pdf')], 'path')],
  ['a line break in the name', badAttachment([pdf('a\r\nX-Evil: 1.pdf')], 'control')],
  ['a name of 151 bytes', badAttachment([pdf(`${'a'.repeat(147)}.pdf`)], '150')],
  [
    'what is not base64',
    invalid({ attachments: [pdf('a.pdf', 'not base64!')] }, 'attachments[0].content', 'base64'),
  ],
  [
    'base64 that is cut short',
    invalid({ attachments: [pdf('a.pdf', 'YQ=')] }, 'attachments[0].content', 'base64'),
  ],
  [
    'a line break in the content type',
    invalid(
      { attachments: [{ ...pdf('a.pdf'), content_type: 'a/b\r\nX: y' }] },
      'attachments[0].content_type',
    ),
  ],
  [
    'a content id with brackets inside',
    invalid({ attachments: [{ ...pdf('a.pdf'), content_id: 'a>\r\n<b' }] }, 'attachments[0].content_id'),
  ],
  [
    'a content id that reads as an encoded word',
    invalid({ attachments: [{ ...pdf('a.pdf'), content_id: '=?utf-8?q?a?=' }] }, 'attachments[0].content_id'),
  ],
];

const unauthorized = (token: () => string | undefined, headers?: Row['headers']): Row => ({
  token,
  ...(headers ? { headers } : {}),
  status: 401,
  code: 'unauthorized',
});
const forbidden = (permission: string, request: Row['request'], body?: unknown): Row => ({
  as: () => busy,
  token: () => busy.otherToken,
  ...(request ? { request } : {}),
  body,
  status: 403,
  code: 'forbidden',
  extra: { permission },
});
const wrongType = (headers: Row['headers'], body: unknown = Buffer.from(JSON.stringify(letter))): Row => ({
  ...(headers ? { headers } : {}),
  body,
  status: 415,
  code: 'unsupported_media_type',
});

const requests: Rows = [
  ['a text', wrongType({ 'Content-Type': 'text/plain' })],
  ['a form', wrongType({ 'Content-Type': 'application/x-www-form-urlencoded' })],
  ['JSON in another charset', wrongType({ 'Content-Type': 'application/json; charset=iso-8859-1' })],
  ['a compressed body', wrongType({ 'Content-Encoding': 'gzip' })],
  ['no credential', unauthorized(() => undefined)],
  ['an unknown token', unauthorized(() => `svc_team_${'0'.repeat(43)}`)],
  ['a token without its prefix', unauthorized(() => sender.token.slice('svc_team_'.length))],
  ['a revoked token', unauthorized(() => revokedToken)],
  ['another scheme', unauthorized(() => undefined, { Authorization: 'Basic YTpi' })],
  ['a wrong admin token', unauthorized(() => undefined, { 'X-Admin-Token': 'x'.repeat(32) })],
  ['a path that is nothing', { request: () => ['GET', '/api/nothing'], status: 404, code: 'not_found' }],
  [
    'a method that the path does not take',
    {
      request: () => ['PUT', `${sender.base}/send`],
      status: 404,
      code: 'not_found',
      extra: { hint: 'It takes POST.' },
    },
  ],
  [
    'the operator, who has no practice, on the flat path',
    {
      token: () => app.adminToken,
      request: () => ['POST', '/api/emails'],
      status: 400,
      code: 'invalid_request',
      extra: {
        fields: [{ path: 'header.X-Service-Practice', message: 'is required without a token of a practice' }],
      },
    },
  ],
  ['a project token on tokens', forbidden('tokens.manage', () => ['GET', `${busy.base}/api-tokens`])],
  [
    'a project token that makes a token',
    forbidden('tokens.manage', () => ['POST', `${busy.base}/api-tokens`], { name: 'a', scope: 'team' }),
  ],
  [
    'a project token that makes a project',
    forbidden('projects.manage', () => ['POST', `${busy.base}/projects`], { name: 'Neu' }),
  ],
  [
    'a project token that changes a route',
    forbidden('routes.manage', () => ['PATCH', `${busy.base}/routes/outgoing`], { name: 'Neu' }),
  ],
  [
    'a project token that makes a route the default',
    forbidden('routes.manage', () => ['POST', `${busy.base}/routes/broadcast/default`]),
  ],
  ['a project token on sources', forbidden('messages.view_content', () => ['GET', `${busy.base}/captures`])],
  [
    'a project token that makes a practice',
    {
      ...forbidden('', () => ['POST', '/api/practices'], { name: 'Neu' }),
      extra: { error: 'This credential may not create practices.' },
    },
  ],
  ...['', '/timeline', '/events'].map(
    (view) =>
      [
        `a project token on another project's message${view}`,
        {
          token: () => busy.otherToken,
          request: () => ['GET', `${busy.base}/messages/${busy.messageId}${view}`],
          status: 404,
          code: 'not_found',
          extra: { error: 'There is no such message.' },
        } satisfies Row,
      ] as const,
  ),
];

describe('a refused request leaves nothing behind:', () => {
  describe('form', () => test.each(forms)('%s', (_, row) => refuse(row)));
  describe('injection', () => test.each(injections)('%s', (_, row) => refuse(row)));
  describe('header', () => test.each([...headers, ...repeatedHeaders])('%s', (_, row) => refuse(row)));
  describe('recipients', () => test.each(recipients)('%s', (_, row) => refuse(row)));
  describe('gate', () => test.each(gates)('%s', (_, row) => refuse(row)));
  describe('attachment', () => test.each(attachments)('%s', (_, row) => refuse(row)));
  describe('request', () => test.each(requests)('%s', (_, row) => refuse(row)));

  test.each([
    ['50,000 unknown fields', 50_000, 20, 'body.x0'],
    ['200,000 unknown fields', 200_000, 1, 'body'],
  ])('%s, with a short answer', async (_, count, told, path) => {
    const many = Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, 1]));
    const answer = await app.request<Refusal>(
      'POST',
      `${sender.base}/send`,
      { ...letter, ...many },
      sender.token,
    );
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    expect(answer.body.fields).toHaveLength(told);
    expect(answer.body.fields).toContainEqual({ path, message: expect.any(String) });
    expect(answer.text.length).toBeLessThan(4_096);
  });

  test.each(['Idempotency-Key', 'X-Idempotency-Key'])('%s given twice', async (name) => {
    const sent = httpRequest(`${app.origin}${sender.base}/send`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${sender.token}`,
        'Content-Type': 'application/json',
        [name]: ['twice', 'twice'],
      },
    });
    sent.end(JSON.stringify(letter));
    const [answer]: IncomingMessage[] = await once(sent, 'response');
    expect(answer?.statusCode).toBe(400);
    expect(answer && (await json(answer))).toMatchObject({
      code: 'invalid_request',
      fields: [{ path: 'header.Idempotency-Key', message: 'expected once' }],
    });
  });

  test('no content type at all', async () => {
    const options = { method: 'POST', headers: { Authorization: `Bearer ${sender.token}` } };
    const body = new Blob([JSON.stringify(letter)]);
    const response = await fetch(`${app.origin}${sender.base}/send`, { ...options, body });
    expect(response.status).toBe(415);
  });

  test('the admin token as bearer', async () => {
    const bearer = { Authorization: `Bearer ${app.adminToken}` };
    const { status } = await app.request('POST', `${sender.base}/send`, letter, undefined, bearer);
    expect(status).toBe(401);
  });

  test('an unauthorized request is told how to authenticate', async () => {
    const { headers } = await app.request('GET', sender.base);
    expect(headers.get('www-authenticate')).toBe('Bearer');
  });

  test('the practice of another, an unknown one and a malformed id are told apart by nobody', async () => {
    const ids = [careful.practice.id, UNKNOWN_ID, 'nonsense', '%00'];
    const answers = await Promise.all(
      ids.map((id) => app.request('POST', `/api/practices/${id}/send`, letter, sender.token)),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(answers[0]?.body).toMatchObject({ hint: expect.stringContaining('not by its slug') });
  });
});
