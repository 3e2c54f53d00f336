// Sessions and one-time codes in platform.db. A session is stored by the SHA-256 of its bearer, address and code of a
// one-time code as HMACs: a stolen file lets no one in. An address has one code, whether it is known or not.
import { type PlatformDb, perConnection } from '#src/kernel/db/sqlite.ts';

export const signInMethods = ['code', 'password', 'invitation'] as const;
export type SignInMethod = (typeof signInMethods)[number];

export interface SessionRow {
  hash: Buffer;
  id: string;
  account_id: string;
  method: SignInMethod;
  user_agent: string;
  client_address: string | null;
  created_at: number;
  /** The time was last written up to a minute ago. */
  last_used_at: number;
}

/** A session with the account that it belongs to. */
export interface SessionOfAccount
  extends Pick<SessionRow, 'id' | 'account_id' | 'method' | 'created_at' | 'last_used_at'> {
  email: string;
  email_key: string;
}

export const sessionStore = perConnection((db: PlatformDb) => {
  const insert = db.prepare<SessionRow>(
    `INSERT INTO sessions (hash, id, account_id, method, user_agent, client_address, created_at, last_used_at)
     VALUES (:hash, :id, :account_id, :method, :user_agent, :client_address, :created_at, :last_used_at)`,
  );
  const find = db.prepare<[Buffer], SessionOfAccount>(
    `SELECT sessions.id, account_id, method, sessions.created_at, last_used_at, email, email_key
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
  const removeAll = db.prepare('DELETE FROM sessions');
  return {
    /** Empties a restored registry of sessions: people who have signed out since must not be signed in again. */
    removeAll: (): void => {
      removeAll.run();
    },
    insert: (row: SessionRow): void => {
      insert.run(row);
    },
    find: (hash: Buffer): SessionOfAccount | undefined => find.get(hash),
    get: (id: string): SessionRow | undefined => get.get(id),
    ofAccount: (accountId: string): SessionRow[] => ofAccount.all(accountId),
    touch: (id: string, at: number): void => {
      touch.run(at, id);
    },
    /** False if there was none. */
    remove: (id: string): boolean => remove.run(id).changes > 0,
    /** All of the account but one; an unknown `keptId` keeps none. Returns how many. */
    removeOthers: (accountId: string, keptId: string): number =>
      removeOfAccount.run(accountId, keptId).changes,
    /** At most `limit` that were used or made longest ago; returns how many. */
    removeOld: (usedBefore: number, madeBefore: number, limit: number): number =>
      removeOld.run(usedBefore, madeBefore, limit).changes,
  };
});

export interface SignInCodeRow {
  email_mac: Buffer;
  code_mac: Buffer;
  /** Codes tried so far. */
  attempts: number;
  /** Wrong guesses at the codes before this one, since the last right one. */
  failures: number;
  created_at: number;
  forget_at: number;
}

export const signInCodeStore = perConnection((db: PlatformDb) => {
  const get = db.prepare<[Buffer], SignInCodeRow>('SELECT * FROM sign_in_codes WHERE email_mac = ?');
  const put = db.prepare<SignInCodeRow>(
    `INSERT INTO sign_in_codes (email_mac, code_mac, attempts, failures, created_at, forget_at)
     VALUES (:email_mac, :code_mac, :attempts, :failures, :created_at, :forget_at)
     ON CONFLICT (email_mac) DO UPDATE SET code_mac = excluded.code_mac, attempts = excluded.attempts,
       failures = excluded.failures, created_at = excluded.created_at, forget_at = excluded.forget_at`,
  );
  const countAttempt = db.prepare<[number, Buffer]>(
    'UPDATE sign_in_codes SET attempts = attempts + 1, forget_at = ? WHERE email_mac = ?',
  );
  const remove = db.prepare<[Buffer]>('DELETE FROM sign_in_codes WHERE email_mac = ?');
  const removeOld = db.prepare<[number, number]>(
    `DELETE FROM sign_in_codes WHERE email_mac IN
     (SELECT email_mac FROM sign_in_codes WHERE forget_at < ? LIMIT ?)`,
  );
  return {
    get: (emailMac: Buffer): SignInCodeRow | undefined => get.get(emailMac),
    /** Replaces the address's former code. */
    put: (row: SignInCodeRow): void => {
      put.run(row);
    },
    countAttempt: (emailMac: Buffer, forgetAt: number): void => {
      countAttempt.run(forgetAt, emailMac);
    },
    remove: (emailMac: Buffer): void => {
      remove.run(emailMac);
    },
    /** Removes at most `limit`; returns how many. */
    removeOld: (now: number, limit: number): number => removeOld.run(now, limit).changes,
  };
});
