// The operator's zones: which records a name owns (RFC 1034 §4.3.2, wildcards RFC 4592, empty non-terminals RFC 8020).
// The service host and the managed suffix are each an apex; they may be the same name, one below the other, or
// unrelated. A name belongs to the longest apex that it ends in. Names that the zones hold themselves (`spf`, `dkim`,
// name servers) win over managed hosts. Pure: keys and hosts come through the facts.
import { isWithin, type ResourceRecord, type SoaRecord, toComparable } from './resource-record.ts';
import {
  addressRecords,
  challengeRecords,
  dmarcRecord,
  evidenceKeyRecords,
  type ManagedHost,
  managedHostRecords,
  nsRecords,
  serviceHostRecords,
  soaRecord,
  tokenRecord,
  type ZoneFacts,
} from './zone-records.ts';

/**
 * `exists` without records is an empty non-terminal. `soa` is that of the zone, for negative answers (RFC 2308).
 */
export interface ResolvedName {
  readonly zone: string;
  readonly exists: boolean;
  readonly records: readonly ResourceRecord[];
  readonly soa: SoaRecord;
}

/**
 * The part of whole zones that is in the registry. Each zone iterates it once: arrays, or fresh iterables.
 */
export interface ZoneContents {
  readonly tokens: Iterable<{ readonly token: string; readonly text: string }>;
  readonly managedHosts: Iterable<ManagedHost & { readonly slug: string }>;
}

export interface Zones {
  /** One or two names. */
  readonly apexes: readonly string[];
  /** Null when the name is in none of the zones. */
  resolveName(qname: string): ResolvedName | null;
  /** Whether the zones hold `<slug>.<managed suffix>` themselves; then no managed host can have it. */
  isReservedSlug(slug: string): boolean;
  /** All records of one zone, SOA first, with the delegation of the other zone if that is below it. */
  zoneRecords(apex: string, contents: ZoneContents): Generator<ResourceRecord>;
}

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** 253 (RFC 1035 §2.3.4 as text) less `<token>._domainkey.<slug>.` with both labels at their longest, 63. */
const MAX_APEX_CHARACTERS = 114;

const toApex = (name: string): string => {
  const apex = toComparable(name);
  if (apex.length > MAX_APEX_CHARACTERS || !apex.split('.').every((label) => LABEL.test(label)))
    throw new Error(`not a host name that a zone can have: ${name}`);
  return apex;
};

/** The labels of `name` before `.ancestor`; null when it is not below it. */
const labelsBelow = (name: string, ancestor: string): string[] | null =>
  name.endsWith(`.${ancestor}`) ? name.slice(0, -ancestor.length - 1).split('.') : null;

const parentOf = (name: string): string => (name.includes('.') ? name.slice(name.indexOf('.') + 1) : '');

