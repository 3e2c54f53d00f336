// Erasures in the tenant's file: a person by their hash, how far the work has come, and what was erased.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

export interface ErasureRow {
  seq: number;
  id: string;
  /** See `addressHash`. */
  address_hash: Buffer;
  /** Null once all is erased. */
  sealed_address: Buffer | null;
  reason: string | null;
  requested_by: string;
  progress_json: string;
  counts_json: string;
  requested_at: number;
  finished_at: number | null;
}

type NewErasure = Omit<ErasureRow, 'seq' | 'finished_at'>;

export const erasureStore = perConnection((db: TenantDb) => {
  const insert = db.prepare<NewErasure>(
    `INSERT INTO erasures (id, address_hash, sealed_address, reason, requested_by, progress_json, counts_json, requested_at)
     VALUES (:id, :address_hash, :sealed_address, :reason, :requested_by, :progress_json, :counts_json, :requested_at)`,
  );
  const bySeq = db.prepare<[number], ErasureRow>('SELECT * FROM erasures WHERE seq = ?');
  const byId = db.prepare<[string], ErasureRow>('SELECT * FROM erasures WHERE id = ?');
  const unfinished = db.prepare<[], ErasureRow>(
    "SELECT * FROM erasures WHERE finished_at IS NULL ORDER BY progress_json ->> 'due_at', seq LIMIT 20",
  );
  const unfinishedOf = db.prepare<[Buffer], ErasureRow>(
    'SELECT * FROM erasures WHERE finished_at IS NULL AND address_hash = ?',
  );
  const before = db.prepare<[number, number], ErasureRow>(
    'SELECT * FROM erasures WHERE seq < ? ORDER BY seq DESC LIMIT ?',
  );
  const advance = db.prepare<Pick<ErasureRow, 'seq' | 'progress_json' | 'counts_json'>>(
    'UPDATE erasures SET progress_json = :progress_json, counts_json = :counts_json WHERE seq = :seq',
  );
  const finish = db.prepare<Pick<ErasureRow, 'seq' | 'progress_json'> & { now: number }>(
    'UPDATE erasures SET progress_json = :progress_json, sealed_address = NULL, finished_at = :now WHERE seq = :seq',
  );
  return {
    insert: (row: NewErasure): void => {
      insert.run(row);
    },
    bySeq: (seq: number): ErasureRow | undefined => bySeq.get(seq),
    byId: (id: string): ErasureRow | undefined => byId.get(id),
    /** Those that are due first; some wait for long. */
    unfinished: (): ErasureRow[] => unfinished.all(),
    unfinishedOf: (hash: Buffer): ErasureRow | undefined => unfinishedOf.get(hash),
    /** Newest first, those before that number. */
    list: (seq: number | null, limit: number): ErasureRow[] =>
      before.all(seq ?? Number.MAX_SAFE_INTEGER, limit),
    advance: (row: Pick<ErasureRow, 'seq' | 'progress_json' | 'counts_json'>): void => {
      advance.run(row);
    },
    finish: (row: Pick<ErasureRow, 'seq' | 'progress_json'>, now: number): void => {
      finish.run({ ...row, now });
    },
  };
});
