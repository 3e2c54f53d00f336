// The keys that sign for a host: unsealed and parsed once, and cached while the host sends.

import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import type { SealingKey } from '#src/kernel/seal.ts';
import type { DkimSigner } from '#src/mail/dkim-key.ts';
import { dkimKeyStore } from '../store.ts';
import { openKey } from './keys.ts';

/** Bounds the cache; a host takes about 4 KiB. */
const MAX_CACHED_HOSTS = 2_000;

export interface Signers {
  /** RSA first. Empty if the host has no key. */
  of(db: TenantDb, tenantId: string, host: string): readonly DkimSigner[];
  /** Called after a change of the host's keys was committed; see `changeKeys`. */
  forget(tenantId: string, host: string): void;
  /** All hosts of the tenant. */
  forgetTenant(tenantId: string): void;
}

export const createSigners = (sealingKey: SealingKey, options: { readonly ed25519: boolean }): Signers => {
  /** The signers in the order of their last use. */
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
      // A host without a key may get one at any moment.
      if (signers.length === 0) return signers;
      cache.delete(name);
      cache.set(name, signers);
      const [oldest] = cache.size > MAX_CACHED_HOSTS ? cache.keys() : [];
      if (oldest !== undefined) cache.delete(oldest);
      return signers;
    },
    forgetTenant: (tenantId) => {
      for (const name of cache.keys()) if (name.startsWith(`${tenantId} `)) cache.delete(name);
    },
    forget: (tenantId, host) => {
      cache.delete(`${tenantId} ${host}`);
    },
  };
};

/**
 * Writes a change of the keys that sign for these hosts. The cache is cleared also if the write fails, because after a
 * failed sync it may have happened, and a key that goes on signing would be used longer than its record is in the DNS.
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
