// Checks the records of custom domains by schedule: pending domains every 15 minutes, domains in use once a day, and
// sooner if something is wrong. The registry says which tenants are due. The next time is written before the DNS is
// asked, so that a check that ends the process is not the first one again after the restart.

import { tenantStore } from '#src/accounts/tenants/store.ts';
import { systemChange } from '#src/kernel/change.ts';
import type { Job } from '#src/kernel/job.ts';
import type { DomainDeps } from '../domain-deps.ts';
import { spfTarget } from '../records/wanted-records.ts';
import { domainRegistryStore } from '../registry-store.ts';
import { checkPractice } from './check-practice.ts';
import { hostsToCheck, scheduleCheck } from './next-check.ts';
import { loseDomains } from './ownership.ts';
import { isInUseDue, SOON_MS } from './record-health.ts';

/** A minute's work if each check takes some seconds; the rest waits for the next run. */
const TENANTS_PER_RUN = 200;
const AT_A_TIME = 8;

const checkTenant = async (deps: DomainDeps, tenantId: string): Promise<void> => {
  const { storage, clock, queue } = deps;
  await storage.platform.write((db) => domainRegistryStore(db).setCheckAt(tenantId, clock.now() + SOON_MS));
  const { pending, isBeside, custom } = await storage.tenants.read(tenantId, (db) => {
    const { pending_domain, custom_domain } = tenantStore(db).practice();
    const isBeside = pending_domain !== null && isInUseDue(hostsToCheck(db), clock.now());
    return { pending: pending_domain, custom: custom_domain, isBeside };
  });
  const change = systemChange('domain.verify');
  if (isBeside) await checkPractice(deps, tenantId, change, 'in_use');
  if (pending !== null || custom !== null) await checkPractice(deps, tenantId, change);
  else
    await queue(tenantId, async () => {
      await loseDomains(deps, tenantId);
      await scheduleCheck(deps, tenantId, clock.now());
    });
};

export const domainCheckJob = (deps: DomainDeps): Job => ({
  name: 'check the DNS records of custom domains',
  schedule: '* * * * *',
  run: async (signal, log) => {
    const due = await deps.storage.platform.read((db) =>
      domainRegistryStore(db).dueChecks(deps.clock.now(), TENANTS_PER_RUN),
    );
    if (due.length === 0) return;
    // If even our own name cannot be looked up, a check of other names would only report errors that owners cannot
    // correct.
    const own = await deps.lookup.txt(spfTarget(deps.serviceHost));
    if (own.kind === 'failed') {
      log.warn({ problem: own.reason }, 'the DNS does not answer: domains are checked later');
      return;
    }
    const rest = due.values();
    const work = async (): Promise<void> => {
      for (const tenantId of rest) {
        if (signal.aborted) return;
        await checkTenant(deps, tenantId).catch((error) =>
          log.warn({ err: error, practice_id: tenantId }, 'the DNS records of a practice were not checked'),
        );
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
  },
});
