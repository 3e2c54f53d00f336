// When a practice's records are looked at next, from what its file says; and what of earlier looks is still of use.

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

/** Where mail for the domain itself is received; where it could not be asked for, an answer is as little known. */
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

/** All that a check tells of a custom domain. */
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

/** Forgets what was found of hosts that are no longer in question. */
export const forgetOtherChecks = (db: TenantDb, practice: PracticeRow): void => {
  const { custom_domain, pending_domain, managed_host } = practice;
  const hosts = [managed_host, custom_domain, pending_domain];
  dnsCheckStore(db).keepOnly(hosts.filter((host) => host !== null));
};

/** In the tenant's turn, after its file was written: notes when the next look is due. */
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
    // Whoever claimed it meanwhile made the look due that finds it lost: it stays so.
    const isLost = custom !== null && (registry.ownerOf(custom) ?? tenantId) !== tenantId;
    registry.setCheckAt(tenantId, isLost ? now : nextCheckAt(hosts, now, random()));
  });
};
