// Operators who sign in with an address of the configuration: what they may do, for how long after a code or password, and
// what the practices that they enter see of it.
import { describe, expect, onTestFinished, test } from 'vitest';
import { DAY, MINUTE } from '#src/kernel/time.ts';
import { type List, type Refusal, startApp, type TestApp } from '#test/support/app.ts';
import { refused } from '#test/support/asking.ts';
import {
  codesTo,
  invite,
  join,
  mailsTo,
  makeOwner,
  type Person,
  requestCode,
  signIn,
  systemTenant,
} from '#test/support/people.ts';
import { until } from '#test/support/process.ts';
import { createTestClock } from '#test/support/storage.ts';
import {
  audited,
  byCookie,
  login,
  me,
  PASSWORD,
  setPassword,
  start,
  verify,
  withPasswords,
} from './sign-in-scene.ts';

const OPERATOR = 'Olga@betrieb.example';
const config = { ...withPasswords, operators: [OPERATOR] };

interface Entry {
  readonly action: string;
  readonly actor_kind: string;
  readonly actor_name: string;
  readonly after_json: string | null;
}
const auditOf = (app: TestApp, practiceId: string, action: string) =>
  app.sql<Entry>(
    practiceId,
    'SELECT action, actor_kind, actor_name, after_json FROM audit WHERE action = ? ORDER BY seq',
    action,
  );
const byOlga = { actor_kind: 'operator', actor_name: OPERATOR };

const scene = async (options: Parameters<typeof start>[0] = {}) => {
  const clock = createTestClock();
  const { app, practiceId } = await start({ config, clock, ...options });
  const base = `/api/practices/${practiceId}`;
  return {
    app,
    clock,
    practiceId,
    base,
    rename: (person: Pick<Person, 'token'>, name: string) =>
      app.request('PATCH', base, { name }, person.token),
    look: (person: Pick<Person, 'token'>) => app.request('GET', `${base}/overview`, undefined, person.token),
  };
};

