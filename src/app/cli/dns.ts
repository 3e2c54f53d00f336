// `sendwerk dns zone` prints the operator's zones as zone files, for another name server. It reads the registry of an
// installation, also while its daemon runs.
import { join } from 'node:path';
import { zoneFile } from '#src/domains/zones/resource-record.ts';
import { loadConfig } from '#src/kernel/config/config.ts';
import type { Environment } from '#src/kernel/config/secrets.ts';
import { PLATFORM_NAME } from '#src/kernel/db/storage.ts';
import { type InstalledZones, withZonesOf } from '../installed-zones.ts';
import { CommandError } from './command.ts';
import type { CommandResult } from './config.ts';

/** Zones grow with the number of tenants, so their lines are printed in pieces of about this size. */
const PIECE_CHARACTERS = 64 * 1_024;

/** Runs `work` with the zones of the configured installation. Throws CommandError before its first start. */
export const withInstalledZones = async <T>(
  file: string,
  environment: Environment,
  work: (installed: InstalledZones) => Promise<T>,
): Promise<T> => {
  const { config } = loadConfig(file, environment);
  const done = await withZonesOf(config, async (installed) => ({ result: await work(installed) }));
  if (done !== null) return done.result;
  throw new CommandError(`${join(config.data_dir, PLATFORM_NAME)} does not exist yet: start the daemon once`);
};

function* inPieces(lines: Iterable<string>): Generator<string> {
  let piece = '';
  for (const line of lines) {
    piece += line;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

const chosen = (apexes: readonly string[], zone: string | undefined): readonly string[] => {
  if (zone === undefined) return apexes;
  const name = zone.toLowerCase().replace(/\.$/, '');
  if (apexes.includes(name)) return [name];
  throw new CommandError(`${zone} is no zone of this installation; these are: ${apexes.join(', ')}`);
};

export interface DnsZoneOptions {
  /** Only this zone; all zones if absent. */
  readonly zone?: string | undefined;
  /** Resolves when the pieces have been written. */
  readonly print: (pieces: Iterable<string>) => Promise<void>;
}

export const dnsZone = (
  file: string,
  environment: Environment,
  { zone, print }: DnsZoneOptions,
): Promise<CommandResult> =>
  withInstalledZones(file, environment, async ({ zones, contents }) => {
    for (const apex of chosen(zones.apexes, zone)) {
      await print([`; zone ${apex}\n`]);
      await print(inPieces(zoneFile(zones.zoneRecords(apex, contents))));
    }
    return { exitCode: 0, output: '' };
  });
