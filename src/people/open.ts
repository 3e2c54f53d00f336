// People: how they sign in, their sessions and passwords, the members, roles and tokens of a practice, and the operators.
import type { Accounts } from '#src/accounts/open.ts';
import { type Base, CUT_OFF_MS, type Room } from '#src/kernel/base.ts';
import { createKeyedQueue } from '#src/kernel/concurrency.ts';
import { lastUsedJob } from '#src/kernel/credentials.ts';
import { accountRoutes } from './account-routes.ts';
import { createAuthenticate } from './authenticate.ts';
import { invitationRoutes } from './invitation-routes.ts';
import { createInvitationLimit, type InviteDeps } from './inviting.ts';
import { memberRoutes, membershipRoutes } from './member-routes.ts';
import { operatorSignInRoutes } from './operator-sign-in.ts';
import { createFindOperator, createNoteEntrance } from './operators.ts';
import { createPasswords } from './passwords.ts';
import { personalData } from './personal-data.ts';
import { createRequestLog } from './request-log.ts';
import { requestRoutes } from './request-routes.ts';
import { roleRoutes } from './role-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { createSessions, createSessionsLastUsed } from './sessions.ts';
import { sessionsCleanupJob } from './sessions-cleanup.ts';
import { createSignInCodes } from './sign-in-codes.ts';
import { signInRoutes } from './sign-in-routes.ts';
import { type BrakeOf, tokenRoutes } from './token-routes.ts';
import { createTokensLastUsed } from './tokens.ts';

export const openPeople = (
  base: Base,
  { notices, limitEmail }: Pick<Accounts, 'notices' | 'limitEmail'>,
  /** Whether a token is slowed. */
  brakeOf: BrakeOf,
) => {
  const { config, storage, clock, log } = base;
  const { platform, tenants: files } = storage;
  const { service, admin } = config();
  const origin = service.public_origin;

  const requests = createRequestLog();
  const tokensLastUsed = createTokensLastUsed(files, clock);
  const sessionsLastUsed = createSessionsLastUsed(platform, clock);
  const findOperator = createFindOperator(() => config().operators);
  const sessions = createSessions({
    platform,
    clock,
    lastUsed: sessionsLastUsed,
    findOperator,
    csrfKey: base.key('csrf'),
    isHttps: origin.startsWith('https:'),
  });
  const signIn = {
    storage,
    clock,
    codes: createSignInCodes(base.key('sign-in codes')),
    sessions,
    passwords: createPasswords(),
    notices,
    origin,
    limitEmail,
    findOperator,
    passwordLogin: () => config().auth.password_login,
  };
  const members: InviteDeps = {
    storage,
    clock,
    queue: createKeyedQueue(),
    notices,
    origin,
    limitEmail,
    limitInvitations: createInvitationLimit(clock),
  };

  return {
    authenticate: createAuthenticate({
      platform,
      clock,
      adminToken: admin.token?.reveal() ?? null,
      lastUsed: tokensLastUsed,
      sessions,
    }),
    noteEntrance: createNoteEntrance(files, clock),
    /** Each request that came by a token, once it is answered. */
    noteRequest: requests.note,
    /** The tenant is gone, and its tokens with it. */
    forget: (tenantId: string): void => {
      tokensLastUsed.forget(tenantId);
      requests.forget(tenantId);
    },
    personalData,
    routes: [
      ...signInRoutes(signIn),
      ...operatorSignInRoutes(signIn),
      ...accountRoutes(signIn),
      ...sessionRoutes(signIn),
      ...memberRoutes(members),
      ...roleRoutes(base),
      ...invitationRoutes({ ...members, sessions, serviceName: service.name }),
      ...membershipRoutes(members),
      ...tokenRoutes(base, brakeOf),
      ...requestRoutes(requests),
    ],
    jobs: [
      lastUsedJob('note when tokens were used', tokensLastUsed),
      lastUsedJob('note when sessions were used', sessionsLastUsed),
      sessionsCleanupJob(platform, clock, signIn.codes.removeOld),
    ],
    /** Writes when credentials were last used; what cannot be written in time looks a minute older. */
    stop: async () => {
      for (const lastUsed of [tokensLastUsed, sessionsLastUsed])
        await lastUsed
          .flush(AbortSignal.timeout(CUT_OFF_MS))
          .catch((error) => log.warn({ err: error }, 'the last use was not noted'));
    },
  } satisfies Room & Record<string, unknown>;
};
