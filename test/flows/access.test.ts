// Who may call what: every route of the application with every kind of credential, one cell a test. What each role may
// is written down here once more, from the specification; what each route asks is read from the running application;
// and what an allowed call answers stands in a table of calls that change nothing, which must have every route.
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { permissions } from '#src/kernel/access.ts';
import { newId } from '#src/kernel/id.ts';
import { startApp } from '#test/support/app.ts';
import { join, makeOwner, signIn, unlimitedSignIn } from '#test/support/people.ts';

interface Call {
  /** What the route answers to who may call it; the call is such that nothing is changed. */
  readonly status: number;
  readonly body?: unknown;
  readonly query?: string;
}

/** Bodies are refused after the caller has been let in, so a wrong one changes nothing. */
const refusedBody: Call = { status: 400, body: { no_such_field: 1 } };
const found: Call = { status: 200 };
const noSuchThing: Call = { status: 404 };

const calls: Readonly<Record<string, Call>> = {
  'GET /healthz': found,
  'GET /openapi.yaml': found,
  'GET /reference': found,
  'GET /api/meta': found,

  'POST /api/auth/request-otp': refusedBody,
  'POST /api/auth/verify-otp': refusedBody,
  'POST /api/auth/login-password': refusedBody,
  'POST /api/auth/accept-invitation': refusedBody,
  'POST /api/auth/logout': { status: 400, query: '?everywhere=perhaps' },
  'GET /api/auth/me': found,
  'PATCH /api/auth/me': refusedBody,
  'PUT /api/auth/password': refusedBody,
  'DELETE /api/auth/password': noSuchThing,
  'POST /api/auth/memberships/{practiceID}/accept': noSuchThing,
  'DELETE /api/auth/memberships/{practiceID}': noSuchThing,
  'GET /invitation/{token}': noSuchThing,
  'POST /invitation/{token}': noSuchThing,

  'GET /api/public/abuse': found,
  'POST /api/public/abuse': refusedBody,
  'POST /api/public/waitlist': refusedBody,

  'GET /api/admin/practices': found,
  'GET /api/admin/plans': found,
  'GET /api/admin/audit': found,
  'GET /api/admin/abuse-tickets': found,
  'GET /api/admin/abuse-tickets/{ticketID}': noSuchThing,
  'PATCH /api/admin/abuse-tickets/{ticketID}': refusedBody,
  'GET /api/admin/waitlist': found,
  'DELETE /api/admin/waitlist/{entryID}': noSuchThing,

  'GET /api/practices': found,
  'POST /api/practices': refusedBody,
  'POST /api/projects': refusedBody,
  'GET /api/practices/{id}': found,
  'PATCH /api/practices/{id}': refusedBody,
  'POST /api/practices/{id}/plan': refusedBody,
  'POST /api/practices/{id}/safe-mode': refusedBody,
  'POST /api/practices/{id}/owners': refusedBody,
  'GET /api/practices/{id}/audit': found,
  'GET /api/practices/{id}/members': found,
  'POST /api/practices/{id}/members': refusedBody,
  'PATCH /api/practices/{id}/members/{memberID}': refusedBody,
  'DELETE /api/practices/{id}/members/{memberID}': noSuchThing,
  'GET /api/practices/{id}/roles': found,
  'POST /api/practices/{id}/roles': refusedBody,
  'PATCH /api/practices/{id}/roles/{roleID}': refusedBody,
  'DELETE /api/practices/{id}/roles/{roleID}': noSuchThing,
  'GET /api/practices/{id}/projects': found,
  'POST /api/practices/{id}/projects': refusedBody,
  'PATCH /api/practices/{id}/projects/{projectID}': refusedBody,
  'GET /api/practices/{id}/routes': found,
  'POST /api/practices/{id}/routes': refusedBody,
  'PATCH /api/practices/{id}/routes/{routeID}': refusedBody,
  'POST /api/practices/{id}/routes/{routeID}/default': noSuchThing,
  'GET /api/practices/{id}/api-tokens': found,
  'POST /api/practices/{id}/api-tokens': refusedBody,
  'DELETE /api/practices/{id}/api-tokens/{tokenID}': noSuchThing,
  'POST /api/practices/{id}/send': refusedBody,
  'POST /api/emails': refusedBody,
  'GET /api/practices/{id}/messages/search': found,
  'GET /api/practices/{id}/messages/{messageID}': noSuchThing,
  'GET /api/practices/{id}/messages/{messageID}/timeline': noSuchThing,
  'GET /api/practices/{id}/messages/{messageID}/events': noSuchThing,
  'GET /api/practices/{id}/captures': found,
  'GET /api/practices/{id}/captures/{captureID}': noSuchThing,
};

