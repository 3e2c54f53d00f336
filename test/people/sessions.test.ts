import { createHash } from 'node:crypto';
import { parseSetCookie } from 'cookie';
import { beforeEach, describe, expect, test } from 'vitest';
import { type AccountRow, accountStore } from '#src/accounts/entry/account-store.ts';
import type { Caller } from '#src/kernel/access.ts';
import { isCredentialFault, type LastUsed } from '#src/kernel/credentials.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { DAY, HOUR, MINUTE } from '#src/kernel/time.ts';
import { sessionAnswerSchema } from '#src/people/session-schema.ts';
import {
  createSessions,
  createSessionsLastUsed,
  type IssuedSession,
  type Sessions,
} from '#src/people/sessions.ts';
import { sessionsCleanupJob } from '#src/people/sessions-cleanup.ts';
import { createSignInCodes } from '#src/people/sign-in-codes.ts';
import { sessionStore } from '#src/people/sign-in-store.ts';
import {
  createTestClock,
  openTestStorage,
  type TestClock,
  temporaryDirectory,
} from '#test/support/storage.ts';

const START = 1_700_000_000_000;
const CSRF_KEY = Buffer.alloc(32, 3);

let storage: Storage;
let clock: TestClock;
let lastUsed: LastUsed;
let sessions: Sessions;
let erika: AccountRow;

const deps = () => ({ platform: storage.platform, clock, lastUsed, findOperator: () => undefined });
const byCode = { method: 'code', user_agent: '', client_address: null } as const;
const create = (isHttps: boolean): Sessions => createSessions({ ...deps(), csrfKey: CSRF_KEY, isHttps });
const account = (email: string) =>
  storage.platform.write((db) => accountStore(db).ensure(email, email.toLowerCase(), 'de', START));

beforeEach(async () => {
  storage = await openTestStorage(await temporaryDirectory());
  clock = createTestClock(START);
  lastUsed = createSessionsLastUsed(storage.platform, clock);
  sessions = create(false);
  erika = await account('Erika@example.org');
});

const issue = (of = erika): Promise<IssuedSession> =>
  storage.platform.write((db) => sessions.issue(db, of, byCode, clock.now()));
const orNull = (caller: Promise<Caller>): Promise<Caller | null> =>
  caller.catch((thrown) => {
    if (isCredentialFault(thrown)) return null;
    throw thrown;
  });
const isLive = async (token: string): Promise<boolean> => (await orNull(sessions.byBearer(token))) !== null;
const rows = () =>
  storage.platform.peek((db) => db.prepare('SELECT * FROM sessions ORDER BY id').all()) as {
    id: string;
    last_used_at: number;
  }[];
/** As after a crash: what was noted in memory is lost. */
const restart = (): void => {
  lastUsed = createSessionsLastUsed(storage.platform, clock);
  sessions = create(false);
};

