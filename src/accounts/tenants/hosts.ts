// What a new tenant needs of its sending hosts. The domains room sits above this one and brings the implementation.
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';

export interface NewHosts {
  /** `<slug>.<managed suffix>`, in use from the start. */
  readonly managedHost: string;
  /** Stores the keys and the domain, in the transaction that fills the tenant's file. */
  inTenant(db: TenantDb): void;
  /** Makes both known, in the transaction that makes the tenant active. */
  inRegistry(db: PlatformDb): void;
}

export interface TenantHosts {
  /** Labels of the managed suffix that the zone itself uses. */
  isReservedSlug(slug: string): boolean;
  /** A custom domain of a request's body in lower-case A-labels. Throws `invalid_request` naming `body.domain`. */
  requireCustomDomain(text: string): string;
  /** Makes the keys of the managed host and of the custom domain, if there is one. Nothing is stored yet. */
  make(tenantId: string, slug: string, customDomain: string | null, now: number): Promise<NewHosts>;
}
