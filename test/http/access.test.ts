import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type Access,
  anonymous,
  type Caller,
  type Credentials,
  type Permission,
} from '#src/kernel/access.ts';
import { noSuchToken } from '#src/kernel/credentials.ts';
import { defineRoute, type Method } from '#src/kernel/route.ts';
import { OTHER_TENANT, startServer, TENANT, UNKNOWN_TENANT } from './fixture.ts';

const seen = z.object({ kind: z.string(), tenant: z.string().nullable(), member: z.string().nullable() });
const route = (access: Access, method: Method = 'get', path = `/api/${access}`) =>
  defineRoute({
    id: 'testRoute',
    method,
    path,
    tag: 'Test',
    summary: 'For the tests.',
    access,
    ...(method === 'get' ? {} : { audit: { none: 'for the tests' } }),
    stability: 'stable',
    ...(path.includes('{id}') ? { params: z.object({ id: z.uuid() }) } : {}),
    responses: { 200: { description: 'the caller as the handler sees it', body: seen } },
    handle: (_, { caller, tenantId, change }) => ({
      status: 200,
      body: {
        kind: `${caller.kind} ${change.actor.id} ${change.actor.name}`.trim(),
        tenant: tenantId,
        member: caller.memberId,
      },
    }),
  });

const routes = [
  route('public'),
  route('authenticated'),
  route('session'),
  route('session', 'post'),
  route('practice_creator', 'post'),
  route('operator'),
  route('messages.view'),
  route('messages.view', 'get', '/api/practices/{id}/messages'),
  route('tokens.manage', 'get', '/api/practices/{id}/api-tokens'),
  route('authenticated', 'get', '/api/practices/{id}'),
];

const caller = (kind: Caller['kind'], fields: Partial<Caller> = {}): Caller => ({
  ...anonymous,
  kind,
  credentialId: `credential of ${kind}`,
  ...fields,
});
const granted = (...names: Permission[]): ReadonlySet<Permission> => new Set(names);
const account = { id: 'anna', email: 'Anna@example.org', emailKey: 'anna@example.org' };
const member = caller('member', { account, name: account.email });

const callers: Readonly<Record<string, Caller>> = {
  member,
  stranger: caller('member', { account: { ...account, id: 'otto' } }),
  team: caller('team_token', { tenantId: TENANT, permissions: granted('messages.view'), name: 'website' }),
  powerless: caller('team_token', { tenantId: TENANT }),
  operator: caller('operator', { permissions: granted('messages.view', 'tokens.manage') }),
};

type Answered = Readonly<Record<string, unknown>>;

/** Anna may read in the one practice and belongs to no other; what the server asks is written down. */
const openWith = async () => {
  const asked: { authenticate: Credentials[]; enter: string[]; create: string[] } = {
    authenticate: [],
    enter: [],
    create: [],
  };
  const server = await startServer({
    routes,
    authenticate: (credentials) => {
      asked.authenticate.push(credentials);
      const caller = callers[credentials.bearer ?? credentials.adminToken ?? credentials.cookie ?? ''];
      if (!caller) throw noSuchToken();
      return caller;
    },
    enterTenant: async (who, id) => {
      asked.enter.push(id);
      if (who.account?.id !== account.id || id !== TENANT) return null;
      return { ...who, tenantId: id, memberId: 'anna here', permissions: granted('messages.view') };
    },
    mayCreatePractice: async (who) => {
      asked.create.push(who.credentialId);
      return who.account?.id === account.id;
    },
  });
  const call = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const response = await fetch(server.url + path, { method, headers });
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Answered) };
  };
  return { asked, call };
};

const as = (name: string): Record<string, string> =>
  name === 'anonymous'
    ? {}
    : name === 'operator'
      ? { 'X-Admin-Token': name }
      : { Authorization: `Bearer ${name}` };

describe('what is asked of the caller', () => {
  const hints: Readonly<Partial<Record<Access, RegExp>>> = {
    session: /^Sign in/,
    practice_creator: /Owner or Admin/,
    operator: /X-Admin-Token/,
  };
  test.each<[Access, string, number]>([
    ['public', 'anonymous', 200],
    ['authenticated', 'anonymous', 401],
    ['authenticated', 'team', 200],
    ['authenticated', 'member', 200],
    ['authenticated', 'operator', 200],
    ['session', 'anonymous', 401],
    ['session', 'member', 200],
    ['session', 'stranger', 200],
    ['session', 'team', 403],
    ['session', 'operator', 403],
    ['practice_creator', 'anonymous', 401],
    ['practice_creator', 'member', 200],
    ['practice_creator', 'stranger', 403],
    ['practice_creator', 'team', 403],
    ['practice_creator', 'operator', 200],
    ['operator', 'anonymous', 401],
    ['operator', 'member', 403],
    ['operator', 'team', 403],
    ['operator', 'operator', 200],
  ])('%s by %s: %i', async (access, name, status) => {
    const { call } = await openWith();
    const method = access === 'practice_creator' ? 'POST' : 'GET';
    const answer = await call(`/api/${access}`, as(name), method);
    expect(answer.status).toBe(status);
    if (status !== 403) return;
    // The answer names what is in the list of permissions, and these are not.
    expect(answer.body).toEqual({ code: 'forbidden', error: expect.any(String), hint: expect.any(String) });
    const { hint } = answer.body as { hint: string };
    expect(hint).toMatch(hints[access] ?? /permission/);
  });

  test('only members are looked up as creators of practices', async () => {
    const { call, asked } = await openWith();
    for (const name of ['operator', 'team', 'member']) await call('/api/practice_creator', as(name), 'POST');
    expect(asked.create).toEqual(['credential of member']);
  });
});

