// Bearer secrets (tokens, sessions, invitations): 256 random bits in base 62 behind a prefix that names their kind. Only
// their SHA-256 is stored; a plain hash is enough, because 256 random bits cannot be guessed.
import { hash, randomBytes } from 'node:crypto';

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

/** `svc_team_` and 43 characters. */
export const newBearer = (prefix: string): string => prefix + base62(randomBytes(SECRET_BYTES));

/** The form in which it is stored. */
export const hashBearer = (bearer: string): Buffer => hash('sha256', bearer, 'buffer');
