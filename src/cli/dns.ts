// `sendwerk dns zone`: the operator's zones as zone files, for those who serve them from another name server. Reads the
// registry of an installation, also while its daemon runs.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Environment } from '#src/config/secrets.ts';
import { loadConfig } from '#src/config.ts';
import type { PlatformDb } from '#src/db/sqlite.ts';
import { domainRegistryStore } from '#src/domains/registry-store.ts';
import { createZones } from '#src/domains/zone.ts';
import { zoneFile } from '#src/domains/zone-file.ts';
import type { CommandResult } from './config.ts';

export const dnsZone = async (file: string, environment: Environment): Promise<CommandResult> => {
  const { config } = loadConfig(file, environment);
  const { service, dns } = config;
  const path = join(config.data_dir, 'platform.db');
  if (!existsSync(path))
    return { exitCode: 1, output: `${path} does not exist yet: start the daemon once\n` };
  const db = new Database(path, {
    readonly: true,
    fileMustExist: true,
  }) as PlatformDb;
  try {
    const registry = domainRegistryStore(db);
    const suffix = `.${service.managed_suffix}`;
    const zones = createZones({
      serviceHost: service.host,
      managedSuffix: service.managed_suffix,
      addresses: dns.authoritative?.addresses ?? [],
      nameservers: dns.authoritative?.nameservers ?? [],
      hostmaster: dns.authoritative?.hostmaster ?? `hostmaster@${service.host}`,
      serial: () => Math.floor(Date.now() / 1_000),
      findToken: registry.tokenRecord,
      findManagedHost: (slug) => {
        const tokens = registry.tokensOf(slug + suffix);
        return tokens && { tokens };
      },
    });
    const contents = {
      tokens: registry.tokens(),
      managedHosts: registry.managedHosts().map((name) => ({
        slug: name.slice(0, -suffix.length),
        tokens: registry.tokensOf(name) ?? [],
      })),
    };
    const output = zones.apexes.flatMap((apex) => [...zoneFile(zones.zoneRecords(apex, contents))]).join('');
    return { exitCode: 0, output };
  } finally {
    db.close();
  }
};
