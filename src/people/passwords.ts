// Passwords: argon2id (RFC 9106) by node's own implementation, in PHC string form, with the parameters that OWASP gives
// for it. For an address without a password a dummy is
// computed at the same cost.
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';
import { limitConcurrency } from '#src/kernel/concurrency.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say, type Text } from '#src/kernel/say.ts';

const KIB = 1_024;
const CURRENT = { memory: 19 * KIB, passes: 2, parallelism: 1 } as const;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
const MIN_CHARACTERS = 12;
const MAX_PASSWORD_BYTES = 1_024;
export const passwordSchema = z.string().min(1).max(MAX_PASSWORD_BYTES);
/** The computations run on the threads that also sync the disk, and each takes 19 MiB. */
const MAX_AT_ONCE = 2;
/** About a second of work; later requests get `unavailable` with the time to try again. */
const MAX_WAITING = 32;
const RETRY_AFTER_S = 2;

interface Phc {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

export interface Passwords {
  /** The hash is in PHC string form. Throws `unavailable` if too many wait. */
  hash(password: string): Promise<string>;
  /** Takes as long for null, which no password matches. Throws `unavailable` if too many wait. */
  verify(password: string, stored: string | null): Promise<boolean>;
  /** Whether it was made with other parameters than are used now. */
  isOutdated(stored: string): boolean;
}

const PHC_FORM = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const parsePhc = (text: string): Phc => {
  const [, memory, passes, parallelism, salt, tag] = PHC_FORM.exec(text) ?? [];
  if (salt === undefined || tag === undefined) throw new Error('a stored password is not in PHC form');
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
};

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
const formatPhc = ({ memory, passes, parallelism, salt, tag }: Phc): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(tag)}`;

/** The same characters can be typed in several ways; this is one form for all. */
const normalized = (password: string): string => password.normalize('NFKC');

/** Why it cannot be a new password, in words for the person who chose it; null if it can. */
export const passwordProblem = (password: string, email: string): Text | null => {
  const text = normalized(password);
  if ([...text].length < MIN_CHARACTERS) return say`has fewer than ${MIN_CHARACTERS} characters`;
  if (Buffer.byteLength(text) > MAX_PASSWORD_BYTES) return say`is longer than ${MAX_PASSWORD_BYTES} bytes`;
  if (text.toLowerCase() === normalized(email).toLowerCase()) return say`is the e-mail address`;
  return null;
};

const argon2id = promisify(argon2);

export const createPasswords = (): Passwords => {
  const dummy = { ...CURRENT, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) };
  const run = limitConcurrency(MAX_AT_ONCE);
  let inFlight = 0;

  const compute = async (password: string, { salt, tag, ...cost }: Phc): Promise<Buffer> => {
    if (inFlight >= MAX_AT_ONCE + MAX_WAITING)
      throw new AppError('unavailable', say`Too many people sign in at this moment.`, {
        extra: { retry_after: RETRY_AFTER_S },
      });
    inFlight += 1;
    try {
      const message = normalized(password);
      return await run(() => argon2id('argon2id', { message, nonce: salt, tagLength: tag.length, ...cost }));
    } finally {
      inFlight -= 1;
    }
  };

  return {
    hash: async (password) => {
      const fresh = { ...CURRENT, salt: randomBytes(SALT_BYTES), tag: Buffer.alloc(TAG_BYTES) };
      return formatPhc({ ...fresh, tag: await compute(password, fresh) });
    },
    verify: async (password, stored) => {
      const wanted = stored === null ? dummy : parsePhc(stored);
      const isRight = timingSafeEqual(await compute(password, wanted), wanted.tag);
      return isRight && stored !== null;
    },
    isOutdated: (stored) => {
      const { memory, passes, parallelism, salt, tag } = parsePhc(stored);
      return (
        memory !== CURRENT.memory ||
        passes !== CURRENT.passes ||
        parallelism !== CURRENT.parallelism ||
        salt.length !== SALT_BYTES ||
        tag.length !== TAG_BYTES
      );
    },
  };
};
