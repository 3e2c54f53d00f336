// The meaning of answers from DNS block lists (RFC 5782 §2.1, §2.3). Each list has its own codes. Pure.
import { BLOCKING_WEIGHT } from '../assessment.ts';

/** `unusable`: the list refuses to answer, or the answer is not from the list. It says nothing about the host. */
export type ListAnswer =
  | { readonly kind: 'clean' | 'unusable' }
  | { readonly kind: 'listed'; weight: number };

export interface ListFamily {
  /** The name that is shown, because a zone may begin with its subscriber's key. */
  readonly name: string;
  /** Whether the host is looked up besides its registrable domain. */
  readonly asksHost: boolean;
  /** Whether the list contains IPv4 addresses, with their octets in reverse order. */
  readonly asksAddresses: boolean;
  /** `octets` are those of an address in 127.0.0.0/8. */
  readonly read: (octets: readonly number[]) => ListAnswer;
}

const CLEAN: ListAnswer = { kind: 'clean' };
const UNUSABLE: ListAnswer = { kind: 'unusable' };
const listed = (weight: number): ListAnswer => ({ kind: 'listed', weight });

const isBetween = (value: number, least: number, most: number): boolean => value >= least && value <= most;

/** The weight of an honest domain that was broken into. */
const ABUSED_WEIGHT = 15;

/** 127.0.1.2 to .6: spam, phishing, malware, botnets. .102 to .106: the same on abused honest domains. .255: an address was
 * looked up, which this list does not have. */
const readDbl: ListFamily['read'] = ([, second, third, last = 0]) => {
  if (second !== 0 || third !== 1 || last === 255) return UNUSABLE;
  if (isBetween(last, 2, 6)) return listed(BLOCKING_WEIGHT);
  return isBetween(last, 102, 106) ? listed(ABUSED_WEIGHT) : CLEAN;
};

interface Bit {
  readonly mask: number;
  readonly weight: number;
}

/** The last octet is a set of bits. The lowest bit means that the list refuses to answer. */
const readBits =
  (bits: readonly Bit[]): ListFamily['read'] =>
  ([, second, third, last = 0]) => {
    if (second !== 0 || third !== 0 || (last & 1) !== 0) return UNUSABLE;
    const weights = bits.filter(({ mask }) => (last & mask) !== 0).map(({ weight }) => weight);
    return weights.length === 0 ? CLEAN : listed(Math.max(...weights));
  };

/** Every code is a listing, except for the one that RFC 5782 §5 forbids. */
const readAny: ListFamily['read'] = ([, second, third, last]) =>
  second === 0 && third === 0 && last === 1 ? UNUSABLE : listed(BLOCKING_WEIGHT);

const families: readonly (ListFamily & { readonly zones: RegExp })[] = [
  {
    name: 'dbl.spamhaus',
    zones: /^dbl\.spamhaus\.org$|^(?:[a-z0-9]+\.)?dbl\.dq\.spamhaus\.net$/,
    asksHost: true,
    asksAddresses: false,
    read: readDbl,
  },
  {
    name: 'zen.spamhaus',
    zones: /^zen\.spamhaus\.org$|^(?:[a-z0-9]+\.)?zen\.dq\.spamhaus\.net$/,
    asksHost: false,
    asksAddresses: true,
    read: readAny,
  },
  {
    name: 'multi.surbl',
    zones: /(?:^|\.)(?:multi\.surbl\.org|df\.surbl\.org)$/,
    asksHost: false,
    asksAddresses: true,
    read: readBits([
      { mask: 4, weight: 10 }, // disposable mail domains
      { mask: 8, weight: BLOCKING_WEIGHT }, // phishing
      { mask: 16, weight: BLOCKING_WEIGHT }, // malware
      { mask: 32, weight: 5 }, // click trackers, many of them of good senders
      { mask: 64, weight: 30 }, // abuse
      { mask: 128, weight: BLOCKING_WEIGHT }, // broken into
    ]),
  },
  {
    name: 'multi.uribl',
    zones: /(?:^|\.)(?:multi\.uribl\.com|df\.uribl\.com)$/,
    asksHost: false,
    asksAddresses: true,
    read: readBits([
      { mask: 2, weight: BLOCKING_WEIGHT }, // black
      { mask: 4, weight: 10 }, // grey
      { mask: 8, weight: 10 }, // red
    ]),
  },
];

/** The family of a zone. Every answer of an unknown list is a listing. */
export const familyOf = (zone: string): ListFamily =>
  families.find(({ zones }) => zones.test(zone)) ?? {
    name: zone,
    asksHost: true,
    asksAddresses: true,
    read: readAny,
  };

const octetsOf = (address: string): number[] => address.split('.').map(Number);

/** The meaning of all A records of one answer. The worst listing decides, else an unusable record. */
export const readListAnswer = (family: ListFamily, addresses: readonly string[]): ListAnswer => {
  const answers = addresses.map((address) => {
    const octets = octetsOf(address);
    // Lists answer in 127.0.0.0/8 only. Other addresses come from resolvers that redirect unknown names.
    if (octets.length !== 4 || octets[0] !== 127) return UNUSABLE;
    // 127.255.0.0/16 is for errors.
    return octets[1] === 255 ? UNUSABLE : family.read(octets);
  });
  const weights = answers.flatMap((answer) => (answer.kind === 'listed' ? [answer.weight] : []));
  if (weights.length > 0) return listed(Math.max(...weights));
  return answers.find(({ kind }) => kind === 'unusable') ?? CLEAN;
};
