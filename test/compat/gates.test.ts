// What keeps a message from being sent keeps it so in every form: the same refusal, in the words of that form, with the service's
// hint in its text. Rows are conditions, columns are shapes.
// @module-tag slow
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { monthOf } from '#src/accounts/counters/rules.ts';
import type { ErrorCode } from '#src/kernel/errors.ts';
import { DAY } from '#src/kernel/time.ts';
import { contentOf } from '#test/fixtures/file-contents.ts';
import { type AppAnswer, type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { UNKNOWN_ID } from '#test/support/asking.ts';
import { checkCells } from '#test/support/cells.ts';
import { createSmtpReceiver, OK } from '#test/support/smtp-receiver.ts';
import { createTestClock } from '#test/support/storage.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const DOMAIN = 'praxis-mueller.example';
const GTUBE = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';

const clock = createTestClock(NOON);
let app: TestApp;
/** With bounds that are soon reached. */
let narrow: TestApp;
beforeAll(async () => {
  app = await startApp({ clock });
  narrow = await startApp({
    config: { limits: { body_bytes: 65_536, api_rate: { per_second: 1, burst: 20 } } },
  });
});
afterAll(async () => {
  await app?.remove();
  await narrow?.remove();
});

interface Asked {
  readonly from?: string;
  readonly to?: readonly string[];
  readonly text?: string;
  readonly route?: string;
  readonly headers?: readonly (readonly [string, string])[];
  readonly attachment?: string;
}

type Body = Readonly<Record<string, unknown>>;
const content = Buffer.from(contentOf('pdf')).toString('base64');
const SUBJECT = 'Ihr Termin';

interface Shape {
  readonly name: string;
  readonly path: string;
  readonly bodyOf: (asked: Required<Pick<Asked, 'from' | 'to' | 'text'>> & Asked) => object;
  /** What names the error in that form. */
  readonly named: (answer: AppAnswer<Body>) => unknown;
  /** The text in which the hint is. */
  readonly words: (body: Body) => string;
}

const shapes = {
  a: {
    name: 'vendor A',
    path: '/api/compat/vendor-a/emails',
    bodyOf: ({ from, to, text, route, headers, attachment }) => ({
      ...{ from, to, subject: SUBJECT, text, route },
      ...(headers && { headers: Object.fromEntries(headers) }),
      ...(attachment && { attachments: [{ filename: attachment, content }] }),
    }),
    named: ({ status, body }) => {
      expect(body.statusCode).toBe(status);
      return [body.name, status];
    },
    words: ({ message }) => String(message),
  },
  b: {
    name: 'vendor B',
    path: '/api/compat/vendor-b/email',
    bodyOf: ({ from, to, text, route, headers, attachment }) => ({
      ...{ From: from, To: to.join(', '), Subject: SUBJECT, TextBody: text, MessageStream: route },
      ...(headers && { Headers: headers.map(([Name, Value]) => ({ Name, Value })) }),
      ...(attachment && {
        Attachments: [{ Name: attachment, Content: content, ContentType: 'application/pdf' }],
      }),
    }),
    named: ({ status, body }) => [body.ErrorCode, status],
    words: ({ Message }) => String(Message),
  },
  eu: {
    name: 'EU',
    path: '/api/compat/eu/send',
    bodyOf: ({ from, to, text, route, headers, attachment }) => ({
      ...{ from, to, subject: SUBJECT, text, route },
      ...(headers && { headers: Object.fromEntries(headers) }),
      ...(attachment && { attachments: [{ filename: attachment, content }] }),
    }),
    named: ({ status, body }) => [body.code, status],
    words: ({ hint }) => String(hint),
  },
} satisfies Readonly<Record<string, Shape>>;
type ShapeKey = keyof typeof shapes;
const columns = Object.keys(shapes) as ShapeKey[];

const askIn = (
  target: TestApp,
  key: ShapeKey,
  sender: Sender,
  asked: Asked,
  token: string | undefined = sender.token,
): Promise<AppAnswer<Body>> => {
  const { path, bodyOf }: Shape = shapes[key];
  const body = bodyOf({
    from: sender.practice.default_from,
    to: ['erika@example.org'],
    text: 'Am Montag um 9:30 Uhr.',
    ...asked,
  });
  return target.request<Body>('POST', path, body, token);
};

/** The native answer to the same. */
const askNatively = (target: TestApp, sender: Sender, asked: Asked, token = sender.token) =>
  target.request<Refusal>(
    'POST',
    `${sender.base}/send`,
    shapes.eu.bodyOf({
      from: sender.practice.default_from,
      to: ['erika@example.org'],
      text: 'Am Montag um 9:30 Uhr.',
      ...asked,
    }),
    token,
  );

interface Row {
  readonly condition: string;
  readonly code: ErrorCode;
  readonly a: readonly [name: string, status: number];
  readonly b: readonly [code: number, status: number];
  readonly practice?: Readonly<Record<string, unknown>>;
  readonly prepare?: (sender: Sender) => unknown;
  readonly asked?: Asked;
  readonly token?: (sender: Sender) => Promise<string>;
  readonly in?: () => TestApp;
}

const state = (assignments: string) => (sender: Sender) =>
  app.sql(sender.practice.id, `UPDATE practice SET ${assignments}`);
const onDay = (day: number) =>
  state(`custom_domain = '${DOMAIN}', custom_verified_at = 1, warmup_started_at = ${NOON - (day - 1) * DAY}`);
const legal = (sender: Sender) => app.completeLegal(sender.practice.id);
const all =
  (...steps: ((sender: Sender) => unknown)[]) =>
  async (sender: Sender) => {
    for (const step of steps) await step(sender);
  };

/** Of a project that has no part in the route `befunde`. */
const tokenOfOtherProject = async ({ base, practice, token }: Sender): Promise<string> => {
  const make = async (name: string): Promise<string> =>
    (await app.request<{ id: string }>('POST', `${base}/projects`, { name }, token)).body.id;
  const [own, other] = [await make('Labor'), await make('Praxis')];
  const route = { name: 'Befunde', slug: 'befunde', type: 'transactional', project_id: other };
  const made = await app.request('POST', `${base}/routes`, route, token);
  expect(made.status).toBe(201);
  return app.createToken(practice.id, { scope: 'project', project_id: own });
};

/** Consent is asked where mail goes to a list, which none of these forms can name. */
const rows: readonly Row[] = [
  {
    condition: 'content that is blocked',
    code: 'content_blocked',
    a: ['validation_error', 422],
    b: [300, 422],
    asked: { text: GTUBE },
  },
  {
    condition: 'broadcast without an Impressum',
    code: 'impressum_incomplete',
    a: ['validation_error', 422],
    b: [413, 422],
    asked: { route: 'broadcast' },
  },
  {
    condition: 'broadcast before day 3 of the warm-up',
    code: 'warmup_not_ready',
    a: ['validation_error', 422],
    b: [413, 422],
    practice: { plan: 'praxis' },
    prepare: all(legal, onDay(2)),
    asked: { route: 'broadcast', from: `praxis@${DOMAIN}` },
  },
  {
    condition: 'a practice that is paused',
    code: 'tenant_paused',
    a: ['validation_error', 403],
    b: [413, 422],
    prepare: state("paused_at = 1767225600000, pause_by = 'guardrail', pause_reason = 'bounces'"),
  },
  {
    condition: 'the plan at its cap',
    code: 'plan_cap_reached',
    a: ['monthly_quota_exceeded', 429],
    b: [405, 422],
    prepare: ({ practice }) =>
      app.sql(practice.id, 'INSERT INTO monthly_usage (month, accepted) VALUES (?, 200)', monthOf(NOON).name),
  },
  {
    condition: 'a stranger in safe mode',
    code: 'safe_mode_recipient',
    a: ['validation_error', 403],
    b: [412, 422],
    prepare: state('safe_mode = 1'),
  },
  {
    condition: 'a From on a foreign domain',
    code: 'from_not_allowed',
    a: ['validation_error', 403],
    b: [400, 422],
    asked: { from: 'ceo@bank.example' },
  },
  {
    condition: 'a From on a domain that is not verified',
    code: 'dkim_not_verified',
    a: ['validation_error', 403],
    b: [401, 422],
    practice: { domain: DOMAIN },
    asked: { from: `praxis@${DOMAIN}` },
  },
  {
    condition: '51 recipients',
    code: 'too_many_recipients',
    a: ['validation_error', 422],
    b: [300, 422],
    asked: { to: Array.from({ length: 51 }, (_, index) => `r${index}@example.org`) },
  },
  {
    condition: 'an address that is none',
    code: 'invalid_recipient',
    a: ['validation_error', 422],
    b: [300, 422],
    asked: { to: ['not an address'] },
  },
  {
    condition: 'an attachment of a forbidden type',
    code: 'attachment_rejected',
    a: ['invalid_attachment', 422],
    b: [411, 422],
    asked: { attachment: 'a.exe' },
  },
  {
    condition: 'a header field that is the service’s own',
    code: 'header_not_allowed',
    a: ['validation_error', 422],
    b: [300, 422],
    asked: { headers: [['Received', 'x']] },
  },
  {
    condition: 'a route that does not exist',
    code: 'not_found',
    a: ['not_found', 404],
    b: [1235, 422],
    asked: { route: 'nirgends' },
  },
  {
    condition: 'the token of a project, and a route of another one',
    code: 'not_found',
    a: ['not_found', 404],
    b: [1235, 422],
    asked: { route: 'befunde' },
    token: tokenOfOtherProject,
  },
  {
    condition: 'a wrong token',
    code: 'unauthorized',
    a: ['invalid_api_key', 403],
    b: [10, 401],
    token: async () => `svc_team_${'0'.repeat(43)}`,
  },
  {
    condition: 'a body that is too large',
    code: 'body_too_large',
    a: ['validation_error', 413],
    b: [300, 413],
    in: () => narrow,
    asked: { text: 'x'.repeat(70_000) },
  },
];

describe('in every form', () => {
  test.each(rows)('$condition: $code', async (row) => {
    const target = row.in?.() ?? app;
    await checkCells(
      columns,
      (key) => shapes[key].name,
      async (key) => {
        const sender = await target.createSender(row.practice);
        await row.prepare?.(sender);
        const token = (await row.token?.(sender)) ?? sender.token;
        const native = await askNatively(target, sender, row.asked ?? {}, token);
        expect(native.body.code).toBe(row.code);
        const answer = await askIn(target, key, sender, row.asked ?? {}, token);
        const expected = { a: row.a, b: row.b, eu: [row.code, native.status] };
        const { named, words }: Shape = shapes[key];
        expect(named(answer)).toEqual(expected[key]);
        // What the native answer has in a field of its own is in the text of the others.
        const hint = String(native.body.hint);
        expect(words(answer.body)).toContain(
          key === 'eu' ? hint : hint.replace(/(?: named)? in `\w+`/, ' named here'),
        );
        const accepted = app === target ? target.rowCounts(sender.practice.id).queue : 0;
        expect(accepted).toBe(0);
      },
    );
  });

  test('a suppressed recipient gets nothing', async () => {
    const sender = await app.createSender();
    const suppressed = { to: ['weg@example.org'] };
    const address = suppressed.to[0];
    await app.request('POST', `${sender.base}/suppression`, { address }, sender.token);
    const a = await askIn(app, 'a', sender, suppressed);
    expect(a).toMatchObject({ status: 200, body: { id: expect.any(String) } });
    const shown = await app.request<Body>(
      'GET',
      `/api/compat/vendor-a/emails/${a.body.id}`,
      undefined,
      sender.token,
    );
    expect(shown.body).toMatchObject({ last_event: 'suppressed' });
    const b = await askIn(app, 'b', sender, suppressed);
    expect(b).toMatchObject({ status: 422, body: { ErrorCode: 406 } });
    expect(b.body.Message).toContain('Found inactive addresses: weg@example.org.');
    const eu = await askIn(app, 'eu', sender, suppressed);
    expect(eu).toMatchObject({ status: 202, body: { status: 'suppressed', code: 'recipient_suppressed' } });
  });

  test('too many requests, with the fields that say when to come again', async () => {
    await checkCells(
      columns,
      (key) => shapes[key].name,
      async (key) => {
        const sender = await narrow.createSender();
        const answers = await Promise.all(
          Array.from({ length: 40 }, () => askIn(narrow, key, sender, { to: ['not an address'] })),
        );
        const refused = answers.find(({ status }) => status === 429);
        if (refused === undefined) throw new Error('none was refused');
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
        expect(refused.headers.get('ratelimit-limit')).toBe('20');
        expect(shapes[key].named(refused)).toEqual(
          { a: ['rate_limit_exceeded', 429], b: [429, 429], eu: ['rate_limited', 429] }[key],
        );
      },
    );
  });

  test.each([
    ['a', '/api/compat/vendor-a/emails/', ['not_found', 404]],
    ['eu', '/api/compat/eu/messages/', ['not_found', 404]],
  ] as const)('%s: a message of another practice is not found', async (key, path, expected) => {
    const [sender, other] = [await app.createSender(), await app.createSender()];
    const sent = await app.send(other);
    const ask = (id: string) => app.request<Body>('GET', path + id, undefined, sender.token);
    const [foreign, unknown] = [await ask(sent), await ask(UNKNOWN_ID)];
    expect(shapes[key].named(foreign)).toEqual(expected);
    expect(foreign.body).toEqual(unknown.body);
  });

  test('while it shuts down', async () => {
    const dot = Promise.withResolvers<string>();
    const receiver = await createSmtpReceiver({ dot: () => dot.promise });
    const own = await startApp({ receiver });
    try {
      const sender = await own.createSender();
      await own.send(sender);
      await receiver.waitForCommand(/ \.$/);
      const stopped = own.stop();
      for (const key of columns) {
        const answer = await askIn(own, key, sender, {});
        expect(shapes[key].named(answer)).toEqual(
          { a: ['application_error', 503], b: [100, 503], eu: ['unavailable', 503] }[key],
        );
        expect(answer.headers.get('retry-after')).toBe('5');
      }
      dot.resolve(OK);
      await stopped;
    } finally {
      dot.resolve(OK);
      await own.remove();
      await receiver.stop();
    }
  });
});
