// The operator's zones out of settings and registry: what the DNS listener serves and `sendwerk dns zone` prints.
import type { PlatformDb } from '#src/db/sqlite.ts';
import { domainRegistryStore } from './registry-store.ts';
import { createZones, type ZoneContents, type Zones } from './zone.ts';
import type { ZoneFacts } from './zone-records.ts';

export type ZoneSettings = Omit<ZoneFacts, 'findToken' | 'findManagedHost'>;

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

/** What only the registry knows, for printing whole zones. */
export const zoneContents = (db: PlatformDb, managedSuffix: string): ZoneContents => {
  const registry = domainRegistryStore(db);
  return {
    tokens: registry.tokens(),
    managedHosts: registry.managedHosts().map((name) => ({
      slug: name.slice(0, -managedSuffix.length - 1),
      tokens: registry.tokensOf(name) ?? [],
    })),
  };
};
