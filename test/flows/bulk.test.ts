// One template for many recipients: what each of them gets, what is refused before anything is sent, and that nobody
// gets it twice.
import path from 'node:path';
import Database from 'better-sqlite3';
import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AppAnswer, type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { startDaemon } from '#test/support/daemon.ts';
import { startPlayedRspamd } from '#test/support/played-rspamd.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { numbered, openPractice, PATIENCE_MS, untilTestEnds } from './fixture.ts';

interface Result extends Partial<Refusal> {
  readonly email: string;
  readonly id?: string;
  readonly status?: string;
  readonly status_code?: number;
  readonly duplicate_of?: number;
}
interface Bulk {
  readonly results: readonly Result[];
  readonly code?: string;
  readonly fields?: readonly { readonly path: string }[];
}

let receiver: SmtpReceiver;
let app: TestApp;
let sender: Sender;

beforeAll(async () => {
  receiver = await createSmtpReceiver();
  app = await startApp({
    runsTwice: true,
    receiver,
    config: { service: { public_origin: 'https://mail.example.com' } },
  });
  sender = await app.createSender({ plan: 'gruppe' });
  await app.completeLegal(sender.practice.id);
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

const template = {
  subject: 'Neues für {{name}}',
  text: 'Guten Tag {{name}},\n\nmehr unter {{link}}',
  html: '<p>Guten Tag {{name}},</p><p><a href="{{link}}">Mehr</a></p>',
};
const link = 'https://praxis.example/neues';
const anna = { email: 'anna@example.org', data: { name: 'Anna', link } };
const ben = { email: 'ben@example.org', data: { name: 'Ben', link } };

const post = (body: object, headers: Readonly<Record<string, string>> = {}, who = sender) =>
  app.request<Bulk>('POST', `${who.base}/send/bulk`, { template, ...body }, who.token, headers);
const sql = <Row>(statement: string, ...values: unknown[]) =>
  app.sql<Row>(sender.practice.id, statement, ...values);
const counted = (table: string) => app.rowCounts(sender.practice.id)[table];
const codesOf = ({ body }: AppAnswer<Bulk>) => body.results.map(({ code, status }) => code ?? status);

describe('each recipient', () => {
  test('gets a message of their own with their own values, escaped, and their own unsubscribe link', async () => {
    const data = { name: 'Frau "Müller" <b> & Söhne', link: `${link}?a=1&b=ü` };
    const cara = { email: 'Cara Müller <cara@example.org>', data };
    const dora = { email: 'dora@example.org', name: 'Dora, die Erste', data: { name: 'Dora' } };
    const { status, body } = await post({ recipients: [cara, dora], data: { link } });
    expect(status).toBe(202);
    expect(body.results.map(({ email }) => email)).toEqual([cara.email, dora.email]);
    const [first = '', second = ''] = body.results.map(({ id }) => id);
    for (const id of [first, second]) await app.untilStatus(sender, id, 'processed');
    const mailOf = (address: string) => {
      const received = receiver.messages.find(({ recipients }) =>
        recipients.some((recipient) => recipient.address === address),
      );
      return simpleParser(received?.content ?? '');
    };
    const ofCara = await mailOf('cara@example.org');
    expect(ofCara.subject).toBe('Neues für Frau "Müller" <b> & Söhne');
    expect(ofCara.to).toMatchObject({ value: [{ address: 'cara@example.org', name: 'Cara Müller' }] });
    expect(ofCara.text).toContain(
      'Guten Tag Frau "Müller" <b> & Söhne,\n\nmehr unter https://praxis.example/neues?a=1&b=ü',
    );
    expect(ofCara.html).toContain('Frau &quot;Müller&quot; &lt;b&gt; &amp; Söhne');
    // Clicks in a newsletter are tracked: where it leads stands in the link.
    const [, encoded = ''] = /href="[^"]*\/t\/c\/[\w-]+\/([\w-]+)"/.exec(ofCara.html || '') ?? [];
    expect(Buffer.from(encoded, 'base64url').toString()).toBe('https://praxis.example/neues?a=1&b=%C3%BC');
    const ofDora = await mailOf('dora@example.org');
    expect(ofDora.to).toMatchObject({ value: [{ address: 'dora@example.org', name: 'Dora, die Erste' }] });
    expect(ofDora.text).toContain('Guten Tag Dora,');
    const wayOut = [ofCara, ofDora].map(({ headers }) => JSON.stringify(headers.get('list')));
    expect(wayOut[0]).toContain('unsubscribe');
    expect(wayOut[0]).not.toBe(wayOut[1]);
    expect(await app.message(sender, first)).toMatchObject({
      source: 'bulk',
      message_kind: 'newsletter',
      route: { slug: 'broadcast' },
      subject: 'Neues für Frau "Müller" <b> & Söhne',
      html: expect.stringContaining('&lt;b&gt;'),
    });
  });

  test('has their values kept and no more; the content is there once', async () => {
    const before = counted('shared_contents') ?? 0;
    const recipients = [
      { ...anna, data: { ...anna.data, unused: 'x' } },
      { ...ben, data: { ...ben.data, unused: 'y' } },
    ];
    const { body } = await post({ recipients });
    const rows = sql<{ text: null; html: null; data_json: string }>(
      `SELECT text, html, data_json FROM message_bodies JOIN messages ON seq = message_seq
       WHERE id IN (?, ?) ORDER BY seq`,
      ...body.results.map(({ id }) => id),
    );
    expect(rows).toEqual(
      [anna, ben].map(({ data }) => ({ text: null, html: null, data_json: JSON.stringify(data) })),
    );
    expect(counted('shared_contents')).toBe(before + 1);
  });

  test('a suppressed recipient or a bad address is answered in its own place', async () => {
    await app.request('POST', `${sender.base}/suppression`, { address: 'gone@example.org' }, sender.token);
    const recipients = [anna, { ...anna, email: 'gone@example.org' }, { ...anna, email: 'nobody' }, ben];
    const answer = await post({ recipients });
    expect(answer.status).toBe(202);
    expect(codesOf(answer)).toEqual(['queued', 'recipient_suppressed', 'invalid_recipient', 'queued']);
    expect(answer.body.results[2]).toMatchObject({
      email: 'nobody',
      status_code: 422,
      recipients: ['nobody'],
    });
  });

  test('named twice with the same values gets one message; with others two', async () => {
    const twin = { ...anna, email: 'ANNA@example.org' };
    const child = { ...anna, data: { ...anna.data, name: 'Annas Kind' } };
    const { body } = await post({ recipients: [anna, twin, child, anna] });
    const ids = body.results.map(({ id }) => id);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[3]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
    expect(body.results.map(({ duplicate_of }) => duplicate_of)).toEqual([undefined, 0, undefined, 0]);
    expect(body.results.map(({ email }) => email)).toEqual(
      [anna, twin, child, anna].map(({ email }) => email),
    );
  });
});

describe('the defaults', () => {
  const sent = async (body: object) => {
    const answer = await post({ recipients: [anna], ...body });
    return app.message(sender, answer.body.results[0]?.id ?? '');
  };

  test('follow the kind: other than marketing goes over the default route', async () => {
    expect(await sent({ message_kind: 'recall' })).toMatchObject({
      route: { slug: 'outgoing' },
      message_kind: 'recall',
    });
    expect(await sent({ message_kind: 'custom' })).toMatchObject({
      route: { slug: 'broadcast' },
      message_kind: 'custom',
    });
  });

  test('of a stored template hold, and those of the request win', async () => {
    const stored = { name: 'erinnerung', message_kind: 'termin', track_opens: false, ...template };
    await app.request('POST', `${sender.base}/templates`, stored, sender.token);
    expect(await sent({ template: 'erinnerung' })).toMatchObject({
      message_kind: 'termin',
      route: { slug: 'outgoing' },
    });
    const asked = {
      template: 'erinnerung',
      template_version: 1,
      message_kind: 'newsletter',
      tags: ['a'],
      metadata: { b: 'c' },
    };
    expect(await sent(asked)).toMatchObject({
      message_kind: 'newsletter',
      route: { slug: 'broadcast' },
      tags: ['a'],
      metadata: { b: 'c' },
    });
  });
});

describe('before anything is sent, refused is', () => {
  const rows: readonly (readonly [
    name: string,
    body: object,
    status: number,
    code: string,
    paths: string[],
  ])[] = [
    ['nobody', { recipients: [] }, 400, 'invalid_request', ['body.recipients']],
    [
      'a template without content',
      { recipients: [anna], template: { subject: 'x' } },
      400,
      'invalid_request',
      ['body.template.html'],
    ],
    [
      'a template that could become code',
      { recipients: [anna], template: { subject: 'x', html: '<a href={{link}}>' } },
      400,
      'invalid_request',
      ['body.template.html'],
    ],
    ['an attachment', { recipients: [anna], attachments: [] }, 400, 'invalid_request', ['body.attachments']],
    [
      'a version of no template',
      { recipients: [anna], template_version: 1 },
      400,
      'invalid_request',
      ['body.template_version'],
    ],
    [
      'a time too far ahead',
      { recipients: [anna], scheduled_at: '2999-01-01T00:00:00Z' },
      400,
      'invalid_request',
      ['body.scheduled_at'],
    ],
    ['a template that is not there', { recipients: [anna], template: 'nirgends' }, 404, 'not_found', []],
    ['a route that is not there', { recipients: [anna], route: 'nirgends' }, 404, 'not_found', []],
    [
      'a project that is not there',
      { recipients: [anna], project_id: crypto.randomUUID() },
      404,
      'not_found',
      [],
    ],
    [
      'a kind on the wrong route',
      { recipients: [anna], route: 'outgoing' },
      422,
      'kind_not_allowed_on_route',
      [],
    ],
    [
      'a From that is not the practice’s',
      { recipients: [anna], from: 'a@foreign.example' },
      422,
      'from_not_allowed',
      [],
    ],
    [
      'a header that may not be set',
      { recipients: [anna], headers: { Sender: 'x' } },
      422,
      'header_not_allowed',
      [],
    ],
  ];
  test.each(rows)('%s', async (_, body, status, code, paths) => {
    const before = [counted('messages'), counted('shared_contents'), counted('idempotency_keys')];
    const answer = await post(body, { 'Idempotency-Key': 'refused' });
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status, code });
    expect((answer.body.fields ?? []).map((field) => field.path)).toEqual(paths);
    expect([counted('messages'), counted('shared_contents'), counted('idempotency_keys')]).toEqual(before);
  });

  test('10,001 recipients', async () => {
    const recipients = numbered('r', 10_001).map((email) => ({ email }));
    const { status, body } = await post({ template: { subject: 'x', text: 'y' }, recipients });
    expect({ status, path: body.fields?.[0]?.path }).toEqual({ status: 400, path: 'body.recipients' });
  });

  test('marketing without an Impressum', async () => {
    const bare = await app.createSender();
    const { status, body } = await post({ recipients: [anna] }, {}, bare);
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'impressum_incomplete' });
  });
});

