// The sessions of one's own account: where one is signed in, and ending any of them.
import { z } from 'zod';
import { auditStore } from '#src/events/audit-store.ts';
import { AppError } from '#src/kernel/errors.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { listedSessionSchema, presentSession } from './session-schema.ts';
import { accountOf } from './sessions.ts';
import type { SignInDeps } from './sign-in.ts';
import { sessionStore } from './sign-in-store.ts';

const shared = { tag: 'Sign-in', access: 'session', stability: 'stable' } as const;

export const sessionRoutes = ({
  storage: { platform },
  sessions,
  clock,
}: Pick<SignInDeps, 'storage' | 'sessions' | 'clock'>): Route[] => [
  defineRoute({
    ...shared,
    method: 'get',
    path: '/api/auth/sessions',
    id: 'listSessions',
    summary: 'Where the account is signed in',
    responses: {
      200: {
        description: 'All that have not ended; the one that was used last comes first.',
        body: z.strictObject({ data: z.array(listedSessionSchema) }),
      },
    },
    handle: async (_, { caller }) => {
      const rows = await platform.read((db) => sessions.ofAccount(db, accountOf(caller).id));
      return { status: 200, body: { data: rows.map((row) => presentSession(row, caller.credentialId)) } };
    },
  }),
  defineRoute({
    ...shared,
    method: 'delete',
    path: '/api/auth/sessions/{sessionID}',
    id: 'endSession',
    summary: 'End a session of the account',
    audit: 'session.end',
    params: z.strictObject({ sessionID: idSchema }),
    responses: {
      204: { description: 'The session is over. Where it is the present one, browsers forget the cookies.' },
    },
    handle: async ({ params: { sessionID: id } }, { caller, change }) => {
      await platform.write((db) => {
        if (!sessions.ofAccount(db, accountOf(caller).id).some((row) => row.id === id))
          throw new AppError('not_found', say`The account has no such session.`, {
            hint: say`It may have ended; GET /api/auth/sessions lists them.`,
          });
        sessionStore(db).remove(id);
        auditStore(db).record(
          change,
          { target: { type: 'session', id }, before: null, after: { everywhere: false, others_ended: 0 } },
          clock.now(),
        );
      });
      const isCurrent = id === caller.credentialId;
      return { status: 204, ...(isCurrent ? { headers: { 'Set-Cookie': sessions.clearingCookies } } : {}) };
    },
  }),
];
