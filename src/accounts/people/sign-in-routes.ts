// Signing in and out. Known and unknown addresses are treated alike, down to what is written and how long it takes.

import type { Notices } from '#src/accounts/mails/outbox.ts';
import type { Notice } from '#src/accounts/mails/schema.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { type Language, languages } from '#src/kernel/language.ts';
import type { RateCheck } from '#src/kernel/rate-limit.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { type Clock, MINUTE, SECOND } from '#src/kernel/time.ts';
import type { PersonEmail } from '#src/mail/email.ts';
import { type AccountRow, accountStore } from './account-store.ts';
import { ANSWER_STEP_MS, atWholeSteps } from './answer-time.ts';
import { changeBy } from './changes.ts';
import type { Passwords } from './passwords.ts';
import { type IssuedSession, type Sessions, sessionAnswerSchema } from './sessions.ts';
import { CODE_VALID_MS, NEW_CODE_AFTER_MS, type SignInCodes } from './sign-in-codes.ts';
import {
  loginBody,
  logoutQuery,
  requestCodeBody,
  requestedCodeSchema,
  verifyCodeBody,
} from './sign-in-schema.ts';
import { sessionStore } from './sign-in-store.ts';

export interface SignInDeps {
  readonly platform: DurableFile<PlatformDb>;
  readonly clock: Clock;
  readonly codes: SignInCodes;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly notices: Notices;
  readonly limitEmail: RateCheck;
  /** Whether passwords may be used. */
  readonly passwordLogin: () => boolean;
}

const signedIn = { 200: { description: 'Signed in; browsers keep the cookies.', body: sessionAnswerSchema } };

/** Values of `Accept-Language` that name none; programs send the star unasked. */
const ANY_LANGUAGE: ReadonlySet<string> = new Set(['', '*']);

const codeRefused = (): AppError =>
  new AppError('unauthorized', 'The code is not the right one, has expired or is used up.', {
    hint: 'Ask for a new code with POST /api/auth/request-otp; five attempts end a code.',
  });

const passwordRefused = (): AppError =>
  new AppError('unauthorized', 'The address or the password is not the right one.', {
    hint: 'Check both, or sign in with a code by POST /api/auth/request-otp.',
  });

/** Throws `not_found` where the operator has not allowed passwords. */
export const requirePasswordLogin = ({ passwordLogin }: Pick<SignInDeps, 'passwordLogin'>): void => {
  if (passwordLogin()) return;
  throw new AppError('not_found', 'Passwords are not in use here.', {
    hint: 'Sign in with a code by POST /api/auth/request-otp; the operator can set auth.password_login.',
  });
};

const startSession = (
  { sessions }: SignInDeps,
  db: PlatformDb,
  account: AccountRow,
  by: { readonly change: Change; readonly method: 'code' | 'password' },
  now: number,
): IssuedSession => {
  const issued = sessions.issue(db, account, now);
  auditStore(db).record(
    changeBy(by.change, account),
    { target: { type: 'session', id: issued.id }, before: null, after: { method: by.method } },
    now,
  );
  return issued;
};

/** `wanted`: the language asked for; null: the account's. */
const requestCode = async (deps: SignInDeps, given: PersonEmail, wanted: Language | null): Promise<void> => {
  const { platform, clock, codes, notices } = deps;
  const noticeOf = (account: AccountRow | undefined, code: string, now: number): Notice => {
    const expiresAfter = now + CODE_VALID_MS;
    return account
      ? {
          kind: 'sign_in_code',
          code,
          minutes: CODE_VALID_MS / MINUTE,
          to: account.email,
          language: wanted ?? account.language,
          expiresAfter,
        }
      : { kind: 'nothing', to: given.email, language: wanted ?? languages[0], expiresAfter };
  };
  await platform.write((db) => {
    const now = clock.now();
    const account = accountStore(db).byEmail(given.emailKey);
    const code = codes.request(db, given.emailKey, now);
    if (code !== null) notices.enqueue(db, noticeOf(account, code, now), now);
  });
  notices.tell();
};

