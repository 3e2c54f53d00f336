// Why a credential does not let in, one text for each reason. A bearer secret cannot be guessed, so a client that sends one of
// ours has had it: it learns that it was revoked or has expired, and nothing else about it.
import { AppError } from '#src/kernel/errors.ts';
import { toIso } from '#src/kernel/time.ts';

const fault = (message: string, hint: string): AppError => new AppError('unauthorized', message, { hint });

/** Whether no one is let in: another refusal says nothing about the credential. */
export const isCredentialFault = (thrown: unknown): thrown is AppError =>
  thrown instanceof AppError && thrown.code === 'unauthorized';

export const nothingSent = (): AppError => new AppError('unauthorized', 'The request has no credential.');

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

export const wrongAdminToken = (): AppError =>
  fault('The admin token is wrong.', 'Send the one that the configuration names under `admin`.');
