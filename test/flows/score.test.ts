// A message rated without being sent: by real requests, beside the same message sent.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { scoreAnswer } from '#src/intake/score.ts';
import { DAY } from '#src/kernel/time.ts';
import { letter, type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { type PlayedRspamd, startPlayedRspamd } from '#test/support/played-rspamd.ts';
import { createTestClock } from '#test/support/storage.ts';
import { badMails, type Mail } from '../content/mails.ts';

type Score = z.infer<typeof scoreAnswer>;

const NOON = Date.UTC(2026, 10, 21, 12);
const DOMAIN = 'praxis-mueller.example';
const clock = createTestClock(NOON);
let rspamd: PlayedRspamd;
let app: TestApp;
let sender: Sender;

beforeAll(async () => {
  rspamd = await startPlayedRspamd();
  app = await startApp({
    clock,
    config: {
      service: { public_origin: 'https://mail.example.com' },
      scanners: { rspamd: { url: rspamd.url } },
    },
  });
  sender = await app.createSender({ plan: 'praxis' });
});
afterAll(async () => {
  await app?.remove();
  await rspamd?.stop();
});
afterEach(() => rspamd.reject(null));

const score = (body: object, { base, token }: Sender = sender, headers?: Record<string, string>) =>
  app.request<Score & Refusal>('POST', `${base}/send/score`, body, token, headers);

const send = (body: object, { base, token }: Sender = sender, headers?: Record<string, string>) =>
  app.request<Refusal & { id: string }>('POST', `${base}/send`, body, token, headers);

const everything = (practiceId: string) => ({
  rows: app.rowCounts(practiceId),
  due: app.sql(null, 'SELECT * FROM queue_due WHERE tenant_id = ?', practiceId),
});

test('an ordinary message', async () => {
  const { status, body } = await score(letter);
  expect(status).toBe(200);
  const { decisions, scanner, ...rest } = body;
  expect(rest).toEqual({
    score: 0,
    grade: 'A',
    inbox_risk: 'low',
    would_block: false,
    would_refuse: null,
    hint: null,
    reasons: [],
    warnings: [],
    recommendations: [],
    broadcast: null,
    impressum: null,
  });
  expect(scanner).toMatchObject({ rspamd: { state: 'ok', action: 'no action' } });
  expect(decisions.map(({ verdict }) => verdict)).toEqual(decisions.map(() => 'passed'));
});

describe('nothing is stored', () => {
  test.each<[name: string, body: object]>([
    ['of a message that would be sent', letter],
    ['of one that would be blocked', { ...letter, text: 'Das ist verboten.' }],
    ['of one that would be refused', { ...letter, message_kind: 'newsletter' }],
    ['of one for later', { ...letter, scheduled_at: new Date(NOON + DAY).toISOString() }],
    ['under a key', { ...letter, idempotency_key: 'score' }],
    ['of one that cannot be understood', { ...letter, to: 'nobody' }],
  ])('%s', async (_, body) => {
    const quiet = await app.createSender();
    rspamd.reject('verboten');
    const before = everything(quiet.practice.id);
    await score(body, quiet, { 'Idempotency-Key': 'k' });
    expect(everything(quiet.practice.id)).toEqual(before);
  });

  test('and no key is used up or answered from', async () => {
    const key = { 'Idempotency-Key': 'both' };
    await score(letter, sender, key);
    const sent = await send({ ...letter, text: 'Anders' }, sender, key);
    expect([sent.status, sent.headers.get('idempotent-replayed')]).toEqual([202, null]);
    const scored = await score(letter, sender, key);
    expect([scored.status, scored.headers.get('idempotent-replayed')]).toEqual([200, null]);
  });
});

describe('a dry run and a real run decide alike', () => {
  /** What is counted rises with each mail sent, and so it is left out of what is compared. */
  const compared = (decisions: readonly Omit<Score['decisions'][number], 'title'>[]) =>
    decisions.map(({ gate, verdict, facts: { used, planned, ...facts } }) => ({ gate, verdict, facts }));

  test.each<[name: string, body: object, prepare?: (who: Sender) => unknown]>([
    ['an ordinary message', letter],
    ['one for tomorrow', { ...letter, scheduled_at: new Date(NOON + DAY).toISOString() }],
    ['one with shouting in its subject', { ...letter, subject: 'SOFORT LESEN!!! GRATIS!!!' }],
    ['a newsletter', { ...letter, route: 'broadcast' }, (who) => app.completeLegal(who.practice.id)],
    ['one that a scanner rejects', { ...letter, text: 'Das ist verboten.' }],
    [
      'one that the warm-up holds',
      letter,
      (who) => {
        const day = Math.floor(NOON / DAY);
        const set = 'UPDATE practice SET custom_domain = ?, custom_verified_at = 1, warmup_started_at = ?';
        app.sql(who.practice.id, set, DOMAIN, NOON);
        app.sql(who.practice.id, "INSERT INTO daily_volume VALUES (?, 'transactional', 300)", day);
      },
    ],
    [
      'one with a suppressed recipient',
      { ...letter, cc: 'gone@example.org' },
      ({ base, token }) => app.request('POST', `${base}/suppression`, { address: 'gone@example.org' }, token),
    ],
  ])('%s', async (_, body, prepare) => {
    const who = await app.createSender({ plan: 'praxis' });
    await prepare?.(who);
    rspamd.reject('verboten');
    const dry = await score(body, who);
    const real = await send(body, who);
    const id = real.status === 202 ? real.body.id : String(real.body.message_id);
    const message = await app.message(who, id);
    expect(compared(dry.body.decisions)).toEqual(compared(message.decisions));
    expect(dry.body).toMatchObject({
      score: message.score,
      would_block: message.status === 'failed',
      would_refuse: null,
    });
    if (message.status === 'failed') expect(real.body.scanner).toEqual(dry.body.scanner);
  });

  test('without scanners both say so in one way', async () => {
    const here = await startApp();
    try {
      const who = await here.createSender();
      const { subject, text, html } = badMails[0] as Mail;
      const body = { to: letter.to, subject, ...(text ? { text } : {}), ...(html ? { html } : {}) };
      const dry = await here.request<Score>('POST', `${who.base}/send/score`, body, who.token);
      const real = await here.request<Refusal>('POST', `${who.base}/send`, body, who.token);
      expect(dry.body).toMatchObject({ would_block: true, scanner: null });
      expect(real.body).toMatchObject({ code: 'content_blocked', scanner: null });
    } finally {
      await here.remove();
    }
  });

  test('where all recipients are suppressed the real one ends there', async () => {
    const who = await app.createSender({ plan: 'praxis' });
    await app.request('POST', `${who.base}/suppression`, { address: letter.to }, who.token);
    const dry = await score(letter, who);
    const message = await app.message(who, (await send(letter, who)).body.id);
    expect(message.status).toBe('suppressed');
    const { length } = message.decisions;
    expect(compared(dry.body.decisions.slice(0, length))).toEqual(compared(message.decisions));
    expect(dry.body.warnings).toMatchObject([{ id: 'recipient_suppressed' }]);
  });
});

describe('what would be refused', () => {
  test.each<[code: string, body: object, prepare?: (who: Sender) => unknown]>([
    ['kind_not_allowed_on_route', { ...letter, message_kind: 'newsletter' }],
    ['from_not_allowed', { ...letter, from: 'ceo@bank.example' }],
    ['header_not_allowed', { ...letter, headers: { Received: 'x' } }],
    ['impressum_incomplete', { ...letter, route: 'broadcast' }],
    ['invalid_request', { ...letter, scheduled_at: new Date(NOON + 40 * DAY).toISOString() }],
    [
      'tenant_paused',
      letter,
      (who) =>
        app.sql(
          who.practice.id,
          "UPDATE practice SET paused_at = 1, pause_by = 'member', pause_reason = 'x'",
        ),
    ],
    ['safe_mode_recipient', letter, (who) => app.sql(who.practice.id, 'UPDATE practice SET safe_mode = 1')],
  ])('%s is shown, with what to do, and the refused send has the same code', async (code, body, prepare) => {
    const who = await app.createSender();
    await prepare?.(who);
    const { status, body: told } = await score(body, who);
    expect(status).toBe(200);
    expect(told.would_refuse).toBe(code);
    // To the last gate: what else is wrong is to be seen at once.
    expect(told.decisions.at(-1)?.gate).toBe('unsubscribe');
    const refused = await send(body, who);
    expect({ code: refused.body.code, hint: refused.body.hint }).toEqual({ code, hint: told.hint });
  });

  test.each<[code: string, status: number, body: object]>([
    ['not_found', 404, { ...letter, route: 'nowhere' }],
    ['invalid_recipient', 422, { ...letter, to: 'nobody' }],
    ['invalid_request', 400, { ...letter, subject: '' }],
  ])('%s is answered as a send would be: there is nothing to rate', async (code, status, body) => {
    const answer = await score(body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });
});

test('marketing shows what is missing, and then that nothing is missing', async () => {
  const who = await app.createSender();
  const body = { ...letter, route: 'broadcast' };
  expect((await score(body, who)).body).toMatchObject({
    broadcast: { eligible: false, missing: ['impressum_incomplete'] },
    impressum: { complete: false, missing: ['street', 'city', 'privacy_url'] },
  });
  await app.completeLegal(who.practice.id);
  expect((await score(body, who)).body).toMatchObject({
    broadcast: { eligible: true, missing: [] },
    impressum: { complete: true, missing: [] },
  });
});

test('content that would be blocked is rated so, in the language asked for', async () => {
  rspamd.reject('verboten');
  const body = { ...letter, subject: 'SOFORT LESEN!!!', text: 'Das ist verboten.' };
  const [german, english] = await Promise.all(
    ['de', 'en'].map(async (language) => (await score(body, sender, { 'Accept-Language': language })).body),
  );
  for (const told of [german, english]) {
    expect(told).toMatchObject({ would_block: true, would_refuse: null, grade: 'F', inbox_risk: 'high' });
    expect(told?.score).toBeGreaterThanOrEqual(70);
    expect(told?.reasons[0]).toMatchObject({ id: 'rspamd', weight: 90 });
    expect(told?.recommendations.length).toBeGreaterThan(0);
    const weights = told?.reasons.map(({ weight }) => weight) ?? [];
    expect(weights).toEqual(weights.toSorted((a, b) => b - a));
  }
  const why = (told: Score | undefined) => told?.reasons.map((reason) => reason.why);
  expect(why(german)).toHaveLength(why(english)?.length ?? 0);
  for (const [index, words] of (why(german) ?? []).entries()) expect(words).not.toBe(why(english)?.[index]);
});

test('an answer is in one language: English unless German is asked for', async () => {
  const body = {
    ...letter,
    route: 'broadcast',
    message_kind: 'newsletter',
    subject: 'SOFORT LESEN!!! GRATIS!!!',
  };
  const textsOf = ({ hint, reasons, warnings, recommendations }: Score): string[] => [
    ...[hint ?? ''],
    ...[...reasons, ...warnings].flatMap(({ why, advice }) => [why, advice]),
    ...recommendations,
  ];
  const german = textsOf((await score(body, sender, { 'Accept-Language': 'de-AT,en;q=0.5' })).body);
  expect(german[0]).toBe('Ergänzen Sie das Impressum: PATCH /api/practices/{id}/compliance.');
  expect(german.length).toBeGreaterThan(4);
  expect(german.filter((text) => / (?:the|is|of|to|with) /.test(text))).toEqual([]);
  for (const headers of [undefined, { 'Accept-Language': '*' }, { 'Accept-Language': 'fr' }]) {
    const english = textsOf((await score(body, sender, headers)).body);
    expect(english).toHaveLength(german.length);
    expect(english.filter((text) => / (?:der|die|das|ist|Sie|und) /.test(text))).toEqual([]);
  }
});

test('the scanner is asked about the whole message, once a request, also where it would be refused', async () => {
  const before = rspamd.asked.length;
  await score({ ...letter, message_kind: 'newsletter', text: 'Nur zur Ansicht.' });
  const asked = rspamd.asked.slice(before);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toContain('Nur zur Ansicht.');
  expect(asked[0]).toMatch(/^Subject: /m);
});

test('a stored template is rated filled in', async () => {
  const template = {
    name: 'laut',
    message_kind: 'termin',
    subject: '{{wort}} LESEN!!!',
    text: 'Guten Tag.',
  };
  const made = await app.request('POST', `${sender.base}/templates`, template, sender.token);
  expect(made.status).toBe(201);
  const { body } = await score({ to: letter.to, template: 'laut', data: { wort: 'SOFORT' } });
  expect(body.reasons.length).toBeGreaterThan(0);
  expect(body.decisions[0]).toMatchObject({ facts: { message_kind: 'termin' } });
});

test('who is limited to a project rates for it alone', async () => {
  const made = await app.request<{ id: string }>(
    'POST',
    `${sender.base}/projects`,
    { name: 'Labor' },
    sender.token,
  );
  const scope = { scope: 'project', project_id: made.body.id };
  const limited = { ...sender, token: await app.createToken(sender.practice.id, scope) };
  expect((await score(letter, limited)).status).toBe(200);
  const { data } = (
    await app.request<{ data: readonly { id: string; is_default: boolean }[] }>(
      'GET',
      `${sender.base}/projects`,
      undefined,
      sender.token,
    )
  ).body;
  const other = data.find(({ is_default }) => is_default)?.id;
  expect((await score({ ...letter, project_id: other }, limited)).body.code).toBe('not_found');
});