describe('an entry that cannot be sent is refused in its place, and the others are sent:', () => {
  const entries: [says: string, entry: unknown, paths: string[], template?: object][] = [
    ['without a value', { email: 'b@example.org' }, ['.data.name', '.data.link']],
    ['with a link that is none', { ...ben, data: { name: 'B', link: 'javascript:1' } }, ['.data.link']],
    [
      'whose subject would be empty',
      { ...ben, data: { name: '', link } },
      ['.data'],
      { subject: '{{name}}', text: 'x' },
    ],
    ['with an address that is no text', { email: 7, data: ben.data }, ['.email']],
    ['with a field that there is not', { ...ben, date: {} }, ['.date']],
    ['that is no object', 'cara@example.org', ['']],
    ['that is nothing', null, ['']],
    ['with a value that is none', { ...ben, data: { name: null, link } }, ['.data.name']],
  ];
  test.each(entries)('%s', async (_, entry, paths, own) => {
    const before = counted('messages') ?? 0;
    const email = ((entry ?? {}) as { email?: unknown }).email;
    const recipients = [anna, entry, { ...ben, email: 'last@example.org' }];
    const { status, body } = await post({ recipients, ...(own ? { template: own } : {}) });
    expect(status).toBe(202);
    expect(body.results).toEqual([
      expect.objectContaining({ email: anna.email, status: 'queued' }),
      {
        email: typeof email === 'string' ? email : '',
        status_code: 422,
        code: 'invalid_entry',
        error: expect.any(String),
        hint: expect.any(String),
        fields: paths.map((path) => ({ path: `body.recipients[1]${path}`, message: expect.any(String) })),
      },
      expect.objectContaining({ email: 'last@example.org', status: 'queued' }),
    ]);
    expect(counted('messages')).toBe(before + 2);
  });

  test('where none is left, the whole is 422, and the key is free again', async () => {
    const before = [counted('messages'), counted('shared_contents'), counted('idempotency_keys')];
    const headers = { 'Idempotency-Key': 'none left' };
    const { status, body } = await post(
      { recipients: [{ email: 'a@example.org' }, { email: 'nobody' }] },
      headers,
    );
    expect([status, body.results.map(({ status_code }) => status_code)]).toEqual([422, [422, 422]]);
    expect([counted('messages'), counted('shared_contents'), counted('idempotency_keys')]).toEqual(before);
    expect((await post({ recipients: [anna] }, headers)).status).toBe(202);
  });

  test('each of thousands, with its first problems', async () => {
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`v${index}`, index]));
    const text = Object.keys(many)
      .map((name) => `{{${name}}}`)
      .join();
    const recipients = [...numbered('r', 1_000).map((email) => ({ email })), { ...anna, data: many }];
    const { status, body } = await post({ recipients, template: { subject: 'x', text } });
    expect(status).toBe(202);
    expect(body.results.map((result) => (result.fields as unknown[] | undefined)?.length)).toEqual([
      ...Array.from({ length: 1_000 }, () => 5),
      undefined,
    ]);
  });

  test('under one key, the same request is answered as it was', async () => {
    const headers = { 'Idempotency-Key': 'mixed' };
    const recipients = [{ email: 'a@example.org' }, anna];
    const first = await post({ recipients }, headers);
    const again = await post({ recipients }, headers);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });
});

