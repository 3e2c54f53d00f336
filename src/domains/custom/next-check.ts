// When a practice's records are checked next, computed from what its file holds.

import { type PracticeRow, tenantStore } from '#src/accounts/tenants/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { DomainDeps } from '../domain-deps.ts';
import type { HostCheck } from '../records/host-check.ts';
import { domainRegistryStore } from '../registry-store.ts';
import { type DnsCheckRow, dnsCheckStore, sendingDomainStore } from '../store.ts';
import {
  type HealthByRecord,
  type HostsToCheck,
  type LastFindings,
  nextCheckAt,
  type WatchedRecord,
} from './record-health.ts';

/**
 * The MX of the domain itself, as a record to watch. If any lookup failed, its absence is not certain either.
 */
const ownMxOf = ({ host, records, conflicts }: HostCheck): WatchedRecord[] => {
  const apex = records.find(({ purpose }) => purpose === 'spf')?.name ?? host;
  const isSure = records.every(({ status }) => status !== 'error');
  return [...new Set([apex, host])].map((name) => {
    const conflict = conflicts.find((one) => one.name === name);
    return {
      purpose: 'apex_mx',
      type: 'MX',
      name,
      value: null,
      priority: null,
      required: true,
      status: conflict ? 'mismatch' : isSure ? 'ok' : 'error',
      found: conflict?.found ?? [],
    };
  });
};

/** Everything that a check says about a custom domain. */
export const recordsOf = (check: HostCheck): WatchedRecord[] => [
  ...check.records,
  ...check.inbound,
  ...ownMxOf(check),
];

/** Earlier versions stored the time of the notice as `toldAt`. */
const readHealth = ({ standings_json }: DnsCheckRow): HealthByRecord =>
  JSON.parse(standings_json.replaceAll('"toldAt":', '"notifiedAt":'));

/** Empty for a host that was never checked. */
export const lastHealthOf = (db: TenantDb, host: string): HealthByRecord => {
  const row = dnsCheckStore(db).get(host);
  return row === undefined ? {} : readHealth(row);
};

const lastFindings = (db: TenantDb, host: string): LastFindings | null => {
  const row = dnsCheckStore(db).get(host);
  if (row === undefined) return null;
  return { at: row.checked_at, health: readHealth(row), records: recordsOf(JSON.parse(row.result_json)) };
};

export const hostsToCheck = (db: TenantDb): HostsToCheck => {
  const { pending_domain, custom_domain, created_at } = tenantStore(db).practice();
  const attachedAt = (host: string): number => sendingDomainStore(db).get(host)?.attached_at ?? created_at;
  return {
    pending: pending_domain === null ? null : { attachedAt: attachedAt(pending_domain) },
    inUse: custom_domain === null ? null : { last: lastFindings(db, custom_domain) },
  };
};

/** Deletes the checks of hosts that the practice no longer uses or asks for. */
export const forgetOtherChecks = (db: TenantDb, practice: PracticeRow): void => {
  const { custom_domain, pending_domain, managed_host } = practice;
  const hosts = [managed_host, custom_domain, pending_domain];
  dnsCheckStore(db).keepOnly(hosts.filter((host) => host !== null));
};

/** Runs in the tenant's queue after its file was written. Stores when the next check is due. */
export const scheduleCheck = async (
  { storage, random }: Pick<DomainDeps, 'storage' | 'random'>,
  tenantId: string,
  now: number,
): Promise<void> => {
  const { hosts, custom } = await storage.tenants.read(tenantId, (db) => ({
    hosts: hostsToCheck(db),
    custom: tenantStore(db).practice().custom_domain,
  }));
  await storage.platform.write((db) => {
    const registry = domainRegistryStore(db);
    // The tenant that claimed the domain meanwhile made a check due, which finds it lost: that time stays.
    const isLost = custom !== null && (registry.ownerOf(custom) ?? tenantId) !== tenantId;
    registry.setCheckAt(tenantId, isLost ? now : nextCheckAt(hosts, now, random()));
  });
};
