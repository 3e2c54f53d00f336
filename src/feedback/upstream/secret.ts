// Whether a request knows the secret of an upstream, as a bearer token or as the password of HTTP Basic (RFC 7617), which is
// all that some relays can be given with an address. Pure.
import { hash, timingSafeEqual } from 'node:crypto';
import type { Secret } from '#src/kernel/secret.ts';

const BEARER = /^Bearer ([\x21-\x7e]{1,512})$/i;
const BASIC = /^Basic ([A-Za-z0-9+/]{1,2048}={0,2})$/i;
/** Compared with where there is no secret: that takes as long. */
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

/** `expected` null: nobody knows it. */
export const knowsSecret = (authorization: string | undefined, expected: Secret | null): boolean => {
  const wanted = expected === null ? NOTHING : digest(expected.reveal());
  const isEqual = timingSafeEqual(digest(given(authorization ?? '')), wanted);
  return isEqual && expected !== null;
};
