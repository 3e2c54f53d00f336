// Domains: the hosts that tenants send from, their records, checks and keys, and the authoritative name server.
import { createPrivateKey } from 'node:crypto';
import type { Accounts } from '#src/accounts/open.ts';
import type { Base, Room } from '#src/kernel/base.ts';
import { createKeyedQueue } from '#src/kernel/concurrency.ts';
import { type Config, zoneSettings } from '#src/kernel/config/config.ts';
import { createDnsLookup } from '#src/kernel/dns-lookup.ts';
import { domainCheckJob } from './custom/check-job.ts';
import { domainRoutes, exportRoutes } from './custom/domain-routes.ts';
import { createDnsServer, type DnsServer } from './dns/server.ts';
import { domainConnectRoutes } from './domain-connect/routes.ts';
import { keyRoutes } from './keys/key-routes.ts';
import { fewAtATime, type GenerateKeyPair, generateDkimKeyPair } from './keys/keys.ts';
import { keyRenewalJob } from './keys/renewal-job.ts';
import { createSigners } from './keys/signers.ts';
import { createTenantHosts } from './tenant-hosts.ts';
import { mtaStsRoutes } from './zones/mta-sts-routes.ts';
import { createServiceZones } from './zones/service-zones.ts';

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

export interface DomainsOptions {
  readonly generateKeyPair?: GenerateKeyPair | undefined;
}

export type Domains = ReturnType<typeof openDomains>;

export const openDomains = (base: Base, accounts: Accounts, options: DomainsOptions = {}) => {
  const { storage, clock, log } = base;
  const config = base.config();
  const { platform } = storage;
  const { notices, ownersOf } = accounts;
  const sealingKey = base.key('dkim keys');
  const generateKeyPair = fewAtATime(options.generateKeyPair ?? generateDkimKeyPair);
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
    notices,
    ownersOf,
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
    signers,
    lookup,
    /** Null where it is off. */
    dns,
    /** What health shows of it. */
    dnsFacts: () => dnsFacts(dns),
    hosts: createTenantHosts({
      serviceHost: settings.serviceHost,
      managedSuffix: settings.managedSuffix,
      sealingKey,
      generateKeyPair,
      isReservedSlug: zones.isReservedSlug,
    }),
    routes: [...policy, ...domainRoutes(domains), ...publishing, ...keyRoutes(keys)],
    jobs: [domainCheckJob(domains), keyRenewalJob(keys)],
    /** Ends what is asked of the DNS, so that nothing waits for its answers. */
    stopAsking: () => stopping.abort(),
  } satisfies Room & Record<string, unknown>;
};
