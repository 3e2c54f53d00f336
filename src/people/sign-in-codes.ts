// One-time codes: six digits, valid for ten minutes and five attempts; one live code an address, a new one at most
// every minute. Codes are kept for unknown addresses too, so that nothing tells them from known ones. Each attempt is
// counted in the transaction that judges it. What is stored are HMACs under a key that is not in the database: six
// digits are soon found from a plain hash. The code's is bound to its address and time, so no row serves for another.
import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { PlatformDb } from '#src/db/sqlite.ts';
import { MINUTE, SECOND } from '#src/kernel/time.ts';
import { type SignInCodeRow, signInCodeStore } from './sign-in-code-store.ts';

export const CODE_DIGITS = 6;
export const CODE_VALID_MS = 10 * MINUTE;
export const NEW_CODE_AFTER_MS = 60 * SECOND;
const MAX_ATTEMPTS = 5;
const REMOVED_AT_ONCE = 1_000;

export type CodeVerdict =
  /** Used up now. */
  | 'right'
  | 'wrong'
  /** There is no live code that could be tried. */
  | 'none';

export interface SignInCodes {
  /** The new code of the address; null where the one it has is too young to be replaced. */
  request(db: PlatformDb, emailKey: string, now: number): string | null;
  /** Counts the attempt, then judges it: what comes after in the transaction must not throw for a wrong code. */
  judge(db: PlatformDb, emailKey: string, code: string, now: number): CodeVerdict;
  /** Removes a bounded number of dead codes; false once there are none left. */
  removeOld(db: PlatformDb, now: number): boolean;
}

/** A clock that was set back makes a row of the future: as dead as an old one. */
const isYoungerThan = ({ created_at }: SignInCodeRow, age: number, now: number): boolean =>
  now >= created_at && now - created_at < age;

/** `key` is derived for codes alone. */
export const createSignInCodes = (key: Buffer): SignInCodes => {
  const mac = (...parts: readonly (string | number)[]): Buffer =>
    createHmac('sha256', key).update(JSON.stringify(parts)).digest();
  const emailMac = (emailKey: string): Buffer => mac('address', emailKey);
  const codeMac = (emailKey: string, createdAt: number, code: string): Buffer =>
    mac('code', emailKey, createdAt, code);

  return {
    request: (db, emailKey, now) => {
      const email_mac = emailMac(emailKey);
      const present = signInCodeStore(db).get(email_mac);
      if (present && isYoungerThan(present, NEW_CODE_AFTER_MS, now)) return null;
      const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
      signInCodeStore(db).put({
        email_mac,
        code_mac: codeMac(emailKey, now, code),
        attempts: 0,
        created_at: now,
      });
      return code;
    },
    judge: (db, emailKey, code, now) => {
      const email_mac = emailMac(emailKey);
      const row = signInCodeStore(db).get(email_mac);
      if (!row || row.attempts >= MAX_ATTEMPTS || !isYoungerThan(row, CODE_VALID_MS, now)) return 'none';
      signInCodeStore(db).countAttempt(email_mac);
      if (!timingSafeEqual(row.code_mac, codeMac(emailKey, row.created_at, code))) return 'wrong';
      signInCodeStore(db).remove(email_mac);
      return 'right';
    },
    removeOld: (db, now) =>
      signInCodeStore(db).removeOld(now - CODE_VALID_MS, REMOVED_AT_ONCE) === REMOVED_AT_ONCE,
  };
};
