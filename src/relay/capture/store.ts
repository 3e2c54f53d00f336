// The local mailbox of a capture upstream, in each tenant's own file.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

export interface CaptureRow {
  seq: number;
  id: string;
  message_id: string;
  recipient: string;
  return_path: string;
  captured_at: number;
  /** The size of the source before it was sealed. */
  size_bytes: number;
}

type NewCapture = Omit<CaptureRow, 'seq'> & {
  /** Sealed, bound to the capture's id. */
  readonly source: Buffer;
};

export interface CaptureFilter {
  readonly messageId: string | null;
  /** Ids of the projects whose messages may be seen; null: all. */
  readonly projects: ReadonlySet<string> | null;
}

interface ListParameters {
  readonly messageId: string | null;
  /** JSON array. */
  readonly projectIds: string | null;
  readonly before: number;
  readonly limit: number;
}

const jsonOf = (ids: ReadonlySet<string> | null): string | null => ids && JSON.stringify([...ids]);

/** A capture belongs to its message's project. */
const OF_PROJECTS = `(:projectIds IS NULL OR EXISTS (
  SELECT 1 FROM messages WHERE messages.id = message_id
  AND project_id IN (SELECT value FROM json_each(:projectIds))))`;

const COLUMNS = 'seq, id, message_id, recipient, return_path, captured_at, size_bytes';

export const captureStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<NewCapture>(
    `INSERT INTO captures (id, message_id, recipient, return_path, captured_at, size_bytes, source)
     VALUES (:id, :message_id, :recipient, :return_path, :captured_at, :size_bytes, :source)`,
  );
  const trim = db.prepare<[number]>(
    'DELETE FROM captures WHERE seq <= (SELECT seq FROM captures ORDER BY seq DESC LIMIT 1 OFFSET ?)',
  );
  const list = db.prepare<ListParameters, CaptureRow>(
    `SELECT ${COLUMNS} FROM captures
     WHERE seq < :before AND (:messageId IS NULL OR message_id = :messageId) AND ${OF_PROJECTS}
     ORDER BY seq DESC LIMIT :limit`,
  );
  const source = db
    .prepare<{ id: string; projectIds: string | null }, Buffer>(
      `SELECT source FROM captures WHERE id = :id AND ${OF_PROJECTS}`,
    )
    .pluck();
  return {
    /** Keeps the newest `keep`. */
    insert: (capture: NewCapture, keep: number): void => {
      insert.run(capture);
      trim.run(keep);
    },
    /** Newest first, those before position `before`. */
    list: ({ messageId, projects }: CaptureFilter, before: number | null, limit: number): CaptureRow[] =>
      list.all({
        messageId,
        projectIds: jsonOf(projects),
        before: before ?? Number.MAX_SAFE_INTEGER,
        limit,
      }),
    /** Still sealed. */
    source: (id: string, projects: CaptureFilter['projects']): Buffer | undefined =>
      source.get({ id, projectIds: jsonOf(projects) }),
  };
});
