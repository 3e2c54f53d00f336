// Signing in as people do: by a code from the service's own mail, or a password where the operator allows it; and what
// a stranger who guesses, watches or steals can find out.
import { createHash, randomInt } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newId } from '#src/kernel/id.ts';
import { DAY, HOUR, MINUTE, SECOND } from '#src/kernel/time.ts';
import { type AppOptions, startApp, type TestApp } from '#test/support/app.ts';
import {
  codesTo,
  cookiesOf,
  type Mail,
  mailsTo,
  makeOwner,
  requestCode as newCode,
  type Person,
  signIn,
  unlimitedSignIn,
} from '#test/support/people.ts';
import { until } from '#test/support/process.ts';
import { createTestClock, type TestClock } from '#test/support/storage.ts';

const ERIKA = 'erika@example.org';
const PASSWORD = 'Drei Köche, ein Brei';

interface Me {
  readonly id: string;
  readonly email: string;
  readonly language: string;
  readonly has_password: boolean;
  readonly csrf_token: string;
  readonly session: { readonly id: string; readonly last_used_at: string };
  readonly practices: readonly { readonly practice_id: string; readonly permissions: readonly string[] }[];
}

interface Audited {
  readonly action: string;
  readonly actor_name: string;
  readonly target_id: string;
  readonly client_address: string;
}

interface Scene {
  readonly app: TestApp;
  readonly practiceId: string;
}

const start = async (options: AppOptions = {}): Promise<Scene> => {
  const app = await startApp({ config: unlimitedSignIn, ...options });
  onTestFinished(() => app.remove());
  const { id: practiceId } = await app.createPractice();
  await makeOwner(app, practiceId, ERIKA);
  return { app, practiceId };
};

const withPasswords = { ...unlimitedSignIn, auth: { password_login: true } };
const me = (app: TestApp, token: string) => app.request<Me>('GET', '/api/auth/me', undefined, token);
const isLive = async (app: TestApp, token: string): Promise<boolean> => (await me(app, token)).status === 200;
const requestCode = (app: TestApp, email = ERIKA, headers: Record<string, string> = {}) =>
  app.request('POST', '/api/auth/request-otp', { email }, undefined, headers);
const verify = (app: TestApp, code: string, email = ERIKA) =>
  app.request('POST', '/api/auth/verify-otp', { email, code });
const login = (app: TestApp, password: string, email = ERIKA) =>
  app.request<{ token: string }>('POST', '/api/auth/login-password', { email, password });
const setPassword = (app: TestApp, token: string, body: object) =>
  app.request('PUT', '/api/auth/password', body, token);
const wrong = (code: string, by = 1): string => String((Number(code) + by) % 1_000_000).padStart(6, '0');
const byCookie = ({ cookie, csrfToken }: Person) => ({ Cookie: cookie, 'X-CSRF-Token': csrfToken });
/** The mails that bring a code, once there are so many. */
const codeMails = async (app: TestApp, count: number, email = ERIKA): Promise<Mail[]> => {
  await until('the codes are mailed', async () => (await codesTo(app, email)).length === count);
  const codes = await codesTo(app, email);
  return (await mailsTo(app, email)).filter(({ text }) => codes.some((code) => text.includes(code)));
};
const audited = (app: TestApp, action: string): Audited[] =>
  app.sql(null, 'SELECT * FROM audit WHERE action = ? ORDER BY seq', action);

