// Two people save one record: who read it before the other saved is refused, with what is there now and who saved it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';

let app: TestApp;
let sender: Sender;

beforeAll(async () => {
  app = await startApp({ config: { security: { outbound_allow: ['192.0.2.0/24'] } } });
  sender = await app.createSender({ plan: 'gruppe' });
  await app.completeLegal(sender.practice.id);
});
afterAll(() => app?.remove());

type Body = Readonly<Record<string, unknown>>;
const ask = <B = Body>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  app.request<B>(
    method,
    `${sender.base}${path}`,
    body,
    // No token of a practice may change who may do what.
    path.startsWith('/roles') ? app.adminToken : sender.token,
    headers,
  );

const made = async (path: string, body: object): Promise<string> => {
  const answer = await ask<{ id: string }>('POST', path, body);
  if (answer.status !== 201) throw new Error(answer.text);
  return `${path}/${answer.body.id}`;
};

interface Versioned {
  readonly what: string;
  readonly path: () => string | Promise<string>;
  /** Where it is changed, if not there. */
  readonly changedAt?: string;
  readonly method?: 'PUT';
  readonly first: object;
  readonly second: object;
}

const list = { name: 'Freunde', channel: 'newsletter', language: 'de' };
const records: readonly Versioned[] = [
  {
    what: 'a template',
    path: () => made('/templates', { name: 'brief', subject: 'Guten Tag', text: 'Hallo' }),
    first: { text: 'Hallo, du' },
    second: { subject: 'Guten Abend' },
  },
  {
    what: 'a campaign',
    path: async () => {
      const { body } = await ask<{ id: string }>('POST', '/lists', list);
      return made('/campaigns', { list_id: body.id, subject: 'Neues', text: 'Es gibt Neues.' });
    },
    first: { text: 'Es gibt viel Neues.' },
    second: { subject: 'Neuigkeiten' },
  },
  {
    what: 'a list',
    path: () => made('/lists', { ...list, name: 'Andere' }),
    first: { description: 'Wer mag' },
    second: { two_steps: true },
  },
  {
    what: 'a project',
    path: () => made('/projects', { name: 'Zweigstelle' }),
    first: { name: 'Zweigstelle Nord' },
    second: { reply_address: null, name: 'Zweigstelle Süd' },
  },
  {
    what: 'a route',
    path: () => made('/routes', { name: 'Rundbriefe', type: 'marketing' }),
    first: { track_opens: false },
    second: { name: 'Briefe' },
  },
  {
    what: 'a role',
    path: () => made('/roles', { name: 'Empfang', permissions: ['messages.send'] }),
    first: { permissions: ['messages.send', 'messages.view'] },
    second: { name: 'Anmeldung' },
  },
  {
    what: 'a webhook',
    path: () => made('/webhooks', { name: 'Kasse', url: 'https://192.0.2.1/hook', events: ['message.sent'] }),
    first: { name: 'Kasse vorn' },
    second: { events: ['message.delivered'] },
  },
  {
    what: 'an alert',
    path: () => made('/alerts', { name: 'Team', kind: 'slack', url: 'https://192.0.2.1/chat' }),
    first: { name: 'Das Team' },
    second: { events: ['message.failed'] },
  },
  { what: 'the practice', path: () => '', first: { name: 'Praxis A' }, second: { name: 'Praxis B' } },
  {
    what: 'the legal block',
    path: () => '',
    changedAt: '/compliance',
    first: { street: 'Am Markt 2' },
    second: { street: 'Am Markt 3' },
  },
  { what: 'retention', path: () => '/retention', first: { bodies: 10 }, second: { bodies: 20 } },
  {
    what: 'the letterhead',
    method: 'PUT',
    path: () => '/letterhead',
    first: { colour: '#0b57d0' },
    second: { colour: '#112233' },
  },
  { what: 'the pages', path: () => '/pages', first: { colour: '#0b57d0' }, second: { colour: '#112233' } },
  {
    what: 'receiving',
    path: () => '/inbound',
    first: { dmarc_action: 'reject' },
    second: { dmarc_action: 'quarantine' },
  },
];

describe.each(records)('$what', ({ path, changedAt, method = 'PATCH', first, second }) => {
  test('that another has saved since is not written over, and is shown with who saved it', async () => {
    const at = await path();
    const read = await ask('GET', at);
    const etag = read.headers.get('ETag') ?? '';
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    expect((await ask('GET', at)).headers.get('ETag'), 'the same record').toBe(etag);

    const changed = changedAt ?? at;
    const saved = await ask(method, changed, first, { 'If-Match': etag });
    expect(saved.status, saved.text).toBe(200);
    const now = saved.headers.get('ETag') ?? '';
    expect(now).not.toBe(etag);
    expect((await ask('GET', at)).headers.get('ETag'), 'what was answered to the change').toBe(now);

    const late = await ask<Refusal>(method, changed, second, { 'If-Match': etag });
    expect(late).toMatchObject({
      status: 409,
      body: { code: 'version_conflict', etag: now, saved_by: expect.any(String) },
    });
    expect(late.body.saved_by).not.toBe('');
    expect(Date.parse(String(late.body.saved_at))).toBeGreaterThan(0);
    expect(late.body.current).toEqual(saved.body);
    expect((await ask('GET', at)).headers.get('ETag'), 'nothing was written').toBe(now);

    // Who has looked at it may write, also through a proxy that makes ETags weak.
    const again = await ask(method, changed, second, { 'If-Match': `"other", W/${now}` });
    expect(again.status, again.text).toBe(200);
    expect((await ask(method, changed, first, { 'If-Match': '*' })).status).toBe(200);
    expect((await ask(method, changed, second)).status, 'without If-Match').toBe(200);
  });
});

test('of two that save at the same time one is refused', async () => {
  const at = await made('/templates', { name: 'wettlauf', subject: 'Guten Tag', text: 'Hallo' });
  const etag = (await ask('GET', at)).headers.get('ETag') ?? '';
  const answers = await Promise.all(
    ['eins', 'zwei', 'drei'].map((text) => ask('PATCH', at, { text }, { 'If-Match': etag })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
});

test('what a campaign counts is no change of it', async () => {
  const { body } = await ask<{ id: string }>('POST', '/lists', { ...list, name: 'Zahlen' });
  const at = await made('/campaigns', { list_id: body.id, subject: 'Neues', text: 'Guten Tag {{vorname}}' });
  const read = await ask<{ unknown_fields: string[] }>('GET', at);
  const added = await ask('POST', `/lists/${body.id}/subscribers`, {
    address: 'anna@example.org',
    status: 'active',
    data: { stadt: 'Hamburg' },
    consent: { evidence: 'asked at the desk' },
  });
  expect(added.status, added.text).toBe(201);
  const { unknown_fields } = (await ask<{ unknown_fields: string[] }>('GET', at)).body;
  expect(unknown_fields).not.toEqual(read.body.unknown_fields);
  expect((await ask('GET', at)).headers.get('ETag')).toBe(read.headers.get('ETag'));
});
