// `sendwerk dns check` compares the public DNS with the operator's zones: each record set of the service host, one
// managed host with its keys as a sample of all, and the reverse names of the addresses.

import { isIP } from 'node:net';
import { spfTarget } from '#src/domains/records/wanted-records.ts';
import { checkRelaySenders } from '#src/domains/zones/relay-senders.ts';
import {
  type CheckedSet,
  judgeSet,
  plainAddress,
  type WantedSet,
  wantedReverse,
  wantedSets,
} from '#src/domains/zones/zone-check.ts';
import type { Environment } from '#src/kernel/config/secrets.ts';
import { isLocalRelay } from '#src/kernel/config/sender-policy.ts';
import { createDnsLookup, type Lookup, type ZoneLookup } from '#src/kernel/dns-lookup.ts';
import { clean, paragraph, table } from './admin-text.ts';
import type { CommandResult } from './config.ts';
import { type InstalledZones, withInstalledZones } from './dns.ts';

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

const wantedOf = (installed: InstalledZones): WantedSet[] => {
  const { zones, config } = installed;
  const { host } = config.service;
  const { addresses } = config.dns.zones;
  const contents = sample(installed);
  // Where no address is configured, someone else publishes them.
  const anyAddress: WantedSet = { type: 'A/AAAA', name: host, values: [], required: true };
  return [
    ...wantedSets(zones.apexes.flatMap((apex) => [...zones.zoneRecords(apex, contents)])),
    ...(addresses.length === 0 ? [anyAddress] : []),
    ...addresses.map((address) => wantedReverse(address, host)),
  ];
};

const checkAll = async (
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

/** Whether the SPF record that the zone should have names the machines that mail leaves by. */
const checkRelays = (lookup: ZoneLookup, { config, zones }: InstalledZones): Promise<CheckedSet[]> => {
  const { service, upstreams, dns } = config;
  const name = spfTarget(service.host);
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

const isFine = ({ status }: CheckedSet): boolean => status === 'ok';

const explained = ({ status, type, name, values, found, required, hint }: CheckedSet): string => {
  const expected = values.length === 0 ? 'any' : values.join(' | ');
  const lines = [
    `expected: ${expected}`,
    ...(status === 'error' ? [] : [`found:    ${found.length === 0 ? 'nothing' : found.join(' | ')}`]),
    hint,
  ];
  const head = [status, type, name, ...(required ? [] : ['(not required)'])].join(' ');
  return `\n${clean(head)}\n${paragraph(lines.join('\n'))}`;
};

const verdict = (bad: readonly CheckedSet[], all: number): string => {
  const required = bad.filter(({ required: isRequired }) => isRequired).length;
  if (bad.length === 0) return `\nall ${all} are right\n`;
  return `\n${bad.length} of ${all} are not right, ${required === 0 ? 'none of them required' : `${required} of them required`}\n`;
};

/** Exit code 1 if a required set is wrong, missing or could not be looked up. */
export const dnsCheck = (file: string, environment: Environment): Promise<CommandResult> =>
  withInstalledZones(file, environment, async (installed) => {
    const { config } = installed;
    const lookup = createDnsLookup(config.dns.resolvers);
    const [sets, relays] = await Promise.all([
      checkAll(lookup, wantedOf(installed), config.dns.authoritative !== null),
      checkRelays(lookup, installed),
    ]);
    const checked = [...sets, ...relays];
    const bad = checked.filter((set) => !isFine(set));
    const rows = checked.map(({ status, type, name }) => [status, type, name]);
    const output = [
      table(['STATUS', 'TYPE', 'NAME'], rows, 'nothing to check'),
      ...bad.map(explained),
      verdict(bad, checked.length),
    ].join('');
    return { exitCode: bad.some(({ required }) => required) ? 1 : 0, output };
  });
