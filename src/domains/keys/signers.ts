// The keys that sign for a host, unsealed and parsed once and kept while the host sends.

import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import type { DkimSigner } from '#src/mail/dkim-key.ts';
import { dkimKeyStore } from '../store.ts';
import { openKey } from './keys.ts';

/** Parsed keys kept at most: about 4 KiB each. */
const MAX_CACHED_HOSTS = 2_000;

export interface Signers {
  /** RSA first. Empty where the host has no key. */
  of(db: TenantDb, tenantId: string, host: string): readonly DkimSigner[];
  /** After the commit of a change of the host's keys; see `changeKeys`. */
  forget(tenantId: string, host: string): void;
}

export const createSigners = (sealingKey: Buffer, options: { readonly ed25519: boolean }): Signers => {
  /** In the order of their last use. */
  const cache = new Map<string, readonly DkimSigner[]>();
  return {
    of: (db, tenantId, host) => {
      const name = `${tenantId} ${host}`;
      const signers =
        cache.get(name) ??
        dkimKeyStore(db)
          .active(host)
          .filter((row) => options.ed25519 || row.algorithm !== 'ed25519-sha256')
          .map((row) => openKey(tenantId, row, sealingKey));
      // A host without a key may be given one any moment.
      if (signers.length === 0) return signers;
      cache.delete(name);
      cache.set(name, signers);
      const [oldest] = cache.size > MAX_CACHED_HOSTS ? cache.keys() : [];
      if (oldest !== undefined) cache.delete(oldest);
      return signers;
    },
    forget: (tenantId, host) => {
      cache.delete(`${tenantId} ${host}`);
    },
  };
};

/**
 * A write to the tenant's file that changes who signs for these hosts. What is kept of them is forgotten where it failed,
 * too: after a failed sync it may have happened, and a key that goes on signing would outlive its record in the DNS.
 */
export const changeKeys = async <T>(
  { storage, signers }: { readonly storage: Pick<Storage, 'tenants'>; readonly signers: Signers },
  tenantId: string,
  hosts: readonly string[],
  work: (db: TenantDb) => T,
): Promise<T> => {
  try {
    return await storage.tenants.write(tenantId, work);
  } finally {
    for (const host of hosts) signers.forget(tenantId, host);
  }
};
