// Sessions of people who signed in. The bearer is known to its holder only; what is stored is its SHA-256. A session
// ends after 12 hours without use or 30 days, by logout, and with its account. Browsers hold the bearer in a cookie that
// scripts cannot read; their writes must also bring the CSRF token, which another site cannot know: an HMAC of the
// session's id under a key of ours (the signed double submit), so there is nothing to store.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { parseCookie, stringifySetCookie } from 'cookie';
import { z } from 'zod';
import { auditStore } from '#src/events/audit-store.ts';
import { type Account, anonymous, type Caller } from '#src/kernel/access.ts';
import { type Change, changeAs, changeBy } from '#src/kernel/change.ts';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import type { Job } from '#src/kernel/job.ts';
import { languages } from '#src/kernel/language.ts';
import type { RouteResult } from '#src/kernel/route.ts';
import { type Clock, DAY, HOUR, SECOND, toIso } from '#src/kernel/time.ts';
import type { AccountRow } from './account-store.ts';
import { hashBearer, newBearer } from './bearer.ts';
import { nothingSent, sessionOver } from './credential-faults.ts';
import type { LastUsed } from './last-used.ts';
import { type SessionRow, sessionStore } from './sign-in-store.ts';
import { credentialStore } from './token-store.ts';

export const SESSION_PREFIX = 'svc_sess_';
export const IDLE_MS = 12 * HOUR;
export const ABSOLUTE_MS = 30 * DAY;
/** More than anyone has browsers and programs; it bounds how much one address can write to the file. */
const MAX_SESSIONS = 50;
/** A row is removed this long after its session ended: by then a use noted in memory has been written. */
const REMOVED_AFTER_MS = HOUR;
const REMOVED_AT_ONCE = 1_000;
/** Until then its bearer is answered that the token was revoked; later, that there is none. */
const REVOKED_KEPT_MS = 90 * DAY;
/** All sessions are in one file. */
const PLACE = 'platform';

export interface IssuedSession {
  readonly token: string;
  readonly csrfToken: string;
  readonly id: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly account: AccountRow;
}

/** Milliseconds. */
export interface SessionTimes {
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
}

export interface CookieCredentials {
  /** The header. */
  readonly cookie: string;
  readonly csrfToken: string | null;
  readonly isWrite: boolean;
  /** See `Credentials` of authenticate.ts. */
  readonly isOnceMore?: boolean | undefined;
}

export interface Sessions {
  /** In the transaction that lets the account in. */
  issue(db: PlatformDb, account: AccountRow, now: number): IssuedSession;
  /** The answer to a sign-in, with the cookies. */
  answer(issued: IssuedSession): RouteResult;
  /** The caller with that bearer. `isOnceMore`: this does not count as a use. Throws `unauthorized`. */
  byBearer(bearer: string, isOnceMore?: boolean): Promise<Caller>;
  /** As `byBearer`. Throws `forbidden` for a write without the CSRF token. */
  byCookie(credentials: CookieCredentials): Promise<Caller>;
  csrfTokenOf(sessionId: string): string;
  times(db: PlatformDb, sessionId: string): SessionTimes | undefined;
  /** `Set-Cookie` headers by which a browser forgets its session. */
  readonly clearingCookies: readonly string[];
}

export interface SessionsOptions {
  readonly platform: DurableFile<PlatformDb>;
  readonly clock: Clock;
  readonly lastUsed: LastUsed;
  /** 32 bytes, derived for CSRF tokens alone. */
  readonly csrfKey: Buffer;
  /** Whether browsers reach the service over HTTPS. */
  readonly isHttps: boolean;
}

export const accountSchema = z
  .strictObject({
    id: z.uuid(),
    email: z.string(),
    language: z.enum(languages).describe('of the mails that the service writes to the account'),
  })
  .meta({ id: 'Account' });

export const sessionAnswerSchema = z
  .strictObject({
    token: z.string().describe('the bearer; browsers have it as a cookie'),
    csrf_token: z
      .string()
      .describe('`X-CSRF-Token` of writes whose credential is the cookie; a bearer needs none'),
    expires_at: z.iso.datetime(),
    idle_timeout_seconds: z.int().describe('the session ends earlier when it is not used for so long'),
    account: accountSchema,
  })
  .meta({ id: 'Session' });

export const presentAccount = ({ id, email, language }: AccountRow): z.infer<typeof accountSchema> => ({
  id,
  email,
  language,
});

/** Of a route whose access is `session`. */
export const accountOf = ({ account }: Caller): Account => {
  if (account === null) throw sessionOver();
  return account;
};

/** Times in milliseconds. */
const isLive = (createdAt: number, lastUsedAt: number, now: number): boolean =>
  now - createdAt < ABSOLUTE_MS && now - lastUsedAt < IDLE_MS;

/** In constant time, whatever the lengths. */
const isSame = (given: string, expected: string): boolean =>
  timingSafeEqual(hashBearer(given), hashBearer(expected));

/** The cookie's value; null if it is absent or given twice, because a neighbouring site may have set the second one. */
const onlyCookie = (header: string, name: string): string | null => {
  const names = header.split(';').map((pair) => pair.split('=', 1)[0]?.trim());
  return names.filter((candidate) => candidate === name).length === 1
    ? (parseCookie(header)[name] ?? null)
    : null;
};

const csrfRefused = (): AppError =>
  new AppError('forbidden', 'The request has a session cookie without its CSRF token.', {
    hint: 'Send the value of the cookie svc_csrf, or `csrf_token` of GET /api/auth/me, in X-CSRF-Token.',
    extra: { permission: 'csrf' },
  });

