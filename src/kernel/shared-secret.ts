// Reads and checks a secret that this service shares with another program, in a request: a bearer token, or the password of HTTP
// Basic (RFC 7617), because some programs can send nothing else. Pure.
import { hash, timingSafeEqual } from 'node:crypto';
import type { Secret } from './secret.ts';

const BEARER = /^Bearer ([\x21-\x7e]{1,512})$/i;
const BASIC = /^Basic ([A-Za-z0-9+/]{1,2048}={0,2})$/i;
/** Compared with where there is no secret, so that it takes as long. */
const NOTHING = hash('sha256', '', 'buffer');

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** The bearer token or the password; null where the field holds none. */
export const secretIn = (authorization: string): string | null => {
  const bearer = BEARER.exec(authorization)?.[1];
  if (bearer !== undefined) return bearer;
  const basic = BASIC.exec(authorization)?.[1];
  const [, ...password] = basic === undefined ? [] : Buffer.from(basic, 'base64').toString().split(':');
  return password.join(':') || null;
};

/** `expected` null: always false. */
export const isSecret = (given: string, expected: Secret | null): boolean => {
  const wanted = expected === null ? NOTHING : digest(expected.reveal());
  const isEqual = timingSafeEqual(digest(given), wanted);
  return isEqual && expected !== null;
};
