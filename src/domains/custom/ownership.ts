// A pending domain whose records prove that it is the practice's comes into use. The registry names its owner first:
// whoever had it before loses it by that, whatever happens next. Then the practice's own file is written. A crash in
// between leaves a pending domain, which the next look switches over again, to no other effect.

import { tellOwners } from '#src/accounts/mails/tell-owners.ts';
import { presentPractice } from '#src/accounts/tenants/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { systemChange } from '#src/kernel/change.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import type { DomainDeps } from '../domain-deps.ts';
import { changeKeys } from '../keys/signers.ts';
import { domainRegistryStore } from '../registry-store.ts';
import { dkimKeyStore, sendingDomainStore } from '../store.ts';
import { forgetOtherChecks, scheduleCheck } from './next-check.ts';

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

// A domain that another practice has proved to be its own is lost: mail goes out from the managed host again, and the
// domain's keys sign no more. They stay published for what they have signed. Whoever claims the domain back gets new
// tokens, so that records left in a zone from earlier days prove nothing.
//
// The registry says who has a domain, and says it before this file is written: whatever a crash leaves is found at the
// next look, which the claim makes due at once.

interface Claim {
  readonly domain: string;
  /** The proof of another tenant counts from then on. */
  readonly since: number;
}

/**
 * Domains whose keys sign or could come to it. Keys of one that was asked for again after another's proof are newer than
 * that. One that waits for its first proof keeps its tokens: who is proved last has the domain.
 */
const claimsOf = (db: TenantDb): Claim[] => {
  const { custom_domain, pending_domain } = tenantStore(db).practice();
  return sendingDomainStore(db)
    .all()
    .filter(({ name, verified_at }) => verified_at !== null || name !== pending_domain)
    .map(({ name, attached_at }) => ({ domain: name, since: name === custom_domain ? 0 : attached_at }))
    .filter(({ domain }) =>
      dkimKeyStore(db)
        .ofHost(domain)
        .some(({ role }) => role === 'active' || role === 'next'),
    );
};

const retireKeys = (db: TenantDb, domain: string, now: number): void => {
  const keys = dkimKeyStore(db);
  for (const row of keys.ofHost(domain)) {
    // Its record is the domain's own, which is another practice's now.
    if (row.position === 0) keys.remove(domain, row.token);
    else if (row.role === 'active' || row.role === 'next')
      keys.update({ ...row, role: 'retiring', retired_at: now });
  }
};

/** In the tenant's turn. Nothing happens where the tenant has lost none. */
export const loseDomains = async (deps: DomainDeps, tenantId: string): Promise<void> => {
  const { storage, clock, signers, notices, ownersOf, origin } = deps;
  const { practice, claims } = await storage.tenants.read(tenantId, (db) => ({
    practice: tenantStore(db).practice(),
    claims: claimsOf(db),
  }));
  if (claims.length === 0) return;
  const lost = await storage.platform.read((db) =>
    claims
      .filter(({ domain, since }) => domainRegistryStore(db).isTaken(domain, tenantId, since))
      .map(({ domain }) => domain),
  );
  if (lost.length === 0) return;
  const now = clock.now();
  const host = practice.custom_domain;
  const isInUse = host !== null && lost.includes(host);
  if (isInUse) {
    const owners = await ownersOf(tenantId);
    const { name, managed_host: managedHost, custom_verified_at } = practice;
    const content = { kind: 'domain_lost', practice: name, host, managedHost, origin } as const;
    await storage.platform.write((db) =>
      tellOwners(notices, db, { tenantId, owners, content, occasion: [host, custom_verified_at] }, now),
    );
  }
  await changeKeys({ storage, signers }, tenantId, lost, (db) => {
    const store = tenantStore(db);
    const before = store.practice();
    if (isInUse)
      store.updateDomains({
        ...before,
        custom_domain: null,
        custom_verified_at: null,
        warmup_started_at: null,
      });
    for (const domain of lost) {
      if (domain === before.pending_domain) sendingDomainStore(db).attach(domain, now);
      else if (sendingDomainStore(db).get(domain)?.retired_at === null)
        sendingDomainStore(db).retire(domain, now);
      retireKeys(db, domain, now);
    }
    const after = store.practice();
    forgetOtherChecks(db, after);
    const target = { type: 'practice', id: tenantId };
    const entry = { target, before: presentPractice(before, now), after: presentPractice(after, now) };
    auditStore(db).record(systemChange('domain.lose'), entry, now);
  });
  await scheduleCheck(deps, tenantId, now);
  notices.tell();
};
