// A tenant that goes to another host gets a managed host there, and the one that it had stays behind. Mail to the addresses at that one
// still comes, by way of the host that hands it on or takes its place, so the tenant's file keeps it as a domain that was in use.
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { sendingDomainStore } from '../store.ts';

/** Called by the host that has the tenant's hosts in its zone, in the copy that leaves: no other could vouch for the name. */
export const keepManagedHost = (db: TenantDb, now: number): void => {
  const { managed_host: name } = tenantStore(db).practice();
  const domains = sendingDomainStore(db);
  domains.attach(name, now);
  domains.verify(name, now);
  domains.retire(name, now);
};