describe('where the cap is reached in the middle', () => {
  test('those before it are sent, the others are refused', async () => {
    const small = await app.createSender();
    await app.completeLegal(small.practice.id);
    const recipients = numbered('cap', 205).map((email) => ({ email, data: anna.data }));
    const { status, body } = await post({ recipients }, {}, small);
    expect(status).toBe(202);
    expect(body.results.filter((result) => result.status === 'queued')).toHaveLength(200);
    expect(body.results.filter(({ code }) => code === 'plan_cap_reached')).toHaveLength(5);
    const again = await post({ recipients: recipients.slice(0, 2) }, {}, small);
    expect({ status: again.status, codes: codesOf(again) }).toEqual({
      status: 422,
      codes: ['plan_cap_reached', 'plan_cap_reached'],
    });
    expect(app.rowCounts(small.practice.id).shared_contents).toBe(1);
  });
});

describe('the flat path', () => {
  const flat = (body: object, token: string, headers = {}) =>
    app.request<Bulk>(
      'POST',
      '/api/emails/send-bulk',
      { template, recipients: [anna], ...body },
      token,
      headers,
    );

  test('takes the practice from the token, and needs the project', async () => {
    const { body: projects } = await app.request<{ data: { id: string }[] }>(
      'GET',
      `${sender.base}/projects`,
      undefined,
      sender.token,
    );
    const project_id = projects.data[0]?.id;
    const missing = await flat({}, sender.token);
    expect({ status: missing.status, path: missing.body.fields?.[0]?.path }).toEqual({
      status: 400,
      path: 'body.project_id',
    });
    const answer = await flat({ project_id }, sender.token);
    expect(codesOf(answer)).toEqual(['queued']);
    expect((await flat({ project_id: crypto.randomUUID() }, sender.token)).status).toBe(404);
    const named = await flat({ project_id }, app.adminToken, { 'X-Service-Practice': sender.practice.id });
    expect(named.status).toBe(202);
  });
});

