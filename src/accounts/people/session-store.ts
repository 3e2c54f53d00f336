// Sessions in platform.db, by the SHA-256 of their bearer: a stolen file lets nobody in.
import { type PlatformDb, perConnection } from '#src/kernel/db/sqlite.ts';

export interface SessionRow {
  hash: Buffer;
  id: string;
  account_id: string;
  created_at: number;
  /** As last written; up to a minute behind. */
  last_used_at: number;
}

/** With the account it belongs to. */
export interface SessionOfAccount extends Omit<SessionRow, 'hash'> {
  email: string;
  email_key: string;
}

export const sessionStore = perConnection((db: PlatformDb) => {
  const insert = db.prepare<SessionRow>(
    `INSERT INTO sessions (hash, id, account_id, created_at, last_used_at)
     VALUES (:hash, :id, :account_id, :created_at, :last_used_at)`,
  );
  const find = db.prepare<[Buffer], SessionOfAccount>(
    `SELECT sessions.id, account_id, sessions.created_at, last_used_at, email, email_key
     FROM sessions JOIN accounts ON accounts.id = account_id WHERE hash = ?`,
  );
  const get = db.prepare<[string], SessionRow>('SELECT * FROM sessions WHERE id = ?');
  const ofAccount = db.prepare<[string], SessionRow>('SELECT * FROM sessions WHERE account_id = ?');
  const touch = db.prepare<[number, string]>('UPDATE sessions SET last_used_at = ? WHERE id = ?');
  const remove = db.prepare<[string]>('DELETE FROM sessions WHERE id = ?');
  const removeOfAccount = db.prepare<[string, string]>(
    'DELETE FROM sessions WHERE account_id = ? AND id <> ?',
  );
  const removeOld = db.prepare<[number, number, number]>(
    `DELETE FROM sessions WHERE id IN
     (SELECT id FROM sessions WHERE last_used_at < ? OR created_at < ? LIMIT ?)`,
  );
  return {
    insert: (row: SessionRow): void => {
      insert.run(row);
    },
    find: (hash: Buffer): SessionOfAccount | undefined => find.get(hash),
    get: (id: string): SessionRow | undefined => get.get(id),
    ofAccount: (accountId: string): SessionRow[] => ofAccount.all(accountId),
    touch: (id: string, at: number): void => {
      touch.run(at, id);
    },
    /** False where there was none. */
    remove: (id: string): boolean => remove.run(id).changes > 0,
    /** All of the account but one (an id that is none spares none); resolves with how many. */
    removeOthers: (accountId: string, keptId: string): number =>
      removeOfAccount.run(accountId, keptId).changes,
    /** At most `limit` that were used or made longest ago; returns how many. */
    removeOld: (usedBefore: number, madeBefore: number, limit: number): number =>
      removeOld.run(usedBefore, madeBefore, limit).changes,
  };
});
