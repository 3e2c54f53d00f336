// IP addresses and networks (CIDR, RFC 4632 and 4291 §2.3): in canonical form, and which network contains which.
import { isIP, SocketAddress } from 'node:net';
import { ipv6Groups } from './ip-address.ts';

interface Network {
  readonly width: 32 | 128;
  readonly value: bigint;
  /** Bits that all its addresses have in common. */
  readonly prefix: number;
}

const PREFIX = /^(?:0|[1-9]\d{0,2})$/;
const IPV4_IN_IPV6 = 0xffffn;

const ipv4Value = (address: string): bigint =>
  address.split('.').reduce((value, octet) => value * 256n + BigInt(octet), 0n);

const ipv6Value = (address: string): bigint =>
  ipv6Groups(address).reduce((value, group) => value * 65_536n + BigInt(`0x${group}`), 0n);

/** An address is the network of itself; IPv4 in IPv6 is IPv4. Null where the text is neither; a zone is left out. */
const parse = (text: string): Network | null => {
  const [zoned = '', length, ...rest] = text.split('/');
  const [address = ''] = zoned.split('%', 1);
  const version = isIP(address);
  if (version === 0 || rest.length > 0 || (length !== undefined && !PREFIX.test(length))) return null;
  const width = version === 4 ? 32 : 128;
  const prefix = length === undefined ? width : Number(length);
  if (prefix > width) return null;
  const value = version === 4 ? ipv4Value(address) : ipv6Value(address);
  return width === 128 && prefix >= 96 && value >> 32n === IPV4_IN_IPV6
    ? { width: 32, value: value & 0xffffffffn, prefix: prefix - 96 }
    : { width, value, prefix };
};

const format = ({ width, value, prefix }: Network): string => {
  const address =
    width === 32
      ? [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.')
      : new SocketAddress({
          family: 'ipv6',
          address: (value.toString(16).padStart(32, '0').match(/.{4}/g) ?? []).join(':'),
        }).address;
  return prefix === width ? address : `${address}/${prefix}`;
};

/** One form for each network: `192.0.2.0/24`, a single address bare. Null for anything else, and where host bits are set. */
export const canonicalNetwork = (text: string): string | null => {
  const network = text.includes('%') ? null : parse(text);
  if (network === null) return null;
  const hostBits = (1n << BigInt(network.width - network.prefix)) - 1n;
  return (network.value & hostBits) === 0n ? format(network) : null;
};

/** Bits that are kept of the address of a recipient: /24, and /48. */
const KEPT_BITS = { 32: 24, 128: 48 } as const;
/** 6to4 (RFC 3056): these addresses contain an IPv4 address. */
const SIX_TO_FOUR = 0x2002n;
const SIX_TO_FOUR_KEPT = 40;

/** The address with its last octet zero (IPv6: its last 80 bits). Null where it is none. */
export const withoutHost = (text: string): string | null => {
  const address = parse(text);
  if (address === null || address.prefix !== address.width) return null;
  const { width, value } = address;
  const isSixToFour = width === 128 && value >> 112n === SIX_TO_FOUR;
  const cut = BigInt(width - (isSixToFour ? SIX_TO_FOUR_KEPT : KEPT_BITS[width]));
  return format({ width, value: (value >> cut) << cut, prefix: width });
};

/** Whether one of `networks` contains the whole address or network. Malformed text contains nothing and is in none. */
export const isWithin = (text: string, networks: readonly string[]): boolean => {
  const inner = parse(text);
  if (inner === null) return false;
  return networks.some((candidate) => {
    const outer = parse(candidate);
    if (outer === null || outer.width !== inner.width || outer.prefix > inner.prefix) return false;
    const shift = BigInt(outer.width - outer.prefix);
    return outer.value >> shift === inner.value >> shift;
  });
};
