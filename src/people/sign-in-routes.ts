// Signing in and out over the API.

import { z } from 'zod';
import { auditStore } from '#src/events/audit-store.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { SECOND } from '#src/kernel/time.ts';
import { because } from '#src/kernel/validate.ts';
import { ANSWER_STEP_MS, atWholeSteps } from '#src/kernel/whole-steps.ts';
import { emailSchema } from '#src/mail/email.ts';
import { passwordSchema } from './passwords.ts';
import { sessionAnswerSchema } from './session-schema.ts';
import { logIn, requestCode, requirePasswordLogin, type SignInDeps, verifyCode } from './sign-in.ts';
import { CODE_DIGITS, CODE_VALID_MS, NEW_CODE_AFTER_MS } from './sign-in-codes.ts';
import { sessionStore } from './sign-in-store.ts';

const requestCodeBody = z
  .strictObject({ email: emailSchema })
  .meta({ examples: [{ email: 'anna@praxis.example' }] });

const requestedCodeSchema = z.strictObject({
  expires_in: z.int().describe('seconds for which the code is valid'),
  retry_after: z.int().describe('seconds after which another one can be had'),
});

const verifyCodeBody = z
  .strictObject({
    email: emailSchema,
    code: z
      .string()
      .regex(new RegExp(`^[0-9]{${CODE_DIGITS}}$`), because(say`expected ${CODE_DIGITS} digits`))
      .describe('as in the mail'),
  })
  .meta({ examples: [{ email: 'anna@praxis.example', code: '482913' }] });

const loginBody = z
  .strictObject({ email: emailSchema, password: passwordSchema })
  .meta({ examples: [{ email: 'anna@praxis.example', password: 'Vier Igel im Laub' }] });

const logoutQuery = z.strictObject({
  everywhere: z
    .enum(['true', 'false'])
    .optional()
    .describe('`true`: all sessions of the account end')
    .meta({ examples: ['true'] }),
});

const signedIn = { 200: { description: 'Signed in; browsers keep the cookies.', body: sessionAnswerSchema } };

export const signInRoutes = (deps: SignInDeps): Route[] => [
  defineRoute({
    method: 'post',
    path: '/api/auth/request-otp',
    tag: 'Sign-in',
    id: 'requestSignInCode',
    summary: 'Ask for a one-time code by mail',
    description:
      'The answer is the same whether the address is known or not; a code goes to addresses of members and operators, in the language of `Accept-Language`, else that of the account. Asked for again within a minute, or after many wrong guesses within a quarter of an hour, the code sent before stays the one.',
    access: 'public',
    audit: { none: 'no one has signed in yet' },
    rate: 'sign_in',
    stability: 'stable',
    body: requestCodeBody,
    responses: { 202: { description: 'A code is on its way, if to anyone.', body: requestedCodeSchema } },
    handle: async ({ body: { email } }, { namedLanguage }) => {
      deps.limitEmail(email.emailKey);
      await atWholeSteps(ANSWER_STEP_MS, () => requestCode(deps, email, namedLanguage));
      return {
        status: 202,
        body: { expires_in: CODE_VALID_MS / SECOND, retry_after: NEW_CODE_AFTER_MS / SECOND },
      };
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/auth/verify-otp',
    tag: 'Sign-in',
    id: 'verifySignInCode',
    summary: 'Sign in with a one-time code',
    description:
      'Sent with a session of the same account, the new session takes the place of that one, which ends.',
    access: 'public',
    audit: 'session.start',
    rate: 'sign_in',
    stability: 'stable',
    body: verifyCodeBody,
    responses: signedIn,
    errors: ['unauthorized'],
    handle: async ({ body: { email, code } }, context) =>
      deps.sessions.answer(await verifyCode(deps, email, code, context)),
  }),
  defineRoute({
    method: 'post',
    path: '/api/auth/login-password',
    tag: 'Sign-in',
    id: 'signInWithPassword',
    summary: 'Sign in with a password',
    description:
      'Only where the operator allows passwords; else 404. Sent with a session of the same account, the new session takes the place of that one, which ends.',
    access: 'public',
    audit: 'session.start',
    rate: 'sign_in',
    stability: 'stable',
    body: loginBody,
    responses: signedIn,
    errors: ['unauthorized', 'not_found'],
    handle: async ({ body: { email, password } }, context) => {
      requirePasswordLogin(deps);
      deps.limitEmail(email.emailKey);
      // A password stored with older, cheaper parameters takes less time than the dummy of an unknown address.
      return deps.sessions.answer(
        await atWholeSteps(ANSWER_STEP_MS, () => logIn(deps, email, password, context)),
      );
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/auth/logout',
    tag: 'Sign-in',
    id: 'signOut',
    summary: 'Sign out',
    access: 'session',
    audit: 'session.end',
    stability: 'stable',
    query: logoutQuery,
    responses: { 204: { description: 'The session is over; browsers forget the cookies.' } },
    handle: async ({ query }, { caller, change }) => {
      const { credentialId: id, account } = caller;
      const isEverywhere = query.everywhere === 'true';
      await deps.storage.platform.write((db) => {
        const ended = isEverywhere && account ? sessionStore(db).removeOthers(account.id, id) : 0;
        sessionStore(db).remove(id);
        const after = { everywhere: isEverywhere, others_ended: ended };
        auditStore(db).record(
          change,
          { target: { type: 'session', id }, before: null, after },
          deps.clock.now(),
        );
      });
      return { status: 204, headers: { 'Set-Cookie': deps.sessions.clearingCookies } };
    },
  }),
];
