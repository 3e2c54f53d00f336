// Asks DNS block lists of host names (RFC 5782): for the host of each link, its registrable domain (and in some lists the
// host) is looked up in each zone. An answer does not count if it is an error code or a foreign address, or if the list also
// contains a name that no list may contain.
import { isIPv4 } from 'node:net';
import type { ZoneLookup } from '#src/kernel/dns-lookup.ts';
import type { Listing, ScannerReport } from '#src/kernel/scanner-report.ts';
import type { Clock } from '#src/kernel/time.ts';
import { organizationalDomain } from '#src/mail/organizational-domain.ts';
import type { Guard, Scanner } from './guard.ts';
import { familyOf, type ListFamily } from './list-codes.ts';
import { createListLookup, refuseBroken } from './list-lookup.ts';

type LinksReport = ScannerReport['links'];

/** The most names for one message and list; so many links are a finding of their own. */
const MAX_NAMES = 20;
/** RFC 1035 §2.3.4, in text form. */
const MAX_NAME_CHARACTERS = 253;
/** RFC 5782 §5: no list may contain this name. Some abandoned lists contain every name. */
const NEVER_LISTED = 'invalid';

export type DnsLists = Omit<Scanner<readonly string[], LinksReport>, 'stop'>;

interface Name {
  /** The host in the link. */
  readonly host: string;
  /** The part of the queried name before the zone. */
  readonly label: string;
}

const labelsOf = (host: string, family: ListFamily): string[] => {
  if (isIPv4(host)) return family.asksAddresses ? [host.split('.').reverse().join('.')] : [];
  const domain = organizationalDomain(host);
  if (domain === null) return [];
  return family.asksHost && domain !== host ? [domain, host] : [domain];
};

/** The names to look up in a list, each once. */
const namesFor = (hosts: readonly string[], family: ListFamily, zone: string): Name[] => {
  const names = new Map<string, Name>();
  for (const host of hosts) {
    if (names.size >= MAX_NAMES) break;
    for (const label of labelsOf(host, family))
      if (!names.has(label) && label.length + zone.length < MAX_NAME_CHARACTERS)
        names.set(label, { host, label });
  }
  return [...names.values()].slice(0, MAX_NAMES);
};

const rank = { off: 0, ok: 1, failing: 2 } as const;

export const createDnsLists = (
  zones: readonly { readonly zone: string; readonly guard: Guard }[],
  lookup: Pick<ZoneLookup, 'ipv4'>,
  clock: Clock,
): DnsLists => {
  const lists = zones.map(({ zone, guard }) => ({ zone, guard, family: familyOf(zone) }));
  type List = (typeof lists)[number];
  const { ask, look } = createListLookup(lookup, clock);

  const listingsIn = async (list: List, names: readonly Name[]): Promise<readonly Listing[]> => {
    const answers = await Promise.all(names.map(({ label }) => look(list, label)));
    const listings = answers.flatMap((answer, index) => {
      const host = names[index]?.host;
      return answer.kind === 'listed' && host !== undefined
        ? [{ host, list: list.family.name, weight: answer.weight }]
        : [];
    });
    if (listings.length > 0) refuseBroken(list, await look(list, NEVER_LISTED));
    else if (answers.some(({ kind }) => kind === 'unusable'))
      throw new Error(`${list.family.name} does not answer as a list does`);
    return listings;
  };

  const worstOfEach = (listings: readonly Listing[]): Listing[] => {
    const byHost = new Map<string, Listing>();
    for (const listing of listings.toSorted((one, other) => one.weight - other.weight))
      byHost.set(`${listing.host} ${listing.list}`, listing);
    return [...byHost.values()];
  };

  return {
    scan: async (hosts) => {
      const found = await Promise.all(
        lists.map((list) => {
          const names = namesFor(hosts, list.family, list.zone);
          return names.length === 0 ? [] : list.guard.ask(() => listingsIn(list, names));
        }),
      );
      const listed = worstOfEach(found.flatMap((listings) => listings ?? []));
      if (found.includes(null)) return { state: 'failed', listed };
      return { state: hosts.length === 0 ? 'skipped' : 'ok', listed };
    },
    probe: async () => {
      const probe = async (list: List) => refuseBroken(list, await ask(list, NEVER_LISTED));
      await Promise.all(lists.map((list) => list.guard.ask(() => probe(list))));
    },
    // The health of all lists together; the log names the list that fails.
    health: () => {
      const all = lists.map(({ guard }) => guard.health());
      const worst = all.toSorted((one, other) => rank[other.state] - rank[one.state])[0];
      const last = all
        .map(({ last_failure_at }) => last_failure_at ?? '')
        .toSorted()
        .at(-1);
      return {
        name: 'dnsbl',
        state: worst?.state ?? 'off',
        failures: Math.max(0, ...all.map(({ failures }) => failures)),
        last_failure_at: last || null,
      };
    },
  };
};
