// Reads a tenant's hosts with their DKIM keys, and computes when these are due again.

import { type PracticeRow, tenantStore } from '#src/accounts/tenants/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { DAY } from '#src/kernel/time.ts';
import type { DomainDeps } from '../domain-deps.ts';
import { domainRegistryStore } from '../registry-store.ts';
import { type DkimKeyRow, dkimKeyStore, type SendingDomainRow, sendingDomainStore } from '../store.ts';
import { type HostUse, planKeys } from './key-rules.ts';

export interface HostKeys {
  readonly host: string;
  readonly use: HostUse;
  readonly rows: readonly DkimKeyRow[];
}

/** The longest time to the next look, which finds what no time announces, such as a file restored from a backup. */
export const LONGEST_WAIT_MS = 7 * DAY;

const useOf = (
  { managed_host, custom_domain }: PracticeRow,
  host: string,
  domain: SendingDomainRow | undefined,
): HostUse => {
  if (host === managed_host || host === custom_domain) return { kind: 'in_use' };
  const since = domain?.retired_at ?? null;
  return since === null ? { kind: 'pending' } : { kind: 'retired', since };
};

/** Every host that has keys. */
export const hostsOf = (db: TenantDb): HostKeys[] => {
  const practice = tenantStore(db).practice();
  return dkimKeyStore(db)
    .hosts()
    .map((host) => ({
      host,
      use: useOf(practice, host, sendingDomainStore(db).get(host)),
      rows: dkimKeyStore(db).ofHost(host),
    }));
};

/** Stores in the registry when the tenant's keys are due next, not before `earliest`. */
export const scheduleKeyWork = async (
  deps: DomainDeps,
  tenantId: string,
  earliest: number,
): Promise<void> => {
  const settings = deps.keySettings(tenantId);
  const hosts = await deps.storage.tenants.read(tenantId, hostsOf);
  const times = hosts
    .flatMap(({ rows, use }) => planKeys(rows, use, settings))
    .flatMap(({ at }) => (at === null ? [] : [at]));
  const next = Math.min(...times, deps.clock.now() + LONGEST_WAIT_MS);
  await deps.storage.platform.write((db) =>
    domainRegistryStore(db).setKeysAt(tenantId, Math.max(next, earliest)),
  );
};
