// Greylisting (RFC 6647): the first mail from an unknown network is asked to come again later, because a server keeps a queue and
// much of what sends spam does not. Kept in memory: after a restart every network is unknown again.
import { hash } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { withoutHost } from '#src/kernel/ip-networks.ts';
import { clientKey } from '#src/kernel/rate-limit.ts';
import { type Clock, DAY } from '#src/kernel/time.ts';

/** A server that comes later than this tries something else. */
const COMES_BACK_WITHIN = 2 * DAY;
/** Since its last mail; a little more than a monthly newsletter needs. */
const KNOWN_FOR = 36 * DAY;
/** Some 10 MB each of the waiting and the known. */
const MAX_KEPT = 50_000;

export interface Greylist {
  /** Whether mail of the client may come now. */
  readonly passes: (clientAddress: string, mailFrom: string, recipient: string) => boolean;
}

const put = (kept: Map<string, number>, key: string, at: number): void => {
  kept.delete(key);
  if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value ?? '');
  kept.set(key, at);
};

/** The /24 of an IPv4 address, the /64 of an IPv6 one: large senders try again from a neighbour. */
const networkOf = (address: string): string =>
  isIPv4(address) ? (withoutHost(address) ?? address) : clientKey(address);

export const createGreylist = (wait: number, clock: Clock): Greylist => {
  const firstSeen = new Map<string, number>();
  const known = new Map<string, number>();
  return {
    passes: (clientAddress, mailFrom, recipient) => {
      const now = clock.now();
      const network = networkOf(clientAddress);
      const key = hash('sha256', `${network}\n${mailFrom.toLowerCase()}\n${recipient.toLowerCase()}`);
      const isKnown = now - (known.get(network) ?? Number.NEGATIVE_INFINITY) <= KNOWN_FOR;
      const waited = now - (firstSeen.get(key) ?? now);
      if (isKnown || (waited >= wait && waited <= COMES_BACK_WITHIN)) {
        firstSeen.delete(key);
        put(known, network, now);
        return true;
      }
      if (!firstSeen.has(key) || waited > COMES_BACK_WITHIN) put(firstSeen, key, now);
      return false;
    },
  };
};
