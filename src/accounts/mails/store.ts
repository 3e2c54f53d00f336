// Notices that wait in platform.db.
import { eachRow, type PlatformDb, perConnection } from '#src/kernel/db/sqlite.ts';

export interface NoticeRow {
  seq: number;
  id: string;
  sealed: Buffer;
  expires_at: number;
  created_at: number;
}

export const noticeStore = perConnection((db: PlatformDb) => {
  const insert = db.prepare<Omit<NoticeRow, 'seq'>>(
    `INSERT INTO notices (id, sealed, expires_at, created_at) VALUES (:id, :sealed, :expires_at, :created_at)
     ON CONFLICT (id) DO NOTHING`,
  );
  const ids = db.prepare<[], string>('SELECT id FROM notices ORDER BY seq').pluck();
  const byId = db.prepare<[string], NoticeRow>('SELECT * FROM notices WHERE id = ?');
  const remove = db.prepare<[string]>('DELETE FROM notices WHERE id = ?');
  return {
    /** One whose id is there already is left as it is. */
    insert: (row: Omit<NoticeRow, 'seq'>): void => {
      insert.run(row);
    },
    /** The notices in the order in which they were written, without those that `isLeftOut` names. */
    waiting: (limit: number, isLeftOut: (id: string) => boolean = () => false): NoticeRow[] => {
      const found: string[] = [];
      eachRow(ids)((id) => {
        if (!isLeftOut(id)) found.push(id);
        return found.length < limit;
      });
      return found.flatMap((id) => byId.get(id) ?? []);
    },
    remove: (id: string): void => {
      remove.run(id);
    },
  };
});