describe('members in practices', () => {
  const messages = (id: string) => `/api/practices/${id}/messages`;

  test('a member enters the practice of the path, and the handler sees who they are in it', async () => {
    const { call } = await openWith();
    expect(await call(messages(TENANT), as('member'))).toEqual({
      status: 200,
      body: { kind: 'member anna Anna@example.org', tenant: TENANT, member: 'anna here' },
    });
  });

  test('they may there what their role may, no more', async () => {
    const { call } = await openWith();
    expect(await call(`/api/practices/${TENANT}`, as('member'))).toMatchObject({ status: 200 });
    expect(await call(`/api/practices/${TENANT}/api-tokens`, as('member'))).toMatchObject({
      status: 403,
      body: { code: 'forbidden', permission: 'tokens.manage' },
    });
  });

  test.each([
    ['another practice', OTHER_TENANT],
    ['an unknown one', UNKNOWN_TENANT],
    ['no id', 'practice'],
  ])('%s is not found, in the same words', async (_, id) => {
    const { call } = await openWith();
    const { body } = await call(messages(UNKNOWN_TENANT), as('team'));
    expect(await call(messages(id), as('member'))).toEqual({ status: 404, body });
    expect(await call(messages(id), as('stranger'))).toEqual({ status: 404, body });
  });

  test('no member is looked for where the id is not one', async () => {
    const { call, asked } = await openWith();
    await call(messages('practice'), as('member'));
    await call(messages(TENANT), as('team'));
    await call(messages(TENANT), as('operator'));
    expect(asked.enter).toEqual([]);
  });

  test('the id may be in upper case', async () => {
    const { call } = await openWith();
    const id = TENANT.toUpperCase();
    expect(await call(messages(id), as('member'))).toMatchObject({ status: 200, body: { tenant: TENANT } });
    expect(await call(messages(id), as('team'))).toMatchObject({ status: 200, body: { tenant: TENANT } });
  });
});

describe('permissions on paths without a practice', () => {
  const named = (id: string) => ({ 'X-Service-Practice': id });

  test('a token brings its practice', async () => {
    const { call } = await openWith();
    const expected = { kind: 'team_token credential of team_token website', tenant: TENANT, member: null };
    expect(await call('/api/messages.view', as('team'))).toEqual({ status: 200, body: expected });
    expect(await call('/api/messages.view', { ...as('team'), ...named(TENANT) })).toEqual({
      status: 200,
      body: expected,
    });
    expect(await call('/api/messages.view', as('powerless'))).toMatchObject({ status: 403 });
  });

  test.each(['member', 'operator'])('%s names it in a header', async (name) => {
    const { call } = await openWith();
    expect(await call('/api/messages.view', { ...as(name), ...named(TENANT.toUpperCase()) })).toMatchObject({
      status: 200,
      body: { tenant: TENANT },
    });
    expect(await call('/api/messages.view', as(name))).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', fields: [{ path: 'header.X-Service-Practice' }] },
    });
  });

  test.each([
    ['team', OTHER_TENANT],
    ['team', 'practice'],
    ['member', OTHER_TENANT],
    ['member', UNKNOWN_TENANT],
    ['member', ''],
    ['operator', UNKNOWN_TENANT],
  ])('%s does not get into %j by it', async (name, id) => {
    const { call } = await openWith();
    expect(await call('/api/messages.view', { ...as(name), ...named(id) })).toMatchObject({
      status: 404,
      body: { code: 'not_found', error: 'There is no such practice.' },
    });
  });
});

describe('credentials as the server hands them on', () => {
  const cookie = 'svc_session=x';
  const none = {
    bearer: null,
    adminToken: null,
    cookie: null,
    csrfToken: null,
    isWrite: false,
    isOnceMore: false,
  };
  test.each<[string, string, Record<string, string>, Partial<Credentials>[]]>([
    ['none are not asked about', 'GET', {}, []],
    ['a cookie', 'GET', { cookie }, [{ cookie }]],
    [
      'a cookie with its CSRF token, to write',
      'POST',
      { cookie, 'X-CSRF-Token': 'y' },
      [{ cookie, csrfToken: 'y', isWrite: true }],
    ],
    ['a cookie alone, to write', 'POST', { cookie }, [{ cookie, isWrite: true }]],
    ['HEAD reads', 'HEAD', { cookie }, [{ cookie }]],
    ['a bearer goes before a cookie', 'GET', { cookie, Authorization: 'Bearer b' }, [{ bearer: 'b' }]],
    ['a wrong scheme is not passed over', 'GET', { cookie, Authorization: 'Basic b' }, []],
    [
      'the bearer and the admin token go before a cookie, and both are asked about',
      'POST',
      { cookie, Authorization: 'Bearer b', 'X-Admin-Token': 'a', 'X-CSRF-Token': 'y' },
      [
        { bearer: 'b', isWrite: true },
        { adminToken: 'a', isWrite: true },
      ],
    ],
  ])('%s', async (_, method, headers, expected) => {
    const { asked, call } = await openWith();
    await call('/api/session', headers, method);
    expect(asked.authenticate).toEqual(expected.map((given) => ({ ...none, ...given })));
  });

  test('a public route asks about none', async () => {
    const { asked, call } = await openWith();
    await call('/api/public', { cookie, Authorization: 'Bearer b' });
    expect(asked.authenticate).toEqual([]);
  });
});
