import type { DnsLookup } from '#src/kernel/dns-lookup.ts';
import type { Outbound } from './outbound.ts';

export interface OutboundDeps {
  /** Internal networks that may be reached all the same: addresses and CIDR. */
  readonly allow: () => readonly string[];
  /** Whether http may be used besides https. */
  readonly allowHttp: () => boolean;
  /** ms for one exchange, from the lookup to the end of the answer. */
  readonly timeout: () => number;
  /** PEM, trusted besides the public ones. */
  readonly ca?: string;
  /** The service's own. */
  readonly ownOrigin: string;
  readonly lookup: Pick<DnsLookup, 'addresses'>;
}

export const createOutbound = (_deps: OutboundDeps): Outbound => ({
  refusalOf: async () => null,
  post: async () => ({ kind: 'failed', error: 'not there yet', timedOut: false }),
  stop: () => {},
});
