// Signing in by a code from the service’s own mail; and what a stranger who guesses or watches the clock can find out.
import { randomInt } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newId } from '#src/kernel/id.ts';
import { MINUTE, SECOND } from '#src/kernel/time.ts';
import type { TestApp } from '#test/support/app.ts';
import { codesTo, mailsTo, requestCode as newCode, signIn } from '#test/support/people.ts';
import { soak } from '#test/support/soak.ts';
import { createTestClock } from '#test/support/storage.ts';
import {
  audited,
  codeMails,
  ERIKA,
  login,
  me,
  PASSWORD,
  requestCode,
  setPassword,
  start,
  verify,
  withPasswords,
  wrong,
} from './sign-in-scene.ts';

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

  test('is answered alike for every address, and mails go to members only', async () => {
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

describe('guessing is limited', { tags: 'soak' }, () => {
  const REQUESTS = soak(100, 1_000);
  const tally = async (answers: Promise<{ status: number }>[]): Promise<Record<number, number>> => {
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    return Object.fromEntries(
      Object.entries(Object.groupBy(statuses, String)).map(([s, all]) => [s, all?.length ?? 0]),
    );
  };
  const perMinute = (address: number, email: number) => ({
    limits: { sign_in_rate: { per_address: { per_minute: address }, per_email: { per_minute: email } } },
  });

  test(`from one address: of ${REQUESTS} requests ten are looked at`, async () => {
    const clock = createTestClock();
    const { app } = await start({ clock, config: perMinute(10, 1_000_000) });
    const answers = Array.from({ length: REQUESTS }, (_, index) => requestCode(app, `${index}@example.org`));
    expect(await tally(answers)).toEqual({ 202: 10, 429: REQUESTS - 10 });
    const refused = await verify(app, '123456');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBe(6);
    clock.set(clock.now() + 6 * SECOND);
    expect((await requestCode(app)).status).toBe(202);
  });

  test.each([ERIKA, 'nobody@example.org'])(
    `for one address: of ${REQUESTS} requests five are looked at (%s)`,
    async (email) => {
      const { app } = await start({ clock: createTestClock(), config: perMinute(1_000_000, 5) });
      const answers = Array.from({ length: REQUESTS }, () => requestCode(app, email));
      expect(await tally(answers)).toEqual({ 202: 5, 429: REQUESTS - 5 });
      expect((await requestCode(app, 'max@example.org')).status).toBe(202);
    },
  );

  test.each([ERIKA, 'nobody@example.org'])(
    `of ${REQUESTS} guesses at a code five are judged (%s)`,
    async (email) => {
      const { app } = await start({ clock: createTestClock(), config: perMinute(1_000_000, 5) });
      await requestCode(app, email);
      // One of the five of the address went into asking.
      const answers = Array.from({ length: REQUESTS }, (_, index) =>
        verify(app, String(index).padStart(6, '0'), email),
      );
      expect(await tally(answers)).toEqual({ 401: 5 + 4, 429: REQUESTS - 9 });
      const attempts = app.sql<{ attempts: number }>(null, 'SELECT attempts FROM sign_in_codes');
      expect(attempts).toEqual([{ attempts: 5 }]);
    },
  );

  test.each([ERIKA, 'nobody@example.org'])(
    `of ${REQUESTS} passwords five are computed (%s)`,
    async (email) => {
      const config = { ...perMinute(1_000_000, 5), auth: { password_login: true } };
      const { app } = await start({ clock: createTestClock(), config });
      const answers = Array.from({ length: REQUESTS }, (_, index) => login(app, `password ${index}`, email));
      expect(await tally(answers)).toEqual({ 401: 5, 429: REQUESTS - 5 });
    },
  );
});

describe('known and unknown addresses take the same time', { tags: 'soak' }, () => {
  const EACH = soak(20, 60);
  const STEP_MS = 150;
  /** Passwords are computed two at once: with more, their queue would be measured. */
  const LANES = 2;

  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const started = performance.now();
    await work();
    return performance.now() - started;
  };
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

  /**
   * What else the machine does may fall on one kind by chance, but not each time; a difference of ours does. Medians say nothing:
   * where the work takes about a step, half of both kinds take one more, and either median may be on either side.
   */
  const expectAlike = async (measureOnce: () => Promise<Record<Kind, number[]>>): Promise<void> => {
    const distances: number[] = [];
    for (let time = 0; time < 3; time++) {
      const times = await measureOnce();
      expect(Math.min(...times.known, ...times.unknown)).toBeGreaterThanOrEqual(STEP_MS);
      const found = distance(times.known, times.unknown);
      if (found < critical(EACH)) return;
      distances.push(found);
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
