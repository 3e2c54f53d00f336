// Segments in the tenant's file.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

export interface SegmentRow {
  seq: number;
  id: string;
  name: string;
  list_ids_json: string;
  filter_json: string;
  created_at: number;
  updated_at: number;
}

export const segmentStore = perConnection((db: TenantDb) => {
  const all = db.prepare<[], SegmentRow>('SELECT * FROM segments ORDER BY name, seq');
  const byId = db.prepare<[string], SegmentRow>('SELECT * FROM segments WHERE id = ?');
  const byName = db.prepare<[string], SegmentRow>('SELECT * FROM segments WHERE name = ?');
  const insert = db.prepare<Omit<SegmentRow, 'seq'>>(
    `INSERT INTO segments (id, name, list_ids_json, filter_json, created_at, updated_at)
     VALUES (:id, :name, :list_ids_json, :filter_json, :created_at, :updated_at)`,
  );
  const update = db.prepare<Omit<SegmentRow, 'seq' | 'created_at'>>(
    `UPDATE segments SET name = :name, list_ids_json = :list_ids_json, filter_json = :filter_json,
       updated_at = :updated_at
     WHERE id = :id`,
  );
  const remove = db.prepare<[string]>('DELETE FROM segments WHERE id = ?');
  return {
    /** Sorted by name. */
    all: (): SegmentRow[] => all.all(),
    byId: (id: string): SegmentRow | undefined => byId.get(id),
    byName: (name: string): SegmentRow | undefined => byName.get(name),
    insert: ({
      id,
      name,
      list_ids_json,
      filter_json,
      created_at,
      updated_at,
    }: Omit<SegmentRow, 'seq'>): void => {
      insert.run({ id, name, list_ids_json, filter_json, created_at, updated_at });
    },
    update: ({
      id,
      name,
      list_ids_json,
      filter_json,
      updated_at,
    }: Omit<SegmentRow, 'seq' | 'created_at'>): void => {
      update.run({ id, name, list_ids_json, filter_json, updated_at });
    },
    remove: (id: string): void => {
      remove.run(id);
    },
  };
});
