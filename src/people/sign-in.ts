// Signing in by one-time code or password. Known and unknown addresses are treated alike, down to what is written and
// how long it takes.

import { type AccountRow, accountStore } from '#src/accounts/entry/account-store.ts';
import type { Notices } from '#src/accounts/mails/outbox.ts';
import type { Notice } from '#src/accounts/mails/schema.ts';
import { dashboardLink } from '#src/kernel/dashboard-link.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { AppError } from '#src/kernel/errors.ts';
import { type Language, languages } from '#src/kernel/language.ts';
import type { RateCheck } from '#src/kernel/rate-limit.ts';
import { say } from '#src/kernel/say.ts';
import { type Clock, MINUTE } from '#src/kernel/time.ts';
import type { PersonEmail } from '#src/mail/email.ts';
import type { FindOperator } from './operators.ts';
import type { Passwords } from './passwords.ts';
import { type IssuedSession, type Sessions, type SignInRequest, startSession } from './sessions.ts';
import { CODE_VALID_MS, type SignInCodes } from './sign-in-codes.ts';

export interface SignInDeps {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly codes: SignInCodes;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly notices: Notices;
  /** Links begin with it. */
  readonly origin: string;
  readonly limitEmail: RateCheck;
  readonly findOperator: FindOperator;
  /** Whether passwords may be used. */
  readonly passwordLogin: () => boolean;
}

const codeRefused = (): AppError =>
  new AppError('unauthorized', say`The code is not the right one, has expired or is used up.`, {
    hint: say`Ask for a new code with POST /api/auth/request-otp; five attempts end a code.`,
  });

const passwordRefused = (): AppError =>
  new AppError('unauthorized', say`The address or the password is not the right one.`, {
    hint: say`Check both, or sign in with a code by POST /api/auth/request-otp.`,
  });

/** Throws `not_found` if the operator has not allowed passwords. */
export const requirePasswordLogin = ({ passwordLogin }: Pick<SignInDeps, 'passwordLogin'>): void => {
  if (passwordLogin()) return;
  throw new AppError('not_found', say`Passwords are not in use here.`, {
    hint: say`Sign in with a code by POST /api/auth/request-otp; the operator can set auth.password_login.`,
  });
};

const ofOperator = (found: PersonEmail | undefined) =>
  found && { email: found.email, language: languages[0] };

/** `wanted` is the language asked for; null: the account's. An operator has no account before the first sign-in. */
export const requestCode = async (
  deps: SignInDeps,
  given: PersonEmail,
  wanted: Language | null,
): Promise<void> => {
  const { storage, clock, codes, notices } = deps;
  const noticeOf = (
    account: Pick<AccountRow, 'email' | 'language'> | undefined,
    code: string,
    now: number,
  ): Notice => {
    const expiresAfter = now + CODE_VALID_MS;
    return account
      ? {
          kind: 'sign_in_code',
          code,
          minutes: CODE_VALID_MS / MINUTE,
          link: dashboardLink(deps.origin, 'app/sign-in'),
          to: account.email,
          language: wanted ?? account.language,
          expiresAfter,
        }
      : { kind: 'nothing', to: given.email, language: wanted ?? languages[0], expiresAfter };
  };
  await storage.platform.write((db) => {
    const now = clock.now();
    const operator = ofOperator(deps.findOperator(given.emailKey));
    const account = accountStore(db).byEmail(given.emailKey) ?? operator;
    const code = codes.request(db, given.emailKey, now);
    if (code !== null) notices.enqueue(db, noticeOf(account, code, now), now);
  });
  notices.wake();
};

export const verifyCode = async (
  deps: SignInDeps,
  { emailKey }: PersonEmail,
  code: string,
  request: SignInRequest,
): Promise<IssuedSession> => {
  const { storage, clock, codes, sessions } = deps;
  const outcome = await storage.platform.write((db) => {
    const now = clock.now();
    // A wrong code must not throw here: that would undo the count.
    const verdict = codes.judge(db, emailKey, code, now);
    if (verdict !== 'right') return verdict;
    const operator = ofOperator(deps.findOperator(emailKey));
    const account = operator
      ? accountStore(db).ensure(operator.email, emailKey, operator.language, now)
      : accountStore(db).byEmail(emailKey);
    if (!account) return verdict;
    return startSession(sessions, db, account, { request, method: 'code' }, now);
  });
  if (typeof outcome !== 'string') return outcome;
  // The attempts of a live code bound its guesses; without a live code this limit does.
  if (outcome === 'none') deps.limitEmail(emailKey);
  throw codeRefused();
};

export const logIn = async (
  deps: SignInDeps,
  { emailKey }: PersonEmail,
  password: string,
  request: SignInRequest,
): Promise<IssuedSession> => {
  const { storage, clock, passwords, sessions } = deps;
  const account = await storage.platform.read((db) => accountStore(db).byEmail(emailKey));
  const stored = account?.password ?? null;
  const isRight = await passwords.verify(password, stored);
  if (!isRight || !account || stored === null) throw passwordRefused();
  const renewed = passwords.isOutdated(stored) ? await passwords.hash(password) : null;
  const issued = await storage.platform.write((db) => {
    const now = clock.now();
    // The password was changed or removed while the hash was computed.
    if (accountStore(db).get(account.id)?.password !== stored) return null;
    if (renewed !== null) accountStore(db).setPassword(account.id, renewed);
    return startSession(sessions, db, account, { request, method: 'password' }, now);
  });
  if (issued === null) throw passwordRefused();
  return issued;
};
