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
/** Mails of one block that wait: more of them take the place of its own, and of no others. */
const MAX_WAITING = 300;

export interface Greylist {
  /** Whether mail of the client may come now. */
  readonly passes: (clientAddress: string, mailFrom: string, recipient: string) => boolean;
}

const oldest = (kept: Map<string, unknown>): string => kept.keys().next().value ?? '';

/** The /24 of an IPv4 address, the /64 of an IPv6 one: large senders try again from a neighbour. */
const networkOf = (address: string): string =>
  isIPv4(address) ? (withoutHost(address) ?? address) : clientKey(address);

/** What one client may have of networks: the /48 of an IPv6 address (RFC 6177). */
const blockOf = (network: string): string => network.split(':', 3).join(':');

export const createGreylist = (wait: number, clock: Clock): Greylist => {
  /** By block, that whose last new mail is the oldest first: when each mail came. */
  const waiting = new Map<string, Map<string, number>>();
  let count = 0;
  const known = new Map<string, number>();

  const take = (block: string): Map<string, number> => {
    const own = waiting.get(block) ?? new Map<string, number>();
    waiting.delete(block);
    count -= own.size;
    return own;
  };
  const keep = (block: string, key: string, now: number): void => {
    const own = take(block);
    own.delete(key);
    if (own.size >= MAX_WAITING) own.delete(oldest(own));
    own.set(key, now);
    while (count + own.size > MAX_KEPT) take(oldest(waiting));
    waiting.set(block, own);
    count += own.size;
  };
  const forget = (block: string, key: string): void => {
    const own = waiting.get(block);
    if (own?.delete(key)) count -= 1;
    if (own?.size === 0) waiting.delete(block);
  };

  return {
    passes: (clientAddress, mailFrom, recipient) => {
      const now = clock.now();
      const network = networkOf(clientAddress);
      const block = blockOf(network);
      const key = hash('sha256', `${network}\n${mailFrom.toLowerCase()}\n${recipient.toLowerCase()}`);
      const isKnown = now - (known.get(network) ?? Number.NEGATIVE_INFINITY) <= KNOWN_FOR;
      const firstSeen = waiting.get(block)?.get(key);
      const waited = now - (firstSeen ?? now);
      if (isKnown || (waited >= wait && waited <= COMES_BACK_WITHIN)) {
        forget(block, key);
        known.delete(network);
        if (known.size >= MAX_KEPT) known.delete(oldest(known));
        known.set(network, now);
        return true;
      }
      if (firstSeen === undefined || waited > COMES_BACK_WITHIN) keep(block, key, now);
      return false;
    },
  };
};
