// One-time codes in platform.db: one row an address, known or not. Address and code stand there as HMACs.
import { type PlatformDb, perConnection } from '#src/db/sqlite.ts';

export interface SignInCodeRow {
  email_mac: Buffer;
  code_mac: Buffer;
  /** Codes tried so far. */
  attempts: number;
  created_at: number;
}

export const signInCodeStore = perConnection((db: PlatformDb) => {
  const get = db.prepare<[Buffer], SignInCodeRow>('SELECT * FROM sign_in_codes WHERE email_mac = ?');
  const put = db.prepare<SignInCodeRow>(
    `INSERT INTO sign_in_codes (email_mac, code_mac, attempts, created_at)
     VALUES (:email_mac, :code_mac, :attempts, :created_at)
     ON CONFLICT (email_mac) DO UPDATE SET code_mac = excluded.code_mac, attempts = excluded.attempts,
       created_at = excluded.created_at`,
  );
  const countAttempt = db.prepare<[Buffer]>(
    'UPDATE sign_in_codes SET attempts = attempts + 1 WHERE email_mac = ?',
  );
  const remove = db.prepare<[Buffer]>('DELETE FROM sign_in_codes WHERE email_mac = ?');
  const removeOld = db.prepare<[number, number]>(
    `DELETE FROM sign_in_codes WHERE email_mac IN
     (SELECT email_mac FROM sign_in_codes WHERE created_at < ? LIMIT ?)`,
  );
  return {
    get: (emailMac: Buffer): SignInCodeRow | undefined => get.get(emailMac),
    /** In the place of the address's former one. */
    put: (row: SignInCodeRow): void => {
      put.run(row);
    },
    countAttempt: (emailMac: Buffer): void => {
      countAttempt.run(emailMac);
    },
    remove: (emailMac: Buffer): void => {
      remove.run(emailMac);
    },
    /** At most `limit`; returns how many. */
    removeOld: (madeBefore: number, limit: number): number => removeOld.run(madeBefore, limit).changes,
  };
});
