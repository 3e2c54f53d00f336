// What a request's head must be beyond what node's parser requires of it (RFC 9112 sections 2.3 and 3.2): where two programs
// could read two hosts out of it, a proxy in front and this one would answer different requests.
import type { IncomingMessage } from 'node:http';
import { isIP, isIPv4 } from 'node:net';
import { ipv6Groups } from '#src/kernel/ip-address.ts';
import type { ForeignShape } from '#src/kernel/route.ts';
import { say, type Text } from '#src/kernel/say.ts';
import type { Exchange } from './exchange.ts';
import type { Found } from './routing.ts';

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
}: IncomingMessage): Text | null => {
  if (httpVersionMajor !== 1)
    return say`The request names no version of HTTP, or one that is not spoken here.`;
  if (hasTwoHosts(rawHeaders)) return say`The request has more than one Host field.`;
  if (namesHost(url) && !isOfHost(url, headers.host ?? ''))
    return say`The target of the request is neither a path nor an address of the host in the Host field.`;
  return null;
};

// The address of the client: that of the socket, or behind proxies that are believed the one they name in X-Forwarded-For.
// Limits, audit and ledger tell clients apart by it, so it has one notation: some proxies append the port, and each would be
// another client. What is no address counts for no client, and then the socket's address counts. `Forwarded` (RFC 7239) is not
// read: a proxy that does not write it would pass on what a client has written there.

/** Whether the proxy at that address, the nth before us, is believed. */
export type Trust = (address: string, hop: number) => boolean;

const MAPPED = '0:0:0:0:0:ffff';

/** `192.0.2.1:1000`, `[2001:db8::1]:1000`, `[2001:db8::1]` */
const withoutPort = (text: string): string =>
  /^(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}$/.exec(text)?.[1] ??
  /^\[([^\]]+)\](?::\d{1,5})?$/.exec(text)?.[1] ??
  text;

/** Null where the text is no IP address. A tunnelled IPv4 address is the IPv4 address. */
export const plainAddress = (text: string): string | null => {
  const unquoted = /^"(.*)"$/.exec(text.trim())?.[1] ?? text.trim();
  const address = withoutPort(unquoted).replace(/%.*$/, '');
  if (isIPv4(address)) return address;
  if (isIP(address) === 0) return null;
  const groups = ipv6Groups(address);
  if (groups.slice(0, 6).join(':') !== MAPPED) return new URL(`http://[${address}]`).hostname.slice(1, -1);
  return groups
    .slice(6)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
    .join('.');
};

/** `forwarded`: the value of X-Forwarded-For, in which each proxy has appended who came to it. */
export const clientAddressOf = (
  socketAddress: string,
  forwarded: string | undefined,
  trust: Trust,
): string => {
  const own = plainAddress(socketAddress) ?? socketAddress;
  let client = own;
  const named = forwarded?.split(',').reverse() ?? [];
  for (const [hop, text] of named.entries()) {
    if (!trust(client, hop)) return client;
    const address = plainAddress(text);
    if (address === null) return own;
    client = address;
  }
  return client;
};

// Paths of other services' APIs: below the base of their shape, or by an alias of it, which is looked for only where the service
// has no path of its own. From there on the request is one for the path below the base.

const NO_PREFIX = '/';

const isBelow = (prefix: string, path: string): boolean =>
  path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/');

interface Candidate {
  readonly shape: ForeignShape;
  readonly alias: string;
  /** The path below the shape's base. */
  readonly path: string;
}

const candidatesOf = (shape: ForeignShape, path: string): Candidate[] =>
  shape.aliases().flatMap((alias) => {
    if (alias === NO_PREFIX) return [{ shape, alias, path: shape.base + path }];
    return isBelow(alias, path) ? [{ shape, alias, path: shape.base + path.slice(alias.length) }] : [];
  });

/** Finds what a request is for, and notes the shape that its path has. */
export const createForeignPaths = (
  find: (method: string, path: string) => Found,
  shapes: readonly ForeignShape[],
): ((exchange: Exchange) => Found) => {
  const isPath = (found: Found): boolean => found.route !== undefined || found.allowed !== undefined;

  /**
   * Where the path has no prefix, the shape is that of the field in which the token comes, else the first that knows the path,
   * be it only to name what to use instead.
   */
  const byAlias = ({ request, method, path }: Exchange): Candidate | undefined => {
    const ofToken = shapes.filter(({ tokenHeaders }) =>
      tokenHeaders().some((name) => request.headers[name] !== undefined),
    );
    const isKnown = ({ shape, alias, path: own }: Candidate): boolean =>
      alias !== NO_PREFIX ||
      ofToken.includes(shape) ||
      isPath(find(method, own)) ||
      shape.insteadOf(path) !== undefined;
    return (ofToken.length > 0 ? ofToken : shapes)
      .flatMap((shape) => candidatesOf(shape, path))
      .find(isKnown);
  };

  return (exchange) => {
    let found = find(exchange.method, exchange.path);
    const ofBase = shapes.find(({ base }) => isBelow(base, exchange.path));
    const alias = isPath(found) || ofBase ? undefined : byAlias(exchange);
    if (alias) {
      exchange.goTo(alias.path);
      found = find(exchange.method, exchange.path);
    }
    exchange.shape = found.route ? found.route.shape : (alias?.shape ?? ofBase);
    return found;
  };
};
