// The operator's zones of an installation, read beside its daemon, and what the public DNS holds of them: each record set of the service
// host, one managed host with its keys as a sample of all, and what receivers make of the relays.
import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { spfTarget } from '#src/domains/records/wanted-records.ts';
import { checkRelaySenders } from '#src/domains/zones/relay-senders.ts';
import { createServiceZones, zoneContents } from '#src/domains/zones/service-zones.ts';
import type { ZoneContents, Zones } from '#src/domains/zones/zone.ts';
import {
  type CheckedSet,
  judgeSet,
  plainAddress,
  type WantedSet,
  wantedSets,
} from '#src/domains/zones/zone-check.ts';
import { type Config, zoneSettings } from '#src/kernel/config/config.ts';
import { isLocalRelay } from '#src/kernel/config/sender-policy.ts';
import { openReadOnly, type PlatformDb } from '#src/kernel/db/sqlite.ts';
import { PLATFORM_NAME } from '#src/kernel/db/storage.ts';
import type { Lookup, ZoneLookup } from '#src/kernel/dns-lookup.ts';

export interface InstalledZones {
  readonly config: Config;
  readonly zones: Zones;
  /** Read page by page, because it can be large. */
  readonly contents: ZoneContents;
}

/** Runs `work` with the zones of the configured installation; null before its first start. */
export const withZonesOf = async <T>(
  config: Config,
  work: (installed: InstalledZones) => Promise<T>,
): Promise<T | null> => {
  const path = join(config.data_dir, PLATFORM_NAME);
  if (!existsSync(path)) return null;
  const db = openReadOnly<PlatformDb>(path);
  try {
    const settings = zoneSettings(config, () => Date.now());
    const zones = createServiceZones(settings, (read) => read(db));
    return await work({ config, zones, contents: zoneContents(db, config.service.managed_suffix) });
  } finally {
    db.close();
  }
};

/** Few enough for any resolver, and the check ends within seconds. */
const LOOKUPS_AT_ONCE = 8;

const mapped = <T>(answer: Lookup<T>, text: (record: T) => string): Lookup<string> =>
  answer.kind === 'found' ? { kind: 'found', records: answer.records.map(text) } : answer;

const ask = async (lookup: ZoneLookup, { type, name }: WantedSet): Promise<Lookup<string>> => {
  switch (type) {
    case 'SOA':
      return mapped(await lookup.soa(name), ({ nameserver }) => nameserver);
    case 'NS':
      return lookup.ns(name);
    case 'A/AAAA':
      return mapped(await lookup.addresses(name), plainAddress);
    case 'MX':
      return mapped(await lookup.mx(name), ({ preference, exchange }) => `${preference} ${exchange}`);
    case 'TXT':
      return mapped(await lookup.txt(name), (strings) => strings.join(''));
    case 'CNAME':
      return lookup.cname(name);
    case 'PTR':
      return lookup.reverse(name);
    default:
      return type satisfies never;
  }
};

/** The first managed host with its keys, as if it were the only one. */
const sample = ({ config, zones, contents }: InstalledZones) => {
  const [managedHost] = contents.managedHosts;
  const tokens = (managedHost?.tokens ?? []).flatMap((token) => {
    const [record] = zones.resolveName(`${token}.dkim.${config.service.host}`)?.records ?? [];
    return record?.type === 'TXT' ? [{ token, text: record.data }] : [];
  });
  return { tokens, managedHosts: managedHost ? [managedHost] : [] };
};

/** What the public DNS should hold, without the names of addresses. */
export const wantedOf = (installed: InstalledZones): WantedSet[] => {
  const { zones, config } = installed;
  const { host } = config.service;
  const contents = sample(installed);
  // Where no address is configured, someone else publishes them.
  const anyAddress: WantedSet = { type: 'A/AAAA', name: host, values: [], required: true };
  return [
    ...wantedSets(zones.apexes.flatMap((apex) => [...zones.zoneRecords(apex, contents)])),
    ...(config.dns.zones.addresses.length === 0 ? [anyAddress] : []),
  ];
};

export const checkSets = async (
  lookup: ZoneLookup,
  wanted: readonly WantedSet[],
  builtIn: boolean,
): Promise<CheckedSet[]> => {
  const checked: CheckedSet[] = [];
  const waiting = wanted.entries();
  const work = async (): Promise<void> => {
    for (const [index, set] of waiting) checked[index] = judgeSet(set, await ask(lookup, set), builtIn);
  };
  await Promise.all(Array.from({ length: LOOKUPS_AT_ONCE }, work));
  return checked;
};

const noData = (): never => {
  throw new Error('the SPF record needs nothing of the registry');
};

/** Whether the SPF record that the zone should have names the machines that mail leaves by. */
export const checkRelays = (lookup: ZoneLookup, config: Config): Promise<CheckedSet[]> => {
  const { service, upstreams, dns } = config;
  const name = spfTarget(service.host);
  const zones = createServiceZones(
    zoneSettings(config, () => 0),
    noData,
  );
  const [policy] = zones.resolveName(name)?.records ?? [];
  const record = {
    name,
    text: policy?.type === 'TXT' ? policy.data : '',
    includesOthers: dns.zones.spf_includes.length > 0,
  };
  return Promise.all(
    upstreams.flatMap((one) => {
      if (one.kind !== 'smtp') return [];
      const { name: upstream, host } = one;
      const literal = isIP(host) === 0 ? null : [host];
      const addresses = isLocalRelay(host, service.host) ? dns.zones.addresses : literal;
      return checkRelaySenders(lookup, upstream, host, addresses, record);
    }),
  );
};
