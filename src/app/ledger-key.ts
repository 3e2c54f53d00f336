// The key by which the head of a consent ledger is sealed, for what reads a tenant's file beside the daemon.
import { createSecretKey, type KeyObject } from 'node:crypto';
import { tenantKeysIn } from '#src/accounts/tenants/master-key.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Keys } from '#src/kernel/keys.ts';

/** The key that the file keeps, or the one that the installation gives such a practice. */
export const ledgerKeyOf = (db: TenantDb, keys: Keys): KeyObject => {
  const { id } = tenantStore(db).practice();
  const kept = tenantKeysIn(db, keys.key('lasting keys'), id);
  return kept
    ? createSecretKey(Buffer.from(kept.hashes['consent ledger'], 'base64'))
    : keys.key('consent ledger')(id);
};
