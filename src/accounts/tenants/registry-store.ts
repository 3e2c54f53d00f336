// The registry of tenants in platform.db.
import { credentialStore } from '#src/accounts/people/token-store.ts';
import { type PlatformDb, perConnection } from '#src/kernel/db/sqlite.ts';

/** `system`: the one tenant by which the service itself sends mail. */
export type Purpose = 'practice' | 'system';

export interface TenantRow {
  number: number;
  id: string;
  slug: string;
}

export const registryStore = perConnection((db: PlatformDb) => {
  const reserve = db.prepare<[string, string, Purpose, number]>(
    "INSERT INTO tenants (id, slug, purpose, state, created_at) VALUES (?, ?, ?, 'creating', ?)",
  );
  const slugTaken = db.prepare<[string], number>('SELECT 1 FROM tenants WHERE slug = ?').pluck();
  const activate = db.prepare<[string]>("UPDATE tenants SET state = 'active' WHERE id = ?");
  const deactivate = db.prepare<[string]>("UPDATE tenants SET state = 'creating' WHERE id = ?");
  const remove = db.prepare<[string]>('DELETE FROM tenants WHERE id = ?');
  const incomplete = db.prepare<[], string>("SELECT id FROM tenants WHERE state = 'creating'").pluck();
  const known = db.prepare<[string], number>('SELECT 1 FROM tenants WHERE id = ?').pluck();
  const get = db.prepare<[string], TenantRow>(
    "SELECT number, id, slug FROM tenants WHERE id = ? AND state = 'active'",
  );
  const bySlug = db.prepare<[string], TenantRow>(
    "SELECT number, id, slug FROM tenants WHERE slug = ? AND state = 'active'",
  );
  const anyByNumber = db.prepare<[number], TenantRow>(
    "SELECT number, id, slug FROM tenants WHERE number = ? AND state = 'active'",
  );
  const system = db.prepare<[], TenantRow>(
    "SELECT number, id, slug FROM tenants WHERE purpose = 'system' AND state = 'active'",
  );
  const list = db.prepare<[number, number], TenantRow>(
    "SELECT number, id, slug FROM tenants WHERE state = 'active' AND purpose = 'practice' AND number > ? ORDER BY number LIMIT ?",
  );
  const listAll = db.prepare<[number, number], TenantRow>(
    "SELECT number, id, slug FROM tenants WHERE state = 'active' AND number > ? ORDER BY number LIMIT ?",
  );
  const addProject = db.prepare<[string, string]>(
    'INSERT INTO projects (id, tenant_id) VALUES (?, ?) ON CONFLICT (id) DO NOTHING',
  );
  const tenantOfProject = db.prepare<[string], string>('SELECT tenant_id FROM projects WHERE id = ?').pluck();
  const getCheck = db.prepare<[], Buffer>('SELECT sealed FROM master_key_check').pluck();
  const putCheck = db.prepare<[Buffer]>('INSERT INTO master_key_check (only, sealed) VALUES (1, ?)');
  return {
    masterKeyCheck: (): Buffer | undefined => getCheck.get(),
    setMasterKeyCheck: (sealed: Buffer): void => {
      putCheck.run(sealed);
    },
    /** Returns the number of the new tenant. Throws if this would be a second system tenant. */
    reserve: (id: string, slug: string, now: number, purpose: Purpose = 'practice'): number =>
      Number(reserve.run(id, slug, purpose, now).lastInsertRowid),
    isSlugTaken: (slug: string): boolean => slugTaken.get(slug) !== undefined,
    activate: (id: string): void => {
      activate.run(id);
    },
    deactivate: (id: string): void => {
      deactivate.run(id);
    },
    remove: (id: string): void => {
      remove.run(id);
      credentialStore(db).forget();
    },
    addProject: (id: string, tenantId: string): void => {
      addProject.run(id, tenantId);
    },
    tenantOfProject: (id: string): string | undefined => tenantOfProject.get(id),
    incomplete: (): string[] => incomplete.all(),
    /** Also one that is being created or removed. */
    isKnown: (id: string): boolean => known.get(id) !== undefined,
    get: (id: string): TenantRow | undefined => get.get(id),
    bySlug: (slug: string): TenantRow | undefined => bySlug.get(slug),
    /** By the number in tokens and return paths; also the system tenant. */
    anyByNumber: (number: number): TenantRow | undefined => anyByNumber.get(number),
    /** Undefined before the first start has created it. */
    system: (): TenantRow | undefined => system.get(),
    /** As `list`, with the system tenant. */
    listAll: (afterNumber: number, limit: number): TenantRow[] => listAll.all(afterNumber, limit),
    /** Practices in the order of their numbers, after `afterNumber`. */
    list: (afterNumber: number, limit: number): TenantRow[] => list.all(afterNumber, limit),
  };
});