describe('a session', () => {
  test('is its account, in no practice yet and with no permission', async () => {
    const { token, id } = await issue();
    expect(token).toMatch(/^svc_sess_[0-9A-Za-z]{43}$/);
    expect(await sessions.byBearer(token)).toEqual({
      kind: 'member',
      credentialId: id,
      name: 'Erika@example.org',
      tenantId: null,
      projects: null,
      permissions: new Set(),
      account: { id: erika.id, email: 'Erika@example.org', emailKey: 'erika@example.org' },
      memberId: null,
      isOwner: false,
      operatorProof: null,
    });
  });

  test('is stored as the SHA-256 of its bearer', async () => {
    const { token } = await issue();
    const hash = createHash('sha256').update(token).digest();
    expect(storage.platform.peek((db) => sessionStore(db).find(hash))).toMatchObject({
      account_id: erika.id,
    });
    expect(JSON.stringify(rows())).not.toContain(token.slice('svc_sess_'.length));
  });

  test.each<{ name: string; alter: (token: string) => string }>([
    { name: 'without its last character', alter: (token) => token.slice(0, -1) },
    { name: 'with one more', alter: (token) => `${token}a` },
    { name: 'without its prefix', alter: (token) => token.slice('svc_sess_'.length) },
    { name: 'in another case', alter: (token) => token.toLowerCase() },
    { name: 'by its hash', alter: (token) => createHash('sha256').update(token).digest('base64url') },
    { name: 'by nothing', alter: () => '' },
  ])('is not opened $name', async ({ alter }) => {
    const { token } = await issue();
    expect(await isLive(alter(token))).toBe(false);
    expect(await isLive(token)).toBe(true);
  });

  test('dies after 12 hours without use', async () => {
    const { token } = await issue();
    clock.set(START + 12 * HOUR);
    expect(await isLive(token)).toBe(false);
  });

  test('in use lives on, whether its use has been written or not', async () => {
    const { token } = await issue();
    clock.set(START + 12 * HOUR - 1);
    expect(await isLive(token)).toBe(true);
    clock.set(START + 24 * HOUR - 2);
    expect(rows()[0]?.last_used_at).toBe(START);
    expect(await isLive(token)).toBe(true);
    await lastUsed.flush();
    restart();
    clock.set(START + 36 * HOUR - 3);
    expect(await isLive(token)).toBe(true);
    clock.set(START + 48 * HOUR - 3);
    expect(await isLive(token)).toBe(false);
  });

  test('dies after 30 days, however much it is used', async () => {
    const { token } = await issue();
    for (let at = START; at < START + 30 * DAY; at += 11 * HOUR) {
      clock.set(at);
      expect(await isLive(token)).toBe(true);
    }
    clock.set(START + 30 * DAY - 1);
    expect(await isLive(token)).toBe(true);
    clock.set(START + 30 * DAY);
    expect(await isLive(token)).toBe(false);
  });

  test('that has died is not brought to life by being tried', async () => {
    const { token } = await issue();
    clock.set(START + 12 * HOUR);
    await isLive(token);
    await lastUsed.flush();
    clock.set(START + 12 * HOUR + 1);
    expect(await isLive(token)).toBe(false);
  });

  test('is not used by a request of before that asks once more, and ends under it', async () => {
    const { token } = await issue();
    const cookie = `svc_session=${token}`;
    const onceMore = async () => [
      await orNull(sessions.byBearer(token, true)),
      await orNull(sessions.byCookie({ cookie, csrfToken: null, isWrite: false, isOnceMore: true })),
    ];
    clock.set(START + 12 * HOUR - 1);
    expect(await onceMore()).not.toContain(null);
    clock.set(START + 12 * HOUR);
    expect(await onceMore()).toEqual([null, null]);
  });

  test('is listed with its last use, the one used last first, until it ends', async () => {
    const first = await issue();
    const second = await issue();
    clock.set(START + HOUR);
    await isLive(first.token);
    const listed = () =>
      storage.platform
        .peek((db) => sessions.ofAccount(db, erika.id))
        .map(({ id, created_at, last_used_at }) => ({ id, created_at, last_used_at }));
    const used = { id: first.id, created_at: START, last_used_at: START + HOUR };
    expect(listed()).toEqual([used, { id: second.id, created_at: START, last_used_at: START }]);
    clock.set(START + 12 * HOUR);
    expect(listed()).toEqual([used]);
  });

  test('goes with its account', async () => {
    const { token } = await issue();
    await storage.platform.write((db) => accountStore(db).leave(erika.id, 'nowhere'));
    expect(await isLive(token)).toBe(false);
    expect(rows()).toEqual([]);
  });
});

test('at most 50 of an account live: the one used longest ago goes, by what is noted in memory too', async () => {
  const other = await issue(await account('max@example.org'));
  const issued: IssuedSession[] = [];
  for (let number = 0; number < 50; number++) {
    clock.set(START + number);
    issued.push(await issue());
  }
  clock.set(START + MINUTE);
  // The oldest is in use, which only the memory knows.
  expect(await isLive(issued[0]?.token ?? '')).toBe(true);
  await issue();
  expect(await Promise.all(issued.map(({ token }) => isLive(token)))).toEqual(
    issued.map((_, number) => number !== 1),
  );
  expect(await isLive(other.token)).toBe(true);
  expect(rows()).toHaveLength(51);
});

