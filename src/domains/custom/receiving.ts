// The hosts at which a practice may receive mail, `in.<sending host>`: their records, and what the last check found of them.
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { Change } from '#src/kernel/change.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { DomainDeps } from '../domain-deps.ts';
import type { CheckedRecord, HostFacts, WantedRecord } from '../records/host-check.ts';
import { receivingHost, receivingRecords } from '../records/wanted-records.ts';
import { dnsCheckStore, lastCheck } from '../store.ts';
import { checkPractice, type HostChoice } from './check-practice.ts';

export interface ReceivingHost {
  /** `in.…` */
  readonly host: string;
  readonly kind: HostFacts['kind'];
  /** The custom domain is not proved yet: nothing is received there. */
  readonly pending: boolean;
  /** Whether its MX is right. */
  readonly hasMx: boolean;
  /** ms; null: never. */
  readonly checkedAt: number | null;
  readonly records: readonly (CheckedRecord | WantedRecord)[];
}

/**
 * Whether mail to `in.<host>` comes here. The zone of managed hosts is the service's own: its records are there unless a check has
 * found otherwise, and a failed lookup finds nothing.
 */
const comesHere = (db: TenantDb, host: string, kind: HostFacts['kind']): boolean => {
  const mx = dnsCheckStore(db).inboundMx(host);
  return mx === 'ok' || (kind === 'managed' && (mx === 'unchecked' || mx === 'error'));
};

/** The practice's hosts in use whose mail comes here, the custom domain's first. Each is the host behind `in.`. */
export const hostsWithMail = (db: TenantDb): string[] => {
  const { managed_host, custom_domain } = tenantStore(db).practice();
  return [
    ...(custom_domain !== null && comesHere(db, custom_domain, 'custom') ? [custom_domain] : []),
    ...(comesHere(db, managed_host, 'managed') ? [managed_host] : []),
  ];
};

/** The managed host's first, then the custom domain's, then that of a pending one. */
export const receivingHosts = (db: TenantDb, serviceHost: string): ReceivingHost[] => {
  const { managed_host, custom_domain, pending_domain } = tenantStore(db).practice();
  const read = (host: string, kind: HostFacts['kind'], pending: boolean): ReceivingHost => {
    const last = lastCheck(db, host);
    const records = receivingRecords({ host, kind, serviceHost }).map(
      (wanted) =>
        last?.check.inbound.find(({ name, purpose }) => name === wanted.name && purpose === wanted.purpose) ??
        wanted,
    );
    const hasMx = comesHere(db, host, kind);
    return { host: receivingHost(host), kind, pending, hasMx, checkedAt: last?.checkedAt ?? null, records };
  };
  return [
    read(managed_host, 'managed', false),
    ...(custom_domain === null ? [] : [read(custom_domain, 'custom', false)]),
    ...(pending_domain === null ? [] : [read(pending_domain, 'custom', true)]),
  ];
};

/** Checks all of them, with the other records of their sending hosts. Rejects as `checkPractice`. */
export const checkReceivingHosts = async (
  deps: DomainDeps,
  tenantId: string,
  change: Change,
): Promise<void> => {
  const { custom_domain, pending_domain } = await deps.storage.tenants.read(tenantId, (db) =>
    tenantStore(db).practice(),
  );
  const choices: readonly HostChoice[] = [
    ...(pending_domain === null ? [] : (['in_question'] as const)),
    ...(custom_domain === null ? [] : (['in_use'] as const)),
    'managed',
  ];
  for (const which of choices) await checkPractice(deps, tenantId, change, which);
};
