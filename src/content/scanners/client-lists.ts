// DNS block lists of client addresses (RFC 5782 §2.1, §2.4). A list that does not answer, or whose answer is not that of a list,
// refuses no one.
import { isIPv4 } from 'node:net';
import type { ZoneLookup } from '#src/kernel/dns-lookup.ts';
import { addressKind, ipv6Groups } from '#src/kernel/ip-address.ts';
import type { Log } from '#src/kernel/log.ts';
import type { Clock } from '#src/kernel/time.ts';
import { createGuard } from './guard.ts';
import { familyOf } from './list-codes.ts';
import { createListLookup, refuseBroken } from './list-lookup.ts';

export interface ClientListsOptions {
  readonly zones: readonly string[];
  readonly lookup: Pick<ZoneLookup, 'ipv4'>;
  /** ms for one answer. */
  readonly timeout: number;
  /** Clients that are looked up at the same time. */
  readonly places: number;
  readonly clock: Clock;
  readonly log: Log;
}

export interface ClientLists {
  /** The name of a list that has the client; null where none has, and for addresses that are not public. */
  readonly listing: (clientAddress: string) => Promise<string | null>;
}

const labelOf = (address: string): string =>
  isIPv4(address)
    ? address.split('.').reverse().join('.')
    : [
        ...ipv6Groups(address)
          .map((group) => group.padStart(4, '0'))
          .join(''),
      ]
        .reverse()
        .join('.');

/** RFC 5782 §5: no list may have these. */
const NEVER_LISTED = { ipv4: labelOf('127.0.0.1'), ipv6: labelOf('::ffff:7f00:1') };

export const createClientLists = ({
  zones,
  lookup,
  timeout,
  places,
  clock,
  log,
}: ClientListsOptions): ClientLists => {
  const lists = zones.map((zone) => {
    const family = familyOf(zone);
    return { zone, family, guard: createGuard({ name: family.name, places, timeout, clock, log }) };
  });
  const { look } = createListLookup(lookup, clock);

  const has = async (list: (typeof lists)[number], address: string): Promise<boolean> => {
    const answer = await look(list, labelOf(address));
    if (answer.kind === 'unusable') refuseBroken(list, answer);
    if (answer.kind === 'listed')
      refuseBroken(list, await look(list, NEVER_LISTED[isIPv4(address) ? 'ipv4' : 'ipv6']));
    return answer.kind === 'listed';
  };

  return {
    listing: async (address) => {
      if (addressKind(address, { allow: [], own: [] }) !== 'public') return null;
      const found = await Promise.all(
        // The guard rejects where too many wait.
        lists.map((list) => list.guard.ask(() => has(list, address)).catch(() => null)),
      );
      return lists[found.indexOf(true)]?.family.name ?? null;
    },
  };
};
