// Credentials: the bearer secrets of tokens, sessions and invitations, why one does not let in, and when it was last used.
//
// A bearer has 256 random bits in base 62 behind a prefix that names its kind. Only its SHA-256 is stored; a plain hash is
// enough, because 256 random bits cannot be guessed.
import { hash, randomBytes } from 'node:crypto';
import { AppError } from './errors.ts';
import type { Job } from './job.ts';
import { say, type Text } from './say.ts';
import { type Clock, MINUTE, toIso } from './time.ts';

const SECRET_BYTES = 32;
/** 256 bits in base 62. */
const SECRET_CHARS = 43;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const base62 = (bytes: Buffer): string => {
  let number = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let digit = 0; digit < SECRET_CHARS; digit++) {
    text = BASE62[Number(number % 62n)] + text;
    number /= 62n;
  }
  return text;
};

/** The prefix of the bearers of sessions, which mean nothing to another host. */
export const SESSION_PREFIX = 'svc_sess_';

/** `svc_team_` and 43 characters. */
export const newBearer = (prefix: string): string => prefix + base62(randomBytes(SECRET_BYTES));

/** The form in which it is stored. */
export const hashBearer = (bearer: string): Buffer => hash('sha256', bearer, 'buffer');

// Why a credential does not let in, one text for each reason. A bearer secret cannot be guessed, so a client that sends one of
// ours has had it: it learns that it was revoked or has expired, and nothing else about it.

const fault = (message: Text, hint?: Text): AppError =>
  new AppError('unauthorized', message, hint === undefined ? {} : { hint });

/** Whether no one is let in: another refusal says nothing about the credential. */
export const isCredentialFault = (thrown: unknown): thrown is AppError =>
  thrown instanceof AppError && thrown.code === 'unauthorized';

const NOTHING_SENT = say`The request has no credential.`;

export const nothingSent = (hint?: Text): AppError => fault(NOTHING_SENT, hint);

/** Whether a fault is that of a request without any credential. */
export const isNothingSent = (error: { readonly error: string }): boolean => error.error === NOTHING_SENT.key;

/** Why no credential can be read from the field Authorization. */
export const unreadable = (authorization: string, schemes: readonly string[], hint?: Text): AppError => {
  const [given = '', ...rest] = authorization.split(' ');
  const scheme = schemes.find((one) => one.toLowerCase() === given.toLowerCase());
  if (scheme !== undefined) {
    return fault(
      scheme === 'Basic'
        ? say`Authorization has no password after \`${scheme}\`, or one that is malformed.`
        : say`Authorization has no token after \`${scheme}\`, or one that is malformed.`,
      hint,
    );
  }
  // With nothing behind it, it may be a secret, which is not repeated in the answer.
  if (rest.length === 0 || !/^[a-z]{1,20}$/i.test(given))
    return fault(say`Authorization has no scheme: \`Bearer \` goes before the token.`, hint);
  return fault(say`Authorization uses the scheme ${given}, and expected is ${schemes}.`, hint);
};

export const notOurToken = (): AppError =>
  fault(
    say`The credential is none of this service.`,
    say`API tokens begin with svc_team_ or svc_proj_, sessions with svc_sess_; the admin token goes into X-Admin-Token.`,
  );

export const noSuchToken = (): AppError =>
  fault(
    say`The token is unknown.`,
    say`Check that all of it was sent, to the right installation. A token that is limited to addresses is unknown from any other.`,
  );

export const tokenRevoked = (): AppError =>
  fault(say`The token was revoked.`, say`Use another one; who manages tokens can make it.`);

export const tokenExpired = (at: number): AppError =>
  fault(say`The token expired at ${toIso(at)}.`, say`Use another one; who manages tokens can make it.`);

export const sessionOver = (): AppError =>
  fault(say`The session is unknown or has ended.`, say`Sign in again: POST /api/auth/request-otp.`);

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
    say`This takes a session that a code or password began within the last 15 minutes.`,
  );
};

export const wrongAdminToken = (): AppError =>
  fault(say`The admin token is wrong.`, say`Send the one that the configuration names under \`admin\`.`);

// When credentials were last used, with a minute's precision: noted in memory, written together by a job. A note
// stays in memory until it is written, so that reads in between see it.

export interface LastUsed {
  /** `place` names the file that keeps it: the tenant's id, or one fixed name for platform.db. */
  note(place: string, id: string): void;
  /** The latest use, if it is not written yet. */
  notedAt(id: string): number | undefined;
  /** The file is gone, with the credentials in it. */
  forget(place: string): void;
  /**
   * Rejects if some could not be written; the next call tries them again. It also stops early when `signal` aborts: each
   * write may have to open a file, and a stop must not wait for thousands.
   */
  flush(signal?: AbortSignal): Promise<void>;
}

type Uses = readonly (readonly [id: string, at: number])[];

/** `what` is used: for the log. */
export const createLastUsed = (
  what: string,
  clock: Clock,
  write: (place: string, uses: Uses) => Promise<void>,
): LastUsed => {
  const noted = new Map<string, { readonly place: string; at: number }>();

  const writePlace = async (place: string, uses: Uses): Promise<void> => {
    await write(place, uses);
    // One that was used again meanwhile still has to be written.
    for (const [id, at] of uses) if (noted.get(id)?.at === at) noted.delete(id);
  };

  return {
    note: (place, id) => {
      const present = noted.get(id);
      if (present) present.at = clock.now();
      else noted.set(id, { place, at: clock.now() });
    },
    notedAt: (id) => noted.get(id)?.at,
    forget: (gone) => {
      for (const [id, { place }] of noted) if (place === gone) noted.delete(id);
    },
    flush: async (signal) => {
      const places = Map.groupBy(noted, ([, { place }]) => place);
      const failures: unknown[] = [];
      // One after the other: they share the places for open files with those who wait for an answer.
      for (const [place, uses] of places) {
        if (signal?.aborted) break;
        await writePlace(
          place,
          uses.map(([id, { at }]) => [id, at]),
        ).catch((error) => failures.push(error));
      }
      if (failures.length > 0)
        throw new AggregateError(failures, `the last use of some ${what} is not noted`);
    },
  };
};

export const lastUsedJob = (name: string, lastUsed: LastUsed): Job => ({
  name,
  schedule: '* * * * *',
  run: (signal) => lastUsed.flush(signal),
});
