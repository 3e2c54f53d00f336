// All that has to do with domains, their keys and the DNS: part of the composition root.
import { type Config, zoneSettings } from '#src/config.ts';
import type { Storage } from '#src/db/storage.ts';
import { createDnsServer, type DnsServer } from '#src/dns/server.ts';
import type { GenerateKeyPair } from '#src/domains/keys.ts';
import { createServiceZones } from '#src/domains/service-zones.ts';
import { createSigners, type Signers } from '#src/domains/signers.ts';
import type { Zones } from '#src/domains/zone.ts';
import { createDnsLookup } from '#src/kernel/dns-lookup.ts';
import type { Job } from '#src/kernel/job.ts';
import type { Log } from '#src/kernel/log.ts';
import type { Route } from '#src/kernel/route.ts';
import type { Clock } from '#src/kernel/time.ts';
import type { Notices } from '#src/notices/outbox.ts';

export interface DomainPartsDeps {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Log;
  /** Seals DKIM keys; 32 bytes. */
  readonly sealingKey: Buffer;
  readonly generateKeyPair: GenerateKeyPair;
  readonly notices: Notices;
}

export interface DomainParts {
  readonly zones: Zones;
  readonly signers: Signers;
  /** Null where it is off. */
  readonly dns: DnsServer | null;
  readonly routes: readonly Route[];
  readonly jobs: readonly Job[];
}

export const domainParts = ({ config, storage, clock, log, sealingKey }: DomainPartsDeps): DomainParts => {
  const { platform } = storage;
  const signers = createSigners(sealingKey, { ed25519: config.dkim.ed25519 });
  const zones = createServiceZones(
    zoneSettings(config, () => clock.now()),
    (work) => platform.peek(work),
  );
  const { authoritative } = config.dns;
  const dns = authoritative && createDnsServer({ listen: authoritative.listen, zones, log });
  const lookup = createDnsLookup(config.dns.resolvers);
  void lookup;
  return { zones, signers, dns, routes: [], jobs: [] };
};
