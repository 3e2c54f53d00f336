// Domains: the hosts that tenants send from, their records, checks and keys, and the authoritative name server.

import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import type { Accounts } from '#src/accounts/open.ts';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import type { Base, Room } from '#src/kernel/base.ts';
import { createKeyedQueue } from '#src/kernel/concurrency.ts';
import { type Config, zoneSettings } from '#src/kernel/config/config.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import { createDnsLookup } from '#src/kernel/dns-lookup.ts';
import { jwkSetOf, publishedKeyOf } from '#src/kernel/evidence-key.ts';
import { healthPart } from '#src/kernel/health.ts';
import { organizationalDomain } from '#src/mail/organizational-domain.ts';
import type { Receives } from '#src/mail/reception.ts';
import { createBadRecords } from './custom/bad-records.ts';
import { domainCheckJob } from './custom/check-job.ts';
import { createRequestCheck, domainRoutes, exportRoutes } from './custom/domain-routes.ts';
import { checkReceivingHosts, receivingHosts } from './custom/receiving.ts';
import { sendingHosts } from './custom/sending-hosts.ts';
import { createDnsServer, type DnsServer } from './dns/server.ts';
import { domainConnectRoutes } from './domain-connect/routes.ts';
import type { DomainDeps } from './domain-deps.ts';
import { keyRoutes } from './keys/key-routes.ts';
import { keepOldOf, rotateAfterOf } from './keys/key-rules.ts';
import { fewAtATime, type GenerateKeyPair, generateDkimKeyPair, sealedKeys } from './keys/keys.ts';
import { keyRenewalJob } from './keys/renewal-job.ts';
import { createSigners } from './keys/signers.ts';
import { personalData } from './personal-data.ts';
import { createApplyRecords } from './providers/apply-records.ts';
import { createCloudflare } from './providers/cloudflare.ts';
import { createRegisters } from './registers.ts';
import { domainRegistryStore } from './registry-store.ts';
import { isDkimBroken } from './store.ts';
import { createTenantHosts } from './tenant-hosts.ts';
import { evidenceKeyStore } from './zones/evidence-key-store.ts';
import { evidenceKeysRoute } from './zones/evidence-keys.ts';
import { mtaStsRoutes, policyHosts } from './zones/mta-sts-routes.ts';
import { createServiceZones } from './zones/service-zones.ts';

const dnsHealth = (dns: DnsServer | null) =>
  healthPart({
    schema: z
      .strictObject({
        listening: z.boolean(),
        queries: z.int().describe('since the start, as the two that follow'),
        limited: z.int().describe('sent to TCP, because their network asked too often'),
        failed: z.int().describe('answered SERVFAIL: the registry could not be read'),
      })
      .nullable()
      .describe('the built-in name server; null where it is off'),
    now: () => {
      if (dns === null) return null;
      const { listening, udpQueries, tcpQueries, limited, failed } = dns.stats();
      return { listening, queries: udpQueries + tcpQueries, limited, failed };
    },
  });

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

export type Domains = ReturnType<typeof openDomains>;

