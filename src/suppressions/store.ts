// Suppressions in the tenant's file, found by the hash of their address.
import { perConnection, type TenantDb } from '#src/db/sqlite.ts';
import type { SuppressionFacts } from './rules.ts';

export interface SuppressionRow extends SuppressionFacts {
  address_hash: Buffer;
  address: string | null;
  source_message_id: string | null;
  note: string | null;
  created_at: number;
}

export const suppressionStore = perConnection((db: TenantDb) => {
  const ofAddress = db.prepare<[Buffer], SuppressionFacts>(
    'SELECT id, scope, project_id, route_id, reason FROM suppressions WHERE address_hash = ?',
  );
  const insert = db.prepare<SuppressionRow>(
    `INSERT INTO suppressions
       (id, address_hash, address, scope, project_id, route_id, reason, source_message_id, note, created_at)
     VALUES (:id, :address_hash, :address, :scope, :project_id, :route_id, :reason, :source_message_id, :note, :created_at)
     ON CONFLICT DO NOTHING`,
  );
  return {
    ofAddress: (hash: Buffer): SuppressionFacts[] => ofAddress.all(hash),
    /** False where the address is suppressed in that scope already: the first reason stands. */
    insert: (row: SuppressionRow): boolean => insert.run(row).changes > 0,
  };
});
