// Who is limited to projects sees and changes what belongs to theirs, over HTTP.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '#test/support/app.ts';
import { asking, refused, UUID } from '#test/support/asking.ts';
import { join, type Person, unlimitedSignIn } from '#test/support/people.ts';

let app: TestApp;
const { call, list } = asking(() => ({ app, token: app.adminToken }));

describe('who is limited to projects', () => {
  let base: string;
  let member: Person;
  let mine: string;
  let other: string;
  const as = (method: string, target: string, body?: unknown) =>
    call(method, base + target, body, member.token);

  beforeAll(async () => {
    app = await startApp({ config: unlimitedSignIn });
    const practice = await app.createPractice();
    base = `/api/practices/${practice.id}`;
    const project = async (name: string) => (await call('POST', `${base}/projects`, { name })).body.id;
    [mine, other] = [await project('Mine'), await project('Other')];
    const body = { type: 'transactional' };
    await call('POST', `${base}/routes`, { ...body, name: 'Of mine', project_id: mine });
    await call('POST', `${base}/routes`, { ...body, name: 'Of other', project_id: other });
    member = await join(app, practice.id, 'anna@example.org', {
      role_id: 'admin',
      all_projects: false,
      project_ids: [mine],
    });
  });

  afterAll(() => app?.remove());

  const forbidden = (answer: ReturnType<typeof as>) => refused('forbidden', answer);
  const hidden = (answer: ReturnType<typeof as>) => refused('not_found', answer);

  test('sees theirs, and the shared routes', async () => {
    expect((await list(`${base}/projects`, member.token)).map(({ id }) => id)).toEqual([mine]);
    const routes = await list(`${base}/routes`, member.token);
    expect(routes.map(({ slug }) => slug).toSorted()).toEqual(['broadcast', 'of-mine', 'outgoing']);
  });

  test('changes theirs, and another project as little as one that is not there', async () => {
    expect((await as('PATCH', `/projects/${mine}`, { name: 'Meins' })).status).toBe(200);
    await hidden(as('PATCH', `/projects/${other}`, { name: 'Meins' }));
    await forbidden(as('POST', '/projects', { name: 'Neu' }));
    await forbidden(as('PATCH', '', { name: 'Neu' }));
  });

  test('makes and changes routes of theirs only', async () => {
    const wanted = { name: 'Neue Route', type: 'transactional' };
    await forbidden(as('POST', '/routes', wanted));
    await hidden(as('POST', '/routes', { ...wanted, project_id: other }));
    const made = await as('POST', '/routes', { ...wanted, project_id: mine });
    expect([made.status, made.body]).toEqual([201, expect.objectContaining({ id: UUID, project_id: mine })]);
    const own = `/routes/${made.body.id}`;
    expect((await as('PATCH', own, { name: 'Meine Route' })).status).toBe(200);
    await forbidden(as('PATCH', own, { project_id: null }));
    await hidden(as('PATCH', own, { project_id: other }));
    await forbidden(as('PATCH', '/routes/outgoing', { name: 'Meine' }));
    await forbidden(as('PATCH', '/routes/outgoing', { project_id: mine }));
    await hidden(as('PATCH', '/routes/of-other', { name: 'Meine' }));
    await hidden(as('PATCH', '/routes/of-other', { project_id: mine }));
  });

  test('chooses no default for all', async () => {
    await forbidden(as('POST', '/routes/of-mine/default'));
    await forbidden(as('POST', '/routes/broadcast/default'));
    await hidden(as('POST', '/routes/of-other/default'));
    expect((await list(`${base}/routes`)).find(({ is_default }) => is_default === true)?.slug).toBe(
      'outgoing',
    );
  });
});
