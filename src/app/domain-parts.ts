// All that has to do with domains, their keys and the DNS: part of the composition root.
import { createPrivateKey } from 'node:crypto';
import type { Notices } from '#src/accounts/mails/outbox.ts';
import type { OwnersOf } from '#src/accounts/mails/tell-owners.ts';
import { domainCheckJob } from '#src/domains/custom/check-job.ts';
import { domainRoutes, exportRoutes } from '#src/domains/custom/domain-routes.ts';
import { createDnsServer, type DnsServer } from '#src/domains/dns/server.ts';
import { domainConnectRoutes } from '#src/domains/domain-connect/routes.ts';
import { keyRoutes } from '#src/domains/keys/key-routes.ts';
import type { GenerateKeyPair } from '#src/domains/keys/keys.ts';
import { keyRenewalJob } from '#src/domains/keys/renewal-job.ts';
import { createSigners, type Signers } from '#src/domains/keys/signers.ts';
import { mtaStsRoutes } from '#src/domains/zones/mta-sts-routes.ts';
import { createServiceZones } from '#src/domains/zones/service-zones.ts';
import type { Zones } from '#src/domains/zones/zone.ts';
import { createKeyedQueue } from '#src/kernel/concurrency.ts';
import { type Config, zoneSettings } from '#src/kernel/config/config.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { createDnsLookup, type DnsLookup } from '#src/kernel/dns-lookup.ts';
import type { Job } from '#src/kernel/job.ts';
import type { Log } from '#src/kernel/log.ts';
import type { Route } from '#src/kernel/route.ts';
import type { Clock } from '#src/kernel/time.ts';

export interface DomainPartsDeps {
  readonly config: Config;
  readonly storage: Storage;
  readonly clock: Clock;
  readonly log: Log;
  /** Seals DKIM keys; 32 bytes. */
  readonly sealingKey: Buffer;
  readonly generateKeyPair: GenerateKeyPair;
  readonly notices: Notices;
  /** Whom to tell about a practice, by its id. */
  readonly ownersOf: OwnersOf;
}

export interface DomainParts {
  readonly zones: Zones;
  readonly signers: Signers;
  readonly lookup: DnsLookup;
  /** Null where it is off. */
  readonly dns: DnsServer | null;
  /** What health shows of it. */
  readonly dnsFacts: () => Readonly<Record<string, unknown>> | null;
  readonly routes: readonly Route[];
  readonly jobs: readonly Job[];
  /** Ends what is asked of the DNS, so that nothing waits for its answers. */
  readonly stopAsking: () => void;
}

const dnsFacts = (dns: DnsServer | null) => {
  if (dns === null) return null;
  const { listening, udpQueries, tcpQueries, limited, failed } = dns.stats();
  return { listening, queries: udpQueries + tcpQueries, limited, failed };
};

const DEFAULT_SERVICE_ID = 'email';

const domainConnectOf = ({ service, domain_connect }: Config) => ({
  template: {
    providerId: domain_connect?.provider_id ?? service.host,
    serviceId: domain_connect?.service_id ?? DEFAULT_SERVICE_ID,
    serviceName: service.name,
    serviceHost: service.host,
    publicOrigin: service.public_origin,
  },
  signingKey: domain_connect && {
    keyHost: domain_connect.key_host,
    privateKey: createPrivateKey(domain_connect.privateKey.reveal()),
  },
});

export const domainParts = (deps: DomainPartsDeps): DomainParts => {
  const { config, storage, clock, log, sealingKey, generateKeyPair } = deps;
  const { platform } = storage;
  const signers = createSigners(sealingKey, { ed25519: config.dkim.ed25519 });
  const settings = zoneSettings(config, () => clock.now());
  const zones = createServiceZones(settings, (work) => platform.peek(work));
  const { authoritative } = config.dns;
  const dns = authoritative && createDnsServer({ listen: authoritative.listen, zones, log });
  const stopping = new AbortController();
  const lookup = createDnsLookup(config.dns.resolvers, { stopping: stopping.signal });
  /** Of one tenant's domains and keys nothing that changes them interleaves. */
  const queue = createKeyedQueue();
  const changing = {
    storage,
    clock,
    queue,
    lookup,
    signers,
    sealingKey,
    generateKeyPair,
    serviceHost: settings.serviceHost,
  };
  const keys = {
    ...changing,
    rotateEvery: config.dkim.rotate_every,
    keepOld: config.dkim.keep_old,
    giveUps: Object.values(config.queue.give_up),
  };
  const domains = {
    ...changing,
    managedSuffix: config.service.managed_suffix,
    notices: deps.notices,
    ownersOf: deps.ownersOf,
    origin: config.service.public_origin,
    log,
    stopping: stopping.signal,
    random: Math.random,
  };
  const policy = mtaStsRoutes({
    peek: (work) => platform.peek(work),
    serviceHost: settings.serviceHost,
    publicOrigin: config.service.public_origin,
    mtaSts: settings.mtaSts,
  });
  const publishing = [
    ...exportRoutes(domains),
    ...domainConnectRoutes(domains, { ...domainConnectOf(config), keyRecords: settings.extra }),
  ];
  return {
    zones,
    signers,
    lookup,
    dns,
    dnsFacts: () => dnsFacts(dns),
    routes: [...policy, ...domainRoutes(domains), ...publishing, ...keyRoutes(keys)],
    jobs: [domainCheckJob(domains), keyRenewalJob(keys)],
    stopAsking: () => stopping.abort(),
  };
};