export const openDomains = (
  base: Base,
  accounts: Accounts,
  options: {
    readonly generateKeyPair?: GenerateKeyPair | undefined;
    /** What certificate authorities look for at a name of the zones, while they check it. */
    readonly challengesAt?: (name: string) => readonly string[];
  } = {},
) => {
  const { storage, clock, log } = base;
  const config = base.config();
  const { platform } = storage;
  const { notices, ownersOf } = accounts;
  const sealingKey = base.key('dkim keys');
  const generateKeyPair = fewAtATime(options.generateKeyPair ?? generateDkimKeyPair);
  const signers = createSigners(sealingKey, { ed25519: config.dkim.ed25519 });
  const settings = zoneSettings(config, () => clock.now());
  const zones = createServiceZones({ ...settings, findChallenges: options.challengesAt }, (work) =>
    platform.peek(work),
  );
  const { authoritative } = config.dns;
  const dns = authoritative && createDnsServer({ listen: authoritative.listen, zones, log });
  const stopping = new AbortController();
  const lookup = createDnsLookup(config.dns.resolvers, { stopping: stopping.signal });
  const badRecords = createBadRecords(clock.now);
  const deps: DomainDeps = {
    badRecords,
    storage,
    clock,
    log,
    queue: createKeyedQueue(),
    lookup,
    stopping: stopping.signal,
    signers,
    sealingKey,
    generateKeyPair,
    keySettings: (tenantId) => ({
      keepOld: keepOldOf(config.dkim.keep_old, Object.values(base.config().queue.give_up)),
      rotateAfter: rotateAfterOf(config.dkim.rotate_every, tenantId),
    }),
    serviceHost: settings.serviceHost,
    managedSuffix: settings.managedSuffix,
    notices,
    ownersOf,
    origin: config.service.public_origin,
    random: Math.random,
  };
  const receives: Pick<Receives<unknown>, 'isSendingHost' | 'requireHolderHere'> = {
    isSendingHost: (host) => platform.peek((db) => domainRegistryStore(db).holderOf(host)) !== null,
    requireHolderHere: (host) =>
      platform.peek((db) => {
        const holder = domainRegistryStore(db).holderOf(host);
        if (holder !== null) registryStore(db).requireHere(holder);
      }),
  };
  const isPolicyHost = policyHosts(deps);
  const provider = config.dns.provider && createCloudflare({ ...config.dns.provider, ...deps });
  return {
    signers,
    lookup,
    /** The tenant that sends from that host. */
    holderOf: (db: PlatformDb, host: string) => domainRegistryStore(db).holderOf(host),
    isDkimBroken,
    organizationalDomain,
    /** Whether HTTPS is served under the name for a host of the registry. */
    isPolicyHost,
    /** Whether the built-in name server answers for the name. */
    isInZone: (name: string) => dns !== null && zones.resolveName(name) !== null,
    /** Null if it is off. */
    dns,
    receives,
    health: { dns: dnsHealth(dns) },
    metrics: [badRecords.metric],
    /** Those of the practice whose file it is. */
    sendingHosts: (db: TenantDb) => sendingHosts(db, deps),
    receiving: {
      /** The hosts of the practice whose file it is. */
      hosts: (db: TenantDb) => receivingHosts(db, settings.serviceHost),
      /** Runs on request: see `createRequestCheck`. */
      check: createRequestCheck(deps, (id, change) => checkReceivingHosts(deps, id, change)),
      /** Runs on request, as checks do: it ends with one. */
      applyRecords: createRequestCheck(deps, createApplyRecords(deps, provider)),
      /** The name of the one that `applyRecords` publishes at; null: none. */
      dnsProvider: provider?.name ?? null,
    },
    /** Publishes the key that signs evidence of consent, and until when the one before signed. */
    publishEvidenceKey: () =>
      platform.write((db) => evidenceKeyStore(db).use(publishedKeyOf(base.evidenceKey, clock.now()))),
    registers: createRegisters(sealingKey),
    knownBy: (db, tenantId) => ({ hosts: domainRegistryStore(db).namesOf(tenantId) }),
    reopened: async (tenantId) => signers.forgetTenant(tenantId),
    hosts: createTenantHosts({ ...deps, isReservedSlug: zones.isReservedSlug }),
    personalData,
    sealed: { tenant: [sealedKeys] },
    routes: [
      ...mtaStsRoutes(deps, settings.mtaSts, isPolicyHost),
      ...domainRoutes(deps),
      ...exportRoutes(deps),
      ...domainConnectRoutes(deps, { ...domainConnectOf(config), keyRecords: settings.extra }),
      ...keyRoutes(deps),
      evidenceKeysRoute(() => platform.peek((db) => jwkSetOf(evidenceKeyStore(db).all()))),
    ],
    jobs: [domainCheckJob(deps), keyRenewalJob(deps)],
    /** Ends lookups in flight, so that nothing waits for their answers. */
    stopAsking: () => stopping.abort(),
  } satisfies Room & Record<string, unknown>;
};
