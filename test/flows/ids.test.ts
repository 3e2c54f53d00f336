// Ids that clients write in upper case, as some libraries and databases do, name the same records.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from '#test/support/app.ts';
import { unlimitedSignIn } from '#test/support/people.ts';
import { type Workplace, workplaces } from './workplace.ts';

let app: TestApp;
let place: Workplace;
beforeAll(async () => {
  app = await startApp({ config: unlimitedSignIn });
  place = await open('praxis');
});
afterAll(() => app?.remove());

const { call, list, open, membersOf, newEmail, invite, makeRole, makeProject } = workplaces(
  () => app,
  () => place.owner.token,
);
const upper = (id: string): string => id.toUpperCase();

test('members, roles, projects and tokens are found by them', async () => {
  const roleId = await makeRole(place, 'Empfang', ['messages.view']);
  const projectId = await makeProject(place, 'Zweigstelle');
  const limited = { role_id: upper(roleId), all_projects: false, project_ids: [upper(projectId)] };
  const invited = await invite(place, { email: newEmail(), ...limited });
  expect(invited.body).toMatchObject({ role: { id: roleId }, project_ids: [projectId] });

  const member = `${place.base}/members/${upper(invited.body.id)}`;
  expect((await call('PATCH', member, limited)).status).toBe(200);
  expect((await call('DELETE', member)).status).toBe(204);
  expect(await membersOf(place)).toHaveLength(1);

  const body = { name: 'website', scope: 'project', project_id: upper(projectId) };
  const token = await call('POST', `${place.base}/api-tokens`, body);
  expect(token.body).toMatchObject({ project_id: projectId });
  expect(await list(`${place.base}/audit?target_id=${upper(token.body.id)}`)).toHaveLength(1);
  expect((await call('DELETE', `${place.base}/api-tokens/${upper(token.body.id)}`)).status).toBe(204);

  expect((await call('PATCH', `${place.base}/roles/${upper(roleId)}`, { name: 'Tresen' })).status).toBe(200);
  expect((await call('DELETE', `${place.base}/roles/${upper(roleId)}`)).status).toBe(204);
  const project = `${place.base}/projects/${upper(projectId)}`;
  expect((await call('PATCH', project, { name: 'Filiale' })).status).toBe(200);
});

test('messages are sent by them, and found', async () => {
  const [route] = await list<{ id: string }>(`${place.base}/routes`);
  const [project] = await list<{ id: string }>(`${place.base}/projects`);
  const sent = await call('POST', `${place.base}/send`, {
    to: 'erika@example.org',
    subject: 'Ihr Termin',
    text: 'Bis Montag!',
    route: upper(route?.id ?? ''),
    project_id: upper(project?.id ?? ''),
  });
  expect(sent.status).toBe(202);
  expect((await call('GET', `${place.base}/messages/${upper(sent.body.id)}`)).status).toBe(200);
  expect(await list(`${place.base}/messages/search?route=${upper(route?.id ?? '')}`)).toHaveLength(1);
});

test('lists and subscribers are found by them', async () => {
  const list = await call('POST', `${place.base}/lists`, { name: 'Praxisbrief' });
  const subscribers = `${place.base}/lists/${upper(list.body.id)}/subscribers`;
  const added = await call('POST', subscribers, {
    address: 'erika@example.org',
    status: 'active',
    consent: { evidence: 'Aufnahmebogen' },
  });
  expect((await call('GET', `${subscribers}/${upper(added.body.id)}`)).status).toBe(200);
});
