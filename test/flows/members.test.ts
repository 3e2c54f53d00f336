// Members over HTTP: changed, removed, made owners; and the last owner, who stays.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Refusal, startApp, type TestApp } from '#test/support/app.ts';
import { refused, UNKNOWN_ID } from '#test/support/asking.ts';
import { unlimitedSignIn } from '#test/support/people.ts';
import { type Member, type Workplace, workplaces } from './workplace.ts';

let app: TestApp;
let place: Workplace;
beforeAll(async () => {
  app = await startApp({ config: unlimitedSignIn });
  place = await open('praxis');
});
afterAll(() => app?.remove());

const {
  call,
  list,
  newEmail,
  open,
  membersOf,
  memberOf,
  enlist,
  invite,
  invited,
  mailTo,
  makeProject,
  actionsOf,
} = workplaces(
  () => app,
  () => place.owner.token,
);

describe('a member', () => {
  const change = (at: Workplace, id: string, body: object, token = at.owner.token) =>
    call<Refusal & Member>('PATCH', `${at.base}/members/${id}`, body, token);

  test('gets another role and other projects, from the next request on', async () => {
    const person = await enlist(place, 'viewer');
    const { id } = await memberOf(place, person.email);
    const [one, two] = [await makeProject(place, 'Eins'), await makeProject(place, 'Zwei')];
    const projects = async () =>
      (await list(`${place.base}/projects`, person.token)).map((project) => project.id);
    const send = () =>
      call('POST', `${place.base}/send`, { to: 'a@example.org', subject: 's', text: 't' }, person.token);
    await refused('forbidden', send());
    expect((await change(place, id, { role_id: 'member' })).body.role.slug).toBe('member');
    expect((await send()).status).toBe(202);
    await change(place, id, { all_projects: false, project_ids: [one] });
    expect(await projects()).toEqual([one]);
    await change(place, id, { project_ids: [one, two] });
    expect(await projects()).toEqual([one, two]);
    expect((await change(place, id, { all_projects: true })).body.project_ids).toEqual([]);
    expect((await projects()).length).toBeGreaterThan(2);
  });

  test('is removed, and with that their sessions are worth nothing here', async () => {
    const person = await enlist(place, 'member');
    const { id } = await memberOf(place, person.email);
    expect((await call('DELETE', `${place.base}/members/${id}`)).status).toBe(204);
    await refused('unauthorized', call('GET', place.base, undefined, person.token));
    await refused('not_found', call('DELETE', `${place.base}/members/${id}`));
    await refused('not_found', change(place, id, { role_id: 'viewer' }));
  });

  test('who is a member elsewhere too stays signed in there', async () => {
    const other = await open('praxis');
    const person = await enlist(place, 'member');
    await call(
      'POST',
      `${other.base}/members`,
      { email: person.email, role_id: 'viewer' },
      other.owner.token,
    );
    const { id } = await memberOf(place, person.email);
    await call('DELETE', `${place.base}/members/${id}`);
    await refused('not_found', call('GET', place.base, undefined, person.token));
    expect((await call('GET', '/api/auth/me', undefined, person.token)).status).toBe(200);
  });

  test.each<[string, object, string]>([
    ['nothing', {}, 'body'],
    ['an unknown role', { role_id: UNKNOWN_ID }, 'body.role_id'],
    ['some projects without naming them', { all_projects: false }, 'body.project_ids'],
    ['projects beside all', { project_ids: [UNKNOWN_ID] }, 'body.project_ids'],
    ['an unknown project', { all_projects: false, project_ids: [UNKNOWN_ID] }, 'body.project_ids[0]'],
    ['another address', { role_id: 'member', email: 'b@example.org' }, 'body.email'],
  ])('is not changed to %s', async (_, body, field) => {
    const person = await enlist(place, 'viewer');
    const before = await memberOf(place, person.email);
    await refused('invalid_request', change(place, before.id, body), field);
    expect(await memberOf(place, person.email)).toEqual(before);
  });

  test('of another practice is none', async () => {
    const other = await open('praxis');
    const { id } = await memberOf(other, other.owner.email);
    await refused('not_found', change(place, id, { role_id: 'viewer' }));
    await refused('not_found', call('DELETE', `${place.base}/members/${id}`));
    expect(await memberOf(other, other.owner.email)).toMatchObject({ role: { slug: 'owner' } });
  });

  test('is listed page by page', async () => {
    const all = await membersOf(place);
    expect(all.length).toBeGreaterThan(3);
    const { body } = await call<{ data: Member[]; next_cursor: string }>(
      'GET',
      `${place.base}/members?limit=2`,
    );
    const next = await call<{ data: Member[] }>(
      'GET',
      `${place.base}/members?limit=200&cursor=${body.next_cursor}`,
    );
    expect([...body.data, ...next.body.data]).toEqual(all);
  });
});

