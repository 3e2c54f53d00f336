// Sessions over HTTP: how long they live, in browsers and elsewhere, and what a stolen file says of them.
import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DAY, HOUR } from '#src/kernel/time.ts';
import { startApp, type TestApp } from '#test/support/app.ts';
import {
  cookiesOf,
  makeOwner,
  requestCode as newCode,
  signIn,
  unlimitedSignIn,
} from '#test/support/people.ts';
import { createTestClock, type TestClock } from '#test/support/storage.ts';
import {
  audited,
  byCookie,
  ERIKA,
  isLive,
  type Me,
  me,
  PASSWORD,
  requestCode,
  setPassword,
  start,
  verify,
  withPasswords,
} from './sign-in-scene.ts';

describe('a session is dead', () => {
  test('after logout, and the browser forgets it', async () => {
    const { app } = await start();
    const person = await signIn(app, ERIKA);
    const answer = await app.request('POST', '/api/auth/logout', undefined, undefined, byCookie(person));
    expect(answer.status).toBe(204);
    expect(answer.headers.getSetCookie()).toEqual([
      'svc_session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
      'svc_csrf=; Max-Age=0; Path=/; SameSite=Lax',
    ]);
    expect(await isLive(app, person.token)).toBe(false);
    expect(audited(app, 'session.end')).toMatchObject([{ actor_name: ERIKA }]);
  });

  test('alone after logout, and with all others after logout everywhere', async () => {
    const { app } = await start();
    const [first, second, third] = [
      await signIn(app, ERIKA),
      await signIn(app, ERIKA),
      await signIn(app, ERIKA),
    ];
    await app.request('POST', '/api/auth/logout', undefined, first.token);
    expect([await isLive(app, second.token), await isLive(app, third.token)]).toEqual([true, true]);
    await app.request('POST', '/api/auth/logout?everywhere=true', undefined, second.token);
    expect([await isLive(app, second.token), await isLive(app, third.token)]).toEqual([false, false]);
  });

  test('after 12 hours without use, and not before', async () => {
    const clock = createTestClock();
    const { app } = await start({ clock });
    const { token } = await signIn(app, ERIKA);
    clock.set(clock.now() + 12 * HOUR - 1);
    expect(await isLive(app, token)).toBe(true);
    clock.set(clock.now() + 12 * HOUR);
    expect(await isLive(app, token)).toBe(false);
  });

  test('after 30 days in use', async () => {
    const clock = createTestClock();
    const { app } = await start({ clock });
    const { token } = await signIn(app, ERIKA);
    const end = clock.now() + 30 * DAY;
    for (; clock.now() < end; clock.set(clock.now() + 11 * HOUR)) expect(await isLive(app, token)).toBe(true);
    clock.set(end - 1);
    expect(await isLive(app, token)).toBe(true);
    clock.set(end);
    expect(await isLive(app, token)).toBe(false);
  });

  test('once the member is removed', async () => {
    const { app, practiceId } = await start();
    await makeOwner(app, practiceId, 'max@example.org');
    const { token } = await signIn(app, 'max@example.org');
    const base = `/api/practices/${practiceId}`;
    const { body } = await app.request<{ data: { id: string; email: string }[] }>(
      'GET',
      `${base}/members`,
      undefined,
      token,
    );
    const { id } = body.data.find(({ email }) => email === 'max@example.org') ?? { id: '' };
    expect((await app.request('DELETE', `${base}/members/${id}`, undefined, app.adminToken)).status).toBe(
      204,
    );
    expect(await isLive(app, token)).toBe(false);
    await requestCode(app, 'max@example.org');
    expect(app.sql(null, "SELECT 1 FROM accounts WHERE email_key = 'max@example.org'")).toEqual([]);
  });

  test('not after a restart, which keeps also the last use', async () => {
    const clock: TestClock = createTestClock();
    const { app } = await start({ clock });
    const { token } = await signIn(app, ERIKA);
    clock.set(clock.now() + 11 * HOUR);
    expect(await isLive(app, token)).toBe(true);
    await app.stop();
    clock.set(clock.now() + 11 * HOUR);
    const again = await startApp({ config: unlimitedSignIn, home: app.home, clock });
    onTestFinished(() => again.stop());
    expect(await isLive(again, token)).toBe(true);
  });
});

describe('a browser', () => {
  test('reads by its cookie, and writes only with the CSRF token', async () => {
    const { app } = await start();
    const person = await signIn(app, ERIKA);
    const change = (headers: Record<string, string>) =>
      app.request('PATCH', '/api/auth/me', { language: 'en' }, undefined, headers);
    const { body } = await app.request<Me>('GET', '/api/auth/me', undefined, undefined, {
      Cookie: person.cookie,
    });
    expect(body.csrf_token).toBe(person.csrfToken);
    const without = await change({ Cookie: person.cookie });
    expect([without.status, without.body]).toMatchObject([
      403,
      { code: 'forbidden', error: expect.stringContaining('CSRF') },
    ]);
    const other = await signIn(app, ERIKA);
    expect((await change({ Cookie: person.cookie, 'X-CSRF-Token': other.csrfToken })).status).toBe(403);
    expect((await me(app, person.token)).body.language).toBe('de');
    expect((await change(byCookie(person))).status).toBe(200);
    expect((await me(app, person.token)).body.language).toBe('en');
    expect(audited(app, 'account.update')).toMatchObject([{ actor_name: ERIKA }]);
  });

  test('with two session cookies is nobody: one of them may be planted', async () => {
    const { app } = await start();
    const person = await signIn(app, ERIKA);
    const Cookie = `svc_session=planted; ${person.cookie}`;
    expect((await app.request('GET', '/api/auth/me', undefined, undefined, { Cookie })).status).toBe(401);
  });

  test('over HTTPS gets cookies that no other host can set', async () => {
    const config = { ...unlimitedSignIn, service: { public_origin: 'https://mail.example.com' } };
    const { app } = await start({ config });
    const code = await newCode(app, ERIKA);
    const { headers } = await verify(app, code);
    const cookies = headers.getSetCookie();
    expect(cookies.map((cookie) => cookie.split('=', 1)[0])).toEqual([
      '__Host-svc_session',
      '__Host-svc_csrf',
    ]);
    for (const cookie of cookies) expect(cookie).toMatch(/Max-Age=2592000; Path=\/;.* Secure; SameSite=Lax/);
    const Cookie = cookiesOf(headers);
    expect((await app.request('GET', '/api/auth/me', undefined, undefined, { Cookie })).status).toBe(200);
  });
});

