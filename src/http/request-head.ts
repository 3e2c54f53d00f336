// What a request's head must be beyond what node's parser requires of it (RFC 9112 sections 2.3 and 3.2): where two programs
// could read two hosts out of it, a proxy in front and this one would answer different requests.
import type { IncomingMessage } from 'node:http';

const FIELD_AND_VALUE = 2;

const hasTwoHosts = (rawHeaders: readonly string[]): boolean => {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += FIELD_AND_VALUE) {
    const name = rawHeaders[index] as string;
    if (name.length === 'host'.length && name.toLowerCase() === 'host') count += 1;
  }
  return count > 1;
};

/** `*` and a path name no host. */
const namesHost = (target: string): boolean => !target.startsWith('/') && target !== '*';

const isOfHost = (target: string, host: string): boolean => {
  const named = URL.parse(target);
  const scheme = named?.protocol;
  if (named === null || (scheme !== 'http:' && scheme !== 'https:')) return false;
  return URL.parse(`${scheme}//${host}`)?.host === named.host;
};

/** One sentence about what is wrong with the head; null where nothing is. */
export const whyMalformed = ({
  httpVersionMajor,
  rawHeaders,
  headers,
  url = '/',
}: IncomingMessage): string | null => {
  if (httpVersionMajor !== 1) return 'The request names no version of HTTP, or one that is not spoken here.';
  if (hasTwoHosts(rawHeaders)) return 'The request has more than one Host field.';
  if (namesHost(url) && !isOfHost(url, headers.host ?? ''))
    return 'The target of the request is neither a path nor an address of the host in the Host field.';
  return null;
};