export const createZones = (facts: ZoneFacts): Zones => {
  const serviceHost = toApex(facts.serviceHost);
  const managedSuffix = toApex(facts.managedSuffix);
  const apexes = [...new Set([serviceHost, managedSuffix])];
  const longestFirst = apexes.toSorted((a, b) => b.length - a.length);
  const zoneOf = (name: string): string | null => longestFirst.find((apex) => isWithin(name, apex)) ?? null;

  const listed = facts.nameservers.map(toComparable);
  const nameservers = listed.length > 0 ? [...new Set(listed)] : [serviceHost];
  const [primary = serviceHost] = nameservers;
  const addressesOf = (nameserver: string): ResourceRecord[] =>
    nameserver === serviceHost || zoneOf(nameserver) === null
      ? []
      : addressRecords(nameserver, facts.addresses);
  const soaOf = (apex: string): SoaRecord => soaRecord(apex, primary, facts);

  const extra = (facts.extra ?? []).map((record) => ({ ...record, name: toComparable(record.name) }));
  for (const { name } of extra)
    if (zoneOf(name) !== serviceHost) throw new Error(`not in the zone ${serviceHost}: ${name}`);

  const fixed: readonly ResourceRecord[] = [
    ...apexes.flatMap((apex) => nsRecords(apex, nameservers)),
    ...serviceHostRecords(serviceHost, facts),
    ...apexes.map((apex) => dmarcRecord(apex, serviceHost)),
    ...nameservers.flatMap(addressesOf),
    ...extra,
  ];
  const keys = `dkim.${serviceHost}`;
  const reports = `_report._dmarc.${serviceHost}`;
  const keysName = facts.keysName ?? '';

  const names = new Map<string, ResourceRecord[]>();
  const recordsAt = (name: string): ResourceRecord[] => {
    const records = names.get(name) ?? [];
    names.set(name, records);
    return records;
  };
  for (const record of fixed) recordsAt(record.name).push(record);
  // Every name between a record and its apex exists too, also between the two apexes.
  for (const name of [keys, keysName, ...names.keys()])
    for (let above = name; zoneOf(above) !== null; above = parentOf(above)) recordsAt(above);

  const isReservedSlug = (slug: string): boolean => names.has(`${slug}.${managedSuffix}`);

  const fixedAt = (name: string): ResourceRecord[] | null => {
    const records = names.get(name);
    if (!records) return null;
    if (name === keysName) return evidenceKeyRecords(facts);
    return apexes.includes(name) ? [soaOf(name), ...records] : records;
  };

  const tokenAt = (name: string): ResourceRecord[] | null => {
    const [token = '', ...more] = labelsBelow(name, keys) ?? [];
    if (more.length > 0 || !LABEL.test(token)) return null;
    const text = facts.findToken(token);
    return text === null ? null : [tokenRecord(serviceHost, token, text)];
  };

  const managedHostAt = (name: string): ResourceRecord[] | null => {
    const slug = labelsBelow(name, managedSuffix)?.at(-1) ?? '';
    if (!LABEL.test(slug) || isReservedSlug(slug)) return null;
    const found = facts.findManagedHost(slug);
    if (!found) return null;
    const all = managedHostRecords(`${slug}.${managedSuffix}`, found.tokens, serviceHost, facts.addresses);
    if (!all.some((record) => isWithin(record.name, name))) return null;
    return all.filter((record) => record.name === name);
  };

  /**
   * Allows DMARC reports about any domain to be sent to the service host (RFC 9990: external destinations).
   */
  const reportAuthorisationAt = (name: string): ResourceRecord[] | null =>
    labelsBelow(name, reports) && recordsAt(`*.${reports}`).map((record) => ({ ...record, name }));

  const resolveName = (qname: string): ResolvedName | null => {
    const name = toComparable(qname);
    const zone = zoneOf(name);
    if (zone === null) return null;
    const challenges = challengeRecords(name, facts);
    const records =
      challenges.length > 0
        ? challenges
        : (fixedAt(name) ?? tokenAt(name) ?? managedHostAt(name) ?? reportAuthorisationAt(name));
    return { zone, exists: records !== null, records: records ?? [], soa: soaOf(zone) };
  };

  function* zoneRecords(apex: string, contents: ZoneContents): Generator<ResourceRecord> {
    const isHere = (record: ResourceRecord): boolean => zoneOf(record.name) === apex;
    yield soaOf(apex);
    yield* fixed.filter(isHere);
    yield* evidenceKeyRecords(facts).filter(isHere);
    for (const child of apexes.filter((other) => other !== apex && isWithin(other, apex))) {
      yield* nsRecords(child, nameservers);
      const glued = nameservers.filter((nameserver) => isWithin(nameserver, child));
      yield* glued.flatMap((nameserver) => addressRecords(nameserver, facts.addresses));
    }
    for (const { token, text } of contents.tokens) {
      const record = tokenRecord(serviceHost, token, text);
      if (LABEL.test(token) && isHere(record)) yield record;
    }
    for (const { slug, tokens } of contents.managedHosts) {
      if (!LABEL.test(slug) || isReservedSlug(slug)) continue;
      yield* managedHostRecords(`${slug}.${managedSuffix}`, tokens, serviceHost, facts.addresses).filter(
        isHere,
      );
    }
  }

  return { apexes, resolveName, isReservedSlug, zoneRecords };
};