describe('the sessions of an account', () => {
  interface Listed {
    readonly id: string;
    readonly current: boolean;
    readonly user_agent: string;
  }
  const list = async (app: TestApp, token: string): Promise<readonly Listed[]> =>
    (await app.request<{ data: Listed[] }>('GET', '/api/auth/sessions', undefined, token)).body.data;
  const end = (app: TestApp, id: string | undefined, token: string) =>
    app.request('DELETE', `/api/auth/sessions/${id}`, undefined, token);

  test('are listed with when, how and from where, none of which opens anything', async () => {
    const clock = createTestClock();
    const { app } = await start({ clock });
    const at = new Date(clock.now()).toISOString();
    const agent = `Browser/1.0 ${'x'.repeat(300)}`;
    const code = { email: ERIKA, code: await newCode(app, ERIKA) };
    const { body } = await app.request<{ token: string }>('POST', '/api/auth/verify-otp', code, undefined, {
      'User-Agent': agent,
    });
    const [listed, ...others] = await list(app, body.token);
    expect(others).toEqual([]);
    expect(listed).toEqual({
      id: (await me(app, body.token)).body.session.id,
      current: true,
      method: 'code',
      user_agent: agent.slice(0, 256),
      client_address: '127.0.0.0',
      created_at: at,
      proved_at: at,
      last_used_at: at,
      ends_at: new Date(clock.now() + 12 * HOUR).toISOString(),
    });
    expect(await isLive(app, listed?.id ?? '')).toBe(false);
  });

  test('are ended one at a time by their owner, and by no one else', async () => {
    const { app, practiceId } = await start();
    await makeOwner(app, practiceId, 'max@example.org');
    const [here, there, max] = [
      await signIn(app, ERIKA),
      await signIn(app, ERIKA),
      await signIn(app, 'max@example.org'),
    ];
    const other = (await list(app, here.token)).find(({ current }) => !current);
    const own = (await list(app, here.token)).find(({ current }) => current);
    expect(await list(app, max.token)).toHaveLength(1);
    expect((await end(app, other?.id, max.token)).status).toBe(404);
    expect(await isLive(app, there.token)).toBe(true);

    expect((await end(app, other?.id, here.token)).headers.getSetCookie()).toEqual([]);
    expect([await isLive(app, here.token), await isLive(app, there.token)]).toEqual([true, false]);
    expect((await end(app, other?.id, here.token)).status).toBe(404);
    expect(audited(app, 'session.end')).toMatchObject([{ actor_name: ERIKA, target_id: other?.id }]);

    const last = await end(app, own?.id, here.token);
    expect([last.status, last.headers.getSetCookie()]).toMatchObject([
      204,
      [expect.stringContaining('svc_session=; Max-Age=0'), expect.stringContaining('svc_csrf=; Max-Age=0')],
    ]);
    expect(await isLive(app, here.token)).toBe(false);
  });
});

test('me leaves out a practice that cannot be read, and shows the others', async () => {
  const { app, practiceId } = await start();
  const other = await app.createPractice({ name: 'Andere' });
  await makeOwner(app, other.id, ERIKA);
  const { token } = await signIn(app, ERIKA);
  expect((await me(app, token)).body.practices.map(({ practice_id }) => practice_id)).toEqual([
    practiceId,
    other.id,
  ]);
  await app.stop();
  await rm(path.join(app.home, 'data', 'tenants', practiceId), { recursive: true });
  const again = await startApp({ config: unlimitedSignIn, home: app.home });
  const { status, body } = await me(again, token);
  expect([status, body.practices.map(({ practice_id }) => practice_id)]).toEqual([200, [other.id]]);
  await again.stop().catch(() => undefined);
});

test('a stolen data directory holds nothing that lets anyone in', async () => {
  const { app } = await start({ config: withPasswords });
  const { token, csrfToken } = await signIn(app, ERIKA);
  await setPassword(app, token, { password: PASSWORD });
  const code = await newCode(app, ERIKA);
  await app.stop();
  const dataDir = path.join(app.home, 'data');
  const names = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const files = names
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  expect(files.filter((name) => name.endsWith('.db')).length).toBeGreaterThanOrEqual(3);
  const contents = await Promise.all(files.map((name) => readFile(name)));
  const holds = (secret: string | Buffer): boolean => contents.some((content) => content.includes(secret));
  // That the search finds what is there.
  expect(holds(createHash('sha256').update(token).digest())).toBe(true);
  // Six digits alone stand in times and ids; a code stands by itself or in quotes.
  const written = [`"${code}"`, ` ${code}`, `\n${code}`];
  const secrets = [token, token.slice('svc_sess_'.length), csrfToken, PASSWORD, ...written];
  expect(secrets.filter(holds)).toEqual([]);
});
