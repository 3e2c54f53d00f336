// What a room hands in so that the registry's rows of a tenant can be made again from the tenant's file: after a restore, where the
// registry was lost or is older or newer than the file, and for a tenant that comes from another host. While it runs, nothing else
// uses the tenant's file; rows that the file does not know open nothing afterwards.
import type { PlatformDb, TenantDb } from './db/sqlite.ts';

export interface Registering {
  readonly tenantId: string;
  /** The number may differ from the one in the file of a tenant that came from another host. */
  readonly number: number;
  readonly now: number;
  /** What another tenant has, and keeps: a sentence for the operator. */
  readonly note: (sentence: string) => void;
}

/**
 * Reads the tenant's file at once, and returns what writes the registry in one transaction, after the tenant's own row. A second run
 * changes nothing. The returned function throws AppError `conflict` where another tenant has what this one cannot do without.
 */
export type Registers = (tenant: TenantDb, registering: Registering) => (registry: PlatformDb) => void;
