// Decides which IP addresses belong to the internet, and which to a local network. Local are those that IANA's registries of
// special addresses (RFC 6890) call not globally reachable, and those that only lead to such an address. `node:net` is used for
// its arithmetic of addresses; no connection is made.
import { BlockList, isIP, isIPv4 } from 'node:net';

/** `allowed`: internal, and named by the operator all the same. */
export type AddressKind = 'public' | 'allowed' | 'internal';

/** Neither of the two is changed: a change is another array. */
export interface AddressRules {
  /** Addresses and CIDR. */
  readonly allow: readonly string[];
  /** Addresses of this machine, some of which may be public ones. */
  readonly own: readonly string[];
}

const INTERNAL_IPV4: readonly (readonly [network: string, prefix: number])[] = [
  // This network (RFC 791): 0.0.0.0 is this machine.
  ['0.0.0.0', 8],
  // Private (RFC 1918).
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  // Networks between a provider and its customers (RFC 6598); some clouds have their metadata there.
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Link-local (RFC 3927); at 169.254.169.254 the machines of many clouds get their secrets.
  ['169.254.0.0', 16],
  // A public address, but in Azure it is answered by the machine's host, which gives out the machine's secrets.
  ['168.63.129.16', 32],
  // Addresses for protocols (RFC 6890); the anycast addresses among them are served by the nearest router.
  ['192.0.0.0', 24],
  // Documentation (RFC 5737).
  ['192.0.2.0', 24],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Relays of 6to4 (RFC 7526).
  ['192.88.99.0', 24],
  // Benchmarks (RFC 2544).
  ['198.18.0.0', 15],
  // Multicast, reserved, broadcast.
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** All unicast addresses in use (RFC 4291 §2.4); every address outside of it is internal. */
const GLOBAL_IPV6 = ['2000::', 3] as const;
const INTERNAL_IPV6: readonly (readonly [network: string, prefix: number])[] = [
  // Addresses for protocols (RFC 2928): Teredo, which hides an IPv4 address, benchmarks, ORCHID.
  ['2001::', 23],
  // Documentation (RFC 3849, RFC 9637).
  ['2001:db8::', 32],
  ['3fff::', 20],
  // 6to4 (RFC 3056), which contains any IPv4 address.
  ['2002::', 16],
];

const listOf = (
  networks: readonly (readonly [network: string, prefix: number])[],
  family: 'ipv4' | 'ipv6',
): BlockList => {
  const list = new BlockList();
  for (const [network, prefix] of networks) list.addSubnet(network, prefix, family);
  return list;
};

const internalIpv4 = listOf(INTERNAL_IPV4, 'ipv4');
const internalIpv6 = listOf(INTERNAL_IPV6, 'ipv6');
const globalIpv6 = listOf([GLOBAL_IPV6], 'ipv6');

/** The prefixes of IPv6 addresses that stand for an IPv4 address: mapped (RFC 4291 §2.5.5.2), translated (RFC 6052 §2.1). */
const IPV4_BEHIND: ReadonlySet<string> = new Set(['0:0:0:0:0:ffff', '64:ff9b:0:0:0:0']);

/** The IPv4 address that an IPv6 address stands for; any other address unchanged. */
const withoutWrapping = (address: string): string => {
  if (isIPv4(address)) return address;
  const groups = ipv6Groups(address);
  if (!IPV4_BEHIND.has(groups.slice(0, 6).join(':'))) return address;
  return groups
    .slice(6)
    .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff])
    .join('.');
};

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv4(address) ? 'ipv4' : 'ipv6');

type Lists = Partial<Record<'ipv4' | 'ipv6', BlockList>>;
/** A list is asked for each address that is connected to, and making it takes ten times as long. */
const listsOf = new WeakMap<readonly string[], Lists>();

const madeOf = (networks: readonly string[], family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList();
  for (const network of networks) {
    const [base = '', prefix] = network.split('/');
    if (isIP(base) === 0 || familyOf(base) !== family) continue;
    if (prefix === undefined) list.addAddress(base, family);
    else list.addSubnet(base, Number(prefix), family);
  }
  return list;
};

/** Compares within one family: a list of both would find mapped addresses in networks that were not meant. */
const isIn = (address: string, networks: readonly string[]): boolean => {
  if (networks.length === 0) return false;
  const family = familyOf(address);
  const lists = listsOf.get(networks) ?? {};
  listsOf.set(networks, lists);
  lists[family] ??= madeOf(networks, family);
  return lists[family].check(address, family);
};

const isPublic = (address: string): boolean =>
  isIPv4(address)
    ? !internalIpv4.check(address, 'ipv4')
    : globalIpv6.check(address, 'ipv6') && !internalIpv6.check(address, 'ipv6');

/** `address` in any notation of RFC 4291. An address with a zone is internal, and so is a text that is no address. */
export const addressKind = (address: string, { allow, own }: AddressRules): AddressKind => {
  if (isIP(address) === 0 || address.includes('%')) return 'internal';
  const meant = withoutWrapping(address);
  if (isIn(meant, allow) || isIn(address, allow)) return 'allowed';
  return isPublic(meant) && !isIn(meant, own) ? 'public' : 'internal';
};

/** The eight groups in hexadecimal, without leading zeros; `address` has no zone. @throws TypeError where it is no address */
export const ipv6Groups = (address: string): string[] => {
  // A URL's host is in the short form of RFC 5952, whatever the address was written like.
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = [], tail] = short.split('::', 2).map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(8 - head.length - (tail?.length ?? 0)).fill('0');
  return tail === undefined ? [...head] : [...head, ...zeros, ...tail];
};
