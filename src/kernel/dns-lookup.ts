// Asks the DNS, by the system's resolvers or given ones; nothing is cached. "There is none" and "it could not be found out" are
// different answers: only the first one says something about the name (RFC 2308).
import { Resolver } from 'node:dns/promises';
import { ipv6Groups } from './ip-address.ts';

/** Why nothing is known: the servers say they failed, refuse, do not answer, or answer what cannot be read. */
export type LookupFailure = 'servfail' | 'refused' | 'timeout' | 'malformed';

export type Lookup<T> =
  | { readonly kind: 'found'; readonly records: readonly T[] }
  /** `nameExists`: false is NXDOMAIN, true is a name without such records. */
  | { readonly kind: 'none'; readonly nameExists: boolean }
  | { readonly kind: 'failed'; readonly reason: LookupFailure };

export interface MxAnswer {
  readonly exchange: string;
  readonly preference: number;
}

export interface SoaAnswer {
  /** The primary, as the zone's own server names it. */
  readonly nameserver: string;
  readonly serial: number;
}

/** How long one question may lead to the next (aliases, includes), because others wait until they have ended. */
const PATIENCE_MS = 30_000;

/** Names are given and come back without the trailing dot; those that come back are lower-case. Nothing rejects. */
export interface DnsLookup {
  /** Each record as its character-strings. */
  txt(name: string): Promise<Lookup<readonly string[]>>;
  cname(name: string): Promise<Lookup<string>>;
  mx(name: string): Promise<Lookup<MxAnswer>>;
  ns(name: string): Promise<Lookup<string>>;
  /** IPv4 and IPv6; failed only where one has failed and the other found nothing. */
  addresses(name: string): Promise<Lookup<string>>;
}

/** What the operator's own zones and block lists are asked besides. */
export interface ZoneLookup extends DnsLookup {
  /** IPv4 alone: it is what block lists answer with (RFC 5782 §2.3). */
  ipv4(name: string): Promise<Lookup<string>>;
  soa(name: string): Promise<Lookup<SoaAnswer>>;
  /** Names of an IPv4 or IPv6 address. */
  reverse(address: string): Promise<Lookup<string>>;
}

/** How long a server may take for one try; a slow authority behind a resolver needs seconds. */
const TRY_MS = 3_000;
/** Tries of a single server; where there are several, each is tried once. */
const TRIES = 2;
/** How many of the system's servers are used: as many as its own resolver uses. */
const MAX_SERVERS = 3;

const TIMED_OUT = { kind: 'failed', reason: 'timeout' } as const satisfies Lookup<never>;

const failures: Readonly<Record<string, LookupFailure>> = {
  ESERVFAIL: 'servfail',
  EREFUSED: 'refused',
  ECONNREFUSED: 'timeout',
  ETIMEOUT: 'timeout',
  ECANCELLED: 'timeout',
};

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

const lookUpOnce = async <R, T>(query: () => Promise<R[]>, present: (record: R) => T): Promise<Lookup<T>> => {
  try {
    const records = await query();
    // An alias whose target the server does not know comes back as no record at all.
    return records.length === 0
      ? { kind: 'none', nameExists: true }
      : { kind: 'found', records: records.map(present) };
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENODATA') return { kind: 'none', nameExists: true };
    if (code === 'ENOTFOUND') return { kind: 'none', nameExists: false };
    // No name that the DNS could have.
    if (code === 'EBADNAME') return { kind: 'none', nameExists: false };
    return { kind: 'failed', reason: failures[code] ?? 'malformed' };
  }
};

const toName = (name: string): string => name.toLowerCase().replace(/\.$/, '');

const join = (first: Lookup<string>, second: Lookup<string>): Lookup<string> => {
  if (first.kind === 'found' && second.kind === 'found')
    return { kind: 'found', records: [...first.records, ...second.records] };
  for (const found of [first, second]) if (found.kind === 'found') return found;
  for (const failed of [first, second]) if (failed.kind === 'failed') return failed;
  return first;
};

