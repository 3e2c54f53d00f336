// The own account: who is signed in, language, password.

import { z } from 'zod';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Account, Caller } from '#src/kernel/access.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { AppError } from '#src/kernel/errors.ts';
import { languages } from '#src/kernel/language.ts';
import type { Log } from '#src/kernel/log.ts';
import { defineRoute, type RequestContext, type Route } from '#src/kernel/route.ts';
import { MINUTE, toIso } from '#src/kernel/time.ts';
import { type AccountRow, accountStore } from './account-store.ts';
import { sessionOver } from './credential-faults.ts';
import { findMember, tenantsOf } from './enter.ts';
import { membershipSchema, presentMembership } from './member-schema.ts';
import { passwordProblem, passwordSchema } from './passwords.ts';
import { accountOf, accountSchema, presentAccount, type SessionTimes } from './sessions.ts';
import { requirePasswordLogin, type SignInDeps } from './sign-in.ts';
import { sessionStore } from './sign-in-store.ts';

const setPasswordBody = z
  .strictObject({
    password: passwordSchema.describe('12 characters to 1,024 bytes, and not the e-mail address'),
    current_password: passwordSchema.optional().describe('required where one is set'),
  })
  .meta({ examples: [{ password: 'Vier Igel im Laub' }] });

const updateAccountBody = z
  .strictObject({ language: z.enum(languages) })
  .meta({ examples: [{ language: 'en' }] });

type Membership = z.infer<typeof membershipSchema>;

const meSchema = z
  .strictObject({
    ...accountSchema.shape,
    has_password: z.boolean(),
    csrf_token: z.string(),
    session: z.strictObject({
      id: z.uuid(),
      created_at: z.iso.datetime(),
      last_used_at: z.iso.datetime(),
      expires_at: z.iso.datetime(),
    }),
    practices: z.array(membershipSchema).describe('the first 200; those they are invited to as well'),
  })
  .meta({ id: 'SignedInAccount' });

const MAX_PRACTICES = 200;
/** Long enough to sign in and choose a password, too short for a session that someone finds. */
const RECENT_MS = 15 * MINUTE;

const fieldRefused = (field: string, message: string): AppError =>
  new AppError('invalid_request', `\`${field}\` ${message}.`, {
    extra: { fields: [{ path: `body.${field}`, message }] },
  });

const membershipIn = (
  { tenants }: Storage,
  tenantId: string,
  emailKey: string,
): Promise<Membership | undefined> =>
  tenants.read(tenantId, (db) => {
    const found = findMember(db, emailKey);
    if (!found) return undefined;
    return presentMembership(tenantStore(db).practice(), found.row, found.role);
  });

/** A practice that cannot be read is left out and logged: one broken file must not lock members out of the others. */
const membershipsOf = async (storage: Storage, account: Account, log: Log): Promise<Membership[]> => {
  const found: Membership[] = [];
  for await (const tenantId of tenantsOf(storage, account.id)) {
    const membership = await membershipIn(storage, tenantId, account.emailKey).catch((error) => {
      log.warn({ err: error, tenant_id: tenantId }, 'a practice cannot be read, and is left out of the list');
      return undefined;
    });
    if (membership) found.push(membership);
    if (found.length === MAX_PRACTICES) break;
  }
  return found;
};

/** Throws `invalid_request` if the current password is missing or wrong. */
const requireCurrentPassword = async (
  { passwords, limitEmail }: SignInDeps,
  { email_key, password }: AccountRow,
  current: string | undefined,
): Promise<void> => {
  if (password === null) return;
  if (current === undefined) throw fieldRefused('current_password', 'is required to change the password');
  // A thief of the session must not find the password by trying.
  limitEmail(email_key);
  if (!(await passwords.verify(current, password)))
    throw fieldRefused('current_password', 'is not the current password');
};

/** Ends all other sessions, because they may belong to someone who knew the former password. Null removes it. */
const replacePassword = (
  db: PlatformDb,
  id: string,
  hashed: string | null,
  by: Pick<RequestContext, 'caller' | 'change'> & { readonly now: number },
): void => {
  accountStore(db).setPassword(id, hashed);
  const after = { other_sessions_ended: sessionStore(db).removeOthers(id, by.caller.credentialId) };
  auditStore(db).record(by.change, { target: { type: 'account', id }, before: null, after }, by.now);
};

/**
 * A password outlives the session, so setting one takes a code or a password that was given just now. Times in ms.
 * Throws `forbidden`.
 */
const requireRecentSignIn = (createdAt: number, now: number): void => {
  if (now - createdAt < RECENT_MS) return;
  throw new AppError('forbidden', 'This takes a session that began within the last 15 minutes.', {
    hint: 'Sign in again, with a code by POST /api/auth/request-otp or with the password, and send the request again.',
    extra: { permission: 'recent_sign_in' },
  });
};

