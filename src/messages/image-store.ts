// Images of the practice, and what shows them. They are here because the mails that carry an image refer to its row: its bytes are
// stored once. What uploads them, and who may, is intake's.
import { remembered } from '#src/kernel/db/memory.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { OldRows } from '#src/kernel/old-rows.ts';
import { DAY } from '#src/kernel/time.ts';
import type { ImageType } from './image-types.ts';

export interface ImageHead {
  readonly seq: number;
  readonly id: string;
  readonly name: string | null;
  readonly content_type: ImageType;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
  readonly created_at: number;
}

export interface ImageRow extends ImageHead {
  readonly content: Buffer;
}

export type UsedBy = 'template' | 'campaign' | 'letterhead';

const HEAD = 'seq, id, name, content_type, width, height, bytes, created_at';

/** Something uses it, or a mail carries it. */
const IS_SHOWN = `(EXISTS (SELECT 1 FROM image_uses WHERE image_seq = images.seq)
  OR EXISTS (SELECT 1 FROM attachments WHERE image_seq = images.seq))`;

/** An image is kept as long as the mails that may show it, from its last use on; while something shows it, it stays. */
export const oldImages: OldRows = {
  keptFor: ({ messages }) => messages,
  scan: `SELECT seq AS key, created_at AS at, used_at AS since, bytes,
           ${IS_SHOWN} AS held
         FROM images WHERE seq > ? ORDER BY seq`,
  remove: [`DELETE FROM images WHERE seq = ? AND NOT ${IS_SHOWN}`],
};

export const imageStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<Omit<ImageRow, 'seq'>>(
    `INSERT INTO images (id, name, content_type, width, height, bytes, created_at, used_at, content)
     VALUES (:id, :name, :content_type, :width, :height, :bytes, :created_at, :created_at, :content)`,
  );
  const head = db.prepare<[string], ImageHead>(`SELECT ${HEAD} FROM images WHERE id = ?`);
  const whole = db.prepare<[string], ImageRow>(`SELECT ${HEAD}, content FROM images WHERE id = ?`);
  const page = db.prepare<[number, number], ImageHead>(
    `SELECT ${HEAD} FROM images WHERE seq < ? ORDER BY seq DESC LIMIT ?`,
  );
  const totals = db.prepare<[], { count: number; bytes: number }>(
    'SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes FROM images',
  );
  const first = db.prepare<[], number>('SELECT 1 FROM images LIMIT 1').pluck();
  const any = remembered(db, () => first.get() !== undefined);
  const touch = db.prepare<{ now: number; id: string; before: number }>(
    'UPDATE images SET used_at = :now WHERE id = :id AND used_at < :before',
  );
  const remove = db.prepare<[string]>('DELETE FROM images WHERE id = ?');
  const users = db.prepare<[number], { used_by: UsedBy; user_id: string }>(
    'SELECT used_by, user_id FROM image_uses WHERE image_seq = ? ORDER BY used_by, user_id',
  );
  const carried = db
    .prepare<[number], number>('SELECT 1 FROM attachments WHERE image_seq = ? LIMIT 1')
    .pluck();
  const usedIds = db
    .prepare<[string, string], string>(
      'SELECT id FROM image_uses JOIN images ON seq = image_seq WHERE used_by = ? AND user_id = ?',
    )
    .pluck();
  const addUse = db.prepare<[string, string, string]>(
    `INSERT INTO image_uses (used_by, user_id, image_seq) SELECT ?, ?, seq FROM images WHERE id = ?
     ON CONFLICT DO NOTHING`,
  );
  const endUse = db.prepare<[string, string, string]>(
    `DELETE FROM image_uses WHERE used_by = ? AND user_id = ?
       AND image_seq = (SELECT seq FROM images WHERE id = ?)`,
  );
  return {
    insert: (row: Omit<ImageRow, 'seq'>): void => {
      insert.run(row);
      any.forget();
    },
    /** Whether there is any at all: most practices have none, and pay no statement for what they send. */
    any: (): boolean => any(),
    head: (id: string): ImageHead | undefined => head.get(id),
    whole: (id: string): ImageRow | undefined => whole.get(id),
    /** Newest first. */
    page: (before: number, limit: number): ImageHead[] => page.all(before, limit),
    totals: (): { readonly count: number; readonly bytes: number } =>
      totals.get() as { count: number; bytes: number },
    /** It is kept from now on, to the day. */
    touch: (id: string, now: number): void => {
      touch.run({ id, now, before: now - DAY });
    },
    remove: (id: string): void => {
      remove.run(id);
      any.forget();
    },
    users: (seq: number) => users.all(seq),
    /** Whether mails that are kept carry it. */
    isCarried: (seq: number): boolean => carried.get(seq) !== undefined,
    usedIds: (usedBy: UsedBy, userId: string): string[] => usedIds.all(usedBy, userId),
    addUse: (usedBy: UsedBy, userId: string, id: string): void => {
      addUse.run(usedBy, userId, id);
    },
    endUse: (usedBy: UsedBy, userId: string, id: string): void => {
      endUse.run(usedBy, userId, id);
    },
  };
});
