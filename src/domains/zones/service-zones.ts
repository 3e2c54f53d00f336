// The operator's zones out of settings and registry: what the DNS listener serves and `sendwerk dns zone` prints.
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { domainRegistryStore, servedStore } from '../registry-store.ts';
import { createZones, type ZoneContents, type Zones } from './zone.ts';
import type { ZoneFacts } from './zone-records.ts';

export type ZoneSettings = Omit<ZoneFacts, 'findToken' | 'findManagedHost'>;

const PAGE_ROWS = 500;

const findManagedHost = (db: PlatformDb, host: string) => {
  const tokens = domainRegistryStore(db).tokensOf(host);
  return tokens && { tokens };
};

/** `read` is asked for each name looked up. */
export const createServiceZones = (
  settings: ZoneSettings,
  read: <T>(work: (db: PlatformDb) => T) => T,
): Zones =>
  createZones({
    ...settings,
    findToken: (token) => read((db) => domainRegistryStore(db).tokenRecord(token)),
    findManagedHost: (slug) => read((db) => findManagedHost(db, `${slug}.${settings.managedSuffix}`)),
  });

/** Every row behind the other, page by page; `keyOf` a row is where the next page goes on. */
function* paged<T>(page: (after: string, limit: number) => T[], keyOf: (row: T) => string): Generator<T> {
  for (let after = ''; ; ) {
    const rows = page(after, PAGE_ROWS);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    after = keyOf(last);
  }
}

/** What only the registry knows, for printing whole zones; each reading of it begins anew. */
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
