// Sessions of people who signed in. The bearer is known to its holder only; what is stored is its SHA-256. A session
// ends after 12 hours without use or 30 days, by logout, and with its account. Browsers hold the bearer in a cookie that
// scripts cannot read; their writes must also bring the CSRF token, which another site cannot know: an HMAC of the
// session's id under a key of ours (the signed double submit), so there is nothing to store.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { AccountRow } from '#src/accounts/entry/account-store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { type Account, anonymous, type Caller } from '#src/kernel/access.ts';
import { changeAs, changeBy } from '#src/kernel/change.ts';
import {
  createLastUsed,
  hashBearer,
  type LastUsed,
  newBearer,
  nothingSent,
  SESSION_PREFIX,
  sessionOver,
} from '#src/kernel/credentials.ts';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import { withoutHost } from '#src/kernel/ip-networks.ts';
import type { RequestContext, RouteResult } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { type Clock, SECOND, toIso } from '#src/kernel/time.ts';
import { userAgentOf } from '#src/kernel/user-agent.ts';
import type { FindOperator } from './operators.ts';
import { ABSOLUTE_MS, IDLE_MS, presentAccount, provedAt } from './session-schema.ts';
import { type SessionRow, type SignInMethod, sessionStore } from './sign-in-store.ts';

const BEARER_OF_SESSION = new RegExp(`^bearer +(${SESSION_PREFIX}\\w+)$`, 'i');
/** More than anyone has browsers and programs; it bounds how much one address can write to the file. */
const MAX_SESSIONS = 50;
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

/** The request that signs someone in. */
export type SignInRequest = Pick<RequestContext, 'change' | 'header'>;

export interface CookieCredentials {
  /** The header. */
  readonly cookie: string;
  readonly csrfToken: string | null;
  readonly isWrite: boolean;
  /** See `Credentials` of authenticate.ts. */
  readonly isOnceMore?: boolean | undefined;
}

export interface Sessions {
  /** Called in the transaction that lets the account in. */
  issue(
    db: PlatformDb,
    account: AccountRow,
    by: Pick<SessionRow, 'method' | 'user_agent' | 'client_address'>,
    now: number,
  ): IssuedSession;
  /**
   * Called in that transaction before `issue`: ends the account's session that the same request brings. Returns its id, or
   * null.
   */
  endBrought(db: PlatformDb, accountId: string, header: RequestContext['header']): string | null;
  /** The answer to a sign-in, with the cookies. */
  answer(issued: IssuedSession): RouteResult;
  /** The caller with that bearer. `isOnceMore`: this does not count as a use. Throws `unauthorized`. */
  byBearer(bearer: string, isOnceMore?: boolean): Promise<Caller>;
  /** The session is that of `byBearer`. Throws `forbidden` for a write without the CSRF token. */
  byCookie(credentials: CookieCredentials): Promise<Caller>;
  csrfTokenOf(sessionId: string): string;
  /** The live ones of the account, the one that was used last first. */
  ofAccount(db: PlatformDb, accountId: string): SessionRow[];
  /** `Set-Cookie` headers by which a browser forgets its session. */
  readonly clearingCookies: readonly string[];
}

export interface SessionsOptions {
  readonly platform: DurableFile<PlatformDb>;
  readonly clock: Clock;
  readonly lastUsed: LastUsed;
  readonly findOperator: FindOperator;
  /** 32 bytes, derived for CSRF tokens alone. */
  readonly csrfKey: Buffer;
  /** Whether browsers reach the service over HTTPS. */
  readonly isHttps: boolean;
}

/** The account of a route whose access is `session`. */
export const accountOf = ({ account }: Caller): Account => {
  if (account === null) throw sessionOver();
  return account;
};

/** Times in milliseconds. */
const isLive = (createdAt: number, lastUsedAt: number, now: number): boolean =>
  now - createdAt < ABSOLUTE_MS && now - lastUsedAt < IDLE_MS;

/** Compares in the same time whatever the lengths are. */
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
  new AppError('forbidden', say`The request has a session cookie without its CSRF token.`, {
    hint: say`Send the value of the cookie svc_csrf, or \`csrf_token\` of GET /api/auth/me, in X-CSRF-Token.`,
    extra: {},
  });

export const createSessions = ({
  platform,
  clock,
  lastUsed,
  findOperator,
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

  const ofAccount = (db: PlatformDb, accountId: string): SessionRow[] =>
    sessionStore(db)
      .ofAccount(accountId)
      .map((row) => ({ ...row, last_used_at: usedAt(row) }))
      .toSorted((a, b) => b.last_used_at - a.last_used_at);

  /** Makes room for another session. */
  const removeSurplus = (db: PlatformDb, accountId: string): void => {
    for (const { id } of ofAccount(db, accountId).slice(MAX_SESSIONS - 1)) sessionStore(db).remove(id);
  };

  const broughtBy = (header: RequestContext['header']): string | null =>
    BEARER_OF_SESSION.exec(header('authorization') ?? '')?.[1] ??
    onlyCookie(header('cookie') ?? '', sessionCookie);

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
      operatorProof: findOperator(row.email_key) ? provedAt(row) : null,
    };
  };

  return {
    issue: (db, account, by, now) => {
      removeSurplus(db, account.id);
      const token = newBearer(SESSION_PREFIX);
      const id = newId();
      sessionStore(db).insert({
        hash: hashBearer(token),
        id,
        account_id: account.id,
        ...by,
        created_at: now,
        last_used_at: now,
      });
      const expiresAt = now + ABSOLUTE_MS;
      return { token, csrfToken: csrfTokenOf(id), id, createdAt: now, expiresAt, account };
    },
    endBrought: (db, accountId, header) => {
      const bearer = broughtBy(header);
      const brought = bearer === null ? undefined : sessionStore(db).find(hashBearer(bearer));
      if (brought?.account_id !== accountId) return null;
      sessionStore(db).remove(brought.id);
      return brought.id;
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
    ofAccount: (db, accountId) =>
      ofAccount(db, accountId).filter((row) => isLive(row.created_at, row.last_used_at, clock.now())),
    clearingCookies: setCookies('', '', 0),
  };
};

/**
 * Called in the transaction that lets the account in; audited as `session.start`. An account that signs in again goes on in the
 * new session: the one that the request brings ends.
 */
export const startSession = (
  sessions: Pick<Sessions, 'issue' | 'endBrought'>,
  db: PlatformDb,
  account: AccountRow,
  { request, method }: { readonly request: SignInRequest; readonly method: SignInMethod },
  now: number,
): IssuedSession => {
  const { change, header } = request;
  const replaces = sessions.endBrought(db, account.id, header) ?? undefined;
  const client = {
    user_agent: userAgentOf(request),
    client_address: withoutHost(change.clientAddress ?? ''),
  };
  const session = sessions.issue(db, account, { method, ...client }, now);
  const entry = { target: { type: 'session', id: session.id }, before: null, after: { method, replaces } };
  auditStore(db).record(changeAs(changeBy(change, account), 'session.start'), entry, now);
  return session;
};

/** All sessions are in platform.db. */
export const createSessionsLastUsed = (platform: DurableFile<PlatformDb>, clock: Clock): LastUsed =>
  createLastUsed('sessions', clock, (_, uses) =>
    platform.write((db) => {
      for (const [id, at] of uses) sessionStore(db).touch(id, at);
    }),
  );
