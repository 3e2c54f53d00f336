// Signing in by a password, where the operator allows it.
import { describe, expect, test } from 'vitest';
import { MINUTE } from '#src/kernel/time.ts';
import { signIn } from '#test/support/people.ts';
import { createTestClock } from '#test/support/storage.ts';
import {
  audited,
  ERIKA,
  isLive,
  login,
  me,
  PASSWORD,
  setPassword,
  start,
  withPasswords,
} from './sign-in-scene.ts';

describe('by a password', () => {
  test('nothing is there unless the operator allows it', async () => {
    const { app } = await start();
    const { token } = await signIn(app, ERIKA);
    const answers = [
      await login(app, PASSWORD),
      await setPassword(app, token, { password: PASSWORD }),
      await app.request('DELETE', '/api/auth/password', undefined, token),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    const { body } = await app.request<{ features: object }>('GET', '/api/meta', undefined, token);
    expect(body.features).toMatchObject({ password_login: false });
  });

  test('one signs in once it is set, until it is changed or removed; then other sessions end', async () => {
    const { app } = await start({ config: withPasswords });
    const { token } = await signIn(app, ERIKA);
    expect((await login(app, PASSWORD)).status).toBe(401);
    expect((await setPassword(app, token, { password: PASSWORD })).status).toBe(204);
    expect((await me(app, token)).body.has_password).toBe(true);
    const { status, body: other } = await login(app, PASSWORD, 'ERIKA@example.org');
    expect([status, await isLive(app, other.token)]).toEqual([200, true]);

    const changed = { password: 'ein ganz anderes Wort', current_password: PASSWORD };
    expect((await setPassword(app, token, changed)).status).toBe(204);
    expect([await isLive(app, token), await isLive(app, other.token)]).toEqual([true, false]);
    expect((await login(app, PASSWORD)).status).toBe(401);
    const again = await login(app, changed.password);
    expect((await app.request('DELETE', '/api/auth/password', undefined, token)).status).toBe(204);
    expect(await isLive(app, again.body.token)).toBe(false);
    expect((await login(app, changed.password)).status).toBe(401);
    expect((await app.request('DELETE', '/api/auth/password', undefined, token)).status).toBe(404);
    expect(['password.set', 'password.remove'].map((action) => audited(app, action).length)).toEqual([2, 1]);
  });

  test('changes need the current one', async () => {
    const { app } = await start({ config: withPasswords });
    const { token } = await signIn(app, ERIKA);
    await setPassword(app, token, { password: PASSWORD });
    for (const more of [{}, { current_password: 'ein falsches Wort' }]) {
      const { status, body } = await setPassword(app, token, { password: 'ein ganz anderes Wort', ...more });
      expect([status, body.fields]).toMatchObject([400, [{ path: 'body.current_password' }]]);
    }
    expect((await login(app, PASSWORD)).status).toBe(200);
  });

  test('a session that began a while ago neither takes the password away nor sets the first one', async () => {
    const clock = createTestClock();
    const { app } = await start({ config: withPasswords, clock });
    const { token } = await signIn(app, ERIKA);
    await setPassword(app, token, { password: PASSWORD });
    clock.set(clock.now() + 15 * MINUTE);
    const refused = { code: 'sign_in_again' };
    const removal = () => app.request('DELETE', '/api/auth/password', undefined, token);
    expect((await removal()).body).toMatchObject(refused);
    expect((await login(app, PASSWORD)).status).toBe(200);
    const changed = { password: 'ein ganz anderes Wort', current_password: PASSWORD };
    expect((await setPassword(app, token, changed)).status).toBe(204);
    const fresh = await signIn(app, ERIKA);
    expect((await app.request('DELETE', '/api/auth/password', undefined, fresh.token)).status).toBe(204);
    clock.set(clock.now() + 15 * MINUTE);
    expect((await setPassword(app, fresh.token, { password: PASSWORD })).body).toMatchObject(refused);
    expect((await login(app, PASSWORD)).status).toBe(401);
  });

  test.each([
    { name: 'a short one', password: 'kurz' },
    { name: 'the address', password: 'Erika@Example.org' },
    { name: 'one of more than 1,024 bytes', password: 'ü'.repeat(513) },
  ])('$name is none', async ({ password }) => {
    const { app } = await start({ config: withPasswords });
    const { token } = await signIn(app, ERIKA);
    const { status, body } = await setPassword(app, token, { password });
    expect([status, body.fields]).toMatchObject([400, [{ path: 'body.password' }]]);
    expect((await me(app, token)).body.has_password).toBe(false);
  });

  test('one kept with older parameters is right, and kept anew', async () => {
    const { app } = await start({ config: withPasswords });
    // phc-winner-argon2, src/test.c: "password", m=2^8
    const old = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
    app.sql(null, 'UPDATE accounts SET password = ? WHERE email_key = ?', old, ERIKA);
    expect((await login(app, 'Password')).status).toBe(401);
    expect((await login(app, 'password')).status).toBe(200);
    const [row] = app.sql<{ password: string }>(null, 'SELECT password FROM accounts');
    expect(row?.password).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await login(app, 'password')).status).toBe(200);
  });
});
