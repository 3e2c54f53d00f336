// Why a credential does not let in, one text for each reason. A bearer secret cannot be guessed, so a client that sends one of
// ours has had it: it learns that it was revoked or has expired, and nothing else about it.
import { AppError } from '#src/kernel/errors.ts';
import { MINUTE, toIso } from '#src/kernel/time.ts';

const fault = (message: string, hint?: string): AppError =>
  new AppError('unauthorized', message, hint === undefined ? {} : { hint });

/** Whether no one is let in: another refusal says nothing about the credential. */
export const isCredentialFault = (thrown: unknown): thrown is AppError =>
  thrown instanceof AppError && thrown.code === 'unauthorized';

const NOTHING_SENT = 'The request has no credential.';

export const nothingSent = (hint?: string): AppError => fault(NOTHING_SENT, hint);

/** Whether a fault is that of a request without any credential. */
export const isNothingSent = (error: { readonly error: string }): boolean => error.error === NOTHING_SENT;

/** Why no credential can be read from the field Authorization. */
export const unreadable = (authorization: string, schemes: readonly string[], hint?: string): AppError => {
  const [given = '', ...rest] = authorization.split(' ');
  const scheme = schemes.find((one) => one.toLowerCase() === given.toLowerCase());
  if (scheme !== undefined) {
    const what = scheme === 'Basic' ? 'password' : 'token';
    return fault(`Authorization has no ${what} after \`${scheme}\`, or one that is malformed.`, hint);
  }
  // With nothing behind it, it may be a secret, which is not repeated in the answer.
  if (rest.length === 0 || !/^[a-z]{1,20}$/i.test(given))
    return fault('Authorization has no scheme: `Bearer ` goes before the token.', hint);
  const taken = `${schemes.join(' and ')} ${schemes.length === 1 ? 'is' : 'are'}`;
  return fault(`Authorization uses the scheme ${given}; only ${taken} taken.`, hint);
};

export const notOurToken = (): AppError =>
  fault(
    'The credential is none of this service.',
    'API tokens begin with svc_team_ or svc_proj_, sessions with svc_sess_; the admin token goes into X-Admin-Token.',
  );

export const noSuchToken = (): AppError =>
  fault(
    'The token is unknown.',
    'Check that all of it was sent, to the right installation. A token that is limited to addresses is unknown from any other.',
  );

export const tokenRevoked = (): AppError =>
  fault('The token was revoked.', 'Use another one; who manages tokens can make it.');

export const tokenExpired = (at: number): AppError =>
  fault(`The token expired at ${toIso(at)}.`, 'Use another one; who manages tokens can make it.');

export const sessionOver = (): AppError =>
  fault('The session is unknown or has ended.', 'Sign in again: POST /api/auth/request-otp.');

/** Long enough for what one signs in for, too short for a session that someone finds. */
const RECENT_MS = 15 * MINUTE;

/**
 * What outlives the session, or takes an operator's rights, takes a code or a password that was given just now. Times in ms;
 * null: none was given. Throws `sign_in_again`.
 */
export const requireRecentSignIn = (at: number | null, now: number): void => {
  if (at !== null && now - at < RECENT_MS) return;
  throw new AppError(
    'sign_in_again',
    'This takes a session that a code or password began within the last 15 minutes.',
  );
};

export const wrongAdminToken = (): AppError =>
  fault('The admin token is wrong.', 'Send the one that the configuration names under `admin`.');
