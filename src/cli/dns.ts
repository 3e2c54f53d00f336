// `sendwerk dns zone`: the operator's zones as zone files, for those who serve them from another name server. Reads the
// registry of an installation, also while its daemon runs.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Environment } from '#src/config/secrets.ts';
import { loadConfig, zoneSettings } from '#src/config.ts';
import type { PlatformDb } from '#src/db/sqlite.ts';
import { createServiceZones, zoneContents } from '#src/domains/service-zones.ts';
import { zoneFile } from '#src/domains/zone-file.ts';
import type { CommandResult } from './config.ts';

export const dnsZone = async (file: string, environment: Environment): Promise<CommandResult> => {
  const { config } = loadConfig(file, environment);
  const path = join(config.data_dir, 'platform.db');
  if (!existsSync(path))
    return { exitCode: 1, output: `${path} does not exist yet: start the daemon once\n` };
  const db = new Database(path, {
    readonly: true,
    fileMustExist: true,
  }) as PlatformDb;
  try {
    const zones = createServiceZones(
      zoneSettings(config, () => Date.now()),
      (work) => work(db),
    );
    const contents = zoneContents(db, config.service.managed_suffix);
    const output = zones.apexes.flatMap((apex) => [...zoneFile(zones.zoneRecords(apex, contents))]).join('');
    return { exitCode: 0, output };
  } finally {
    db.close();
  }
};
