// The registry of tenants in platform.db.
import { credentialStore } from '#src/accounts/entry/token-store.ts';
import { forgetMemory, remembered, writeMemory } from '#src/kernel/db/memory.ts';
import { type PlatformDb, perConnection } from '#src/kernel/db/sqlite.ts';
import { type NewHost, TenantMoved } from '#src/kernel/moved.ts';
import type { PracticeRow } from './store.ts';

/** See schema.platform.sql. */
export type TenantState = 'creating' | 'active' | 'arriving' | 'moved';

/** `system`: the one tenant by which the service itself sends mail. */
export type Purpose = 'practice' | 'system';

export interface TenantRow {
  number: number;
  id: string;
  slug: string;
}

interface MovedRow extends TenantRow {
  moved_json: string;
  moved_until: number;
}

export interface MovedTenant extends TenantRow {
  readonly newHost: NewHost;
  readonly until: number;
}

export interface RegisteredTenant extends TenantRow {
  readonly state: TenantState;
  readonly purpose: Purpose;
  readonly created_at: number;
}

export const registryStore = perConnection((db: PlatformDb) => {
  const reserve = db.prepare<[string, string, Purpose, number]>(
    "INSERT INTO tenants (id, slug, purpose, state, created_at) VALUES (?, ?, ?, 'creating', ?)",
  );
  const slugTaken = db.prepare<[string], number>('SELECT 1 FROM tenants WHERE slug = ?').pluck();
  const activate = db.prepare<[string]>("UPDATE tenants SET state = 'active' WHERE id = ?");
  const deactivate = db.prepare<[string]>(
    "UPDATE tenants SET state = 'creating', moved_json = NULL, moved_until = NULL WHERE id = ?",
  );
  const remove = db.prepare<[string]>('DELETE FROM tenants WHERE id = ?');
  const incomplete = db.prepare<[], string>("SELECT id FROM tenants WHERE state = 'creating'").pluck();
  const known = db.prepare<[string], number>('SELECT 1 FROM tenants WHERE id = ?').pluck();
  const get = db.prepare<[string], TenantRow>(
    "SELECT number, id, slug FROM tenants WHERE id = ? AND state = 'active'",
  );
  const bySlug = db.prepare<[string], TenantRow>(
    "SELECT number, id, slug FROM tenants WHERE slug = ? AND state = 'active'",
  );
  const anyByNumber = db.prepare<[number], TenantRow & { moved_json: string | null }>(
    "SELECT number, id, slug, moved_json FROM tenants WHERE number = ? AND state <> 'creating'",
  );
  const movedTo = db.prepare<[string], string | null>('SELECT moved_json FROM tenants WHERE id = ?').pluck();
  const move = db.prepare<[string, number, string]>(
    "UPDATE tenants SET state = 'moved', moved_json = ?, moved_until = ? WHERE id = ? AND state = 'active'",
  );
  const moved = db.prepare<[], MovedRow>(
    'SELECT number, id, slug, moved_json, moved_until FROM tenants WHERE moved_until IS NOT NULL ORDER BY number',
  );
  const stateOf = db.prepare<[string], TenantState>('SELECT state FROM tenants WHERE id = ?').pluck();
  const every = db.prepare<[], RegisteredTenant>(
    'SELECT number, id, slug, state, purpose, created_at FROM tenants ORDER BY number',
  );
  const someMoved = remembered(db, () => moved.get() !== undefined);
  const arriving = db.prepare<[], TenantRow>(
    "SELECT number, id, slug FROM tenants WHERE state = 'arriving' ORDER BY number",
  );
  const arrive = db.prepare<[string]>("UPDATE tenants SET state = 'arriving' WHERE id = ?");
  const system = db.prepare<[], TenantRow>(
    "SELECT number, id, slug FROM tenants WHERE purpose = 'system' AND state = 'active'",
  );
  const any = db.prepare<Record<'id' | 'number' | 'slug' | 'purpose', unknown>, TenantRow>(
    `SELECT number, id, slug FROM tenants
     WHERE id = :id OR number = :number OR slug = :slug OR (purpose = 'system' AND purpose = :purpose)`,
  );
  const register = db.prepare<Pick<PracticeRow, 'number' | 'id' | 'slug' | 'purpose' | 'created_at'>>(
    `INSERT INTO tenants (number, id, slug, purpose, state, created_at)
     VALUES (:number, :id, :slug, :purpose, 'active', :created_at)
     ON CONFLICT (id) DO UPDATE SET slug = excluded.slug,
       state = CASE WHEN state IN ('arriving', 'moved') THEN state ELSE 'active' END`,
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
  return {
    /** Returns the number of the new tenant. Throws if this would be a second system tenant. */
    reserve: (id: string, slug: string, now: number, purpose: Purpose = 'practice'): number =>
      Number(reserve.run(id, slug, purpose, now).lastInsertRowid),
    isSlugTaken: (slug: string): boolean => slugTaken.get(slug) !== undefined,
    activate: (id: string): void => {
      activate.run(id);
    },
    deactivate: (id: string): void => {
      deactivate.run(id);
      someMoved.forget();
    },
    remove: (id: string): void => {
      // Rows of other rooms go with it, and what they remember of them.
      writeMemory(db);
      remove.run(id);
      forgetMemory(db);
      credentialStore(db).forget();
      someMoved.forget();
    },
    /** Finds a tenant by one of its names, in whatever state. */
    any: (
      by: Partial<Record<'id' | 'slug' | 'purpose', string> & { number: number }>,
    ): TenantRow | undefined => any.get({ id: null, number: null, slug: null, purpose: null, ...by }),
    /** Makes the row again. No other tenant may have its number or slug. */
    register: ({
      number,
      id,
      slug,
      purpose,
      created_at,
    }: Pick<PracticeRow, 'number' | 'id' | 'slug' | 'purpose' | 'created_at'>): void => {
      register.run({ number, id, slug, purpose, created_at });
    },
    addProject: (id: string, tenantId: string): void => {
      addProject.run(id, tenantId);
    },
    tenantOfProject: (id: string): string | undefined => tenantOfProject.get(id),
    stateOf: (id: string): TenantState | null => stateOf.get(id) ?? null,
    /** All tenants, in whatever state, and the system tenant. */
    every: (): RegisteredTenant[] => every.all(),
    incomplete: (): string[] => incomplete.all(),
    /** Also one that is being created or removed. */
    isKnown: (id: string): boolean => known.get(id) !== undefined,
    get: (id: string): TenantRow | undefined => get.get(id),
    bySlug: (slug: string): TenantRow | undefined => bySlug.get(slug),
    /**
     * Finds a tenant by the number in tokens and return paths; also the system tenant, and one whose file is refused because it
     * is arriving. Throws TenantMoved.
     */
    anyByNumber: (number: number): TenantRow | undefined => {
      const row = anyByNumber.get(number);
      if (row && row.moved_json !== null) throw new TenantMoved(JSON.parse(row.moved_json));
      return row;
    },
    /** Throws TenantMoved. */
    requireHere: (id: string): void => {
      const newHost = movedTo.get(id) ?? null;
      if (newHost !== null) throw new TenantMoved(JSON.parse(newHost));
    },
    /** False where it is not active. */
    move: (id: string, newHost: NewHost, until: number): boolean => {
      const { changes } = move.run(JSON.stringify(newHost), until, id);
      credentialStore(db).forget();
      someMoved.forget();
      return changes > 0;
    },
    /** Asked with each request of a stranger that has a body. */
    someMoved: (): boolean => someMoved(),
    moved: (): MovedTenant[] =>
      moved.all().map(({ moved_json, moved_until, ...row }) => ({
        ...row,
        newHost: JSON.parse(moved_json),
        until: moved_until,
      })),
    arriving: (): TenantRow[] => arriving.all(),
    /** The tenant is complete, and not active before the host that it comes from has given it up. */
    arrive: (id: string): void => {
      arrive.run(id);
    },
    /** Undefined before the first start has created it. */
    system: (): TenantRow | undefined => system.get(),
    /** Like `list`, with the system tenant. */
    listAll: (afterNumber: number, limit: number): TenantRow[] => listAll.all(afterNumber, limit),
    /** Practices in the order of their numbers, after `afterNumber`. */
    list: (afterNumber: number, limit: number): TenantRow[] => list.all(afterNumber, limit),
  };
});