describe('the answer to a sign-in', () => {
  test('holds what a program needs, and cookies for browsers', async () => {
    const issued = await issue();
    const answer = sessions.answer(issued);
    expect(sessionAnswerSchema.parse(answer.body)).toEqual({
      token: issued.token,
      csrf_token: issued.csrfToken,
      expires_at: new Date(START + 30 * DAY).toISOString(),
      idle_timeout_seconds: 43_200,
      account: { id: erika.id, email: 'Erika@example.org', language: 'de' },
    });
    const cookies = [answer.headers?.['Set-Cookie']].flat().map((text) => parseSetCookie(text ?? ''));
    const shared = { maxAge: 2_592_000, path: '/', sameSite: 'lax' };
    expect(cookies).toEqual([
      { name: 'svc_session', value: issued.token, httpOnly: true, ...shared },
      { name: 'svc_csrf', value: issued.csrfToken, ...shared },
    ]);
  });

  test('over HTTPS binds the cookies to this very host', async () => {
    sessions = create(true);
    const [session, csrf] = [sessions.answer(await issue()).headers?.['Set-Cookie']].flat();
    expect(session).toMatch(/^__Host-svc_session=svc_sess_\w{43};.* Path=\/;.* HttpOnly;.* Secure/);
    expect(csrf).toMatch(/^__Host-svc_csrf=[\w-]{43};.* Path=\/;.* Secure/);
    expect(csrf).not.toMatch(/HttpOnly/);
    expect(`${session}${csrf}`).not.toMatch(/Domain/);
  });

  test('is taken back by cookies of the same names that end at once', () => {
    for (const isHttps of [false, true]) {
      const cleared = create(isHttps).clearingCookies.map((text) => parseSetCookie(text));
      const prefix = isHttps ? '__Host-' : '';
      expect(cleared.map(({ name, value, maxAge, path }) => ({ name, value, maxAge, path }))).toEqual([
        { name: `${prefix}svc_session`, value: '', maxAge: 0, path: '/' },
        { name: `${prefix}svc_csrf`, value: '', maxAge: 0, path: '/' },
      ]);
    }
  });
});

describe('a cookie', () => {
  const ask = (cookie: string, more: { csrfToken?: string | null; isWrite?: boolean } = {}) =>
    orNull(sessions.byCookie({ cookie, csrfToken: null, isWrite: false, ...more }));

  test.each<{ name: string; cookie: (token: string) => string; lets: boolean }>([
    { name: 'lets in', cookie: (token) => `svc_session=${token}`, lets: true },
    { name: 'lets in among others', cookie: (token) => `a=1; svc_session=${token}; b=2`, lets: true },
    { name: 'under another name does not', cookie: (token) => `session=${token}`, lets: false },
    {
      name: 'under the name for HTTPS does not here',
      cookie: (token) => `__Host-svc_session=${token}`,
      lets: false,
    },
    {
      name: 'that stands there twice does not',
      cookie: (token) => `svc_session=${token}; svc_session=${token}`,
      lets: false,
    },
    {
      name: 'behind a planted one does not',
      cookie: (token) => `svc_session=x; svc_session=${token}`,
      lets: false,
    },
    {
      name: 'before a planted one does not',
      cookie: (token) => `svc_session=${token};\tsvc_session =x`,
      lets: false,
    },
    {
      name: 'twice, once without a value, does not',
      cookie: (token) => `svc_session; svc_session=${token}`,
      lets: false,
    },
    { name: 'of nothing does not', cookie: () => 'svc_session=', lets: false },
    { name: 'of no session does not', cookie: () => `svc_session=svc_sess_${'a'.repeat(43)}`, lets: false },
    { name: 'header that is empty does not', cookie: () => '', lets: false },
  ])('$name', async ({ cookie, lets }) => {
    const { token, id } = await issue();
    const caller = await ask(cookie(token));
    expect(caller?.credentialId).toBe(lets ? id : undefined);
  });

  test('of the plain name does not let in where browsers come over HTTPS', async () => {
    const { token } = await issue();
    sessions = create(true);
    expect(await ask(`svc_session=${token}`)).toBeNull();
    expect(await ask(`__Host-svc_session=${token}`)).not.toBeNull();
  });

  test('and the CSRF token let in to write', async () => {
    const { token, csrfToken, id } = await issue();
    expect(await ask(`svc_session=${token}`, { csrfToken, isWrite: true })).toMatchObject({
      credentialId: id,
    });
  });

  test.each<{ name: string; given: (csrfToken: string) => string | null }>([
    { name: 'without the CSRF token', given: () => null },
    { name: 'with an empty one', given: () => '' },
    { name: 'with a longer one', given: (csrfToken) => `${csrfToken}a` },
    { name: 'with a shorter one', given: (csrfToken) => csrfToken.slice(1) },
    {
      name: 'with one of other bytes but the same length',
      given: (csrfToken) => 'é'.repeat(csrfToken.length),
    },
    { name: 'with that of another session', given: () => sessions.csrfTokenOf('another') },
  ])('does not let in to write $name', async ({ given }) => {
    const { token, csrfToken } = await issue();
    await expect(
      ask(`svc_session=${token}`, { csrfToken: given(csrfToken), isWrite: true }),
    ).rejects.toMatchObject({ code: 'forbidden', extra: {} });
  });

  test('of an ended session is no caller, whatever else it sends', async () => {
    const { token, csrfToken } = await issue();
    clock.set(START + 12 * HOUR);
    expect(await ask(`svc_session=${token}`, { csrfToken, isWrite: true })).toBeNull();
    expect(await ask(`svc_session=${token}`, { isWrite: true })).toBeNull();
  });

  test('has a CSRF token that another key would not make', async () => {
    const { csrfToken, id } = await issue();
    const other = createSessions({ ...deps(), csrfKey: Buffer.alloc(32), isHttps: false });
    expect(sessions.csrfTokenOf(id)).toBe(csrfToken);
    expect(other.csrfTokenOf(id)).not.toBe(csrfToken);
  });
});

