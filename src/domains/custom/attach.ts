// A practice asks for a custom domain. The domain is pending until the DNS proves that it belongs to the practice. A
// practice has at most one pending domain: asking for another one replaces it, and asking for the domain in use cancels
// it.
//
// Order of the writes: the registry notes that a check is due, then the tenant's file is written, then the registry
// serves the tokens. After a crash the check finds nothing to do, or it publishes the tokens.
import type { z } from 'zod';
import { type practiceSchema, presentPractice } from '#src/accounts/tenants/schema.ts';
import { type PracticeDomains, tenantStore } from '#src/accounts/tenants/store.ts';
import { auditStore } from '#src/events/audit-store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import type { DomainDeps } from '../domain-deps.ts';
import { insertKeys, missingKeys, publishKeys } from '../keys/publish-keys.ts';
import { domainRegistryStore } from '../registry-store.ts';
import { dkimKeyStore, sendingDomainStore } from '../store.ts';
import { forgetOtherChecks, scheduleCheck } from './next-check.ts';
import { loseDomains } from './ownership.ts';

/** Each domain has three keys, and is kept with them for 60 days after its use. */
const MAX_DOMAINS = 10;

type Practice = z.infer<typeof practiceSchema>;

const requireRoom = (db: TenantDb, domain: string): void => {
  const others = sendingDomainStore(db)
    .all()
    .filter(({ name }) => name !== domain);
  if (others.length < MAX_DOMAINS) return;
  throw new AppError('conflict', say`The practice has asked for ${MAX_DOMAINS} domains already.`, {
    hint: say`A domain out of use is forgotten 60 days later; until then go on with one of those, or use another practice.`,
  });
};

/** Earlier versions attached domains without keys; these need not be kept. */
const leaveDomain = (db: TenantDb, domain: string, now: number): void => {
  if (dkimKeyStore(db).ofHost(domain).length > 0) sendingDomainStore(db).retire(domain, now);
  else sendingDomainStore(db).remove(domain);
};

/**
 * Changes the domains in the practice's row and everything that depends on them, except for keys and registry.
 */
const changeDomains = (
  db: TenantDb,
  next: Partial<PracticeDomains>,
  change: Change,
  now: number,
): Practice => {
  const store = tenantStore(db);
  const before = store.practice();
  store.updateDomains({ ...before, ...next });
  const after = store.practice();
  for (const domain of [before.custom_domain, before.pending_domain])
    if (domain !== null && domain !== after.custom_domain && domain !== after.pending_domain)
      leaveDomain(db, domain, now);
  forgetOtherChecks(db, after);
  const shown = presentPractice(after, now);
  const target = { type: 'practice', id: after.id };
  auditStore(db).record(change, { target, before: presentPractice(before, now), after: shown }, now);
  return shown;
};

/**
 * `domain` comes from `requireCustomDomain`. Resolves with the practice. Throws `conflict` if the practice has asked
 * for too many domains.
 */
export const attachDomain = (
  deps: DomainDeps,
  tenantId: string,
  domain: string,
  change: Change,
): Promise<Practice> =>
  deps.queue(tenantId, async () => {
    const { storage, clock } = deps;
    await loseDomains(deps, tenantId);
    const now = clock.now();
    const isInUse = await storage.tenants.read(tenantId, (db) => {
      const { custom_domain } = tenantStore(db).practice();
      if (custom_domain !== domain) requireRoom(db, domain);
      return custom_domain === domain;
    });
    if (isInUse) {
      const practice = await storage.tenants.write(tenantId, (db) =>
        changeDomains(db, { pending_domain: null }, change, now),
      );
      await scheduleCheck(deps, tenantId, now);
      return practice;
    }
    const keys = await missingKeys(deps, tenantId, domain);
    await storage.platform.write((db) => domainRegistryStore(db).setCheckAt(tenantId, now));
    const practice = await storage.tenants.write(tenantId, (db) => {
      insertKeys(db, keys);
      sendingDomainStore(db).attach(domain, now);
      return changeDomains(db, { pending_domain: domain }, change, now);
    });
    await publishKeys(deps, tenantId);
    return practice;
  });

/**
 * The practice sends from its managed host again, and no domain is pending. Messages that are queued from the custom
 * domain are still sent and signed by its keys. Resolves with the practice, also if nothing had to be restored.
 */
export const restoreManagedDomain = (deps: DomainDeps, tenantId: string, change: Change): Promise<Practice> =>
  deps.queue(tenantId, async () => {
    const { storage, clock } = deps;
    await loseDomains(deps, tenantId);
    const now = clock.now();
    const practice = await storage.tenants.write(tenantId, (db) =>
      changeDomains(
        db,
        {
          custom_domain: null,
          custom_verified_at: null,
          pending_domain: null,
          warmup_started_at: null,
        },
        change,
        now,
      ),
    );
    await scheduleCheck(deps, tenantId, now);
    return practice;
  });