/** A route that anyone may call is a decision of its own. */
const publicRoutes = [
  'GET /api/public/abuse',
  'GET /healthz',
  'GET /invitation/{token}',
  'GET /openapi.yaml',
  'GET /reference',
  'POST /api/auth/accept-invitation',
  'POST /api/auth/login-password',
  'POST /api/auth/request-otp',
  'POST /api/auth/verify-otp',
  'POST /api/public/abuse',
  'POST /api/public/waitlist',
  'POST /invitation/{token}',
];

const memberMay =
  'messages.send messages.view messages.view_content stats.view suppressions.manage lists.manage inbound.view'.split(
    ' ',
  );
const all: readonly string[] = permissions;
const but = (...withheld: string[]): string[] => all.filter((permission) => !withheld.includes(permission));

/** What each may in the practice; who is absent here has no business in it. */
const granted: Readonly<Record<string, readonly string[]>> = {
  'project token': ['messages.send', 'messages.view', 'stats.view'],
  'team token': but('billing.manage', 'members.manage'),
  viewer: ['messages.view', 'stats.view', 'inbound.view'],
  editor: [...memberMay, 'campaigns.send'],
  member: memberMay,
  'member of one project': [
    'messages.send',
    'messages.view',
    'messages.view_content',
    'stats.view',
    'suppressions.manage',
  ],
  'admin of one project': [
    'messages.send',
    'messages.view',
    'messages.view_content',
    'stats.view',
    'suppressions.manage',
    'routes.manage',
    'projects.manage',
    'tokens.manage',
  ],
  admin: but('billing.manage'),
  owner: all,
  'owner by cookie': all,
  operator: all,
};

const signedIn: ReadonlySet<string> = new Set([
  'foreign member',
  'viewer',
  'editor',
  'member',
  'member of one project',
  'admin of one project',
  'admin',
  'owner',
  'owner by cookie',
]);
/** Owner or Admin of any practice. */
const creators: ReadonlySet<string> = new Set([
  'foreign member',
  'admin of one project',
  'admin',
  'owner',
  'owner by cookie',
  'operator',
]);

interface Expected {
  readonly status: number;
  readonly code?: string;
  /** The door's own words for a practice that is none of the caller's. */
  readonly isPracticeRefused: boolean;
}

const answered = (status: number): Expected => ({ status, isPracticeRefused: false });
const unauthorized: Expected = { status: 401, code: 'unauthorized', isPracticeRefused: false };
const forbidden: Expected = { status: 403, code: 'forbidden', isPracticeRefused: false };
const foreign: Expected = { status: 404, code: 'not_found', isPracticeRefused: true };

const mayCall = (kind: string, access: string): boolean => {
  switch (access) {
    case 'authenticated':
      return true;
    case 'session':
      return signedIn.has(kind);
    case 'practice_creator':
      return creators.has(kind);
    case 'operator':
      return kind === 'operator';
    default:
      return granted[kind]?.includes(access) ?? false;
  }
};

const isOfPractice = (route: string, access: string): boolean =>
  route.includes('/api/practices/{id}') || all.includes(access);

const expectedOf = (kind: string, route: string, access: string): Expected => {
  const call = calls[route] ?? noSuchThing;
  if (access === 'public') return answered(call.status);
  if (kind === 'anonymous') return unauthorized;
  const isWrite = !route.startsWith('GET ');
  if (kind === 'owner by cookie without the CSRF token' && isWrite) return forbidden;
  const who = kind === 'owner by cookie without the CSRF token' ? 'owner' : kind;
  if (isOfPractice(route, access) && granted[who] === undefined) return foreign;
  return mayCall(who, access) ? answered(call.status) : forbidden;
};