const verifyCode = async (
  deps: SignInDeps,
  { emailKey }: PersonEmail,
  code: string,
  change: Change,
): Promise<IssuedSession> => {
  const { platform, clock, codes } = deps;
  const outcome = await platform.write((db) => {
    const now = clock.now();
    // A wrong code must not throw in here: that would undo the count.
    const verdict = codes.judge(db, emailKey, code, now);
    const account = accountStore(db).byEmail(emailKey);
    if (verdict !== 'right' || !account) return verdict;
    return startSession(deps, db, account, { change, method: 'code' }, now);
  });
  if (typeof outcome !== 'string') return outcome;
  // Guesses at a live code are bounded by its attempts; these are not.
  if (outcome === 'none') deps.limitEmail(emailKey);
  throw codeRefused();
};

const logIn = async (
  deps: SignInDeps,
  { emailKey }: PersonEmail,
  password: string,
  change: Change,
): Promise<IssuedSession> => {
  const { platform, clock, passwords } = deps;
  const account = await platform.read((db) => accountStore(db).byEmail(emailKey));
  const stored = account?.password ?? null;
  const isRight = await passwords.verify(password, stored);
  if (!isRight || !account || stored === null) throw passwordRefused();
  const renewed = passwords.isOutdated(stored) ? await passwords.hash(password) : null;
  const issued = await platform.write((db) => {
    const now = clock.now();
    // Changed or removed while it was computed.
    if (accountStore(db).get(account.id)?.password !== stored) return null;
    if (renewed !== null) accountStore(db).setPassword(account.id, renewed);
    return startSession(deps, db, account, { change, method: 'password' }, now);
  });
  if (issued === null) throw passwordRefused();
  return issued;
};

export const signInRoutes = (deps: SignInDeps): Route[] => [
  defineRoute({
    method: 'post',
    path: '/api/auth/request-otp',
    tag: 'Sign-in',
    summary: 'Ask for a one-time code by mail',
    description:
      'The answer is the same whether the address is known or not; a code goes to addresses of members, in the language of `Accept-Language`, else that of the account. Asked for again within a minute, or after many wrong guesses within a quarter of an hour, the code sent before stays the one.',
    access: 'public',
    audit: { none: 'nobody has signed in yet' },
    rate: 'sign_in',
    stability: 'stable',
    body: requestCodeBody,
    responses: { 202: { description: 'A code is on its way, if to anyone.', body: requestedCodeSchema } },
    handle: async ({ body: { email } }, { language, header }) => {
      deps.limitEmail(email.emailKey);
      const isNamed = !ANY_LANGUAGE.has(header('accept-language') ?? '');
      await atWholeSteps(ANSWER_STEP_MS, () => requestCode(deps, email, isNamed ? language : null));
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
    summary: 'Sign in with a one-time code',
    access: 'public',
    audit: 'session.start',
    rate: 'sign_in',
    stability: 'stable',
    body: verifyCodeBody,
    responses: signedIn,
    errors: ['unauthorized'],
    handle: async ({ body: { email, code } }, { change }) =>
      deps.sessions.answer(await verifyCode(deps, email, code, change)),
  }),
  defineRoute({
    method: 'post',
    path: '/api/auth/login-password',
    tag: 'Sign-in',
    summary: 'Sign in with a password',
    description: 'Only where the operator allows passwords; else 404.',
    access: 'public',
    audit: 'session.start',
    rate: 'sign_in',
    stability: 'stable',
    body: loginBody,
    responses: signedIn,
    errors: ['unauthorized', 'not_found'],
    handle: async ({ body: { email, password } }, { change }) => {
      requirePasswordLogin(deps);
      deps.limitEmail(email.emailKey);
      // A password kept with older, cheaper parameters takes another time than nobody's.
      return deps.sessions.answer(
        await atWholeSteps(ANSWER_STEP_MS, () => logIn(deps, email, password, change)),
      );
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/auth/logout',
    tag: 'Sign-in',
    summary: 'Sign out',
    access: 'session',
    audit: 'session.end',
    stability: 'stable',
    query: logoutQuery,
    responses: { 204: { description: 'The session is over; browsers forget the cookies.' } },
    handle: async ({ query }, { caller, change }) => {
      const { credentialId: id, account } = caller;
      const isEverywhere = query.everywhere === 'true';
      await deps.platform.write((db) => {
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