describe('the cleanup', () => {
  const codes = createSignInCodes(CSRF_KEY);
  const run = (removeOldCodes = codes.removeOld, signal = new AbortController().signal) =>
    sessionsCleanupJob(storage.platform, clock, removeOldCodes).run(signal, undefined as never);

  test('removes what has died, some time later, and leaves what lives', async () => {
    const dead = await issue();
    clock.set(START + HOUR);
    const used = await issue();
    clock.set(START + 12 * HOUR);
    expect(await isLive(used.token)).toBe(true);
    clock.set(START + 13 * HOUR);
    await run();
    expect(rows().map(({ id }) => id)).toEqual([dead.id, used.id]);
    clock.set(START + 13 * HOUR + 1);
    await run();
    expect(rows().map(({ id }) => id)).toEqual([used.id]);
    expect(await isLive(used.token)).toBe(true);
  });

  test('removes what is older than 30 days, however lately it was used', async () => {
    const { id } = await issue();
    clock.set(START + 30 * DAY + HOUR);
    await storage.platform.write((db) => sessionStore(db).touch(id, clock.now()));
    await run();
    expect(rows()).toHaveLength(1);
    clock.set(clock.now() + 1);
    await run();
    expect(rows()).toEqual([]);
  });

  test('removes more than one transaction does, and ends when it is aborted', async () => {
    const accounts = await Promise.all(
      Array.from({ length: 30 }, (_, number) => account(`${number}@example.org`)),
    );
    await storage.platform.write((db) => {
      for (const of of accounts)
        for (let count = 0; count < 40; count++) sessions.issue(db, of, byCode, START);
    });
    clock.set(START + 31 * DAY);
    await run(undefined, AbortSignal.abort());
    expect(rows()).toHaveLength(1_200);
    await run();
    expect(rows()).toEqual([]);
  });

  test('goes on with codes until there are no old ones', async () => {
    await storage.platform.write((db) => {
      for (let number = 0; number < 2_500; number++) codes.request(db, `${number}@example.org`, START);
    });
    const count = () =>
      storage.platform.peek((db) => db.prepare('SELECT count(*) FROM sign_in_codes').pluck().get());
    expect(count()).toBe(2_500);
    clock.set(START + DAY);
    await run();
    expect(count()).toBe(0);
  });
});
