// Webhooks over HTTP: made, shown, changed and deleted, by whom, and what of it the audit keeps. What is delivered is shown in
// webhook-deliveries.test.ts, how one is disabled in webhook-disabling.test.ts.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type List, type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { asking, ISO, refused, UUID } from '#test/support/asking.ts';
import { join, unlimitedSignIn } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';

interface Webhook {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly status: string;
  readonly disabled_reason: string | null;
  readonly secret?: string;
  readonly [field: string]: unknown;
}
interface Entry {
  readonly action: string;
  readonly actor: { readonly kind: string };
  readonly target: object;
  readonly before: unknown;
  readonly after: unknown;
}

/** An address of the world at which nobody is asked anything: no event of these tests goes there. */
const ELSEWHERE = 'https://9.9.9.9/ereignisse';
const given = { name: 'Praxissoftware', url: ELSEWHERE, events: ['message.spam_complaint'] };
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

let app: TestApp;
let sender: Sender;
let hooks: string;
const { call, list, pages } = asking(() => ({ app, token: sender.token }));

beforeAll(async () => {
  app = await startApp({ runsTwice: true, config: unlimitedSignIn });
});
afterAll(() => app?.remove());
beforeEach(async () => {
  sender = await app.createSender({ plan: 'praxis' });
  hooks = `${sender.base}/webhooks`;
});

const make = async (fields: object = {}): Promise<Webhook> => {
  const answer = await call<Webhook>('POST', hooks, { ...given, ...fields });
  if (answer.status !== 201) throw new Error(`no webhook: ${answer.text}`);
  return answer.body;
};
const audited = async (): Promise<readonly Entry[]> =>
  (await list<Entry>(`${sender.base}/audit`, app.adminToken)).filter(({ action }) =>
    action.startsWith('webhook.'),
  );

describe('a webhook', () => {
  test('is made with a secret that is shown this once', async () => {
    const answer = await call<Webhook>('POST', hooks, given);
    expect(answer.status).toBe(201);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { secret, ...record } = answer.body;
    expect(secret).toMatch(SECRET);
    expect(record).toEqual({
      id: UUID,
      ...given,
      inbound_mail: 'small',
      status: 'active',
      disabled_reason: null,
      failing_since: null,
      previous_secret_until: null,
      created_at: ISO,
    });
    const path = `${hooks}/${record.id}`;
    expect((await call('GET', path)).body).toEqual(record);
    expect(await list(hooks)).toEqual([record]);
    expect((await call('PATCH', path, { name: 'Neu' })).body).toEqual({ ...record, name: 'Neu' });
  });

  test('no two have the same secret, and names may be the same', async () => {
    const [one, other] = [await make(), await make()];
    expect(one.secret).not.toBe(other.secret);
    expect([one.name, other.name]).toEqual([given.name, given.name]);
  });

  test('is in the file without its secret and its address', async () => {
    const { secret = '' } = await make({ url: `${ELSEWHERE}?schluessel=Igel` });
    const [row] = app.sql<Record<string, unknown>>(sender.practice.id, 'SELECT * FROM webhooks');
    const stored = Object.values(row ?? {})
      .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)))
      .join();
    expect(stored).toContain(given.name);
    for (const part of [secret, secret.slice(6), Buffer.from(secret.slice(6), 'base64').toString('latin1')])
      expect(stored).not.toContain(part);
    for (const part of ['9.9.9.9', 'Igel']) expect(stored).not.toContain(part);
  });

  test('keeps its address as it was given', async () => {
    expect((await make({ url: ' https://9.9.9.9:443?x=ü ' })).url).toBe('https://9.9.9.9:443?x=ü');
  });

  test('are listed in the order they were made, page by page', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    for (const name of names) await make({ name });
    const read = await pages<Webhook>(hooks, 2);
    expect(read.map((page) => page.map(({ name }) => name))).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
  });

  test('of which a practice has fifty at most', async () => {
    for (let count = 0; count < 50; count += 1) await make({ name: `Nummer ${count}` });
    const { status, body } = await call<Refusal>('POST', hooks, given);
    expect([status, body.code, body.hint]).toEqual([409, 'conflict', expect.stringContaining('Delete one')]);
    const [first] = await list<Webhook>(hooks);
    await call('DELETE', `${hooks}/${first?.id}`);
    await make({ name: 'statt dessen' });
  });
});

