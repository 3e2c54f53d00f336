// From a target to the addresses it may be connected to. Names are asked of the DNS here and nowhere else: whoever
// connects is given what was judged, and asks nobody again (a name may point elsewhere a moment later).
import { networkInterfaces } from 'node:os';
import type { DnsLookup } from '../dns-lookup.ts';
import { SECOND } from '../time.ts';
import { OutboundFailure } from './failure-words.ts';
import type { TargetRefusal } from './outbound.ts';
import { type AddressKind, addressKind } from './public-address.ts';
import { INTERNAL, type Target, UNUSUAL_PORT } from './target-url.ts';

/** One host has no more in earnest; it bounds how many connections one delivery tries. */
const MAX_ADDRESSES = 16;

/** RFC 6761 §6.3: never asked of anybody. It means those of the two that are allowed. */
const LOCALHOST = ['127.0.0.1', '::1'];
const isLocalhost = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');

export interface CheckedLookup {
  /** Of an address alone. */
  kindOf(address: string): AddressKind;
  /** Null where all of them may be connected to. */
  refusalOf(target: Target, addresses: readonly string[]): TargetRefusal | null;
  /** @throws OutboundFailure */
  addressesOf(target: Target): Promise<readonly string[]>;
  /** Without throwing: null where nothing is known. */
  lookUp(target: Target): Promise<readonly string[] | null>;
}

/** Asking the system costs 90 µs, and each exchange looks twice. */
const OWN_KEPT_MS = SECOND;

type AskSystem = typeof networkInterfaces;

const createOwnAddresses = (askSystem: AskSystem): (() => readonly string[]) => {
  let own: readonly string[] = [];
  let askedAt = Number.NEGATIVE_INFINITY;
  const current = (): readonly string[] => {
    const now = performance.now();
    if (now - askedAt < OWN_KEPT_MS) return own;
    askedAt = now;
    try {
      own = Object.values(askSystem()).flatMap((all) => (all ?? []).map(({ address }) => address));
    } catch {
      // Without a free descriptor the system tells nothing: the addresses are those that they were.
    }
    return own;
  };
  current();
  return current;
};

export const createCheckedLookup = (
  allow: () => readonly string[],
  lookup: Pick<DnsLookup, 'addresses'>,
  askSystem: AskSystem = networkInterfaces,
): CheckedLookup => {
  const ownAddresses = createOwnAddresses(askSystem);
  const kindOf = (address: string): AddressKind =>
    addressKind(address, { allow: allow(), own: ownAddresses() });
  const refusalOf: CheckedLookup['refusalOf'] = ({ isUsualPort }, addresses) => {
    const kinds = addresses.map(kindOf);
    if (kinds.includes('internal')) return INTERNAL;
    return isUsualPort || !kinds.includes('public') ? null : UNUSUAL_PORT;
  };
  const ask = async ({ host, isAddress }: Target) => {
    if (isAddress) return { kind: 'found', records: [host] } as const;
    if (isLocalhost(host)) {
      const allowed = LOCALHOST.filter((address) => kindOf(address) === 'allowed');
      return { kind: 'found', records: allowed.length > 0 ? allowed : LOCALHOST } as const;
    }
    return lookup.addresses(host);
  };
  return {
    kindOf,
    refusalOf,
    lookUp: async (target) => {
      const found = await ask(target);
      return found.kind === 'found' ? found.records : null;
    },
    addressesOf: async (target) => {
      const found = await ask(target);
      if (found.kind === 'failed') throw new OutboundFailure('the host name could not be looked up');
      if (found.kind === 'none')
        throw new OutboundFailure(
          found.nameExists ? 'the host name has no address' : 'the host name does not exist',
        );
      const refusal = refusalOf(target, found.records);
      if (refusal) throw new OutboundFailure(`the URL ${refusal.message}`);
      return found.records.slice(0, MAX_ADDRESSES);
    },
  };
};