describe('under an Idempotency-Key', () => {
  const key = (name: string) => ({ 'Idempotency-Key': name });

  test('the same request is answered again as it was, by header and by field', async () => {
    const body = { recipients: [anna, { ...ben, email: 'nobody' }] };
    const before = counted('messages') ?? 0;
    const first = await post(body, key('bulk'));
    const again = await post({ ...body, idempotency_key: 'other' }, key('bulk'));
    const byField = await post({ ...body, idempotency_key: 'bulk' });
    expect([again.text, byField.text]).toEqual([first.text, first.text]);
    expect([again, byField].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([
      'true',
      'true',
    ]);
    expect(counted('messages')).toBe(before + 1);
    const other = await post({ recipients: [anna] }, key('bulk'));
    expect({ status: other.status, code: other.body.code }).toEqual({
      status: 409,
      code: 'idempotency_conflict',
    });
  });

  test('many at once send it once', async () => {
    const recipients = numbered('once', 20).map((email) => ({ email, data: anna.data }));
    const before = counted('messages') ?? 0;
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post({ recipients }, key('bulk at once'))),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(counted('messages')).toBe(before + 20);
  });

  test('answers though its template is gone since', async () => {
    await app.request('POST', `${sender.base}/templates`, { name: 'vorbei', ...template }, sender.token);
    const first = await post({ template: 'vorbei', recipients: [anna] }, key('gone'));
    await app.request('DELETE', `${sender.base}/templates/vorbei`, undefined, sender.token);
    expect((await post({ template: 'vorbei', recipients: [anna] }, key('gone'))).text).toBe(first.text);
    expect((await app.message(sender, first.body.results[0]?.id ?? '')).text).toContain('Guten Tag Anna');
  });
});

