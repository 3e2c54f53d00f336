// Saved replies of a practice, in its file.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

export interface ReplyRow {
  id: string;
  name: string;
  text: string;
  created_at: number;
  updated_at: number;
}

export const replyStore = perConnection((db: TenantDb) => {
  const list = db.prepare<[], ReplyRow>('SELECT * FROM saved_replies ORDER BY name COLLATE NOCASE, id');
  const byId = db.prepare<[string], ReplyRow>('SELECT * FROM saved_replies WHERE id = ?');
  const put = db.prepare<ReplyRow>(
    `INSERT INTO saved_replies (id, name, text, created_at, updated_at)
     VALUES (:id, :name, :text, :created_at, :updated_at)
     ON CONFLICT (id) DO UPDATE SET name = excluded.name, text = excluded.text, updated_at = excluded.updated_at`,
  );
  const remove = db.prepare<[string]>('DELETE FROM saved_replies WHERE id = ?');
  return {
    list: (): ReplyRow[] => list.all(),
    byId: (id: string): ReplyRow | undefined => byId.get(id),
    put: (row: ReplyRow): void => {
      put.run(row);
    },
    remove: (id: string): void => {
      remove.run(id);
    },
  };
});
