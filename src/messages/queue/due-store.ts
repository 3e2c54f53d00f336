// The registry's rows about which tenants have something queued, so that a start opens no other tenants' files.
import { type PlatformDb, perConnection } from '#src/kernel/db/sqlite.ts';

export interface DueRow {
  tenant_id: string;
  due_at: number;
}

export const dueStore = perConnection((db: PlatformDb) => {
  const put = db.prepare<[string, number]>(
    'INSERT INTO queue_due (tenant_id, due_at) VALUES (?, ?) ON CONFLICT (tenant_id) DO UPDATE SET due_at = excluded.due_at',
  );
  const correct = db.prepare<[number, string]>('UPDATE queue_due SET due_at = ? WHERE tenant_id = ?');
  const remove = db.prepare<[string]>('DELETE FROM queue_due WHERE tenant_id = ?');
  const all = db.prepare<[], DueRow>(
    "SELECT tenant_id, due_at FROM queue_due JOIN tenants ON id = tenant_id AND state = 'active'",
  );
  const lower = db.prepare<[string, number]>(
    `INSERT INTO queue_due (tenant_id, due_at) VALUES (?, ?)
     ON CONFLICT (tenant_id) DO UPDATE SET due_at = min(due_at, excluded.due_at)`,
  );
  return {
    /** What a running daemon remembers of the row is never earlier than it. */
    lower: (tenantId: string, dueAt: number): void => {
      lower.run(tenantId, dueAt);
    },
    set: (tenantId: string, dueAt: number): void => {
      put.run(tenantId, dueAt);
    },
    /** Null: nothing is due. A tenant that is gone has no row by now, and gets none. */
    correct: (tenantId: string, dueAt: number | null): void => {
      if (dueAt === null) remove.run(tenantId);
      else correct.run(dueAt, tenantId);
    },
    all: (): DueRow[] => all.all(),
  };
});
