// Roles over HTTP: those of a practice’s own making, and that nobody gives or takes more than they have.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '#test/support/app.ts';
import { type Found, ISO, refused, UUID } from '#test/support/asking.ts';
import { type Person, unlimitedSignIn } from '#test/support/people.ts';
import { type Member, type Workplace, workplaces } from './workplace.ts';

let app: TestApp;
let place: Workplace;
beforeAll(async () => {
  app = await startApp({ config: unlimitedSignIn });
  place = await open('praxis');
});
afterAll(() => app?.remove());

const { call, list, open, membersOf, memberOf, enlist, invite, makeProject, makeRole, actionsOf } =
  workplaces(
    () => app,
    () => place.owner.token,
  );

describe('nobody gives or takes more than they have', () => {
  let at: Workplace;
  let admin: Person;
  let manager: Person;
  let target: Member;
  let owner: Member;
  let adminRow: Member;
  let managerRow: Member;
  beforeAll(async () => {
    at = await open('gruppe');
    admin = await enlist(at, 'admin');
    manager = await enlist(at, await makeRole(at, 'Personal', ['members.manage', 'messages.view']));
    target = await memberOf(at, (await enlist(at, 'viewer')).email);
    owner = await memberOf(at, at.owner.email);
    adminRow = await memberOf(at, admin.email);
    managerRow = await memberOf(at, manager.email);
  });

  type Attempt = readonly [what: string, () => readonly [string, string, object?], lacks: string | undefined];
  const byAdmin: readonly Attempt[] = [
    ['make an owner', () => ['PATCH', `/members/${target.id}`, { role_id: 'owner' }], undefined],
    ['make themself an owner', () => ['PATCH', `/members/${adminRow.id}`, { role_id: 'owner' }], undefined],
    ['invite an owner', () => ['POST', '/members', { email: 'x@example.org', role_id: 'owner' }], undefined],
    ['demote an owner', () => ['PATCH', `/members/${owner.id}`, { role_id: 'viewer' }], undefined],
    ['limit an owner', () => ['PATCH', `/members/${owner.id}`, { all_projects: true }], undefined],
    ['remove an owner', () => ['DELETE', `/members/${owner.id}`], undefined],
    ['name an owner', () => ['POST', '/owners', { email: 'x@example.org' }], undefined],
    [
      'make a role with billing',
      () => ['POST', '/roles', { name: 'Kasse', permissions: ['billing.manage'] }],
      'billing.manage',
    ],
  ];
  test.each(byAdmin)('an admin does not %s', async (_, request, permission) => {
    const [method, path, body] = request();
    const before = await membersOf(at);
    const answer = call(method, at.base + path, body, admin.token);
    await refused('forbidden', answer);
    expect((await answer).body.permission).toBe(permission);
    expect(await membersOf(at)).toEqual(before);
  });

  const byManager: readonly Attempt[] = [
    [
      'make an admin of a viewer',
      () => ['PATCH', `/members/${target.id}`, { role_id: 'admin' }],
      'stats.view',
    ],
    [
      'make themself an admin',
      () => ['PATCH', `/members/${managerRow.id}`, { role_id: 'admin' }],
      'messages.send',
    ],
    ['change an admin', () => ['PATCH', `/members/${adminRow.id}`, { role_id: 'viewer' }], 'messages.send'],
    ['remove an admin', () => ['DELETE', `/members/${adminRow.id}`], 'messages.send'],
    ['remove a viewer, who sees more', () => ['DELETE', `/members/${target.id}`], 'stats.view'],
    [
      'invite a member',
      () => ['POST', '/members', { email: 'x@example.org', role_id: 'member' }],
      'messages.send',
    ],
    [
      'make a role that sends',
      () => ['POST', '/roles', { name: 'Versand', permissions: ['messages.view', 'messages.send'] }],
      'messages.send',
    ],
  ];
  test.each(byManager)('who manages members only does not %s', async (_, request, permission) => {
    const [method, path, body] = request();
    const before = await membersOf(at);
    const answer = call(method, at.base + path, body, manager.token);
    await refused('forbidden', answer);
    expect((await answer).body.permission).toBe(permission);
    expect(await membersOf(at)).toEqual(before);
  });

  test('a role is not widened by who has it, nor narrowed by who has less', async () => {
    const own = (await memberOf(at, manager.email)).role.id;
    const more = { permissions: ['members.manage', 'messages.view', 'tokens.manage'] };
    await refused('forbidden', call('PATCH', `${at.base}/roles/${own}`, more, manager.token));
    const billing = await makeRole(at, 'Kasse', ['billing.manage']);
    const path = `${at.base}/roles/${billing}`;
    await refused('forbidden', call('PATCH', path, { permissions: ['messages.view'] }, admin.token));
    await refused('forbidden', call('PATCH', path, { name: 'Bar' }, admin.token));
    await refused('forbidden', call('DELETE', path, undefined, admin.token));
  });

  test('who has every permission by a role of their own is still no owner', async () => {
    const [ownerRole] = await list<{ permissions: string[] }>(`${at.base}/roles`, at.owner.token);
    const everything = ownerRole?.permissions ?? [];
    const deputy = await enlist(at, await makeRole(at, 'Vertretung', everything));
    const promote = { role_id: 'owner' };
    await refused('forbidden', call('PATCH', `${at.base}/members/${target.id}`, promote, deputy.token));
    await refused('forbidden', call('DELETE', `${at.base}/members/${owner.id}`, undefined, deputy.token));
    const fine = await call('PATCH', `${at.base}/members/${target.id}`, { role_id: 'admin' }, deputy.token);
    expect(fine.status).toBe(200);
    await call('PATCH', `${at.base}/members/${target.id}`, { role_id: 'viewer' }, at.owner.token);
  });

  test('tokens and who is limited to projects manage nobody', async () => {
    const project = await makeProject(at, 'Nur eins');
    const limited = await enlist(at, 'admin', { all_projects: false, project_ids: [project] });
    for (const token of [await app.createToken(at.id), limited.token]) {
      await refused('forbidden', call('GET', `${at.base}/members`, undefined, token));
      await refused('forbidden', invite(at, { email: 'x@example.org', role_id: 'viewer' }, token));
      const role = { name: 'x', permissions: ['messages.view'] };
      await refused('forbidden', call('POST', `${at.base}/roles`, role, token));
    }
  });
});