describe('an operator', () => {
  test('who is a member nowhere signs in by a code from the mail, and does what the admin token does', async () => {
    const { app, base } = await scene();
    const { body: olga } = await verify(app, await requestCode(app, OPERATOR), 'OLGA@betrieb.example');
    const { status, body } = await me(app, olga.token);
    expect([status, body]).toMatchObject([
      200,
      {
        is_operator: true,
        password_login: true,
        has_password: false,
        practices: [],
        session: { method: 'code' },
      },
    ]);
    const ask = (method: string, path: string, sent?: object) => app.request(method, path, sent, olga.token);
    expect((await ask('GET', '/api/admin/practices')).status).toBe(200);
    expect((await ask('POST', `${base}/plan`, { plan: 'gruppe' })).body).toMatchObject({ plan: 'gruppe' });
    expect((await ask('GET', base)).body).toMatchObject({
      name: 'Praxis am Markt',
      caller: { kind: 'operator', permissions: expect.arrayContaining(['billing.manage']) },
    });
    const made = await ask('POST', '/api/practices', { name: 'Neue', owner_email: 'neu@example.org' });
    expect(made.status).toBe(201);
    expect((await ask('GET', '/api/practices')).body).toMatchObject({ data: [] });
  });

  test('signs in by a link of the admin token where no mail arrives: once, and only an address of operators', async () => {
    const { app } = await scene();
    const ask = (email: string, token: string) =>
      app.request<{ link: string; email: string }>('POST', '/api/admin/sign-in-links', { email }, token);
    await requestCode(app, OPERATOR);
    const { status, body } = await ask('olga@Betrieb.example', app.adminToken);
    expect([status, body.email]).toEqual([201, OPERATOR]);
    expect(body.link).toMatch(/\/app\/sign-in#/);
    const { email, code = '' } = Object.fromEntries(new URLSearchParams(new URL(body.link).hash.slice(1)));
    const { body: olga } = await verify(app, code, email);
    expect((await me(app, olga.token)).body).toMatchObject({ is_operator: true });
    expect((await verify(app, code, email)).status).toBe(401);
    expect(audited(app, 'operator.sign_in_link')).toMatchObject([{ target_id: OPERATOR }]);
    expect(await ask('erika@example.org', app.adminToken)).toMatchObject({
      status: 404,
      body: { hint: 'The configuration names them under operators.' },
    });
    const member = await signIn(app, 'erika@example.org');
    expect((await ask(OPERATOR, member.token)).status).toBe(403);
  });

  test('signs in by password too', async () => {
    const { app } = await scene();
    await setPassword(app, (await signIn(app, OPERATOR)).token, { password: PASSWORD });
    const login = { email: OPERATOR, password: PASSWORD };
    const { body } = await app.request<{ token: string }>('POST', '/api/auth/login-password', login);
    expect((await me(app, body.token)).body).toMatchObject({
      is_operator: true,
      session: { method: 'password' },
    });
  });

  test('is none by the link of an invitation: it may have lain in a mailbox for days', async () => {
    const { app, practiceId, look } = await scene();
    const { id: elsewhere } = await app.createPractice();
    const invited = await join(app, elsewhere, OPERATOR, { role_id: 'owner' });
    expect((await me(app, invited.token)).body).toMatchObject({
      is_operator: false,
      session: { method: 'invitation', proved_at: null },
    });
    expect((await look(invited)).status).toBe(404);
    expect((await app.request('GET', '/api/admin/practices', undefined, invited.token)).status).toBe(403);
    expect(auditOf(app, practiceId, 'operator.enter')).toEqual([]);
  });

  test('gets no password, and so no way in, by the link of an invitation', async () => {
    const { app } = await scene();
    const { id: elsewhere } = await app.createPractice();
    const invited = await join(app, elsewhere, OPERATOR, { role_id: 'owner' });
    const { status, body } = await setPassword(app, invited.token, { password: PASSWORD });
    expect([status, body]).toMatchObject([403, { code: 'sign_in_again' }]);
    expect((await login(app, PASSWORD, OPERATOR)).status).toBe(401);
    const olga = await signIn(app, OPERATOR);
    expect((await setPassword(app, olga.token, { password: PASSWORD })).status).toBe(204);
    const removal = await app.request('DELETE', '/api/auth/password', undefined, invited.token);
    expect(removal.status).toBe(401);
  });

  test('is one no longer once the configuration does not name the address', async () => {
    const { app, look } = await scene();
    const olga = await signIn(app, OPERATOR);
    expect((await look(olga)).status).toBe(200);
    await app.reconfigure({ operators: ['another@betrieb.example'] });
    expect((await me(app, olga.token)).body.is_operator).toBe(false);
    expect((await look(olga)).status).toBe(404);
    const refused = await app.request('GET', '/api/admin/practices', undefined, olga.token);
    expect([refused.status, refused.body]).toMatchObject([
      403,
      { code: 'forbidden', error: 'This is for operators of the service.' },
    ]);
  });

  test('and a stranger get the same answer when they ask for a code, and only the operator a mail', async () => {
    const { app } = await scene();
    const answers = await Promise.all(
      [OPERATOR, 'stranger@betrieb.example'].map((email) =>
        app.request('POST', '/api/auth/request-otp', { email }),
      ),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    await until('the code is mailed', async () => (await codesTo(app, OPERATOR)).length === 1);
    expect(await codesTo(app, 'stranger@betrieb.example')).toEqual([]);
  });
});

describe('a write with the rights of an operator', () => {
  test('takes a code or password of the last 15 minutes, given while signed in; reading does not', async () => {
    const { app, clock, rename, look } = await scene();
    const olga = await signIn(app, OPERATOR);
    clock.set(clock.now() + 15 * MINUTE - 1);
    expect((await rename(olga, 'Eins')).status).toBe(200);
    clock.set(clock.now() + 1);
    const refused = await rename(olga, 'Zwei');
    expect([refused.status, refused.body]).toMatchObject([403, { code: 'sign_in_again' }]);
    expect((await look(olga)).status).toBe(200);

    const code = await requestCode(app, OPERATOR);
    const proof = await app.request<{ token: string; csrf_token: string }>(
      'POST',
      '/api/auth/verify-otp',
      { email: OPERATOR, code },
      undefined,
      byCookie(olga),
    );
    expect(proof.status).toBe(200);
    expect((await rename(proof.body, 'Zwei')).status).toBe(200);
    expect((await me(app, olga.token)).status).toBe(401);
    expect((await me(app, proof.body.token)).body.csrf_token).toBe(proof.body.csrf_token);
    const replaced = audited(app, 'session.start').at(-1);
    expect(JSON.parse((replaced as unknown as Entry).after_json ?? '')).toMatchObject({
      replaces: expect.any(String),
    });
  });

  test('is not renewed by reading the next code where the service captures its mails', async () => {
    const { app, clock } = await scene();
    const olga = await signIn(app, OPERATOR);
    const base = `/api/practices/${systemTenant(app)}/captures`;
    const ask = (path: string, token: string) =>
      app.request<List<{ id: string }> & Refusal>('GET', base + path, undefined, token);
    const { body: before } = await ask('', olga.token);
    const paths = ['', '/content', '/preview'].map((path) => `/${before.data[0]?.id}${path}`);
    for (const path of paths) expect((await ask(path, olga.token)).status, path).toBe(200);
    clock.set(clock.now() + 15 * MINUTE);
    for (const path of paths) await refused('sign_in_again', ask(path, olga.token));
    await refused('sign_in_again', ask(`${paths[0]}/attachments/1`, olga.token));
    expect((await ask('', olga.token)).status, 'the list has no content').toBe(200);
    expect((await ask(paths[0] ?? '', app.adminToken)).status).toBe(200);
  });

  test('is renewed by the password with the bearer as well', async () => {
    const { app, clock, rename } = await scene();
    const olga = await signIn(app, OPERATOR);
    await setPassword(app, olga.token, { password: PASSWORD });
    clock.set(clock.now() + 15 * MINUTE);
    expect((await rename(olga, 'Eins')).body).toMatchObject({ code: 'sign_in_again' });
    const login = { email: OPERATOR, password: PASSWORD };
    const { body } = await app.request<Person>('POST', '/api/auth/login-password', login, olga.token);
    expect((await rename(body, 'Eins')).status).toBe(200);
    expect((await me(app, olga.token)).status).toBe(401);
  });

  test('does not end the session of another account', async () => {
    const { app } = await scene();
    const erika = await signIn(app, 'erika@example.org');
    const code = await requestCode(app, OPERATOR);
    await app.request('POST', '/api/auth/verify-otp', { email: OPERATOR, code }, erika.token);
    expect((await me(app, erika.token)).status).toBe(200);
  });

  test('is not what a member does in the own practice, however long ago the code was given', async () => {
    const { app, clock, practiceId, rename } = await scene();
    await makeOwner(app, practiceId, OPERATOR);
    const olga = await signIn(app, OPERATOR);
    clock.set(clock.now() + 15 * MINUTE);
    expect((await rename(olga, 'Eigene')).status).toBe(200);
    expect(auditOf(app, practiceId, 'practice.update')).toMatchObject([{ ...byOlga, actor_kind: 'member' }]);
    expect(auditOf(app, practiceId, 'operator.enter')).toEqual([]);
    const plan = await app.request(
      'POST',
      `/api/practices/${practiceId}/plan`,
      { plan: 'gruppe' },
      olga.token,
    );
    expect(plan.body).toMatchObject({ code: 'sign_in_again' });
  });

  test('goes beyond what the operator may as a member', async () => {
    const { app, practiceId, rename } = await scene();
    await join(app, practiceId, OPERATOR, { role_id: 'viewer' });
    const olga = await signIn(app, OPERATOR);
    const { body } = await app.request('GET', `/api/practices/${practiceId}`, undefined, olga.token);
    expect(body).toMatchObject({ caller: { kind: 'member' } });
    expect(auditOf(app, practiceId, 'operator.enter')).toEqual([]);
    expect((await rename(olga, 'Als Betreiberin')).status).toBe(200);
    expect(auditOf(app, practiceId, 'operator.enter')).toMatchObject([byOlga]);
    expect(auditOf(app, practiceId, 'practice.update')).toMatchObject([byOlga]);
  });
});

describe('the audit', () => {
  test('of a practice shows its owner the first look of the day of each session, and each write', async () => {
    const { app, clock, practiceId, base, rename, look } = await scene();
    const olga = await signIn(app, OPERATOR);
    const entries = () => auditOf(app, practiceId, 'operator.enter');
    expect(entries()).toEqual([]);
    await Promise.all([look(olga), look(olga)]);
    await app.request('GET', `/api/suppressions?practice_id=${practiceId}`, undefined, olga.token);
    await rename(olga, 'Neu');
    expect(entries()).toMatchObject([byOlga]);
    expect(auditOf(app, practiceId, 'practice.update')).toMatchObject([byOlga]);
    await look(await signIn(app, OPERATOR));
    expect(entries()).toHaveLength(2);
    await app.stop();
    const again = await startApp({ config, clock, home: app.home });
    onTestFinished(() => again.stop());
    await again.request('GET', base, undefined, olga.token);
    expect(entries()).toHaveLength(2);
    // In use all the while, so that the session lives.
    for (let hours = 0; hours < 24; hours += 8) {
      clock.set(clock.now() + DAY / 3);
      await again.request('GET', base, undefined, olga.token);
    }
    expect(entries()).toHaveLength(3);
    const erika = await signIn(again, 'erika@example.org');
    const shown = await again.request('GET', `${base}/audit?action=operator`, undefined, erika.token);
    expect(shown.body).toMatchObject({
      data: Array(3).fill({ action: 'operator.enter', actor: { kind: 'operator', name: byOlga.actor_name } }),
    });
  });

  test('of the installation has the writes outside of practices', async () => {
    const { app } = await scene();
    const entry = { email: 'wartet@example.org', plan: 'gruppe' };
    await app.request('POST', '/api/public/waitlist', entry);
    const olga = await signIn(app, OPERATOR);
    const { body } = await app.request<{ data: { id: string }[] }>(
      'GET',
      '/api/admin/waitlist',
      undefined,
      olga.token,
    );
    const path = `/api/admin/waitlist/${body.data[0]?.id}`;
    expect((await app.request('DELETE', path, undefined, olga.token)).status).toBe(204);
    expect(audited(app, 'waitlist.remove')).toMatchObject([byOlga]);
  });
});

test('an invitation by an operator who is signed in does not name them, as one by the admin token', async () => {
  const { app, practiceId } = await scene();
  const olga = await signIn(app, OPERATOR);
  await invite(app, practiceId, 'neu@example.org', { role_id: 'member' }, olga.token);
  const mails = await mailsTo(app, 'neu@example.org');
  expect(mails.map(({ text }) => text).join()).not.toContain('betrieb.example');
});