const refusedFields: readonly (readonly [what: string, fields: object, path: string, says?: string])[] = [
  ['no name', { name: undefined }, 'body.name'],
  ['an empty name', { name: '  ' }, 'body.name'],
  ['a name of two lines', { name: 'a\nb' }, 'body.name'],
  ['a name that hides something', { name: 'a\u202eb' }, 'body.name'],
  ['a name of 101 characters', { name: 'x'.repeat(101) }, 'body.name'],
  ['no address', { url: undefined }, 'body.url'],
  ['no URL at all', { url: 'praxis' }, 'body.url'],
  ['another scheme', { url: 'ftp://9.9.9.9/' }, 'body.url'],
  ['an address without TLS', { url: 'http://9.9.9.9/' }, 'body.url'],
  ['a password in the address', { url: 'https://a:b@9.9.9.9/' }, 'body.url'],
  ['the machine itself', { url: 'https://127.0.0.1/' }, 'body.url'],
  ['an internal address', { url: 'https://[fd00:ec2::254]/' }, 'body.url'],
  ['an internal name', { url: 'https://localhost/' }, 'body.url'],
  ['an address of 2,049 characters', { url: `https://9.9.9.9/${'x'.repeat(2_033)}` }, 'body.url'],
  ['no events', { events: undefined }, 'body.events'],
  ['an empty list of events', { events: [] }, 'body.events'],
  ['one event twice', { events: ['message.sent', 'message.sent'] }, 'body.events', 'each event once'],
  ['an unknown event', { events: ['message.open'] }, 'body.events[0]', 'did you mean `message.opened`?'],
  ['what no event is near to', { events: ['*'] }, 'body.events[0]', 'no such event; /reference lists'],
  ['a number for an event', { events: [1] }, 'body.events[0]'],
  ['a secret of one’s own', { secret: 'whsec_AAAA' }, 'body.secret', 'unknown field'],
];

describe('is refused, and nothing is stored:', () => {
  const rows = refusedFields.map(([what, fields, path, says = '']) => ({ what, fields, path, says }));
  test.each(rows)('$what', async ({ fields, path, says }) => {
    const answer = await call<Refusal>('POST', hooks, { ...given, ...fields });
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    expect(answer.body.fields).toEqual([{ path, message: expect.stringContaining(says) }]);
    expect(await list(hooks)).toEqual([]);
    expect(await audited()).toEqual([]);
  });

  test('an internal address tells the operator’s switch, not the operator’s network', async () => {
    const { body } = await call<Refusal>('POST', hooks, { ...given, url: 'https://127.0.0.1/' });
    expect(body.hint).toContain('outbound_allow');
  });
});

describe('a change', () => {
  test('of each field is refused alone', async () => {
    const { secret: _, ...record } = await make();
    const path = `${hooks}/${record.id}`;
    const events = ['message.opened', 'suppression.added', 'webhook.test'];
    const changes = [{ name: 'Neu' }, { url: 'https://9.9.9.9/anderswo' }, { events }];
    let expected: object = record;
    for (const change of changes) {
      expected = { ...expected, ...change };
      expect((await call('PATCH', path, change)).body).toEqual(expected);
      expect((await call('GET', path)).body).toEqual(expected);
    }
  });

  test('disables and enables', async () => {
    const { id } = await make();
    const path = `${hooks}/${id}`;
    const { body: disabled } = await call('PATCH', path, { status: 'disabled' });
    expect(disabled).toMatchObject({ status: 'disabled', disabled_reason: 'manual' });
    const { body: enabled } = await call('PATCH', path, { status: 'active' });
    expect(enabled).toMatchObject({ status: 'active', disabled_reason: null, failing_since: null });
  });

  test('does not hide why it was disabled', async () => {
    const { id } = await make();
    const path = `${hooks}/${id}`;
    const gone = "UPDATE webhooks SET status = 'disabled', disabled_reason = 'gone', disabled_at = 1";
    app.sql(sender.practice.id, gone);
    const { body } = await call('PATCH', path, { status: 'disabled', name: 'Neu' });
    expect(body).toMatchObject({ name: 'Neu', status: 'disabled', disabled_reason: 'gone' });
  });

  const wrong: readonly (readonly [what: string, body: object])[] = [
    ['nothing', {}],
    ['an internal address', { url: 'https://10.0.0.1/' }],
    ['no name', { name: '' }],
    ['no events', { events: [] }],
    ['another status', { status: 'paused' }],
    ['its secret', { secret: 'whsec_AAAA' }],
    ['why it is disabled', { disabled_reason: 'gone' }],
  ];
  test.each(wrong)('to %s is refused', async (_, body) => {
    const { secret: __, ...record } = await make();
    const path = `${hooks}/${record.id}`;
    await refused('invalid_request', call('PATCH', path, body));
    expect((await call('GET', path)).body).toEqual(record);
  });
});