export const accountRoutes = (deps: SignInDeps): Route[] => {
  const { storage, clock, sessions, passwords } = deps;
  const { platform } = storage;

  /** In the transaction that changes the password; throws if the session has ended since the request came in. */
  const sessionOf = (db: PlatformDb, { credentialId }: Caller): SessionTimes => {
    const session = sessions.times(db, credentialId);
    if (!session) throw sessionOver();
    return session;
  };

  const readAccount = async (id: string): Promise<AccountRow> => {
    const row = await platform.read((db) => accountStore(db).get(id));
    if (!row) throw sessionOver();
    return row;
  };

  return [
    defineRoute({
      method: 'get',
      path: '/api/auth/me',
      tag: 'Sign-in',
      id: 'getAccount',
      summary: 'Who is signed in, and their practices',
      access: 'session',
      stability: 'stable',
      responses: { 200: { description: 'The account, this session, and the practices.', body: meSchema } },
      handle: async (_, { caller, log }) => {
        const account = accountOf(caller);
        const row = await readAccount(account.id);
        const session = await platform.read((db) => sessions.times(db, caller.credentialId));
        if (!session) throw sessionOver();
        return {
          status: 200,
          body: {
            ...presentAccount(row),
            has_password: row.password !== null,
            csrf_token: sessions.csrfTokenOf(caller.credentialId),
            session: {
              id: caller.credentialId,
              created_at: toIso(session.createdAt),
              last_used_at: toIso(session.lastUsedAt),
              expires_at: toIso(session.expiresAt),
            },
            practices: await membershipsOf(storage, account, log),
          },
        };
      },
    }),
    defineRoute({
      method: 'patch',
      path: '/api/auth/me',
      tag: 'Sign-in',
      id: 'updateAccount',
      summary: 'Change the language of the account',
      access: 'session',
      audit: 'account.update',
      stability: 'stable',
      body: updateAccountBody,
      responses: { 200: { description: 'The account.', body: accountSchema } },
      handle: async ({ body: { language } }, { caller, change }) => {
        const { id } = accountOf(caller);
        const body = await platform.write((db) => {
          const row = accountStore(db).get(id);
          if (!row) throw sessionOver();
          accountStore(db).setLanguage(id, language);
          const before = presentAccount(row);
          const after = { ...before, language };
          auditStore(db).record(change, { target: { type: 'account', id }, before, after }, clock.now());
          return after;
        });
        return { status: 200, body };
      },
    }),
    defineRoute({
      method: 'put',
      path: '/api/auth/password',
      tag: 'Sign-in',
      id: 'setPassword',
      summary: 'Set or change the password',
      description:
        'The first one takes a session that began within the last 15 minutes, later ones the current password. All ' +
        'other sessions of the account end. Only where the operator allows passwords; else 404.',
      access: 'session',
      audit: 'password.set',
      rate: 'sign_in',
      stability: 'stable',
      body: setPasswordBody,
      responses: { 204: { description: 'It is the password from now on.' } },
      errors: ['not_found', 'conflict'],
      handle: async ({ body }, { caller, change }) => {
        requirePasswordLogin(deps);
        const { id, email } = accountOf(caller);
        const problem = passwordProblem(body.password, email);
        if (problem !== null) throw fieldRefused('password', problem);
        const row = await readAccount(id);
        await requireCurrentPassword(deps, row, body.current_password);
        const hashed = await passwords.hash(body.password);
        await platform.write((db) => {
          const { createdAt } = sessionOf(db, caller);
          if (row.password === null) requireRecentSignIn(createdAt, clock.now());
          if (accountStore(db).get(id)?.password !== row.password)
            throw new AppError('conflict', 'The password was changed in the meantime.', {
              hint: 'Send the request again with the password that is set now.',
            });
          replacePassword(db, id, hashed, { caller, change, now: clock.now() });
        });
        return { status: 204 };
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/api/auth/password',
      tag: 'Sign-in',
      id: 'deletePassword',
      summary: 'Remove the password',
      description:
        'Signing in takes a code then. It takes a session that began within the last 15 minutes. All other sessions of ' +
        'the account end.',
      access: 'session',
      audit: 'password.remove',
      stability: 'stable',
      responses: { 204: { description: 'There is no password any more.' } },
      errors: ['not_found'],
      handle: async (_, { caller, change }) => {
        requirePasswordLogin(deps);
        const { id } = accountOf(caller);
        await platform.write((db) => {
          requireRecentSignIn(sessionOf(db, caller).createdAt, clock.now());
          if ((accountStore(db).get(id)?.password ?? null) === null)
            throw new AppError('not_found', 'The account has no password.');
          replacePassword(db, id, null, { caller, change, now: clock.now() });
        });
        return { status: 204 };
      },
    }),
  ];
};
