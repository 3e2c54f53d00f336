// One-time codes in platform.db: one row an address, known or not. Address and code stand there as HMACs.
import { type PlatformDb, perConnection } from '#src/kernel/db/sqlite.ts';

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
    /** In the place of the address's former one. */
    put: (row: SignInCodeRow): void => {
      put.run(row);
    },
    countAttempt: (emailMac: Buffer, forgetAt: number): void => {
      countAttempt.run(forgetAt, emailMac);
    },
    remove: (emailMac: Buffer): void => {
      remove.run(emailMac);
    },
    /** At most `limit`; returns how many. */
    removeOld: (now: number, limit: number): number => removeOld.run(now, limit).changes,
  };
});
