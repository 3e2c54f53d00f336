// The operator's zones from settings and registry: the DNS listener serves them, and `sendwerk dns zone` prints them.
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { keyRecord } from '#src/kernel/evidence-key.ts';
import { domainRegistryStore, servedStore } from '../registry-store.ts';
import { evidenceKeyStore } from './evidence-key-store.ts';
import { createZones, type ZoneContents, type Zones } from './zone.ts';
import type { ZoneFacts } from './zone-records.ts';

export type ZoneSettings = Omit<ZoneFacts, 'findToken' | 'findManagedHost' | 'findEvidenceKeys'>;

const PAGE_ROWS = 500;

const findManagedHost = (db: PlatformDb, host: string) => {
  const tokens = domainRegistryStore(db).tokensOf(host);
  return tokens && { tokens };
};

/** `read` is called for each name that is looked up. */
export const createServiceZones = (
  settings: ZoneSettings,
  read: <T>(work: (db: PlatformDb) => T) => T,
): Zones =>
  createZones({
    ...settings,
    findToken: (token) => read((db) => domainRegistryStore(db).tokenRecord(token)),
    findEvidenceKeys: () => read((db) => evidenceKeyStore(db).all().map(keyRecord)),
    findManagedHost: (slug) => read((db) => findManagedHost(db, `${slug}.${settings.managedSuffix}`)),
  });

/** All rows, read page by page; `keyOf` gives the place from which the next page continues. */
function* paged<T>(page: (after: string, limit: number) => T[], keyOf: (row: T) => string): Generator<T> {
  for (let after = ''; ; ) {
    const rows = page(after, PAGE_ROWS);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    after = keyOf(last);
  }
}

/** The part of whole zones that is in the registry. Each iteration reads it again. */
export const zoneContents = (db: PlatformDb, managedSuffix: string): ZoneContents => {
  const served = servedStore(db);
  const registry = domainRegistryStore(db);
  const suffix = `.${managedSuffix}`;
  function* managedHosts() {
    for (const name of paged(served.managedHosts, (host) => host))
      if (name.endsWith(suffix))
        yield { slug: name.slice(0, -suffix.length), tokens: registry.tokensOf(name) ?? [] };
  }
  return {
    tokens: { [Symbol.iterator]: () => paged(served.tokens, ({ token }) => token) },
    managedHosts: { [Symbol.iterator]: managedHosts },
  };
};
