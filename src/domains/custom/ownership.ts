// How a custom domain comes into use and is lost. The registry decides who owns a domain, and is written first.
//
// A pending domain whose records are proved is claimed: its former owner has lost it at that moment. Then the
// practice's own file is written. After a crash in between, the domain is still pending, and the next check claims it
// again without further effect.
//
// The former owner sends from its managed host again. The domain's keys stop signing and stay published for the mail
// that they have signed. To claim the domain back, it gets new tokens, so that records left in the zone prove nothing.
// The claim makes a check of the former owner due at once, which finds the loss even after a crash.

import { notifyOwners } from '#src/accounts/mails/outbox.ts';
import { presentPractice } from '#src/accounts/tenants/schema.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import { systemChange } from '#src/kernel/change.ts';
import { dashboardLink } from '#src/kernel/dashboard-link.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import type { DomainDeps } from '../domain-deps.ts';
import { changeKeys } from '../keys/signers.ts';
import { domainRegistryStore } from '../registry-store.ts';
import { dkimKeyStore, sendingDomainStore } from '../store.ts';
import { forgetOtherChecks, scheduleCheck } from './next-check.ts';

/**
 * Returns the id of the former owner, whose check is due at once; null if there is none. Throws `conflict` if the name
 * is a managed host.
 */
export const claimDomain = (db: PlatformDb, tenantId: string, domain: string, now: number): string | null => {
  const registry = domainRegistryStore(db);
  const former = registry.ownerOf(domain);
  if (!registry.claim(domain, tenantId, now))
    throw new AppError('conflict', say`${domain} is a host of the service.`);
  if (former === null || former === tenantId) return null;
  registry.setCheckAt(former, now);
  return former;
};

/** Puts the domain into use. The domain that was in use is retired; its keys stay for the mail in flight. */
export const useDomain = (db: TenantDb, domain: string, now: number): void => {
  const practice = tenantStore(db).practice();
  const domains = sendingDomainStore(db);
  if (practice.custom_domain !== null) domains.retire(practice.custom_domain, now);
  domains.verify(domain, now);
  tenantStore(db).updateDomains({
    custom_domain: domain,
    custom_verified_at: now,
    pending_domain: null,
    // Warm-up counts from the first verification, because receivers know the domain since then.
    warmup_started_at: domains.get(domain)?.verified_at ?? now,
  });
};

/**
 * What a file from elsewhere says of its domains proves nothing: each waits until the DNS has proved it here. Returns the one that is
 * pending then, which is checked first: the domain that was in use, or the pending one. Nobody else uses the file.
 */
export const unproveDomains = (db: TenantDb): string | null => {
  const { custom_domain, pending_domain } = tenantStore(db).practice();
  sendingDomainStore(db).unprove();
  const pending = custom_domain ?? pending_domain;
  tenantStore(db).updateDomains({
    custom_domain: null,
    custom_verified_at: null,
    pending_domain: pending,
    warmup_started_at: null,
  });
  return pending;
};

interface Claim {
  readonly domain: string;
  /** A claim by another tenant counts if it is later than this. */
  readonly since: number;
}

/**
 * Domains whose keys sign or may sign later. The keys of a domain that was asked for again after another tenant's claim
 * are newer than that claim. A domain that waits for its first proof keeps its tokens: the tenant that proves it last
 * owns it.
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
    // The record of an imported key belongs to the domain, which another practice owns now.
    if (row.position === 0) keys.remove(domain, row.token);
    else if (row.role === 'active' || row.role === 'next')
      keys.update({ ...row, role: 'retiring', retired_at: now });
  }
};

/** Runs in the tenant's queue. Does nothing if the tenant has lost no domain. */
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
    const link = dashboardLink(origin, { practice: tenantId, page: 'domain' });
    const content = { kind: 'domain_lost', practice: name, host, managedHost, link } as const;
    await storage.platform.write((db) =>
      notifyOwners(notices, db, { tenantId, owners, content, occasion: [host, custom_verified_at] }, now),
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
  notices.wake();
};
