// Whether a tenant receives mail and how, in its file; and which tenants do, in the registry.
import { remembered, rememberedBy } from '#src/kernel/db/memory.ts';
import { type PlatformDb, perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { type InboundOptions, inboundOptions, initialOptions } from './options.ts';

export interface InboundSettings {
  /** ms; null: nothing is received. */
  readonly enabledAt: number | null;
  readonly options: InboundOptions;
}

export const inboundSettingsStore = perConnection((db: TenantDb) => {
  const select = db.prepare<[], { enabled_at: number | null; options_json: string }>(
    'SELECT enabled_at, options_json FROM inbound_settings',
  );
  const put = db.prepare<[number | null, string]>(
    `INSERT INTO inbound_settings (only, enabled_at, options_json) VALUES (1, ?, ?)
     ON CONFLICT (only) DO UPDATE SET enabled_at = excluded.enabled_at, options_json = excluded.options_json`,
  );
  const current = remembered(db, (): InboundSettings => {
    const row = select.get();
    if (!row) return { enabledAt: null, options: initialOptions };
    return { enabledAt: row.enabled_at, options: inboundOptions.parse(JSON.parse(row.options_json)) };
  });
  return {
    current: (): InboundSettings => current(),
    put: ({ enabledAt, options }: InboundSettings): void => {
      put.run(enabledAt, JSON.stringify(options));
      current.forget();
    },
  };
});

export const inboundRegistryStore = perConnection((db: PlatformDb) => {
  const select = db.prepare<[string], number>('SELECT 1 FROM inbound_tenants WHERE tenant_id = ?').pluck();
  const has = rememberedBy(db, (tenantId: string) => select.get(tenantId));
  const add = db.prepare<[string]>(
    'INSERT INTO inbound_tenants (tenant_id) VALUES (?) ON CONFLICT DO NOTHING',
  );
  const remove = db.prepare<[string]>('DELETE FROM inbound_tenants WHERE tenant_id = ?');
  return {
    has: (tenantId: string): boolean => has(tenantId) !== undefined,
    add: (tenantId: string): void => {
      has.forget();
      add.run(tenantId);
    },
    remove: (tenantId: string): void => {
      has.forget();
      remove.run(tenantId);
    },
  };
});
