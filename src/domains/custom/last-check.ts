// What was last found of a host in the DNS, for those who only read it.
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { HostCheck } from '../records/host-check.ts';
import { dnsCheckStore } from '../store.ts';

export interface LastCheck {
  readonly checkedAt: number;
  readonly check: HostCheck;
}

/** Null where the host was never looked at, or not since it was last in question. */
export const lastCheck = (db: TenantDb, host: string): LastCheck | null => {
  const row = dnsCheckStore(db).get(host);
  return row === undefined ? null : { checkedAt: row.checked_at, check: JSON.parse(row.result_json) };
};
