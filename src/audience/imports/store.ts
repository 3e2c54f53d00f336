// Imports in the tenant's file: their records, their files in pieces, and what is reported of rows.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

export type ImportKind = 'subscribers' | 'suppressions';
export const importStatuses = ['pending', 'running', 'done', 'failed', 'cancelled'] as const;

/** What may become of a row; each is a count, and all but the first three are reported with the line. */
export const outcomes = [
  'added',
  'updated',
  'already',
  'duplicates',
  'suppressed',
  'left_out',
  'failed',
] as const;
export type Outcome = (typeof outcomes)[number];

export interface ImportRow {
  seq: number;
  id: string;
  kind: ImportKind;
  status: 'receiving' | (typeof importStatuses)[number];
  request_json: string;
  size_bytes: number;
  progress_json: string | null;
  rows_total: number | null;
  rows_done: number;
  counts_json: string;
  failure: string | null;
  due_at: number | null;
  created_at: number;
  finished_at: number | null;
}

export interface FaultRow {
  import_seq: number;
  /** The line where the row begins; the first is 1. */
  line: number;
  /** The address as it was written; null where there is none, or it has been erased. */
  address: string | null;
  outcome: Outcome;
  /** A `Reason`, as JSON. */
  reason: string;
}

export interface FoundImports {
  readonly kinds: readonly ImportKind[];
  /** Id of who asked for them; null: anyone. */
  readonly by: string | null;
  readonly before: number | null;
}

export const importStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<Omit<ImportRow, 'seq'>>(
    `INSERT INTO imports (id, kind, status, request_json, size_bytes, progress_json, rows_total, rows_done, counts_json,
       failure, due_at, created_at, finished_at)
     VALUES (:id, :kind, :status, :request_json, :size_bytes, :progress_json, :rows_total, :rows_done, :counts_json,
       :failure, :due_at, :created_at, :finished_at)`,
  );
  const update = db.prepare<ImportRow>(
    `UPDATE imports SET status = :status, request_json = :request_json, progress_json = :progress_json,
       rows_total = :rows_total, rows_done = :rows_done, counts_json = :counts_json, failure = :failure,
       due_at = :due_at, finished_at = :finished_at
     WHERE seq = :seq`,
  );
  const bySeq = db.prepare<[number], ImportRow>('SELECT * FROM imports WHERE seq = ?');
  const byId = db.prepare<[string], ImportRow>(
    "SELECT * FROM imports WHERE id = ? AND status <> 'receiving'",
  );
  const find = db.prepare<{ kinds: string; by: string | null; before: number; limit: number }, ImportRow>(
    `SELECT * FROM imports
     WHERE seq < :before AND status <> 'receiving' AND kind IN (SELECT value FROM json_each(:kinds))
       AND (:by IS NULL OR request_json ->> 'by_id' = :by)
     ORDER BY seq DESC LIMIT :limit`,
  );
  const due = db.prepare<[], Pick<ImportRow, 'seq'> & { due_at: number }>(
    'SELECT seq, due_at FROM imports WHERE due_at IS NOT NULL ORDER BY due_at, seq LIMIT 10',
  );
  const ended = db
    .prepare<[number], number>(
      'SELECT seq FROM imports WHERE due_at IS NULL AND finished_at < ? ORDER BY seq LIMIT 1',
    )
    .pluck();
  const unfinished = db
    .prepare<[], number>(
      "SELECT count(*) FROM imports WHERE due_at IS NOT NULL AND status IN ('pending', 'running')",
    )
    .pluck();
  const remove = db.prepare<[number]>('DELETE FROM imports WHERE seq = ?');
  const insertPiece = db.prepare<[number, number, Buffer]>(
    'INSERT INTO import_pieces (import_seq, position, content) VALUES (?, ?, ?)',
  );
  const pieces = db
    .prepare<[number, number, number], Buffer>(
      'SELECT content FROM import_pieces WHERE import_seq = ? AND position BETWEEN ? AND ? ORDER BY position',
    )
    .pluck();
  const firstLine = db
    .prepare<[number, Buffer], number>(
      'SELECT line FROM import_addresses WHERE import_seq = ? AND address_hash = ?',
    )
    .pluck();
  const insertAddress = db.prepare<[number, Buffer, number]>(
    'INSERT INTO import_addresses (import_seq, address_hash, line) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  );
  const insertFault = db.prepare<FaultRow>(
    `INSERT INTO import_faults (import_seq, line, address, outcome, reason)
     VALUES (:import_seq, :line, :address, :outcome, :reason)`,
  );
  const faults = db.prepare<[number, number, number], FaultRow>(
    'SELECT * FROM import_faults WHERE import_seq = ? AND line > ? ORDER BY line LIMIT ?',
  );
  const removals = {
    /** Removes its file, and what is only needed while it is read. */
    content: [
      db.prepare<[number, number]>(
        `DELETE FROM import_pieces WHERE rowid IN (SELECT rowid FROM import_pieces WHERE import_seq = ? LIMIT ?)`,
      ),
      db.prepare<[number, number]>(
        `DELETE FROM import_addresses WHERE (import_seq, address_hash) IN
           (SELECT import_seq, address_hash FROM import_addresses WHERE import_seq = ? LIMIT ?)`,
      ),
    ],
    faults: [
      db.prepare<[number, number]>(
        `DELETE FROM import_faults WHERE (import_seq, line) IN
           (SELECT import_seq, line FROM import_faults WHERE import_seq = ? LIMIT ?)`,
      ),
    ],
  };
  return {
    insert: (row: Omit<ImportRow, 'seq'>): number => Number(insert.run(row).lastInsertRowid),
    update: (row: ImportRow): void => {
      update.run(row);
    },
    bySeq: (seq: number): ImportRow | undefined => bySeq.get(seq),
    /** Not one whose file is still received. */
    byId: (id: string): ImportRow | undefined => byId.get(id),
    /** Newest first. */
    find: ({ kinds, by, before }: FoundImports, limit: number): ImportRow[] =>
      find.all({ kinds: JSON.stringify(kinds), by, before: before ?? Number.MAX_SAFE_INTEGER, limit }),
    /** The first ones that have something to be done, with its time. */
    due: (): (Pick<ImportRow, 'seq'> & { due_at: number })[] => due.all(),
    /** Those that wait or run. */
    unfinished: (): number => unfinished.get() ?? 0,
    /** One that finished before that time, ms, and of which nothing is to be done. */
    endedBefore: (at: number): number | undefined => ended.get(at),
    remove: (seq: number): void => {
      remove.run(seq);
    },
    insertPiece: (seq: number, position: number, content: Buffer): void => {
      insertPiece.run(seq, position, content);
    },
    pieces: (seq: number, from: number, to: number): Buffer[] => pieces.all(seq, from, to),
    /** The line of the row that counts for that address: an earlier one, or a later one by which the person has left. */
    firstLine: (seq: number, person: Buffer): number | undefined => firstLine.get(seq, person),
    /** The first one stays. */
    insertAddress: (seq: number, person: Buffer, line: number): void => {
      insertAddress.run(seq, person, line);
    },
    insertFault: (fault: FaultRow): void => {
      insertFault.run(fault);
    },
    /** The faults in the order of their lines. */
    faults: (seq: number, afterLine: number, limit: number): FaultRow[] => faults.all(seq, afterLine, limit),
    /** Removes some hundred rows; false once there are none. */
    removeSome: (what: 'content' | 'faults', seq: number, limit: number): boolean =>
      removals[what].some((statement) => statement.run(seq, limit).changes > 0),
  };
});