/** The name in the DNS that holds the name of an address: `1.2.0.192.in-addr.arpa` (RFC 1035 §3.5), nibbles of IPv6 (RFC 3596 §2.5). */
const reverseName = (address: string): string => {
  if (!address.includes(':')) return `${address.split('.').reverse().join('.')}.in-addr.arpa`;
  const nibbles = ipv6Groups(address).map((group) => group.padStart(4, '0'));
  return `${[...nibbles.join('')].reverse().join('.')}.ip6.arpa`;
};

/** Asks the servers in their order until one answers. c-ares alone would take any answer, also a refusal, as the last one. */
const askEach = async <R, T>(
  resolvers: readonly Resolver[],
  query: (resolver: Resolver) => Promise<R[]>,
  present: (record: R) => T,
  stopping: AbortSignal | undefined,
): Promise<Lookup<T>> => {
  let failed: Lookup<T> = TIMED_OUT;
  for (const resolver of resolvers) {
    if (stopping?.aborted) return TIMED_OUT;
    const answer = await lookUpOnce(() => query(resolver), present);
    if (answer.kind !== 'failed') return answer;
    // A failure that a server reports is worth more than the silence of another one.
    if (answer.reason !== 'timeout') failed = answer;
  }
  return failed;
};

const createResolvers = (servers: readonly string[], tryMs: number): Resolver[] => {
  const asked = servers.length > 0 ? servers : new Resolver().getServers().slice(0, MAX_SERVERS);
  return asked.map((server) => {
    const resolver = new Resolver({ timeout: tryMs, tries: asked.length > 1 ? 1 : TRIES });
    resolver.setServers([server]);
    return resolver;
  });
};

/** `servers` as `127.0.0.1`, `127.0.0.1:5353` or `[::1]:5353`; the system's where empty. */
export const createDnsLookup = (
  servers: readonly string[],
  { tryMs = TRY_MS, stopping }: { readonly tryMs?: number; readonly stopping?: AbortSignal } = {},
): ZoneLookup => {
  const resolvers = createResolvers(servers, tryMs);
  const cancel = (): void => {
    for (const resolver of resolvers) resolver.cancel();
  };
  stopping?.addEventListener('abort', cancel, { once: true });
  const lookUp = <R, T>(
    query: (resolver: Resolver) => Promise<R[]>,
    present: (record: R) => T,
  ): Promise<Lookup<T>> => askEach(resolvers, query, present, stopping);
  const same = (text: string): string => text;
  return {
    txt: (name) =>
      lookUp(
        (resolver) => resolver.resolveTxt(name),
        (strings) => strings,
      ),
    cname: (name) => lookUp((resolver) => resolver.resolveCname(name), toName),
    mx: (name) =>
      lookUp(
        (resolver) => resolver.resolveMx(name),
        ({ exchange, priority }) => ({ exchange: toName(exchange), preference: priority }),
      ),
    ns: (name) => lookUp((resolver) => resolver.resolveNs(name), toName),
    soa: (name) =>
      lookUp(
        async (resolver) => [await resolver.resolveSoa(name)],
        ({ nsname, serial }) => ({ nameserver: toName(nsname), serial }),
      ),
    ipv4: (name) => lookUp((resolver) => resolver.resolve4(name), same),
    // `resolver.reverse` is not used, because it reads /etc/hosts and calls every failure "not found".
    reverse: (address) => lookUp((resolver) => resolver.resolvePtr(reverseName(address)), toName),
    addresses: async (name) =>
      join(
        ...(await Promise.all([
          lookUp((resolver) => resolver.resolve4(name), same),
          lookUp((resolver) => resolver.resolve6(name), same),
        ])),
      ),
  };
};

/**
 * The same lookup with an end: half a minute from now on each question fails by `timeout`. A slow name server could keep a check
 * of many questions going for an hour otherwise. `now`: milliseconds that never go back.
 */
export const withPatience = (lookup: DnsLookup, now: () => number = () => performance.now()): DnsLookup => {
  const end = now() + PATIENCE_MS;
  const inTime =
    <T>(ask: (name: string) => Promise<Lookup<T>>) =>
    async (name: string): Promise<Lookup<T>> =>
      now() < end ? ask(name) : { kind: 'failed', reason: 'timeout' };
  return {
    txt: inTime(lookup.txt),
    cname: inTime(lookup.cname),
    mx: inTime(lookup.mx),
    ns: inTime(lookup.ns),
    addresses: inTime(lookup.addresses),
  };
};
