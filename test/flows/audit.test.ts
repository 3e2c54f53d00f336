// The audit over the API: every change leaves one entry that says who did what to which record, when and from where;
// a caller with the permission finds it by filters and pages.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { asking, ISO, refused, UUID } from '#test/support/asking.ts';
import { join, makeOwner, type Person, signIn, unlimitedSignIn } from '#test/support/people.ts';

interface Entry {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly actor: { readonly kind: string; readonly id: string; readonly name: string };
  readonly target: { readonly type: string; readonly id: string };
  readonly client_address: string | null;
  readonly request_id: string | null;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

let app: TestApp;
let sender: Sender;
let owner: Person;
const { call, list, pages } = asking(() => ({ app, token: sender.token }));
const audit = (query = ''): Promise<readonly Entry[]> => list<Entry>(`${sender.base}/audit${query}`);

beforeAll(async () => {
  app = await startApp({ config: unlimitedSignIn });
});
afterAll(() => app?.remove());

beforeEach(async () => {
  sender = await app.createSender({ name: 'Praxis am Markt' });
});

interface Case {
  readonly action: string;
  readonly method: string;
  /** `{project}` and `{route}` stand for ids made before. */
  readonly path: string;
  readonly body?: unknown;
  readonly by?: 'operator';
  readonly type: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>>;
}

const cases: readonly Case[] = [
  {
    action: 'practice.update',
    method: 'PATCH',
    path: '',
    body: { name: 'Praxis am Hafen' },
    type: 'practice',
    before: { name: 'Praxis am Markt' },
    after: { name: 'Praxis am Hafen' },
  },
  {
    action: 'practice.plan',
    method: 'POST',
    path: '/plan',
    body: { plan: 'gruppe' },
    by: 'operator',
    type: 'practice',
    before: { plan: 'test' },
    after: { plan: 'gruppe', monthly_cap: 100_000 },
  },
  {
    action: 'practice.safe_mode',
    method: 'POST',
    path: '/safe-mode',
    body: { enabled: true },
    by: 'operator',
    type: 'practice',
    before: { safe_mode: false },
    after: { safe_mode: true },
  },
  {
    action: 'project.create',
    method: 'POST',
    path: '/projects',
    body: { name: 'Recall' },
    type: 'project',
    before: null,
    after: { name: 'Recall', slug: 'recall' },
  },
  {
    action: 'project.update',
    method: 'PATCH',
    path: '/projects/{project}',
    body: { archived: true },
    type: 'project',
    before: { archived_at: null },
    after: { archived_at: ISO },
  },
  {
    action: 'route.create',
    method: 'POST',
    path: '/routes',
    body: { name: 'Briefe', type: 'transactional' },
    type: 'route',
    before: null,
    after: { slug: 'briefe', is_default: false },
  },
  {
    action: 'route.update',
    method: 'PATCH',
    path: '/routes/{route}',
    body: { name: 'Andere Briefe' },
    type: 'route',
    before: { name: 'Second' },
    after: { name: 'Andere Briefe' },
  },
  {
    action: 'route.make_default',
    method: 'POST',
    path: '/routes/{route}/default',
    type: 'route',
    before: { is_default: false },
    after: { is_default: true },
  },
];

describe('a change', () => {
  test.each(cases)(
    '$action leaves one entry: who, what, when, from where, before and after',
    async (item) => {
      const project = await call('POST', `${sender.base}/projects`, { name: 'First' });
      const route = await call('POST', `${sender.base}/routes`, { name: 'Second', type: 'transactional' });
      const path = item.path.replace('{project}', project.body.id).replace('{route}', route.body.id);
      const known = new Set((await audit()).map(({ id }) => id));
      const token = item.by === 'operator' ? app.adminToken : sender.token;
      const answer = await call(item.method, sender.base + path, item.body, token);
      expect(answer.status).toBeLessThan(300);

      const fresh = (await audit()).filter(({ id }) => !known.has(id));
      const [tokenRow] = await list(`${sender.base}/api-tokens`);
      expect(fresh).toEqual([
        {
          id: UUID,
          at: ISO,
          action: item.action,
          actor:
            item.by === 'operator'
              ? { kind: 'operator', id: 'operator', name: 'operator' }
              : { kind: 'team_token', id: tokenRow?.id, name: 'test' },
          target: { type: item.type, id: answer.body.id },
          client_address: '127.0.0.1',
          request_id: answer.headers.get('x-request-id'),
          before: item.before === null ? null : expect.objectContaining(item.before),
          after: expect.objectContaining(item.after),
          personal_data_removed: false,
        },
      ]);
      expect(fresh[0]?.after).toEqual(answer.body);
    },
  );

  test('that creates a practice is in its own audit', async () => {
    const { practice } = sender;
    const [entry] = await audit('?action=practice.create');
    expect(entry).toMatchObject({
      actor: { kind: 'operator' },
      target: { type: 'practice', id: practice.id },
      before: null,
      after: practice,
    });
  });

  test('that is refused leaves none', async () => {
    const before = await audit();
    await refused('invalid_request', call('PATCH', sender.base, { name: '' }));
    await refused('conflict', call('POST', `${sender.base}/projects`, { name: 'x', slug: 'default' }));
    await refused('forbidden', call('POST', `${sender.base}/plan`, { plan: 'gruppe' }));
    await refused('not_found', call('PATCH', `${sender.base}/routes/nothing`, { name: 'x' }));
    expect(await audit()).toEqual(before);
  });

  test('that leaves all as it was leaves none', async () => {
    const before = await audit();
    const answer = await call('PATCH', sender.base, { name: sender.practice.name });
    expect(answer.status).toBe(200);
    expect(await audit()).toEqual(before);
  });

  test('that makes a secret does not tell it', async () => {
    const { body } = await call<{ id: string; token: string }>('POST', `${sender.base}/api-tokens`, {
      name: 'second',
      scope: 'team',
    });
    const entries = await audit(`?target_id=${body.id}`);
    expect(entries.map(({ action }) => action)).toEqual(['token.create']);
    const rows = app.sql(sender.practice.id, 'SELECT * FROM audit');
    for (const text of [JSON.stringify(entries), JSON.stringify(rows)]) {
      expect(text).toContain('second');
      expect(text).not.toContain(body.token.slice('svc_team_'.length));
    }
  });

  test('by a member names the account and the address', async () => {
    await makeOwner(app, sender.practice.id, 'eva@example.org');
    owner = await signIn(app, 'eva@example.org');
    await call('PATCH', sender.base, { name: 'Praxis Eva' }, owner.token);
    const me = await call<{ id: string }>('GET', '/api/auth/me', undefined, owner.token);
    const [entry] = await list<Entry>(`${sender.base}/audit?action=practice.update`, owner.token);
    expect(entry?.actor).toEqual({ kind: 'member', id: me.body.id, name: 'eva@example.org' });
  });
});

describe('the audit of a practice', () => {
  const names = ['A', 'B', 'C', 'D', 'E'];
  beforeEach(async () => {
    for (const name of names) await call('PATCH', sender.base, { name });
  });

  test('is read newest first, page by page', async () => {
    const path = `${sender.base}/audit`;
    const whole = await audit();
    expect(whole.slice(0, 5).map(({ after }) => after?.name)).toEqual(names.toReversed());
    for (const limit of [1, 3]) expect((await pages<Entry>(path, limit)).flat()).toEqual(whole);
    await refused('invalid_request', call('GET', `${path}?cursor=nonsense`), 'query.cursor');
  });

  test('is filtered by action or noun, actor, target and time', async () => {
    const whole = await audit();
    const where = (rule: (entry: Entry) => boolean) => whole.filter(rule);
    const updates = where(({ action }) => action === 'practice.update');
    const middle = updates[2];
    if (!middle) throw new Error('no third update');
    const ofPractice = where(({ action }) => action.startsWith('practice.'));
    expect(ofPractice.length).toBeGreaterThan(updates.length);
    const actor = middle.actor.id;
    const filters: readonly (readonly [query: string, entries: readonly Entry[]])[] = [
      ['action=practice.update', updates],
      ['action=practice', ofPractice],
      ['action=pract', []],
      [`actor_id=${actor}`, where((entry) => entry.actor.id === actor)],
      ['actor_id=operator', where((entry) => entry.actor.kind === 'operator')],
      [`target_id=${middle.target.id}`, where(({ target }) => target.id === middle.target.id)],
      [`from=${middle.at}`, where(({ at }) => at >= middle.at)],
      [`to=${middle.at}`, where(({ at }) => at < middle.at)],
      [`action=practice&actor_id=operator`, where(({ action }) => action === 'practice.create')],
    ];
    for (const [query, entries] of filters)
      expect([query, await audit(`?${query}`)]).toEqual([query, entries]);
  });

  const malformed = ['action=', 'action=a.b.c', 'action=%25', 'from=yesterday', 'limit=0', 'colour=red'];
  test.each(malformed)('does not take %s', async (query) => {
    await refused('invalid_request', call('GET', `${sender.base}/audit?${query}`));
  });

  test('is for those who may see it', async () => {
    const path = `${sender.base}/audit`;
    const { id } = sender.practice;
    const project = (await list(`${sender.base}/projects`))[0]?.id ?? '';
    const projectToken = await app.createToken(id, { scope: 'project', project_id: project });
    const limited = { role_id: 'admin', all_projects: false, project_ids: [project] };
    const admin = await join(app, id, 'admin@example.org', { role_id: 'admin' });
    const viewer = await join(app, id, 'viewer@example.org', { role_id: 'viewer' });
    const some = await join(app, id, 'some@example.org', limited);
    const stranger = await app.createSender();
    const statuses = async (...tokens: (string | undefined)[]) =>
      Promise.all(tokens.map(async (token) => (await app.request('GET', path, undefined, token)).status));
    expect(await statuses(app.adminToken, sender.token, admin.token)).toEqual([200, 200, 200]);
    expect(await statuses(projectToken, viewer.token, some.token)).toEqual([403, 403, 403]);
    expect(await statuses(stranger.token)).toEqual([404]);
    expect((await app.request('GET', path)).status).toBe(401);
  });

  test('outlives the one who would change it', () => {
    const { id } = sender.practice;
    for (const statement of ["UPDATE audit SET actor_name = 'nobody'", 'DELETE FROM audit'])
      expect(() => app.sql(id, statement)).toThrow('append-only');
  });
});

describe('the audit of the installation', () => {
  test('shows what happens outside of practices to the operator alone', async () => {
    await makeOwner(app, sender.practice.id, 'olga@example.org');
    owner = await signIn(app, 'olga@example.org');
    const me = await call<{ id: string }>('GET', '/api/auth/me', undefined, owner.token);
    const path = `/api/admin/audit?action=session&actor_id=${me.body.id}`;
    const entries = await list<Entry>(path, app.adminToken);
    expect(entries).toMatchObject([
      { action: 'session.start', actor: { kind: 'member', name: 'olga@example.org' } },
    ]);
    expect(JSON.stringify(entries)).not.toContain(owner.token.slice('svc_sess_'.length));
    for (const token of [sender.token, owner.token])
      await refused('forbidden', call('GET', path, undefined, token));
    expect((await app.request('GET', path)).status).toBe(401);
    expect(() => app.sql(null, 'DELETE FROM audit')).toThrow('append-only');
  });
});
