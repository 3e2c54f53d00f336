// What the API offers besides sending: practices, projects, routes, tokens, and what it says of itself.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { legalFields } from '#src/accounts/tenants/legal.ts';
import { readVersion } from '#src/kernel/version.ts';
import { type List, letter, type Refusal, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { asking, type Found, ISO, refused, UNKNOWN_ID, UUID } from '#test/support/asking.ts';
import { dereference } from '#test/support/openapi.ts';

let app: TestApp;
let sender: Sender;
beforeAll(async () => {
  app = await startApp();
  sender = await app.createSender();
});
afterAll(() => app?.remove());

const { call, list, pages } = asking(() => ({ app, token: sender.token }));

describe('practices', () => {
  test('are made with a managed host, ready to send', async () => {
    const { status, body } = await app.request(
      'POST',
      '/api/practices',
      { name: ' Praxis am See ', domain: 'Praxis-Müller.example', plan: 'praxis' },
      app.adminToken,
    );
    expect(status).toBe(201);
    expect(body).toEqual({
      id: UUID,
      name: 'Praxis am See',
      slug: 'praxis-am-see',
      status: 'active',
      pause: null,
      domain: 'praxis-am-see.send.example.com',
      domain_kind: 'managed',
      pending_domain: 'xn--praxis-mller-klb.example',
      managed_host: 'praxis-am-see.send.example.com',
      default_from: 'noreply@praxis-am-see.send.example.com',
      plan: 'praxis',
      monthly_cap: 20_000,
      safe_mode: false,
      legal: Object.fromEntries(legalFields.map((field) => [field, null])),
      reply_address: null,
      add_reply_to: true,
      warmup: null,
      approved_at: null,
      created_at: ISO,
    });
    expect(
      (await app.request('GET', `/api/practices/${body.id}`, undefined, app.adminToken)).body,
    ).toMatchObject(body);
  });

  const slugs: readonly (readonly [name: string, slug: string])[] = [
    ['Praxis Dr. Müller & Söhne', 'praxis-dr-mueller-soehne'],
    ['Praxis Dr. Müller & Söhne', 'praxis-dr-mueller-soehne-2'],
    ['PRAXIS dr mueller soehne!', 'praxis-dr-mueller-soehne-3'],
    ['Café Größe', 'cafe-groesse'],
    ['Mail', 'mail-2'],
    ['www', 'www-2'],
    ['Admin', 'admin-2'],
    ['xn--bcher-kva', 'xn-bcher-kva'],
    ['診療所', 'practice'],
    ['---', 'practice-2'],
    ['a'.repeat(200), 'a'.repeat(40)],
  ];
  test('have slugs that are host names, free and not reserved', async () => {
    for (const [name, slug] of slugs) {
      const practice = await app.createPractice({ name });
      expect([practice.name, practice.slug, practice.managed_host]).toEqual([
        name,
        slug,
        `${slug}.send.example.com`,
      ]);
    }
  });

  test('of one name made at once have different slugs', async () => {
    const made = await Promise.all(
      Array.from({ length: 12 }, () => app.createPractice({ name: 'Zwilling' })),
    );
    const numbered = made.map(({ slug }) => slug).filter((slug) => /^zwilling(-[2-9])?$/.test(slug));
    expect(new Set(made.map(({ slug }) => slug)).size).toBe(12);
    expect(numbered).toHaveLength(9);
  });

  test('are listed page by page to the operator, and to a token only its own', async () => {
    const all = (await pages<Found>('/api/practices', 5, app.adminToken)).flat();
    expect(all.length).toBeGreaterThan(10);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(await list('/api/practices?limit=200', app.adminToken)).toEqual(all);
    expect((await list('/api/practices')).map(({ id }) => id)).toEqual([sender.practice.id]);
  });

  test('are made under the other path too', async () => {
    const { status, body } = await call('POST', '/api/projects', { name: 'Alias' }, app.adminToken);
    expect([status, body.slug]).toEqual([201, 'alias']);
  });

  test('are found by an id in upper case', async () => {
    const { body } = await call('GET', `/api/practices/${sender.practice.id.toUpperCase()}`);
    expect(body.id).toBe(sender.practice.id);
  });

  const bad: readonly (readonly [what: string, body: object, path: string])[] = [
    ['no name', {}, 'body.name'],
    ['an empty name', { name: '  ' }, 'body.name'],
    ['a name of two lines', { name: 'a\nb' }, 'body.name'],
    ['a name that cannot be seen', { name: '\u200b' }, 'body.name'],
    ['a name that is turned round', { name: 'Praxis \u202egpj' }, 'body.name'],
    ['a name of 201 characters', { name: 'a'.repeat(201) }, 'body.name'],
    ['an unknown plan', { name: 'a', plan: 'gold' }, 'body.plan'],
    ['a domain of one label', { name: 'a', domain: 'localhost' }, 'body.domain'],
    ["a domain in the operator's zone", { name: 'a', domain: 'b.send.example.com' }, 'body.domain'],
    ['an address as domain', { name: 'a', domain: 'a@example.org' }, 'body.domain'],
  ];
  test.each(bad)('are not made with %s', async (_, body, path) => {
    const before = await list('/api/practices?limit=200', app.adminToken);
    await refused('invalid_request', call('POST', '/api/practices', body, app.adminToken), path);
    expect(await list('/api/practices?limit=200', app.adminToken)).toEqual(before);
  });
});

test.each(['limit=0', 'limit=201', 'limit=x', 'limit=1.5', 'cursor=x', 'cursor=', 'cursor=cDF4', 'page=2'])(
  'a list asked with %s is refused',
  async (query) => {
    const path = `query.${query.split('=')[0]}`;
    await refused('invalid_request', call('GET', `/api/practices?${query}`), path);
  },
);

describe('projects', () => {
  const at = () => `${sender.base}/projects`;

  test('are made, renamed, archived and taken back', async () => {
    const { status, body: made } = await call('POST', at(), { name: 'Labor Süd' });
    expect(status).toBe(201);
    const record = {
      id: UUID,
      name: 'Labor Süd',
      slug: 'labor-sued',
      is_default: false,
      archived_at: null,
      reply_address: null,
    };
    expect(made).toEqual({ ...record, created_at: ISO });
    const change = async (body: object) => (await call('PATCH', `${at()}/${made.id}`, body)).body;
    expect(await change({ name: 'Labor Nord' })).toEqual({ ...made, name: 'Labor Nord' });
    const archived = await change({ archived: true });
    expect(archived).toEqual({ ...made, name: 'Labor Nord', archived_at: ISO });
    expect(await change({ archived: true })).toEqual(archived);
    expect(await change({ archived: false, name: 'Labor' })).toEqual({ ...made, name: 'Labor' });
    const [first, ...others] = await list(at());
    expect(first).toMatchObject({ slug: 'default', is_default: true });
    expect(others).toContainEqual({ ...made, name: 'Labor' });
  });

  test('have a slug of their own', async () => {
    expect((await call('POST', at(), { name: 'Labor', slug: 'l1' })).status).toBe(201);
    await refused('conflict', call('POST', at(), { name: 'Anderes', slug: 'l1' }));
    await refused('conflict', call('POST', at(), { name: 'Default' }));
    await refused('invalid_request', call('POST', at(), { name: '診療所' }), 'body.slug');
    await refused('invalid_request', call('POST', at(), { name: 'a', slug: 'A b' }), 'body.slug');
  });

  test('cannot be changed into nonsense', async () => {
    const [first] = await list(at());
    await refused('conflict', call('PATCH', `${at()}/${first?.id}`, { archived: true }));
    await refused('invalid_request', call('PATCH', `${at()}/${first?.id}`, {}), 'body');
    await refused('not_found', call('PATCH', `${at()}/${UNKNOWN_ID}`, { name: 'a' }));
    await refused('invalid_request', call('PATCH', `${at()}/nonsense`, { name: 'a' }), 'params.projectID');
  });
});

describe('routes', () => {
  const at = () => `${sender.base}/routes`;
  const off = { track_opens: false, track_clicks: false };
  const on = { track_opens: true, track_clicks: true };

  test('of a new practice are the two streams', async () => {
    const { base, token } = await app.createSender();
    const shared = {
      id: UUID,
      project_id: null,
      plain_text_fallback: true,
      reply_address: null,
      created_at: ISO,
    };
    expect(await list(`${base}/routes`, token)).toEqual([
      { ...shared, slug: 'outgoing', name: 'Outgoing', type: 'transactional', is_default: true, ...off },
      { ...shared, slug: 'broadcast', name: 'Broadcast', type: 'marketing', is_default: false, ...on },
    ]);
  });

  test('are made with the tracking of their stream, and changed by slug or id', async () => {
    const { status, body: made } = await call('POST', at(), { name: 'Befunde', type: 'transactional' });
    expect(status).toBe(201);
    expect(made).toMatchObject({ slug: 'befunde', is_default: false, project_id: null, ...off });
    const marketing = await call('POST', at(), { name: 'Aktionen', type: 'marketing', track_clicks: false });
    expect(marketing.body).toMatchObject({ track_opens: true, track_clicks: false });
    const changed = await call('PATCH', `${at()}/befunde`, { name: 'Befund', track_opens: true });
    expect(changed.body).toEqual({ ...made, name: 'Befund', track_opens: true });
    const again = await call('PATCH', `${at()}/${made.id}`, { plain_text_fallback: false });
    expect(again.body).toEqual({ ...made, name: 'Befund', track_opens: true, plain_text_fallback: false });
    expect(await list(at())).toContainEqual(again.body);
  });

  test('are refused where they clash or do not exist', async () => {
    await refused('conflict', call('POST', at(), { name: 'Outgoing', type: 'marketing' }));
    await refused('invalid_request', call('POST', at(), { name: 'a', type: 'other' }), 'body.type');
    await refused('not_found', call('POST', at(), { name: 'a', type: 'marketing', project_id: UNKNOWN_ID }));
    await refused('not_found', call('PATCH', `${at()}/nowhere`, { name: 'a' }));
    await refused('not_found', call('PATCH', `${at()}/outgoing`, { project_id: UNKNOWN_ID }));
    await refused('not_found', call('POST', `${at()}/nowhere/default`));
    await refused('invalid_request', call('PATCH', `${at()}/outgoing`, {}), 'body');
  });

  test('the default belongs to no project, whichever way it is asked for', async () => {
    const { base, token } = await app.createSender();
    const ask = (method: string, path: string, body?: object) => call(method, `${base}${path}`, body, token);
    const project = (await ask('POST', '/projects', { name: 'Labor' })).body.id;
    const fields = { name: 'Befunde', type: 'transactional', project_id: project };
    expect((await ask('POST', '/routes', fields)).status).toBe(201);
    const before = await list(`${base}/routes`, token);

    await refused('conflict', ask('POST', '/routes/befunde/default'));
    await refused('conflict', ask('PATCH', '/routes/outgoing', { project_id: project, name: 'Anders' }));
    expect(await list(`${base}/routes`, token)).toEqual(before);

    expect((await ask('PATCH', '/routes/befunde', { project_id: null })).status).toBe(200);
    expect((await ask('POST', '/routes/befunde/default')).status).toBe(200);
    await refused('conflict', ask('PATCH', '/routes/befunde', { project_id: project }));
    expect((await ask('PATCH', '/routes/outgoing', { project_id: project })).status).toBe(200);
    expect((await ask('PATCH', '/routes/befunde', { project_id: null })).status).toBe(200);
  });

  test('exactly one is the default, and takes what names none', async () => {
    const other = await app.createSender();
    await app.completeLegal(other.practice.id);
    const routes = `${other.base}/routes`;
    const { status, body } = await call('POST', `${routes}/broadcast/default`, undefined, other.token);
    expect([status, body.is_default]).toEqual([200, true]);
    const defaults = (await list(routes, other.token)).filter(({ is_default }) => is_default);
    expect(defaults.map(({ slug }) => slug)).toEqual(['broadcast']);
    const sent = await app.message(other, await app.send(other));
    expect(sent).toMatchObject({ route: { slug: 'broadcast' }, message_kind: 'newsletter' });
    await refused(
      'kind_not_allowed_on_route',
      call('POST', `${other.base}/send`, { ...letter, message_kind: 'termin' }, other.token),
    );
  });

  test('of a project are seen and used by it alone', async () => {
    const project = await call('POST', `${sender.base}/projects`, { name: 'Eigen' });
    const stranger = await call('POST', `${sender.base}/projects`, { name: 'Fremd' });
    const scope = 'project';
    const own = await app.createToken(sender.practice.id, { scope, project_id: project.body.id });
    const foreign = await app.createToken(sender.practice.id, { scope, project_id: stranger.body.id });
    const fields = { name: 'Nur eigen', type: 'transactional', project_id: project.body.id };
    const { body: route } = await call('POST', at(), fields);
    expect(await list(at(), own)).toContainEqual(route);
    expect(await list(at(), foreign)).not.toContainEqual(route);
    for (const name of [route.slug, route.id]) {
      expect((await call('POST', `${sender.base}/send`, { ...letter, route: name }, own)).status).toBe(202);
      await refused('not_found', call('POST', `${sender.base}/send`, { ...letter, route: name }, foreign));
    }
    expect((await list(`${sender.base}/projects`, own)).map(({ id }) => id)).toEqual([project.body.id]);
  });
});

describe('lists', () => {
  let who: Sender;
  let own: string;
  beforeAll(async () => {
    who = await app.createSender();
    const made = async (path: string, body: object): Promise<Found> => {
      const { status, body: record } = await call('POST', `${who.base}/${path}`, body, who.token);
      expect(status).toBe(201);
      return record;
    };
    const projects = [await made('projects', { name: 'Eins' }), await made('projects', { name: 'Zwei' })];
    const [project_id] = projects.map(({ id }) => id);
    for (const name of ['Drei', 'Vier', 'Fünf']) {
      await made('routes', { name, type: 'marketing', ...(name === 'Vier' ? {} : { project_id }) });
      await made('api-tokens', { name, scope: 'team' });
    }
    own = await app.createToken(who.practice.id, { scope: 'project', project_id: projects[1]?.id });
  });

  const lists: readonly (readonly [name: string, lengths: readonly number[]])[] = [
    ['projects', [2, 1]],
    ['routes', [2, 2, 1]],
    ['api-tokens', [2, 2, 1]],
  ];
  test.each(lists)('of %s go page by page, each record once', async (name, lengths) => {
    const path = `${who.base}/${name}`;
    const all = await list(path, who.token);
    const paged = await pages(path, 2, who.token);
    expect(paged.map((page) => page.length)).toEqual(lengths);
    expect(paged.flat()).toEqual(all);
    for (const query of ['limit=0', 'limit=201', 'cursor=x', 'page=2']) {
      const field = `query.${query.split('=')[0]}`;
      await refused('invalid_request', call('GET', `${path}?${query}`, undefined, who.token), field);
    }
  });

  test('of a project token go page by page through what it may see', async () => {
    const routes = await pages(`${who.base}/routes`, 1, own);
    expect(routes.map((page) => page.map(({ slug }) => slug))).toEqual([
      ['outgoing'],
      ['broadcast'],
      ['vier'],
    ]);
    const projects = await pages(`${who.base}/projects`, 1, own);
    expect(projects.map((page) => page.map(({ slug }) => slug))).toEqual([['zwei']]);
  });
});

test.each(['projects', 'routes', 'api-tokens'])(
  'what stands in %s has a name that can be seen',
  async (path) => {
    for (const name of ['a\u200bb', 'a\u202eb', '\u2060', 'a\u2028b', 'a\nb']) {
      const body = { name, ...(path === 'routes' ? { type: 'marketing' } : {}) };
      const fields = path === 'api-tokens' ? { ...body, scope: 'team' } : body;
      await refused('invalid_request', call('POST', `${sender.base}/${path}`, fields), 'body.name');
    }
  },
);

test('a practice has at most 1,000 projects and 1,000 routes', async () => {
  const { practice, base, token } = await app.createSender();
  const fill = (table: string, columns: string, values: string) =>
    app.sql(
      practice.id,
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 998)
       INSERT INTO ${table} (id, slug, name, created_at, ${columns}) SELECT 'id' || i, 'slug' || i, 'n', 0, ${values} FROM n`,
    );
  fill('projects', 'is_default', '0');
  fill(
    'routes',
    'type, is_default, track_opens, track_clicks, plain_text_fallback',
    "'marketing', 0, 0, 0, 0",
  );
  const make = async (path: string, name: string) =>
    (
      await app.request(
        'POST',
        base + path,
        { name, type: path === '/routes' ? 'marketing' : undefined },
        token,
      )
    ).status;
  expect([await make('/projects', 'Letztes'), await make('/projects', 'Eins zu viel')]).toEqual([201, 409]);
  // Two are built in.
  expect(await make('/routes', 'Eins zu viel')).toBe(409);
});

describe('tokens', () => {
  const at = () => `${sender.base}/api-tokens`;
  type Created = Found & { readonly token: string };

  test('are shown whole once, listed without their secret, and let nobody in once revoked', async () => {
    const { status, body } = await call<Created>('POST', at(), { name: 'Server', scope: 'team' });
    expect(status).toBe(201);
    const { token, ...record } = body;
    expect(token).toMatch(/^svc_team_[0-9A-Za-z]{43}$/);
    expect(record).toEqual({
      id: UUID,
      name: 'Server',
      scope: 'team',
      project_id: null,
      expires_at: null,
      allowed_addresses: null,
      created_at: ISO,
      last_used_at: null,
      slowed: null,
      lifted_until: null,
    });
    expect(await list(at())).toContainEqual(record);
    expect((await call('GET', at())).text).not.toContain(token);
    expect((await call('GET', sender.base, undefined, token)).status).toBe(200);
    expect(await call('DELETE', `${at()}/${record.id}`)).toMatchObject({ status: 204, text: '' });
    await refused('unauthorized', call('GET', sender.base, undefined, token));
    await refused('not_found', call('DELETE', `${at()}/${record.id}`));
    expect((await list(at())).map(({ id }) => id)).not.toContain(record.id);
  });

  test('have a name of one line', async () => {
    for (const name of ['', ' ', 'a\nb', 'a\0b', 'a\u2028b', 'a'.repeat(201)]) {
      await refused('invalid_request', call('POST', at(), { name, scope: 'team' }), 'body.name');
    }
  });

  test('of a project name it', async () => {
    const [project] = await list(`${sender.base}/projects`);
    const { body } = await call<Created>('POST', at(), {
      name: 'P',
      scope: 'project',
      project_id: project?.id,
    });
    expect(body.token).toMatch(/^svc_proj_[0-9A-Za-z]{43}$/);
    expect(body.project_id).toBe(project?.id);
    const unlimited = { name: 'P', scope: 'team', project_id: project?.id };
    await refused('invalid_request', call('POST', at(), unlimited), 'body.project_id');
    await refused('invalid_request', call('POST', at(), { name: 'P', scope: 'project' }), 'body.project_id');
    await refused('not_found', call('POST', at(), { name: 'P', scope: 'project', project_id: UNKNOWN_ID }));
  });

  test('are nowhere in the data directory', async () => {
    const stored = app.sql<{ hash: Buffer }>(null, 'SELECT * FROM credentials');
    expect(stored.length).toBeGreaterThan(0);
    expect(JSON.stringify(stored)).not.toContain(sender.token);
    for (const { hash } of stored) expect(hash).toHaveLength(32);
    const records = app.sql(sender.practice.id, 'SELECT * FROM api_tokens');
    expect(JSON.stringify(records)).not.toContain(sender.token.slice('svc_team_'.length));
  });

  test('remember across a restart when they were used', async () => {
    const first = await startApp();
    const who = await first.createSender();
    const began = Date.now();
    await first.request('GET', who.base, undefined, who.token);
    await first.stop();
    const second = await startApp({ home: first.home });
    try {
      const target = `${who.base}/api-tokens`;
      const { body } = await second.request<List<Found>>('GET', target, undefined, second.adminToken);
      const used = Date.parse(String(body.data[0]?.last_used_at));
      expect(Math.abs(used - began)).toBeLessThan(60_000);
    } finally {
      await second.remove();
    }
  });
});

describe('the service itself', () => {
  test.each([
    ['de', 'Anmelden'],
    ['en', 'Sign in'],
  ])('shows who follows a link to its origin where to go on (%s)', async (language, words) => {
    const answer = await app.request('GET', '/', undefined, undefined, { 'Accept-Language': language });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(words);
    const paths = [...answer.text.matchAll(/href="([^"]+)"/g)].map(([, path = '']) => path);
    expect(paths).toContain('/app');
    for (const path of paths.filter((path) => path !== '/app'))
      expect((await app.request('GET', path)).status, path).toBe(200);
  });

  test('tells its health to anyone', async () => {
    const { status, body, headers } = await app.request('GET', '/healthz');
    expect(status).toBe(200);
    const upstream = { name: 'capture', kind: 'capture', state: 'closed', retry_at: null };
    expect(body).toEqual({
      status: 'ok',
      version: readVersion(),
      uptime_seconds: expect.any(Number),
      upstreams: [{ ...upstream, delivered_on: null, dsn: null, never_delivered: null }],
      scanners: ['rspamd', 'clamd', 'dnsbl', 'link_blocklist'].map((name) => ({ name, state: 'off' })),
    });
    expect(headers.get('cache-control')).toBeNull();
  });

  test('tells the operator more of its health', async () => {
    const ask = () => app.request('GET', '/api/admin/health', undefined, app.adminToken);
    // What the tests before have sent may still be under way.
    await expect.poll(async () => (await ask()).body.queue).toMatchObject({ in_flight: 0 });
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'ok', databases: { broken: 0 } });
    expect(body.webhooks).toEqual({ in_flight: 0, waiting: 0, unsettled: 0 });
    expect(body.alerts).toEqual({ in_flight: 0, waiting_tenants: 0 });
    const facts = { name: 'capture', kind: 'capture', state: 'closed', failures: 0, retry_at: null };
    expect(body.upstreams).toEqual([{ ...facts, delivered_on: null, dsn: null, never_delivered: null }]);
  });

  test('is degraded where little of the disk is free, and mails the operator', async () => {
    const [mail, storage] = ['operator@example.net', { min_free_mib: 1_000_000_000 }];
    const short = await startApp({ config: { admin: { mail }, storage } });
    try {
      const { status, body } = await short.request('GET', '/healthz');
      expect([status, body.status]).toEqual([200, 'degraded']);
      const whole = await short.request('GET', '/api/admin/health', undefined, short.adminToken);
      expect(whole.body).toMatchObject({ registry: 'ok', databases: { broken: 0 }, disk: { state: 'low' } });
      const ask = <Found>(target: string) =>
        short.request<List<Found>>('GET', target, undefined, short.adminToken);
      const { data } = (await ask<{ id: string }>('/api/admin/practices?purpose=system')).body;
      const search = `/api/practices/${data[0]?.id}/messages/search?q=${mail}`;
      await expect
        .poll(async () => (await ask<{ subject: string }>(search)).body.data)
        .toEqual([expect.objectContaining({ subject: 'Sendwerk: database files are not in order' })]);
    } finally {
      await short.remove();
    }
  });

  test('tells its limits and features to callers', async () => {
    const { body } = await call('GET', '/api/meta');
    expect(body).toMatchObject({
      service: 'Sendwerk',
      safe_mode: false,
      limits: { recipients: 50, batch: 500, body_bytes: 48 * 1_024 * 1_024 },
      attachment_policy: {
        max_count: 5,
        max_bytes_each: 10 * 1_024 * 1_024,
        max_bytes_total: 30 * 1_024 * 1_024,
      },
    });
    const features = ['billing', 'inbound', 'password_login', 'scanners', 'submission', 'tracking'];
    expect(Object.keys(body.features as object).toSorted()).toEqual(features);
    await refused('unauthorized', app.request<Refusal>('GET', '/api/meta'));
  });
  test('gives every answer an id of its own, and keeps API answers out of caches', async () => {
    const mine = { 'X-Request-Id': 'mine' };
    const answers = [
      await app.request('GET', sender.base, undefined, sender.token, mine),
      await app.request('GET', sender.base, undefined, undefined, mine),
      await app.request('POST', `${sender.base}/send`, {}, sender.token, mine),
      await app.request('GET', '/api/nothing', undefined, undefined, mine),
    ];
    const ids = answers.map(({ headers }) => headers.get('x-request-id'));
    expect(new Set(ids).size).toBe(4);
    for (const { headers } of answers) {
      expect(headers.get('x-request-id')).toEqual(UUID);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-powered-by')).toBeNull();
    }
  });

  const declared: readonly (readonly [method: string, path: string, statuses: readonly string[]])[] = [
    ['post', '/api/practices/{id}/send', ['400', '403', '404', '409', '422']],
    ['patch', '/api/practices/{id}/projects/{projectID}', ['404', '409']],
    ['patch', '/api/practices/{id}/routes/{routeID}', ['404', '409']],
    ['post', '/api/practices/{id}/routes/{routeID}/default', ['404', '409']],
  ];
  test.each(declared)('describes the refusals of %s %s', async (method, path, statuses) => {
    const { text } = await app.request('GET', '/openapi.yaml');
    const { responses } = parse(text).paths[path][method];
    expect(Object.keys(responses)).toEqual(expect.arrayContaining([...statuses]));
  });

  test('answers errors in the form that its description declares', async () => {
    const { text } = await app.request('GET', '/openapi.yaml');
    const document: { components: { schemas: object } } = dereference(parse(text));
    const schemas: z.core.JSONSchema.JSONSchema[] = Object.values(document.components.schemas);
    const send = `${sender.base}/send`;
    const refusals = [
      await call('GET', `/api/practices/${UNKNOWN_ID}`),
      await call('POST', send, {}),
      await call('POST', send, Buffer.from('{')),
      await call('POST', send, { ...letter, from: 'a@bank.example' }),
      await call('POST', send, { ...letter, to: Array.from({ length: 51 }, (_, n) => `a${n}@example.org`) }),
      await call('POST', '/api/practices', { name: 'a' }),
    ];
    const codes = refusals.map(({ status, body }) => {
      const schema = schemas.find((one) => Object(one.properties?.code).const === body.code);
      expect(schema).toBeDefined();
      expect(Object.keys(schema?.properties ?? {})).toEqual(expect.arrayContaining(Object.keys(body)));
      z.fromJSONSchema(schema ?? {}).parse(body);
      return `${status} ${body.code}`;
    });
    expect(codes).toEqual([
      '404 not_found',
      '400 invalid_request',
      '400 invalid_json',
      '422 from_not_allowed',
      '422 too_many_recipients',
      '403 forbidden',
    ]);
  });
});
