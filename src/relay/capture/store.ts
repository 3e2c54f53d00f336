// The local mailbox of a capture upstream, in each tenant's own file.
import { perConnection, type TenantDb } from '#src/db/sqlite.ts';

export interface CaptureRow {
  seq: number;
  id: string;
  message_id: string;
  recipient: string;
  return_path: string;
  captured_at: number;
  size_bytes: number;
}

type NewCapture = Omit<CaptureRow, 'seq'> & { readonly source: Buffer };

const COLUMNS = 'seq, id, message_id, recipient, return_path, captured_at, size_bytes';

export const captureStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<NewCapture>(
    `INSERT INTO captures (id, message_id, recipient, return_path, captured_at, size_bytes, source)
     VALUES (:id, :message_id, :recipient, :return_path, :captured_at, :size_bytes, :source)`,
  );
  const trim = db.prepare<[number]>(
    'DELETE FROM captures WHERE seq <= (SELECT seq FROM captures ORDER BY seq DESC LIMIT 1 OFFSET ?)',
  );
  const list = db.prepare<[number, number], CaptureRow>(
    `SELECT ${COLUMNS} FROM captures WHERE seq < ? ORDER BY seq DESC LIMIT ?`,
  );
  const ofMessage = db.prepare<[string, number, number], CaptureRow>(
    `SELECT ${COLUMNS} FROM captures WHERE message_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  );
  const source = db.prepare<[string], Buffer>('SELECT source FROM captures WHERE id = ?').pluck();
  return {
    /** Keeps the newest `keep`. */
    insert: (capture: NewCapture, keep: number): void => {
      insert.run(capture);
      trim.run(keep);
    },
    /** Newest first, those before position `before`. */
    list: (messageId: string | null, before: number | null, limit: number): CaptureRow[] => {
      const position = before ?? Number.MAX_SAFE_INTEGER;
      return messageId === null ? list.all(position, limit) : ofMessage.all(messageId, position, limit);
    },
    source: (id: string): Buffer | undefined => source.get(id),
  };
});
