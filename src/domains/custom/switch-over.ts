// A pending domain whose records prove that it is the practice's comes into use. The registry names its owner first:
// whoever had it before loses it by that, whatever happens next. Then the practice's own file is written. A crash in
// between leaves a pending domain, which the next look switches over again, to no other effect.

import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { domainRegistryStore } from '../registry-store.ts';
import { sendingDomainStore } from '../store.ts';

/**
 * The tenant that has the domain from now on no more, and is looked at at once; null where there is none. Throws
 * `conflict` where the name is a managed host.
 */
export const claimDomain = (db: PlatformDb, tenantId: string, domain: string, now: number): string | null => {
  const registry = domainRegistryStore(db);
  const former = registry.ownerOf(domain);
  if (!registry.claim(domain, tenantId, now))
    throw new AppError('conflict', `${domain} is a host of the service.`);
  if (former === null || former === tenantId) return null;
  registry.setCheckAt(former, now);
  return former;
};

/** The domain is in use from now on; the one that was is retired, and its keys stay for the mail under way. */
export const useDomain = (db: TenantDb, domain: string, now: number): void => {
  const practice = tenantStore(db).practice();
  const domains = sendingDomainStore(db);
  if (practice.custom_domain !== null) domains.retire(practice.custom_domain, now);
  domains.verify(domain, now);
  tenantStore(db).updateDomains({
    custom_domain: domain,
    custom_verified_at: now,
    pending_domain: null,
    // Receivers know it from its first time.
    warmup_started_at: domains.get(domain)?.verified_at ?? now,
  });
};
