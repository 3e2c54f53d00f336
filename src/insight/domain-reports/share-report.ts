// Shares a report out among the tenants that it concerns: each record goes to the holder of the host that it names, or of the
// nearest host above. What it says of the organizational domain above tenants' hosts goes to each of them, for that domain's
// owner has asked for the report here. A tenant learns of no other tenant's host.

import { domainRegistryStore } from '#src/domains/registry-store.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import type { AggregateRecord, AggregateReport } from '#src/mail/dmarc-report.ts';
import { organizationalDomain } from '#src/mail/organizational-domain.ts';
import type { TlsPolicyReport, TlsReport } from '#src/mail/tls-report.ts';

/** A host or domain, and the tenant that learns what is said of it. */
export interface Place {
  readonly tenantId: string;
  readonly domain: string;
}

export interface Share<T> extends Place {
  readonly items: readonly T[];
}

/** Names that a report's records may have in From: honest ones have a few. */
const MAX_NAMES = 50;
/** Tenants with hosts below one organizational domain. */
const MAX_HOLDERS = 10;

/** The holder of the host, or of the nearest host above it. */
const holderOf = (db: PlatformDb, name: string): Place | null => {
  const labels = name.split('.');
  for (let at = 0; at < labels.length - 1; at += 1) {
    const domain = labels.slice(at).join('.');
    const tenantId = domainRegistryStore(db).holderOf(domain);
    if (tenantId !== null) return { tenantId, domain };
  }
  return null;
};

/** Null for a public suffix, which is no organization's. */
const holdersBelow = (db: PlatformDb, domain: string | null): Place[] =>
  domain === null
    ? []
    : domainRegistryStore(db)
        .holdersBelow(domain, MAX_HOLDERS)
        .map((tenantId) => ({ tenantId, domain }));

/** Where a report about that name belongs; empty where it is no tenant's. */
export const placesOf = (db: PlatformDb, name: string): Place[] => {
  const holder = holderOf(db, name);
  return holder ? [holder] : holdersBelow(db, organizationalDomain(name));
};

const share = <T>(
  items: readonly T[],
  nameOf: (item: T) => string | null,
  places: (name: string) => readonly Place[],
): Share<T>[] => {
  const known = new Map<string, readonly Place[]>();
  const shares = new Map<string, Place & { readonly items: T[] }>();
  for (const item of items) {
    const name = nameOf(item);
    if (name === null) continue;
    let found = known.get(name);
    if (found === undefined && known.size < MAX_NAMES) {
      found = places(name);
      known.set(name, found);
    }
    for (const place of found ?? []) {
      const key = `${place.tenantId} ${place.domain}`;
      const present = shares.get(key) ?? { ...place, items: [] };
      present.items.push(item);
      shares.set(key, present);
    }
  }
  return [...shares.values()];
};

/** A report without records is that of a day without mail. */
export const shareRecords = (
  db: PlatformDb,
  { domain, records }: AggregateReport,
): Share<AggregateRecord>[] => {
  if (records.length === 0) return placesOf(db, domain).map((place) => ({ ...place, items: [] }));
  const organization = organizationalDomain(domain);
  const owned = organization ?? domain;
  /** Null for a name outside of the report's domain, about which it may say nothing. */
  const nameOf = ({ headerFrom }: AggregateRecord): string | null => {
    const name = headerFrom ?? domain;
    return name === owned || name.endsWith(`.${owned}`) ? name : null;
  };
  let below: Place[] | undefined;
  return share(records, nameOf, (name) => {
    const holder = holderOf(db, name);
    if (holder) return [holder];
    below ??= holdersBelow(db, organization);
    return below;
  });
};

/** Mail is received at these names before a sending host. */
const RECEIVING = /^(?:in|bounce)\./;

export const sharePolicies = (db: PlatformDb, { policies }: TlsReport): Share<TlsPolicyReport>[] =>
  share(
    policies,
    ({ domain }) => domain,
    (domain) => {
      const tenantId = RECEIVING.test(domain)
        ? domainRegistryStore(db).holderOf(domain.replace(RECEIVING, ''))
        : null;
      return tenantId === null ? [] : [{ tenantId, domain }];
    },
  );
