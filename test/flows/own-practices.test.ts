// Members who make practices of their own: how many, and what it costs the others.
import { expect, onTestFinished, test } from 'vitest';
import { startApp, type TestApp } from '#test/support/app.ts';
import { makeOwner, type Person, signIn, unlimitedSignIn } from '#test/support/people.ts';

const start = async (): Promise<{ app: TestApp; owner: Person }> => {
  const app = await startApp({ config: unlimitedSignIn });
  onTestFinished(() => app.remove());
  await makeOwner(app, (await app.createPractice()).id, 'owner@example.org');
  return { app, owner: await signIn(app, 'owner@example.org') };
};

const create = (app: TestApp, { token }: Person) =>
  app.request('POST', '/api/practices', { name: 'Praxis am Markt' }, token);

test('of many asked for at once none is begun beyond those there is room for', async () => {
  const { app, owner } = await start();
  const newest = () =>
    app.sql<{ seq: number }>(null, "SELECT seq FROM sqlite_sequence WHERE name = 'tenants'");
  const before = newest()[0]?.seq ?? 0;
  const answers = await Promise.all(Array.from({ length: 40 }, () => create(app, owner)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(19);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(21);
  // A number is taken before the keys are made, and never given back.
  expect(newest()[0]?.seq).toBe(before + 19);
});

test('what others invite someone to takes none of their room', async () => {
  const { app, owner } = await start();
  for (let invited = 0; invited < 20; invited += 1) {
    const { id } = await app.createPractice();
    const body = { email: owner.email, role_id: 'viewer' };
    const { status } = await app.request('POST', `/api/practices/${id}/members`, body, app.adminToken);
    expect(status).toBe(201);
  }
  expect((await create(app, owner)).status).toBe(201);
});