const app = await startApp({ config: unlimitedSignIn });
afterAll(() => app.remove());
const practice = await app.createPractice();
const other = await app.createPractice({ name: 'Andere Praxis' });
const base = `/api/practices/${practice.id}`;
const { body: project } = await app.request<{ id: string }>(
  'POST',
  `${base}/projects`,
  { name: 'Recall' },
  app.adminToken,
);
await makeOwner(app, practice.id, 'owner@example.org');
await makeOwner(app, other.id, 'stranger@example.org');
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
const invite = async (name: string, role_id: string, fields: object = {}) => {
  const person = await join(app, practice.id, `${name}@example.org`, { role_id, ...fields });
  return bearer(person.token);
};
const ofOneProject = { all_projects: false, project_ids: [project.id] };
const owner = await signIn(app, 'owner@example.org');
const stranger = await signIn(app, 'stranger@example.org');

const credentials: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  anonymous: {},
  'foreign token': bearer(await app.createToken(other.id)),
  'foreign member': bearer(stranger.token),
  'project token': bearer(await app.createToken(practice.id, { scope: 'project', project_id: project.id })),
  'team token': bearer(await app.createToken(practice.id)),
  viewer: await invite('viewer', 'viewer'),
  editor: await invite('editor', 'editor'),
  member: await invite('member', 'member'),
  'member of one project': await invite('limited', 'member', ofOneProject),
  'admin of one project': await invite('limited-admin', 'admin', ofOneProject),
  admin: await invite('admin', 'admin'),
  owner: bearer(owner.token),
  'owner by cookie': { Cookie: owner.cookie, 'X-CSRF-Token': owner.csrfToken },
  'owner by cookie without the CSRF token': { Cookie: owner.cookie },
  operator: { 'X-Admin-Token': app.adminToken },
};

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly 'x-permission': string }>>>>;
}
const { text: openapi } = await app.request('GET', '/openapi.yaml');
const accessOf = new Map(
  Object.entries((parse(openapi) as Described).paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { 'x-permission': access }]): [string, string] => [
      `${method.toUpperCase()} ${path}`,
      access,
    ]),
  ),
);
const cells = [...accessOf].flatMap(([route, access]) =>
  Object.keys(credentials).map((kind) => ({ route, access, kind })),
);

const pathOf = (route: string): string =>
  route
    .slice(route.indexOf(' ') + 1)
    .replace('{id}', practice.id)
    .replace(/\{\w+\}/g, () => newId());

describe(`${accessOf.size} routes, ${cells.length} cells`, () => {
  test('every route has its call in the table, and every call its route', () => {
    expect(Object.keys(calls).toSorted()).toEqual([...accessOf.keys()].toSorted());
  });

  test('public routes are these and no others', () => {
    const open = [...accessOf].filter(([, access]) => access === 'public').map(([route]) => route);
    expect(open.toSorted()).toEqual(publicRoutes);
  });

  test.each(cells)('$route ($access) by $kind', async ({ route, access, kind }) => {
    const call = calls[route] ?? noSuchThing;
    const [method = ''] = route.split(' ', 1);
    const named = route.includes('{id}') ? {} : { 'X-Service-Practice': practice.id };
    const headers = { ...credentials[kind], ...named };
    const path = pathOf(route) + (call.query ?? '');
    const answer = await app.request<{ code?: string; error?: string }>(
      method,
      path,
      call.body,
      undefined,
      headers,
    );
    const expected = expectedOf(kind, route, access);
    expect({
      status: answer.status,
      code: answer.status >= 400 ? answer.body.code : undefined,
    }).toMatchObject({
      status: expected.status,
      ...(expected.code === undefined ? {} : { code: expected.code }),
    });
    if (isOfPractice(route, access)) {
      expect(answer.body.error === 'There is no such practice.').toBe(expected.isPracticeRefused);
    }
  });
});
