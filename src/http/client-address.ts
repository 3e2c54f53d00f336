// The address of the client: that of the socket, or behind proxies that are believed the one they name in X-Forwarded-For. Limits, audit
// and ledger tell clients apart by it, so it has one notation: some proxies append the port, and each would be another client.
// What is no address is nobody's, and then the socket's counts. `Forwarded` (RFC 7239) is not read: a proxy that does not write it would
// pass on what a client has written there.
import { isIP, isIPv4 } from 'node:net';
import { ipv6Groups } from '#src/kernel/ip-address.ts';

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