describe('a webhook that was deleted', () => {
  test('answers nowhere any more, and its rows go', async () => {
    const { id } = await make();
    const path = `${hooks}/${id}`;
    app.sql(
      sender.practice.id,
      `INSERT INTO webhook_deliveries (id, webhook, event, event_seq, order_key, status, created_at, updated_at)
       SELECT 'delivery', number, 'message.sent', 1, 1, 'failed', 1, 1 FROM webhooks`,
    );
    const answer = await call('DELETE', path);
    expect([answer.status, answer.text]).toEqual([204, '']);
    const deliveries = `${path}/deliveries`;
    const delivery = `${deliveries}/${crypto.randomUUID()}`;
    const calls: readonly (readonly [method: string, path: string, body?: object])[] = [
      ['GET', path],
      ['PATCH', path, { name: 'Neu' }],
      ['DELETE', path],
      ['POST', `${path}/test`],
      ['POST', `${path}/rotate`],
      ['POST', `${path}/replay`, { since: '2026-01-01T00:00:00Z' }],
      ['GET', deliveries],
      ['GET', delivery],
      ['POST', `${delivery}/replay`],
    ];
    for (const [method, target, body] of calls) await refused('not_found', call(method, target, body));
    expect(await list(hooks)).toEqual([]);
    const left = () => {
      const { webhooks, webhook_deliveries } = app.rowCounts(sender.practice.id);
      return [webhooks, webhook_deliveries];
    };
    await until('its rows are gone', () => String(left()) === '0,0');
    const { event_followers } = Object.fromEntries(
      app
        .sql<{ rows: number }>(
          null,
          'SELECT count(*) AS rows FROM event_followers WHERE tenant_id = ?',
          sender.practice.id,
        )
        .map(({ rows }) => ['event_followers', rows]),
    );
    expect(event_followers).toBeLessThanOrEqual(1);
  });
});

describe('a caller that is limited to projects', () => {
  test('has nothing of webhooks, whatever their role', async () => {
    const { id } = await make();
    const path = `${hooks}/${id}`;
    const { body: projects } = await call<List<{ id: string }>>('GET', `${sender.base}/projects`);
    const limits = { role_id: 'admin', all_projects: false, project_ids: [projects.data[0]?.id] };
    const { token } = await join(app, sender.practice.id, `limited-${id}@example.org`, limits);
    const delivery = `${path}/deliveries/${crypto.randomUUID()}`;
    const calls: readonly (readonly [method: string, path: string, body?: object])[] = [
      ['GET', hooks],
      ['POST', hooks, given],
      ['GET', path],
      ['PATCH', path, { name: 'Neu' }],
      ['DELETE', path],
      ['POST', `${path}/test`],
      ['POST', `${path}/rotate`],
      ['POST', `${path}/replay`, { since: '2026-01-01T00:00:00Z' }],
      ['GET', `${path}/deliveries`],
      ['GET', delivery],
      ['POST', `${delivery}/replay`],
    ];
    for (const [method, target, body] of calls) {
      const answer = await call<Refusal>(method, target, body, token);
      expect([method, target, answer.status]).toEqual([method, target, 403]);
      expect(answer.body).toMatchObject({
        code: 'forbidden',
        permission: 'webhooks.manage',
      });
    }
    expect((await list<Webhook>(hooks)).map(({ name }) => name)).toEqual([given.name]);
  });
});

describe('the audit', () => {
  test('keeps each change with the record before and after, without secrets and addresses', async () => {
    const { id, secret = '' } = await make({ url: `${ELSEWHERE}/Dachs?schluessel=Igel` });
    const path = `${hooks}/${id}`;
    await call('PATCH', path, { name: 'Neu' });
    const rotated = await call<Webhook>('POST', `${path}/rotate`);
    await call('POST', `${path}/rotate`, { revoke_previous: true });
    await call('DELETE', path);

    const entries = (await audited()).toReversed();
    const shown = {
      id,
      name: given.name,
      url: `${ELSEWHERE}/…`,
      url_fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/),
      events: given.events,
      inbound_mail: 'small',
      status: 'active',
      disabled_reason: null,
      previous_secret_until: null,
      created_at: ISO,
    };
    const renamed = { ...shown, name: 'Neu' };
    const twice = { ...renamed, previous_secret_until: ISO };
    expect(entries.map(({ action, before, after }) => [action, before, after])).toEqual([
      ['webhook.create', null, shown],
      ['webhook.update', shown, renamed],
      ['webhook.rotate', renamed, { ...twice, previous_secret_revoked: false }],
      ['webhook.rotate', twice, { ...renamed, previous_secret_revoked: true }],
      ['webhook.delete', renamed, null],
    ]);
    for (const { actor, target } of entries)
      expect([actor.kind, target]).toEqual(['team_token', { type: 'webhook', id }]);
    const text = JSON.stringify(entries);
    for (const hidden of [secret, rotated.body.secret ?? 'none', 'Igel', 'Dachs'])
      expect(text).not.toContain(hidden);
  });

  test('keeps a change of what is not shown of the address', async () => {
    const { id } = await make({ url: `${ELSEWHERE}/Dachs` });
    await call('PATCH', `${hooks}/${id}`, { url: `${ELSEWHERE}/Igel` });
    const [{ action, before, after } = {}] = await audited();
    expect(action).toBe('webhook.update');
    const url = `${ELSEWHERE}/…`;
    expect([before, after]).toMatchObject([{ url }, { url }]);
    expect(before).not.toEqual(after);
  });

  test('keeps nothing of a change to what it was', async () => {
    const { id } = await make();
    await call('PATCH', `${hooks}/${id}`, { name: given.name, status: 'active' });
    expect((await audited()).map(({ action }) => action)).toEqual(['webhook.create']);
  });
});
