// The registry's rows about which tenants' files were written since they were last looked at.
import { type PlatformDb, perConnection } from '#src/kernel/db/sqlite.ts';

export const writtenStore = perConnection((db: PlatformDb) => {
  const add = db.prepare<[string]>(
    'INSERT INTO written_tenants (tenant_id) SELECT id FROM tenants WHERE id = ? ON CONFLICT DO NOTHING',
  );
  const remove = db.prepare<[string]>('DELETE FROM written_tenants WHERE tenant_id = ?');
  const all = db
    .prepare<[], string>(
      "SELECT tenant_id FROM written_tenants JOIN tenants ON id = tenant_id AND state = 'active'",
    )
    .pluck();
  return {
    /** Does nothing for a tenant that is not registered. */
    add: (tenantId: string): void => {
      add.run(tenantId);
    },
    remove: (tenantId: string): void => {
      remove.run(tenantId);
    },
    all: (): string[] => all.all(),
  };
});