describe('the last owner', () => {
  test('stays, whichever way they are to go', async () => {
    const at = await open('praxis');
    const { id } = await memberOf(at, at.owner.email);
    const email = newEmail();
    await invited(at, email, 'owner');
    const byOwner = at.owner.token;
    for (const token of [byOwner, app.adminToken]) {
      await refused('conflict', call('PATCH', `${at.base}/members/${id}`, { role_id: 'admin' }, token));
      await refused('conflict', call('DELETE', `${at.base}/members/${id}`, undefined, token));
    }
    await refused('conflict', call('DELETE', `/api/auth/memberships/${at.id}`, undefined, byOwner));
    expect(await memberOf(at, at.owner.email)).toMatchObject({ role: { slug: 'owner' }, status: 'active' });
  });

  test('may go once another one has accepted', async () => {
    const at = await open('praxis');
    const second = await enlist(at, 'owner');
    const { id } = await memberOf(at, at.owner.email);
    expect(
      (await call('PATCH', `${at.base}/members/${id}`, { role_id: 'viewer' }, at.owner.token)).status,
    ).toBe(200);
    await refused('forbidden', call('GET', `${at.base}/members`, undefined, at.owner.token));
    expect((await call('DELETE', `${at.base}/members/${id}`, undefined, second.token)).status).toBe(204);
    await refused('conflict', call('DELETE', `/api/auth/memberships/${at.id}`, undefined, second.token));
  });

  test('who is invited and nobody else is kept too', async () => {
    const { id } = await app.createPractice();
    const members = `/api/practices/${id}/members`;
    const by = app.adminToken;
    const email = newEmail();
    const { body } = await call<Refusal & Member>('POST', members, { email, role_id: 'owner' }, by);
    await refused('conflict', call('DELETE', `${members}/${body.id}`, undefined, by));
    await refused('conflict', call('POST', members, { email, role_id: 'viewer' }, by));
    expect((await call('POST', members, { email, role_id: 'owner' }, by)).status).toBe(200);
  });

  test('two who remove each other at once leave one', async () => {
    const at = await open('praxis');
    const second = await enlist(at, 'owner');
    const [first, other] = [await memberOf(at, at.owner.email), await memberOf(at, second.email)];
    const answers = await Promise.all([
      call('DELETE', `${at.base}/members/${other.id}`, undefined, at.owner.token),
      call('DELETE', `${at.base}/members/${first.id}`, undefined, second.token),
    ]);
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(await list(`${at.base}/members`, app.adminToken)).toHaveLength(1);
  });
});

describe('an owner named by the operator', () => {
  const name = (at: { readonly id: string }, email: string, token: string, language?: string) =>
    call<Refusal & Member>('POST', `/api/practices/${at.id}/owners`, { email, language }, token);

  test('is one at once and is told, also who was a member already', async () => {
    const at = await open('test');
    const email = newEmail();
    const first = await name(at, email, app.adminToken, 'en');
    expect(first).toMatchObject({ status: 201, body: { email, status: 'active', role: { slug: 'owner' } } });
    expect((await mailTo(email, 0)).text).toContain('Praxis am Markt');
    const viewer = await enlist(at, 'viewer');
    const { id } = await memberOf(at, viewer.email);
    const second = await name(at, viewer.email, app.adminToken);
    expect(second).toMatchObject({ status: 200, body: { id, role: { slug: 'owner' }, all_projects: true } });
    expect((await call('GET', `${at.base}/members`, undefined, viewer.token)).status).toBe(200);
    expect((await actionsOf(at)).filter((action) => action === 'member.make_owner')).toHaveLength(3);
  });

  test('is not named by anybody else', async () => {
    await refused('forbidden', name(place, 'x@example.org', place.owner.token));
    await refused('not_found', name({ id: UNKNOWN_ID }, 'x@example.org', app.adminToken));
    await refused('invalid_request', name(place, 'x', app.adminToken), 'body.email');
  });
});

const rows = (count: number) =>
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`;

test('a practice has at most 1,000 members', async () => {
  const at = await open('praxis');
  app.sql(
    at.id,
    `INSERT INTO members (id, email_key, email, role_id, status, all_projects, project_ids_json, language, created_at)
       ${rows(998)} SELECT 'member ' || i, i || '@example.net', i || '@example.net', ?, 'invited', 1, '[]', 'de', 0 FROM n`,
    '00000000-0000-7000-8000-000000000005',
  );
  const last = newEmail();
  expect((await invite(at, { email: last, role_id: 'viewer' })).status).toBe(201);
  await refused('conflict', invite(at, { email: newEmail(), role_id: 'viewer' }));
  expect((await invite(at, { email: last, role_id: 'member' })).status).toBe(200);
});

test('a role that is none is refused with what would be one', async () => {
  const { status, body } = await invite(place, { email: newEmail(), role_id: 'boss' });
  expect(status).toBe(400);
  expect(body.error).toMatch(/UUID of a role, or one of owner, admin, member, editor, viewer$/);
});
