// What shows which tenant a request is for, before anyone has looked into it: a proxy in front of several hosts finds the right one by
// it. Each room hands in what of its rows in the registry is such a mark.
import type { PlatformDb } from './db/sqlite.ts';

export interface KnownBy {
  /** SHA-256 of its API tokens that are not revoked, in hexadecimal. */
  readonly tokens: readonly string[];
  /** Ids of its inbound hooks. */
  readonly hooks: readonly string[];
  /** Its sending hosts. */
  readonly hosts: readonly string[];
}

export type ReadKnownBy = (db: PlatformDb, tenantId: string) => Partial<KnownBy>;
