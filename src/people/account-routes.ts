// The own account: who is signed in, language, password.

import { z } from 'zod';
import { type AccountRow, accountStore } from '#src/accounts/entry/account-store.ts';
import { findMember, tenantsOf } from '#src/accounts/entry/enter.ts';
import { membershipSchema, presentMembership } from '#src/accounts/entry/member-schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Account, Caller } from '#src/kernel/access.ts';
import { requireRecentSignIn, sessionOver } from '#src/kernel/credentials.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { AppError } from '#src/kernel/errors.ts';
import { languages } from '#src/kernel/language.ts';
import type { Log } from '#src/kernel/log.ts';
import { defineRoute, type RequestContext, type Route } from '#src/kernel/route.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { passwordProblem, passwordSchema } from './passwords.ts';
import {
  accountSchema,
  listedSessionSchema,
  presentAccount,
  presentSession,
  provedAt,
} from './session-schema.ts';
import { accountOf } from './sessions.ts';
import { requirePasswordLogin, type SignInDeps } from './sign-in.ts';
import { type SessionRow, sessionStore } from './sign-in-store.ts';

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
    is_operator: z
      .boolean()
      .describe(
        'the configuration names the address, and a code or password began the session: it may do what the admin token may. A write with these rights takes a session that began within the last 15 minutes; else it answers `sign_in_again`.',
      ),
    has_password: z.boolean(),
    password_login: z.boolean().describe('whether passwords may be used here'),
    csrf_token: z.string(),
    session: listedSessionSchema,
    practices: z.array(membershipSchema).describe('the first 200; those they are invited to as well'),
  })
  .meta({ id: 'SignedInAccount' });

const MAX_PRACTICES = 200;

const fieldRefused = (field: string, message: Text): AppError =>
  new AppError('invalid_request', say`\`${field}\` ${message}.`, {
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
  if (current === undefined) throw fieldRefused('current_password', say`is required to change the password`);
  // Who has stolen the session must not find the password by trying.
  limitEmail(email_key);
  if (!(await passwords.verify(current, password)))
    throw fieldRefused('current_password', say`is not the current password`);
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

export const accountRoutes = (deps: SignInDeps): Route[] => {
  const { storage, clock, sessions, passwords } = deps;
  const { platform } = storage;

  /** Throws if the session has ended since the request came in. */
  const sessionOf = (db: PlatformDb, caller: Caller): SessionRow => {
    const session = sessions.ofAccount(db, accountOf(caller).id).find(({ id }) => id === caller.credentialId);
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
        const session = await platform.read((db) => sessionOf(db, caller));
        return {
          status: 200,
          body: {
            ...presentAccount(row),
            is_operator: caller.operatorProof !== null,
            has_password: row.password !== null,
            password_login: deps.passwordLogin(),
            csrf_token: sessions.csrfTokenOf(caller.credentialId),
            session: presentSession(session, caller.credentialId),
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
        'The first one takes a session that a code began within the last 15 minutes, later ones the current password. ' +
        'All other sessions of the account end. Only where the operator allows passwords; else 404.',
      access: 'session',
      audit: 'password.set',
      rate: 'sign_in',
      stability: 'stable',
      body: setPasswordBody,
      responses: { 204: { description: 'It is the password from now on.' } },
      errors: ['sign_in_again', 'not_found', 'conflict'],
      handle: async ({ body }, { caller, change }) => {
        requirePasswordLogin(deps);
        const { id, email } = accountOf(caller);
        const problem = passwordProblem(body.password, email);
        if (problem !== null) throw fieldRefused('password', problem);
        const row = await readAccount(id);
        await requireCurrentPassword(deps, row, body.current_password);
        const hashed = await passwords.hash(body.password);
        await platform.write((db) => {
          const session = sessionOf(db, caller);
          if (row.password === null) requireRecentSignIn(provedAt(session), clock.now());
          if (accountStore(db).get(id)?.password !== row.password)
            throw new AppError('conflict', say`The password was changed in the meantime.`, {
              hint: say`Send the request again with the password that is set now.`,
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
        'Signing in takes a code then. It takes a session that a code or password began within the last 15 minutes. ' +
        'All other sessions of the account end.',
      access: 'session',
      audit: 'password.remove',
      stability: 'stable',
      responses: { 204: { description: 'There is no password any more.' } },
      errors: ['sign_in_again', 'not_found'],
      handle: async (_, { caller, change }) => {
        requirePasswordLogin(deps);
        const { id } = accountOf(caller);
        await platform.write((db) => {
          requireRecentSignIn(provedAt(sessionOf(db, caller)), clock.now());
          if ((accountStore(db).get(id)?.password ?? null) === null)
            throw new AppError('not_found', say`The account has no password.`);
          replacePassword(db, id, null, { caller, change, now: clock.now() });
        });
        return { status: 204 };
      },
    }),
  ];
};
