// Checks the secret of an upstream in a request: a bearer token, or the password of HTTP Basic (RFC 7617), because some
// relays can send nothing else. Pure.
import { hash, timingSafeEqual } from 'node:crypto';
import type { Secret } from '#src/kernel/secret.ts';

const BEARER = /^Bearer ([\x21-\x7e]{1,512})$/i;
const BASIC = /^Basic ([A-Za-z0-9+/]{1,2048}={0,2})$/i;
/** Compared with where there is no secret, so that it takes as long. */
const NOTHING = hash('sha256', '', 'buffer');

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

const passwordOf = (credentials: string): string => {
  const pair = Buffer.from(credentials, 'base64').toString();
  const colon = pair.indexOf(':');
  return colon === -1 ? '' : pair.slice(colon + 1);
};

const given = (authorization: string): string => {
  const bearer = BEARER.exec(authorization)?.[1];
  if (bearer !== undefined) return bearer;
  const basic = BASIC.exec(authorization)?.[1];
  return basic === undefined ? '' : passwordOf(basic);
};

/** `expected` null: always false. */
export const knowsSecret = (authorization: string | undefined, expected: Secret | null): boolean => {
  const wanted = expected === null ? NOTHING : digest(expected.reveal());
  const isEqual = timingSafeEqual(digest(given(authorization ?? '')), wanted);
  return isEqual && expected !== null;
};
