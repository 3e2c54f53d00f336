// Every code with which a send can be refused, caused by a real request, with the extra fields that the code declares
// (support/app.ts holds each refusal against its declaration). That none is left out is asked of the API's own
// description.
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { monthOf } from '#src/accounts/counters/rules.ts';
import { errorTable } from '#src/kernel/error-table.ts';
import type { ErrorCode } from '#src/kernel/errors.ts';
import { DAY } from '#src/kernel/time.ts';
import { contentOf } from '#test/fixtures/file-contents.ts';
import { letter, type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { ISO, UNKNOWN_ID, UUID } from '#test/support/asking.ts';
import { dereference } from '#test/support/openapi.ts';
import { type PlayedRspamd, startPlayedRspamd } from '#test/support/played-rspamd.ts';
import { until } from '#test/support/process.ts';
import { createTestClock } from '#test/support/storage.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const NEXT_MONTH = '2026-12-01T00:00:00.000Z';
const DOMAIN = 'praxis-mueller.example';

const clock = createTestClock(NOON);
let rspamd: PlayedRspamd;
let app: TestApp;
/** With bounds that are soon reached, and a scanner that is down. */
let narrow: TestApp;

beforeAll(async () => {
  rspamd = await startPlayedRspamd();
  app = await startApp({
    clock,
    config: { limits: { managed_host_mails: 200 }, scanners: { rspamd: { url: rspamd.url } } },
  });
  narrow = await startApp({
    // Its buckets do not fill while requests are under way.
    clock,
    config: {
      limits: { body_bytes: 65_536, api_rate: { per_second: 1, burst: 20 } },
      scanners: { rspamd: { url: 'http://127.0.0.1:1' }, on_failure: 'refuse' },
    },
  });
});
afterAll(async () => {
  await app?.remove();
  await narrow?.remove();
  await rspamd?.stop();
});

const caused = new Set<string>();

interface Row {
  readonly code: ErrorCode;
  readonly name: string;
  /** Of the practice, before anything is sent. */
  readonly practice?: Readonly<Record<string, unknown>>;
  readonly prepare?: (sender: Sender) => unknown;
  readonly fields?: Readonly<Record<string, unknown>>;
  /** In the place of a letter with `fields`. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: (sender: Sender) => string | undefined | Promise<string>;
  readonly path?: string;
  readonly in?: () => TestApp;
  readonly extra?: Readonly<Record<string, unknown>>;
}

const state = (assignments: string) => (sender: Sender) =>
  app.sql(sender.practice.id, `UPDATE practice SET ${assignments}`);

/** Uses so many mails of this month. */
const use = (mails: number) => (sender: Sender) =>
  app.sql(
    sender.practice.id,
    'INSERT INTO monthly_usage (month, accepted) VALUES (?, ?)',
    monthOf(NOON).name,
    mails,
  );

/** The custom domain is in use, on that day of its warm-up. */
const onDay = (day: number) =>
  state(`custom_domain = '${DOMAIN}', custom_verified_at = 1, warmup_started_at = ${NOON - (day - 1) * DAY}`);

const legal = (sender: Sender) => app.completeLegal(sender.practice.id);
const all =
  (...steps: ((sender: Sender) => unknown)[]) =>
  async (sender: Sender) => {
    for (const step of steps) await step(sender);
  };

const brokenDkim = (sender: Sender) =>
  app.sql(
    sender.practice.id,
    "INSERT INTO dns_checks (host, checked_at, result_json, standings_json) VALUES (?, ?, ?, '{}')",
    DOMAIN,
    NOON,
    JSON.stringify({ records: [{ purpose: 'dkim', status: 'missing' }] }),
  );

const archivedToken = async ({ base, practice, token }: Sender): Promise<string> => {
  const made = await app.request<{ id: string }>('POST', `${base}/projects`, { name: 'Alt' }, token);
  const scoped = await app.createToken(practice.id, { scope: 'project', project_id: made.body.id });
  await app.request('PATCH', `${base}/projects/${made.body.id}`, { archived: true }, token);
  return scoped;
};

const marketing = { route: 'broadcast', message_kind: 'newsletter' };
const plan = (name: string) => ({ plan: name });
const attachment = (filename: string, extension: string) => ({
  filename,
  content: Buffer.from(contentOf(extension)).toString('base64'),
});

const rows: readonly Row[] = [
  { code: 'invalid_json', name: 'half a document', body: Buffer.from('{"to":') },
  {
    code: 'invalid_request',
    name: 'no subject',
    fields: { subject: undefined },
    extra: { fields: [{ path: 'body.subject', message: 'is required' }] },
  },
  {
    code: 'invalid_request',
    name: 'a time more than 30 days ahead',
    fields: { scheduled_at: new Date(NOON + 30 * DAY + 1).toISOString() },
    extra: { fields: [{ path: 'body.scheduled_at', message: expect.stringContaining('30 days') }] },
  },
  { code: 'unauthorized', name: 'no credential', token: () => undefined },
  {
    code: 'plan_cap_reached',
    name: 'the Test plan at its cap',
    prepare: use(200),
    extra: { used: 200, cap: 200, resets_at: NEXT_MONTH },
  },
  {
    code: 'plan_cap_reached',
    name: 'more recipients than the Test plan has left',
    prepare: use(199),
    fields: { to: 'a@example.org, b@example.org' },
    extra: { used: 199, cap: 200 },
  },
  {
    code: 'plan_cap_reached',
    name: 'marketing on a paid plan at its cap',
    practice: plan('supporter'),
    prepare: all(legal, onDay(20), use(1_000)),
    fields: marketing,
    extra: { used: 1_000, cap: 1_000 },
  },
  {
    code: 'plan_cap_reached',
    name: 'a managed host at its cap, whatever the plan',
    practice: plan('gruppe'),
    prepare: use(200),
    extra: { used: 200, cap: 200, hint: expect.stringContaining('domain of your own') },
  },
  {
    code: 'forbidden',
    name: 'a token that may not send',
    prepare: () => undefined,
    path: '/api-tokens',
    body: { name: 'a', scope: 'team' },
    token: async ({ base, practice, token }) => {
      const made = await app.request<{ id: string }>('POST', `${base}/projects`, { name: 'Labor' }, token);
      return app.createToken(practice.id, { scope: 'project', project_id: made.body.id });
    },
    extra: { permission: 'tokens.manage' },
  },
  { code: 'not_found', name: 'an unknown route', fields: { route: 'nowhere' } },
  { code: 'not_found', name: 'an unknown project', fields: { project_id: UNKNOWN_ID } },
  { code: 'not_found', name: 'an unknown template', body: { to: letter.to, template: 'nowhere' } },
  {
    code: 'tenant_paused',
    name: 'a paused practice',
    prepare: state("paused_at = 1767225600000, pause_by = 'guardrail', pause_reason = 'bounces'"),
    extra: { reason: 'bounces', paused_at: '2026-01-01T00:00:00.000Z' },
  },
  {
    code: 'idempotency_conflict',
    name: 'a key that was used for another message',
    prepare: ({ base, token }) =>
      app.request('POST', `${base}/send`, { ...letter, text: 'Anders' }, token, { 'Idempotency-Key': 'k' }),
    headers: { 'Idempotency-Key': 'k' },
  },
  { code: 'conflict', name: 'an archived project', token: archivedToken },
  {
    code: 'body_too_large',
    name: 'a body over the limit',
    in: () => narrow,
    fields: { text: 'x'.repeat(70_000) },
    extra: { limit_bytes: 65_536 },
  },
  { code: 'unsupported_media_type', name: 'a text', headers: { 'Content-Type': 'text/plain' } },
  {
    code: 'content_blocked',
    name: 'content that a scanner rejects',
    prepare: () => rspamd.reject('verboten'),
    fields: { text: 'Das ist verboten.' },
    extra: {
      content_reasons: expect.arrayContaining(['rspamd']),
      scanner: expect.objectContaining({ rspamd: expect.objectContaining({ action: 'reject' }) }),
      message_id: UUID,
    },
  },
  {
    code: 'kind_not_allowed_on_route',
    name: 'a newsletter on outgoing',
    fields: { message_kind: 'newsletter' },
  },
  {
    code: 'impressum_incomplete',
    name: 'marketing without an Impressum',
    fields: marketing,
    extra: { missing: ['street', 'city', 'privacy_url'] },
  },
  {
    code: 'dkim_not_verified',
    name: 'From on a domain that waits for its records',
    practice: { domain: DOMAIN },
    fields: { from: `praxis@${DOMAIN}` },
    extra: { missing: ['dkim'] },
  },
  {
    code: 'dkim_not_verified',
    name: 'marketing from a domain whose records have gone bad',
    practice: plan('praxis'),
    prepare: all(legal, onDay(20), brokenDkim),
    fields: marketing,
    extra: { missing: ['dkim'] },
  },
  {
    code: 'warmup_not_ready',
    name: 'marketing on day 2',
    practice: plan('praxis'),
    prepare: all(legal, onDay(2)),
    fields: marketing,
    extra: { day: 2 },
  },
  {
    code: 'warmup_cap_reached',
    name: 'marketing over the cap of day 3',
    practice: plan('praxis'),
    prepare: all(legal, onDay(3), (sender) =>
      app.sql(
        sender.practice.id,
        "INSERT INTO daily_volume (day, stream, mails) VALUES (?, 'marketing', 400)",
        Math.floor(NOON / DAY),
      ),
    ),
    fields: marketing,
    extra: { cap: 400 },
  },
  {
    code: 'promotional_on_transactional',
    name: 'advertising as ordinary mail',
    fields: {
      subject: 'Jetzt 50 % Rabatt auf alles!',
      text: 'Nur bis Sonntag: 50 % Rabatt auf alle Produkte. Jetzt kaufen und sparen! Gutschein sichern: https://shop.example/angebot',
    },
    extra: { content_reasons: expect.arrayContaining([expect.any(String)]) },
  },
  {
    code: 'attachment_rejected',
    name: 'a program',
    fields: { attachments: [attachment('a.exe', 'pdf')] },
    extra: { attachment: 'a.exe', reason: expect.any(String) },
  },
  {
    code: 'too_many_recipients',
    name: '51 recipients in three fields',
    fields: {
      to: Array.from({ length: 17 }, (_, index) => `a${index}@example.org`),
      cc: Array.from({ length: 17 }, (_, index) => `b${index}@example.org`),
      bcc: Array.from({ length: 17 }, (_, index) => `c${index}@example.org`),
    },
    extra: { count: 51, limit: 50 },
  },
  {
    code: 'safe_mode_recipient',
    name: 'a stranger in safe mode',
    prepare: state('safe_mode = 1'),
    extra: { recipients: [letter.to] },
  },
  {
    code: 'from_not_allowed',
    name: 'From on another’s domain',
    fields: { from: 'ceo@bank.example' },
    extra: { allowed: [expect.stringMatching(/\.send\.example\.com$/)] },
  },
  {
    code: 'header_not_allowed',
    name: 'a field that is the service’s own',
    fields: { headers: { Received: 'x' } },
    extra: { header: 'Received' },
  },
  {
    code: 'invalid_recipient',
    name: 'no recipient',
    fields: { to: [] },
    extra: { recipients: [] },
  },
  {
    code: 'unavailable',
    name: 'a scanner that must be asked is down',
    in: () => narrow,
    extra: { retry_after: expect.any(Number) },
  },
  {
    code: 'rate_limited',
    name: 'too many requests at once',
    in: () => narrow,
    prepare: async ({ base, token }) => {
      const calls = Array.from({ length: 25 }, () => narrow.request('POST', `${base}/send`, {}, token));
      await Promise.all(calls);
    },
    extra: { retry_after: expect.any(Number) },
  },
];

afterEach(() => rspamd.reject(null));

describe('a send is refused with', () => {
  test.each(rows)('$code: $name', async (row) => {
    const target = row.in?.() ?? app;
    const sender = await target.createSender(row.practice);
    const token = row.token ? await row.token(sender) : sender.token;
    await row.prepare?.(sender);
    const messages = () => target.rowCounts(sender.practice.id).messages;
    const before = messages() ?? 0;
    const body = 'body' in row ? row.body : { ...letter, ...row.fields };
    const answer = await target.request<Refusal>(
      'POST',
      sender.base + (row.path ?? '/send'),
      body,
      token,
      row.headers,
    );
    expect(answer.body).toMatchObject({ code: row.code, ...row.extra });
    expect(answer.status).toBe(errorTable[row.code].status);
    // Blocked content is kept as failed; of anything else nothing is.
    expect(messages()).toBe(before + (row.code === 'content_blocked' ? 1 : 0));
    caused.add(row.code);
  });

  /** Why a code of the description has no row. */
  const elsewhere: Readonly<Record<string, string>> = {
    consent_required: 'only mail to lists asks for consent: gates.test.ts',
    idempotency_in_progress: 'it takes a second call while the first is held up: below',
    internal_error: 'a defect',
    token_slowed: 'a token sends far more than usual first: token-brake.test.ts',
    sign_in_again: 'only a session with the rights of an operator is asked for it: operators.test.ts',
  };

  test('every code that the API’s description names for a send', async () => {
    interface Described {
      readonly paths: Record<string, Record<string, { responses: Record<string, { description: string }> }>>;
    }
    const described: Described = dereference(parse((await app.request('GET', '/openapi.yaml')).text));
    const responses = Object.values(described.paths['/api/practices/{id}/send']?.post?.responses ?? {});
    const codes = responses.flatMap(({ description }) =>
      [...description.matchAll(/`(\w+)`/g)].map(([, code = '']) => code),
    );
    expect([...caused, ...Object.keys(elsewhere)].toSorted()).toEqual([...new Set(codes)].toSorted());
  });
});

test('a second call under the key of one that takes too long is asked to try again', async () => {
  const held = await startPlayedRspamd();
  onTestFinished(held.stop);
  const config = { scanners: { rspamd: { url: held.url, timeout: '60s' } } };
  const patient = await startApp({ config, keyPatienceMs: 50 });
  onTestFinished(() => patient.remove());
  const who = await patient.createSender();
  const answerNow = held.hang();
  const send = () =>
    patient.request<Refusal>('POST', `${who.base}/send`, letter, who.token, { 'Idempotency-Key': 'held' });
  const first = send();
  await until('the first is looked at', () => held.asked.length > 0);
  const second = await send();
  expect([second.status, second.body.code]).toEqual([409, 'idempotency_in_progress']);
  answerNow();
  expect((await first).status).toBe(202);
  const third = await send();
  expect([third.status, third.headers.get('idempotent-replayed')]).toEqual([202, 'true']);
  expect(patient.rowCounts(who.practice.id).messages).toBe(1);
});

describe('a message whose content is blocked', () => {
  test('is kept as failed, with both events, its score and its decisions; the key answers the same again', async () => {
    const sender = await app.createSender();
    rspamd.reject('verboten');
    const body = { ...letter, text: 'Das ist verboten.', cc: 'copy@example.org' };
    const key = { 'Idempotency-Key': 'blocked' };
    const first = await app.request<Refusal>('POST', `${sender.base}/send`, body, sender.token, key);
    expect([first.status, first.body.code]).toEqual([422, 'content_blocked']);
    const id = String(first.body.message_id);
    const message = await app.message(sender, id);
    expect(message).toMatchObject({
      status: 'failed',
      score: 90,
      recipients: [
        { address: letter.to, status: 'failed', next_attempt_at: null },
        { address: 'copy@example.org', status: 'failed', next_attempt_at: null },
      ],
    });
    expect(message.decisions.find(({ gate }) => gate === 'content')).toMatchObject({ verdict: 'blocked' });
    const events = await app.request<{ data: readonly { type: string; at: string }[] }>(
      'GET',
      `${sender.base}/messages/${id}/events`,
      undefined,
      sender.token,
    );
    expect(events.body.data.map(({ type, at }) => [type, at])).toEqual([
      ['message.failed', ISO],
      ['message.content_blocked', ISO],
    ]);
    rspamd.reject(null);
    const second = await app.request<Refusal>('POST', `${sender.base}/send`, body, sender.token, key);
    expect([second.status, second.text]).toEqual([422, first.text]);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(app.rowCounts(sender.practice.id).messages).toBe(1);
    const usage = app.sql(sender.practice.id, 'SELECT * FROM monthly_usage');
    expect(usage).toEqual([]);
  });
});
