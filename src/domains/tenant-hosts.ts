// Makes the sending hosts of a new tenant. The keys are made before the transactions, which then only store and publish
// them.

import type { TenantHosts } from '#src/accounts/tenants/hosts.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import type { ServiceNames } from './custom/rules.ts';
import { requireCustomDomain } from './custom/rules.ts';
import { createHostKeys, type GenerateKeyPair } from './keys/keys.ts';
import { domainRegistryStore } from './registry-store.ts';
import { dkimKeyStore, sendingDomainStore } from './store.ts';

export interface TenantHostsDeps extends ServiceNames {
  /** Seals DKIM keys. */
  readonly sealingKey: SealingKey;
  readonly generateKeyPair: GenerateKeyPair;
  readonly isReservedSlug: (slug: string) => boolean;
}

export const createTenantHosts = (deps: TenantHostsDeps): TenantHosts => ({
  isReservedSlug: deps.isReservedSlug,
  requireCustomDomain: (text) => requireCustomDomain(text, deps),
  make: async (tenantId, slug, customDomain, now) => {
    const managedHost = `${slug}.${deps.managedSuffix}`;
    const hosts = customDomain === null ? [managedHost] : [managedHost, customDomain];
    const made = await Promise.all(
      hosts.map((host) => createHostKeys(tenantId, host, deps.sealingKey, now, deps.generateKeyPair)),
    );
    const keys = made.flat();
    return {
      managedHost,
      inTenant: (db) => {
        for (const key of keys) dkimKeyStore(db).insert(key);
        if (customDomain !== null) sendingDomainStore(db).attach(customDomain, now);
      },
      inRegistry: (db) => {
        const registry = domainRegistryStore(db);
        registry.insertDomain(managedHost, tenantId, 'managed', now);
        for (const key of keys) registry.publish(tenantId, key);
        registry.addWork(tenantId, customDomain === null ? null : now, now);
      },
    };
  },
});