describe('by a code', () => {
  test('from the mail one is signed in, once, and sees who one is', async () => {
    const { app, practiceId } = await start();
    const asked = await requestCode(app, ' Erika@EXAMPLE.org ');
    expect([asked.status, asked.body]).toEqual([202, { expires_in: 600, retry_after: 60 }]);
    await codeMails(app, 1);
    const [code = ''] = await codesTo(app, ERIKA);
    const { status, body, headers } = await verify(app, code);
    expect(status).toBe(200);
    expect(body).toMatchObject({ idle_timeout_seconds: 43_200, account: { email: ERIKA, language: 'de' } });
    expect(headers.get('cache-control')).toBe('no-store');
    const { body: who } = await me(app, String(body.token));
    expect(who).toMatchObject({ email: ERIKA, has_password: false, csrf_token: body.csrf_token });
    expect(who.practices).toMatchObject([
      {
        practice_id: practiceId,
        status: 'active',
        role: { slug: 'owner' },
        all_projects: true,
        project_ids: [],
      },
    ]);
    expect((await verify(app, code)).status).toBe(401);
    const [entry, ...more] = audited(app, 'session.start');
    expect(more).toEqual([]);
    expect(entry).toMatchObject({
      actor_name: ERIKA,
      target_id: who.session.id,
      client_address: '127.0.0.1',
    });
  });

  test.each([
    { wanted: 'en', says: /code/i },
    { wanted: 'de-AT', says: /Code|Anmelde/i },
  ])('the mail is in the language of who asks: $wanted', async ({ wanted, says }) => {
    const { app } = await start();
    await requestCode(app, ERIKA, { 'Accept-Language': wanted });
    const [mail] = await codeMails(app, 1);
    expect(mail?.subject).toMatch(says);
    expect(/\bSie\b/.test(mail?.text ?? '')).toBe(wanted !== 'en');
  });

  test("the mail is in the account's language where who asks names none", async () => {
    const clock = createTestClock();
    const { app } = await start({ clock });
    const { token } = await signIn(app, ERIKA);
    await app.request('PATCH', '/api/auth/me', { language: 'en' }, token);
    clock.set(clock.now() + 2 * MINUTE);
    await requestCode(app);
    expect((await codeMails(app, 2)).at(-1)?.subject).toBe('Your sign-in code for Sendwerk');
  });

  test('is answered alike for whoever asks, and mails go to members only', async () => {
    const { app } = await start();
    const [known, unknown] = [await requestCode(app), await requestCode(app, 'nobody@example.org')];
    expect(unknown.text).toBe(known.text);
    await codeMails(app, 1);
    const answers = [await verify(app, '000000'), await verify(app, '000000', 'nobody@example.org')];
    expect(answers[0]?.text).toBe(answers[1]?.text);
    expect(await mailsTo(app, 'nobody@example.org')).toEqual([]);
  });

  test('is mailed once a minute, and the one mailed stays right', async () => {
    const clock = createTestClock();
    const { app } = await start({ clock });
    const code = await newCode(app, ERIKA);
    clock.set(clock.now() + 60 * SECOND - 1);
    expect((await requestCode(app)).status).toBe(202);
    clock.set(clock.now() + 1);
    const next = await newCode(app, ERIKA);
    expect(await codesTo(app, ERIKA)).toEqual([code, next]);
    if (code !== next) expect((await verify(app, code)).status).toBe(401);
    expect((await verify(app, next)).status).toBe(200);
  });

  test('is dead after five wrong ones and after ten minutes, in the same words', async () => {
    const clock = createTestClock();
    const { app } = await start({ clock });
    const code = await newCode(app, ERIKA);
    const texts = new Set<string>();
    const refused = async (tried: string): Promise<void> => {
      const { status, text } = await verify(app, tried);
      expect(status).toBe(401);
      texts.add(text);
    };
    for (let attempt = 1; attempt <= 5; attempt++) await refused(wrong(code, attempt));
    await refused(code);
    clock.set(clock.now() + MINUTE);
    const next = await newCode(app, ERIKA);
    clock.set(clock.now() + 10 * MINUTE);
    await refused(next);
    expect(texts.size).toBe(1);
    expect(audited(app, 'session.start')).toEqual([]);
  });

  test.each([
    'not an address',
    'Erika <erika@example.org>',
    'a@example.org, b@example.org',
    '',
    'x@localhost',
  ])('is refused at once for %j', async (email) => {
    const { app } = await start();
    const { status, body } = await requestCode(app, email);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
  });
});

describe('guessing is limited', () => {
  const tally = async (answers: Promise<{ status: number }>[]): Promise<Record<number, number>> => {
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    return Object.fromEntries(
      Object.entries(Object.groupBy(statuses, String)).map(([s, all]) => [s, all?.length ?? 0]),
    );
  };
  const perMinute = (address: number, email: number) => ({
    limits: { sign_in_rate: { per_address: { per_minute: address }, per_email: { per_minute: email } } },
  });

  test('from one address: of 1,000 requests ten are looked at', async () => {
    const clock = createTestClock();
    const { app } = await start({ clock, config: perMinute(10, 1_000_000) });
    const answers = Array.from({ length: 1_000 }, (_, index) => requestCode(app, `${index}@example.org`));
    expect(await tally(answers)).toEqual({ 202: 10, 429: 990 });
    const refused = await verify(app, '123456');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBe(6);
    clock.set(clock.now() + 6 * SECOND);
    expect((await requestCode(app)).status).toBe(202);
  });

  test.each([ERIKA, 'nobody@example.org'])(
    'for one address: of 1,000 requests five are looked at (%s)',
    async (email) => {
      const { app } = await start({ clock: createTestClock(), config: perMinute(1_000_000, 5) });
      const answers = Array.from({ length: 1_000 }, () => requestCode(app, email));
      expect(await tally(answers)).toEqual({ 202: 5, 429: 995 });
      expect((await requestCode(app, 'max@example.org')).status).toBe(202);
    },
  );

  test.each([ERIKA, 'nobody@example.org'])(
    'of 1,000 guesses at a code five are judged (%s)',
    async (email) => {
      const { app } = await start({ clock: createTestClock(), config: perMinute(1_000_000, 5) });
      await requestCode(app, email);
      // One of the five of the address went into asking.
      const answers = Array.from({ length: 1_000 }, (_, index) =>
        verify(app, String(index).padStart(6, '0'), email),
      );
      expect(await tally(answers)).toEqual({ 401: 5 + 4, 429: 991 });
      const attempts = app.sql<{ attempts: number }>(null, 'SELECT attempts FROM sign_in_codes');
      expect(attempts).toEqual([{ attempts: 5 }]);
    },
  );

  test.each([ERIKA, 'nobody@example.org'])('of 1,000 passwords five are computed (%s)', async (email) => {
    const config = { ...perMinute(1_000_000, 5), auth: { password_login: true } };
    const { app } = await start({ clock: createTestClock(), config });
    const answers = Array.from({ length: 1_000 }, (_, index) => login(app, `password ${index}`, email));
    expect(await tally(answers)).toEqual({ 401: 5, 429: 995 });
  });
});

