// The hosts that a practice sends from, with what it publishes for them and what the last check found of that.
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { RecordStatus, WantedRecord } from '../records/host-check.ts';
import { type HostFactsSettings, hostFactsOf } from '../records/host-facts.ts';
import { wantedRecords } from '../records/wanted-records.ts';
import { lastCheck, sendingDomainStore } from '../store.ts';

export interface SendingHost {
  readonly host: string;
  /** A custom domain whose DKIM has not been found so far: nothing is sent from it. */
  readonly pending: boolean;
  /** When the practice got it or asked for it, ms. */
  readonly since: number;
  /** None for a managed host, whose records the service publishes itself. `status` is null where it was never checked. */
  readonly records: readonly (WantedRecord & { readonly status: RecordStatus | null })[];
}

/** The managed host first, then the custom domain, then a pending one. */
export const sendingHosts = (db: TenantDb, settings: HostFactsSettings): SendingHost[] => {
  const { managed_host, custom_domain, pending_domain, created_at } = tenantStore(db).practice();
  const custom = (host: string | null, pending: boolean): SendingHost[] => {
    if (host === null) return [];
    const found = lastCheck(db, host)?.check.records ?? [];
    const records = wantedRecords(hostFactsOf(db, { host, kind: 'custom' }, settings)).records.map(
      (wanted) => {
        const status = found.find(({ name, purpose }) => name === wanted.name && purpose === wanted.purpose);
        return { ...wanted, status: status?.status ?? null };
      },
    );
    return [{ host, pending, since: sendingDomainStore(db).get(host)?.attached_at ?? created_at, records }];
  };
  return [
    { host: managed_host, pending: false, since: created_at, records: [] },
    ...custom(custom_domain, false),
    ...custom(pending_domain, true),
  ];
};