test('after kill -9 in the middle, the repeated request sends to every recipient once', {
  timeout: PATIENCE_MS,
}, async () => {
  const started = untilTestEnds();
  let daemon = await startDaemon();
  started.defer(() => daemon.remove());
  const { practiceId, token } = await openPractice(daemon);
  const recipients = numbered('killed', 1_500).map((email) => ({ email, data: anna.data }));
  const body = { template, recipients, message_kind: 'transactional', idempotency_key: 'killed' };
  const ask = () => daemon.request<Bulk>('POST', `/api/practices/${practiceId}/send/bulk`, body, token);
  const stored = () => {
    const db = new Database(path.join(daemon.dataDir, 'tenants', practiceId, 'tenant.db'), {
      readonly: true,
    });
    try {
      return db.prepare<[], string>('SELECT address FROM recipients').pluck().all();
    } finally {
      db.close();
    }
  };
  const lost = ask().catch(() => null);
  await until('some are stored', () => stored().length > 100);
  await daemon.kill();
  expect(await lost).toBeNull();
  const before = stored().length;
  expect(before).toBeLessThan(recipients.length);

  daemon = await startDaemon({ dataDir: daemon.dataDir });
  const answer = await ask();
  expect(answer.status).toBe(202);
  expect(answer.headers.get('idempotent-replayed')).toBeNull();
  expect(new Set(answer.body.results.map(({ id }) => id)).size).toBe(recipients.length);
  expect(stored().toSorted()).toEqual(recipients.map(({ email }) => email).toSorted());
  const again = await ask();
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.body).toEqual(answer.body);
});

describe('where content is scanned', () => {
  test('what the values of one say is no fault of another, and is scanned wherever it could matter', async () => {
    const rspamd = await startPlayedRspamd();
    const scanned = await startApp({
      receiver,
      config: {
        service: { public_origin: 'https://mail.example.com' },
        scanners: { rspamd: { url: rspamd.url } },
      },
    });
    try {
      const who = await scanned.createSender({ plan: 'gruppe' });
      await scanned.completeLegal(who.practice.id);
      rspamd.reject('verboten');
      const long = `${'Wir freuen uns auf Sie. '.repeat(20)} verboten`;
      const entries: readonly [name: string, link: string, accepted: boolean][] = [
        ['Boese', 'https://verboten.example/a', false],
        ['Anna', link, true],
        ['Ben', `${link}?an=ben`, true],
        ['Carla', 'https://VERBOTEN.example/c', false],
        [long, link, false],
        ['Dr. Demir, geb. am 1.2.1960', link, true],
      ];
      const recipients = entries.map(([name, target], index) => ({
        email: `r${index}@example.org`,
        data: { name, link: target },
      }));
      const answer = await scanned.request<Bulk>(
        'POST',
        `${who.base}/send/bulk`,
        { template, recipients },
        who.token,
      );
      expect(answer.status).toBe(202);
      expect(codesOf(answer)).toEqual(
        entries.map(([, , accepted]) => (accepted ? 'queued' : 'content_blocked')),
      );
      // The template, either host, and the long text: not each message.
      expect(rspamd.asked).toHaveLength(4);
    } finally {
      await scanned.remove();
      await rspamd.stop();
    }
  });
});