describe('known and unknown addresses take the same time', () => {
  const EACH = 60;
  const STEP_MS = 150;
  /** Passwords are computed two at once: with more, their queue would be measured. */
  const LANES = 2;

  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const started = performance.now();
    await work();
    return performance.now() - started;
  };
  const median = (times: readonly number[]): number =>
    times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
  /** Kolmogorov–Smirnov: the largest difference of the two distributions. */
  const distance = (a: readonly number[], b: readonly number[]): number =>
    Math.max(
      ...[...a, ...b].map((x) =>
        Math.abs(a.filter((t) => t <= x).length / a.length - b.filter((t) => t <= x).length / b.length),
      ),
    );
  /** By chance one comparison in twenty thousand is above it. */
  const critical = (n: number): number => 2.3 * Math.sqrt(2 / n);

  type Kind = 'known' | 'unknown';
  const measure = async (order: readonly Kind[], ask: (kind: Kind, index: number) => Promise<unknown>) => {
    const times: Record<Kind, number[]> = { known: [], unknown: [] };
    const queue = order.entries();
    const lane = async (): Promise<void> => {
      for (const [index, kind] of queue) times[kind].push(await timed(() => ask(kind, index)));
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    return times;
  };
  /** Pairs in either order, as a coin falls: what comes first in a pair must not always be the same. */
  const inPairs = Array.from({ length: EACH }, (): Kind[] =>
    randomInt(2) === 0 ? ['known', 'unknown'] : ['unknown', 'known'],
  ).flat();
  const inBlocks = Array.from(
    { length: 2 * EACH },
    (_, index): Kind => (Math.floor(index / 10) % 2 ? 'known' : 'unknown'),
  );

  const isAlike = ({ known, unknown }: Record<Kind, number[]>): boolean =>
    Math.abs(median(known) - median(unknown)) < STEP_MS / 2 && distance(known, unknown) < critical(EACH);

  /** What else the machine does may fall on one kind by chance, but not each time; a difference of ours does. */
  const expectAlike = async (measureOnce: () => Promise<Record<Kind, number[]>>): Promise<void> => {
    const distances: number[] = [];
    for (let time = 0; time < 3; time++) {
      const times = await measureOnce();
      expect(Math.min(...times.known, ...times.unknown)).toBeGreaterThanOrEqual(STEP_MS);
      if (isAlike(times)) return;
      distances.push(distance(times.known, times.unknown));
    }
    expect.fail(`the two can be told apart: ${distances.map((found) => found.toFixed(2)).join(', ')}`);
  };

  const enrol = (app: TestApp, email: string): void => {
    const insert =
      "INSERT INTO accounts (id, email_key, email, language, created_at) VALUES (?, ?, ?, 'de', 0)";
    app.sql(null, insert, newId(), email, email);
  };

  test.each([
    { name: 'in turns', order: inPairs },
    { name: 'in blocks', order: inBlocks },
  ])(
    'where a code is asked for, $name',
    async ({ order }) => {
      const { app } = await start();
      let asked = 0;
      await expectAlike(async () => {
        const run = newId();
        for (const index of order.keys()) enrol(app, `known-${index}-${run}@example.org`);
        asked += order.length;
        return measure(order, (kind, index) => requestCode(app, `${kind}-${index}-${run}@example.org`));
      });
      // The codes were made: what the answers hide has happened.
      expect(app.sql(null, 'SELECT 1 FROM sign_in_codes')).toHaveLength(asked);
    },
    180_000,
  );

  test('where a password is tried', async () => {
    const { app } = await start({ config: withPasswords });
    const { token } = await signIn(app, ERIKA);
    await setPassword(app, token, { password: PASSWORD });
    await expectAlike(() =>
      measure(inPairs, (kind, index) =>
        login(app, 'ein anderes Wort', kind === 'known' ? ERIKA : `nobody-${index}@example.org`),
      ),
    );
  }, 180_000);
});

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
    expect([without.status, without.body]).toMatchObject([403, { code: 'forbidden', permission: 'csrf' }]);
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
    const refused = { code: 'forbidden', permission: 'recent_sign_in' };
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
