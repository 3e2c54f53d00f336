// Inbound hooks: the records that their owners see in the tenant's file, and in platform.db what a request is let in by.
import { type PlatformDb, perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

export interface HookRow {
  id: string;
  name: string;
  /** Null: the default project. */
  project_id: string | null;
  /** SHA-256 of the secret. */
  hash: Buffer;
  former_hash: Buffer | null;
  former_until: number | null;
  created_at: number;
  last_used_at: number | null;
}

export const hookStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<HookRow>(
    `INSERT INTO inbound_hooks (id, name, project_id, hash, former_hash, former_until, created_at, last_used_at)
     VALUES (:id, :name, :project_id, :hash, :former_hash, :former_until, :created_at, :last_used_at)`,
  );
  const list = db.prepare<[], HookRow>('SELECT * FROM inbound_hooks ORDER BY id');
  const byId = db.prepare<[string], HookRow>('SELECT * FROM inbound_hooks WHERE id = ?');
  const rotate = db.prepare<[Buffer, number | null, string]>(
    'UPDATE inbound_hooks SET former_hash = hash, hash = ?, former_until = ? WHERE id = ?',
  );
  const touch = db.prepare<[number, string]>('UPDATE inbound_hooks SET last_used_at = ? WHERE id = ?');
  const remove = db.prepare<[string]>('DELETE FROM inbound_hooks WHERE id = ?');
  return {
    insert: (row: HookRow): void => {
      insert.run(row);
    },
    list: (): HookRow[] => list.all(),
    byId: (id: string): HookRow | undefined => byId.get(id),
    /** The hash that is there becomes the former one. */
    rotate: (id: string, hash: Buffer, formerUntil: number | null): void => {
      rotate.run(hash, formerUntil, id);
    },
    touch: (id: string, at: number): void => {
      touch.run(at, id);
    },
    remove: (id: string): void => {
      remove.run(id);
    },
  };
});

export interface HookKeyRow {
  id: string;
  tenant_id: string;
  project_id: string | null;
  /** SHA-256 of the secret. */
  hash: Buffer;
  former_hash: Buffer | null;
  /** Null: the former one is not valid any more. */
  former_until: number | null;
}

export const hookKeyStore = perConnection((db: PlatformDb) => {
  const find = db.prepare<{ id: string; hash: Buffer }, HookKeyRow>(
    `SELECT * FROM inbound_hooks
     WHERE id = :id OR (tenant_id = :id AND (hash = :hash OR former_hash = :hash))`,
  );
  const put = db.prepare<Omit<HookKeyRow, 'former_hash'>>(
    `INSERT INTO inbound_hooks (id, tenant_id, project_id, hash) VALUES (:id, :tenant_id, :project_id, :hash)
     ON CONFLICT (id) DO UPDATE
     SET former_hash = hash, former_until = :former_until, hash = excluded.hash
     WHERE tenant_id = excluded.tenant_id`,
  );
  const register = db.prepare<HookKeyRow>(
    `INSERT INTO inbound_hooks (id, tenant_id, project_id, hash, former_hash, former_until)
     VALUES (:id, :tenant_id, :project_id, :hash, :former_hash, :former_until)
     ON CONFLICT (id) DO UPDATE SET hash = excluded.hash, former_hash = excluded.former_hash,
       former_until = excluded.former_until WHERE tenant_id = excluded.tenant_id`,
  );
  const removeOthers = db.prepare<[string, string]>(
    'DELETE FROM inbound_hooks WHERE tenant_id = ? AND id NOT IN (SELECT value FROM json_each(?))',
  );
  const remove = db.prepare<[string, string]>('DELETE FROM inbound_hooks WHERE id = ? AND tenant_id = ?');
  const idsOf = db
    .prepare<[string], string>('SELECT id FROM inbound_hooks WHERE tenant_id = ? ORDER BY id')
    .pluck();
  return {
    idsOf: (tenantId: string): string[] => idsOf.all(tenantId),
    /** Makes the tenant's rows again; it has no others after it. */
    register: (tenantId: string, rows: readonly HookKeyRow[]): void => {
      removeOthers.run(tenantId, JSON.stringify(rows.map(({ id }) => id)));
      for (const row of rows) register.run(row);
    },
    /** `id` is the hook's, or its practice's: then the secret's hash says which hook it is. */
    find: (id: string, hash: Buffer): HookKeyRow | undefined => find.get({ id, hash }),
    /** The hash that is there becomes the former one. */
    put: (row: Omit<HookKeyRow, 'former_hash'>): void => {
      put.run(row);
    },
    remove: (id: string, tenantId: string): void => {
      remove.run(id, tenantId);
    },
  };
});
