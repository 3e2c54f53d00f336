// What is kept of keys: in the registry, and in the file of each tenant. All of it is sealed under the master key.
import { type PlatformDb, perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

export interface MasterKeyCheck {
  readonly sealed: Buffer;
  /** Null: nothing is sealed under a former key. */
  readonly former: Buffer | null;
  /** Null before the first change of the master key. */
  readonly lasting: Buffer | null;
}

/** `sealed` is bound to the tenant's id. */
export interface SealedTenantKeys {
  readonly tenant_id: string;
  readonly number: number;
  readonly sealed: Buffer;
}

export const masterKeyStore = perConnection((db: PlatformDb) => {
  const check = db.prepare<[], MasterKeyCheck>('SELECT sealed, former, lasting FROM master_key_check');
  const putCheck = db.prepare<[MasterKeyCheck]>(
    `INSERT INTO master_key_check (only, sealed, former, lasting) VALUES (1, :sealed, :former, :lasting)
     ON CONFLICT (only) DO UPDATE SET sealed = :sealed, former = :former, lasting = :lasting`,
  );
  const endChange = db.prepare('UPDATE master_key_check SET former = NULL WHERE former IS NOT NULL');
  const ofTenants = db.prepare<[], SealedTenantKeys>(
    'SELECT tenant_id, number, sealed FROM tenant_keys JOIN tenants ON id = tenant_id',
  );
  const putTenant = db.prepare<[string, Buffer]>(
    `INSERT INTO tenant_keys (tenant_id, sealed) VALUES (?, ?)
     ON CONFLICT (tenant_id) DO UPDATE SET sealed = excluded.sealed`,
  );
  return {
    check: (): MasterKeyCheck | undefined => check.get(),
    putCheck: (row: MasterKeyCheck): void => {
      putCheck.run(row);
    },
    /** Nothing is sealed under the former key any more. */
    endChange: (): void => {
      endChange.run();
    },
    ofTenants: (): SealedTenantKeys[] => ofTenants.all(),
    putTenant: (tenantId: string, sealed: Buffer): void => {
      putTenant.run(tenantId, sealed);
    },
  };
});

export const lastingKeysStore = perConnection((db: TenantDb) => {
  const get = db.prepare<[], Buffer>('SELECT sealed FROM lasting_keys').pluck();
  const put = db.prepare<[Buffer]>(
    `INSERT INTO lasting_keys (only, sealed) VALUES (1, ?)
     ON CONFLICT (only) DO UPDATE SET sealed = excluded.sealed`,
  );
  return {
    get: (): Buffer | undefined => get.get(),
    put: (sealed: Buffer): void => {
      put.run(sealed);
    },
  };
});