describe('roles', () => {
  const rolesOf = ({ base, owner }: Workplace) => list<Found>(`${base}/roles`, owner.token);

  test('are those of the system and the practice’s own', async () => {
    const at = await open('praxis');
    const system = await rolesOf(at);
    expect(system.map(({ slug }) => slug)).toEqual(['owner', 'admin', 'member', 'editor', 'viewer']);
    const wanted = { name: 'Empfang', permissions: ['messages.view', 'messages.send'] };
    const { status, body: made } = await call('POST', `${at.base}/roles`, wanted, at.owner.token);
    expect(status).toBe(201);
    expect(made).toEqual({ ...wanted, id: UUID, slug: null, system: false, created_at: ISO });
    expect(await rolesOf(at)).toEqual([...system, made]);
    const path = `${at.base}/roles/${made.id}`;
    const changed = await call('PATCH', path, { name: 'EMPFANG' }, at.owner.token);
    expect(changed.body).toEqual({ ...made, name: 'EMPFANG' });
    expect((await call('DELETE', path, undefined, at.owner.token)).status).toBe(204);
    await refused('not_found', call('DELETE', path, undefined, at.owner.token));
    await refused('not_found', call('PATCH', path, { name: 'a' }, at.owner.token));
    expect(await rolesOf(at)).toEqual(system);
    const roleActions = (await actionsOf(at)).filter((action) => action.startsWith('role.'));
    expect(roleActions).toEqual(['role.delete', 'role.update', 'role.create']);
  });

  test('hold from the next request, and are not removed from under a member', async () => {
    const at = await open('praxis');
    const role = await makeRole(at, 'Empfang', ['messages.view']);
    const path = `${at.base}/roles/${role}`;
    const person = await enlist(at, role);
    const tokens = () => call('GET', `${at.base}/api-tokens`, undefined, person.token);
    await refused('forbidden', tokens());
    const permissions = ['messages.view', 'tokens.manage'];
    expect((await call('PATCH', path, { permissions }, at.owner.token)).body.permissions).toEqual(
      permissions,
    );
    expect((await tokens()).status).toBe(200);
    await call('PATCH', path, { permissions: ['messages.view'] }, at.owner.token);
    await refused('forbidden', tokens());
    await refused('conflict', call('DELETE', path, undefined, at.owner.token));
    const { id } = await memberOf(at, person.email);
    await call('PATCH', `${at.base}/members/${id}`, { role_id: 'viewer' }, at.owner.token);
    expect((await call('DELETE', path, undefined, at.owner.token)).status).toBe(204);
  });

  test('of the system are left alone', async () => {
    const [owner, , , , viewer] = await rolesOf(place);
    for (const { id } of [owner, viewer].filter((role) => role !== undefined)) {
      const path = `${place.base}/roles/${id}`;
      await refused('conflict', call('PATCH', path, { permissions: ['messages.send'] }));
      await refused('conflict', call('DELETE', path));
    }
  });

  test.each(['Owner', 'VIEWER', 'Taken', 'tAKEN'])('are not called %s', async (name) => {
    const at = await open('praxis');
    await makeRole(at, 'Taken', ['messages.view']);
    const second = await makeRole(at, 'Second', ['messages.view']);
    const body = { name, permissions: ['messages.view'] };
    await refused('conflict', call('POST', `${at.base}/roles`, body, at.owner.token));
    await refused('conflict', call('PATCH', `${at.base}/roles/${second}`, { name }, at.owner.token));
  });

  test.each<[string, object, string]>([
    ['no permissions', { name: 'a', permissions: [] }, 'body.permissions'],
    ['an unknown permission', { name: 'a', permissions: ['root'] }, 'body.permissions[0]'],
    ['a permission twice', { name: 'a', permissions: ['stats.view', 'stats.view'] }, 'body.permissions'],
    ['no name', { name: ' ', permissions: ['stats.view'] }, 'body.name'],
  ])('are not made with %s', async (_, body, field) => {
    await refused('invalid_request', call('POST', `${place.base}/roles`, body), field);
  });

  test('of a practice’s own making are for the plans that have them; removing is for all', async () => {
    const at = await open('praxis');
    const role = await makeRole(at, 'Empfang', ['messages.view']);
    const path = `${at.base}/roles/${role}`;
    await call('POST', `${at.base}/plan`, { plan: 'termin' }, app.adminToken);
    const body = { name: 'Zweite', permissions: ['messages.view'] };
    const answer = call('POST', `${at.base}/roles`, body, at.owner.token);
    await refused('conflict', answer);
    expect((await answer).body.hint).toMatch(/praxis and gruppe/);
    await refused('conflict', call('PATCH', path, { name: 'Anders' }, at.owner.token));
    expect((await call('DELETE', path, undefined, at.owner.token)).status).toBe(204);
  });
});

const rows = (count: number) =>
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;

test('a practice has at most 200 custom roles', async () => {
  const at = await open('praxis');
  app.sql(
    at.id,
    `INSERT INTO roles (id, name, permissions_json, created_at)
       ${rows(199)} SELECT 'role ' || i, 'Role ' || i, '["messages.view"]', 0 FROM n`,
  );
  const body = { name: 'Letzte', permissions: ['messages.view'] };
  expect((await call('POST', `${at.base}/roles`, body, at.owner.token)).status).toBe(201);
  await refused('conflict', call('POST', `${at.base}/roles`, { ...body, name: 'Neue' }, at.owner.token));
});
