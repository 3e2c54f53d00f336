// Answers that were given under an idempotency key, kept for a day.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

/** More than one, so that a backlog shrinks; few, so that no single send becomes slow. */
const PURGED_PER_PUT = 10;

export interface KeptAnswer {
  request_hash: Buffer;
  status: number;
  response_json: string;
}

export const idempotencyStore = perConnection((db: TenantDb) => {
  const get = db.prepare<[string, string, number], KeptAnswer>(
    `SELECT request_hash, status, response_json FROM idempotency_keys
     WHERE project_id = ? AND key = ? AND created_at > ?`,
  );
  const put = db.prepare<[string, string, Buffer, number, string, number]>(
    `INSERT OR REPLACE INTO idempotency_keys (project_id, key, request_hash, status, response_json, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const remove = db.prepare<[string, string]>(
    'DELETE FROM idempotency_keys WHERE project_id = ? AND key = ?',
  );
  const purge = db.prepare<[number, number]>(
    `DELETE FROM idempotency_keys WHERE (project_id, key) IN
     (SELECT project_id, key FROM idempotency_keys WHERE created_at <= ? ORDER BY created_at LIMIT ?)`,
  );
  const oldest = db
    .prepare<[], number>('SELECT created_at FROM idempotency_keys ORDER BY created_at LIMIT 1')
    .pluck();
  return {
    /** The answer given after `since`. */
    get: (projectId: string, key: string, since: number): KeptAnswer | undefined =>
      get.get(projectId, key, since),
    /** Also removes some of the answers given at or before `expired`, so that old ones do not pile up. */
    put: (projectId: string, key: string, answer: KeptAnswer, now: number, expired: number): void => {
      purge.run(expired, PURGED_PER_PUT);
      put.run(projectId, key, answer.request_hash, answer.status, answer.response_json, now);
    },
    remove: (projectId: string, key: string): void => {
      remove.run(projectId, key);
    },
    /** When the first that is kept was given; undefined where there is none. */
    oldest: (): number | undefined => oldest.get(),
    /** Removes at most `limit` of those given at or before `expired`; returns how many. */
    removeExpired: (expired: number, limit: number): number => purge.run(expired, limit).changes,
  };
});