export const createSessions = ({
  platform,
  clock,
  lastUsed,
  csrfKey,
  isHttps,
}: SessionsOptions): Sessions => {
  // The prefix makes browsers refuse the cookie from a neighbouring subdomain; it demands HTTPS.
  const prefix = isHttps ? '__Host-' : '';
  const sessionCookie = `${prefix}svc_session`;
  const csrfCookie = `${prefix}svc_csrf`;
  const csrfTokenOf = (sessionId: string): string =>
    createHmac('sha256', csrfKey).update(sessionId).digest('base64url');

  const setCookies = (token: string, csrfToken: string, maxAgeMs: number): string[] => {
    const shared = { maxAge: maxAgeMs / SECOND, path: '/', sameSite: 'lax', secure: isHttps } as const;
    return [
      stringifySetCookie({ name: sessionCookie, value: token, httpOnly: true, ...shared }),
      stringifySetCookie({ name: csrfCookie, value: csrfToken, ...shared }),
    ];
  };

  const usedAt = ({ id, last_used_at }: Pick<SessionRow, 'id' | 'last_used_at'>): number =>
    Math.max(last_used_at, lastUsed.notedAt(id) ?? 0);

  /** Makes room for another session. */
  const removeSurplus = (db: PlatformDb, accountId: string): void => {
    const byUse = sessionStore(db)
      .ofAccount(accountId)
      .toSorted((a, b) => usedAt(b) - usedAt(a));
    for (const { id } of byUse.slice(MAX_SESSIONS - 1)) sessionStore(db).remove(id);
  };

  const byBearer = async (bearer: string, isOnceMore = false): Promise<Caller> => {
    const row = await platform.read((db) => sessionStore(db).find(hashBearer(bearer)));
    if (!row || !isLive(row.created_at, usedAt(row), clock.now())) throw sessionOver();
    if (!isOnceMore) lastUsed.note(PLACE, row.id);
    return {
      ...anonymous,
      kind: 'member',
      credentialId: row.id,
      name: row.email,
      account: { id: row.account_id, email: row.email, emailKey: row.email_key },
    };
  };

  return {
    issue: (db, account, now) => {
      removeSurplus(db, account.id);
      const token = newBearer(SESSION_PREFIX);
      const id = newId();
      sessionStore(db).insert({
        hash: hashBearer(token),
        id,
        account_id: account.id,
        created_at: now,
        last_used_at: now,
      });
      const expiresAt = now + ABSOLUTE_MS;
      return { token, csrfToken: csrfTokenOf(id), id, createdAt: now, expiresAt, account };
    },
    answer: ({ token, csrfToken, expiresAt, account }) => ({
      status: 200,
      headers: { 'Set-Cookie': setCookies(token, csrfToken, ABSOLUTE_MS) },
      body: {
        token,
        csrf_token: csrfToken,
        expires_at: toIso(expiresAt),
        idle_timeout_seconds: IDLE_MS / SECOND,
        account: presentAccount(account),
      },
    }),
    byBearer,
    byCookie: async ({ cookie, csrfToken, isWrite, isOnceMore }) => {
      const bearer = onlyCookie(cookie, sessionCookie);
      if (bearer === null) throw nothingSent();
      const caller = await byBearer(bearer, isOnceMore);
      if (!isWrite) return caller;
      if (csrfToken === null || !isSame(csrfToken, csrfTokenOf(caller.credentialId))) throw csrfRefused();
      return caller;
    },
    csrfTokenOf,
    times: (db, sessionId) => {
      const row = sessionStore(db).get(sessionId);
      if (!row) return undefined;
      return { createdAt: row.created_at, lastUsedAt: usedAt(row), expiresAt: row.created_at + ABSOLUTE_MS };
    },
    clearingCookies: setCookies('', '', 0),
  };
};

/** In the transaction that lets the account in; audited as `session.start`. */
export const startSession = (
  sessions: Pick<Sessions, 'issue'>,
  db: PlatformDb,
  account: AccountRow,
  { change, method }: { readonly change: Change; readonly method: 'code' | 'password' | 'invitation' },
  now: number,
): IssuedSession => {
  const session = sessions.issue(db, account, now);
  const entry = { target: { type: 'session', id: session.id }, before: null, after: { method } };
  auditStore(db).record(changeAs(changeBy(change, account), 'session.start'), entry, now);
  return session;
};

/** Removes ended sessions and codes, and tokens revoked long ago, in bounded transactions. `removeOldCodes`: see SignInCodes.removeOld. */
export const sessionsCleanupJob = (
  platform: DurableFile<PlatformDb>,
  clock: Clock,
  removeOldCodes: (db: PlatformDb, now: number) => boolean,
): Job => {
  const removeOldSessions = (db: PlatformDb, now: number): boolean => {
    const before = now - REMOVED_AFTER_MS;
    return (
      sessionStore(db).removeOld(before - IDLE_MS, before - ABSOLUTE_MS, REMOVED_AT_ONCE) === REMOVED_AT_ONCE
    );
  };
  const removeRevokedTokens = (db: PlatformDb, now: number): boolean =>
    credentialStore(db).removeRevoked(now - REVOKED_KEPT_MS, REMOVED_AT_ONCE) === REMOVED_AT_ONCE;
  return {
    name: 'remove dead sessions and codes',
    schedule: '*/10 * * * *',
    run: async (signal) => {
      for (const removeSome of [removeOldSessions, removeOldCodes, removeRevokedTokens]) {
        let isMore = true;
        while (isMore && !signal.aborted) isMore = await platform.write((db) => removeSome(db, clock.now()));
      }
    },
  };
};
