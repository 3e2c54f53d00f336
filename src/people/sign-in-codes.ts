// One-time codes: six digits, valid for ten minutes and five attempts. An address has one live code and gets a new one at
// most every minute, and less often while someone guesses. Codes are kept for unknown addresses too, so that an attacker
// cannot see which are known. Each attempt is counted in the transaction that judges it. Codes are stored as HMACs under
// a key that is not in the database, because six digits are quickly found from a plain hash. The HMAC covers address and
// time, so no row can serve for another.
import { createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { DAY, MINUTE, SECOND } from '#src/kernel/time.ts';
import { type SignInCodeRow, signInCodeStore } from './sign-in-store.ts';

export const CODE_DIGITS = 6;
export const CODE_VALID_MS = 10 * MINUTE;
export const NEW_CODE_AFTER_MS = 60 * SECOND;
const MAX_ATTEMPTS = 5;
/**
 * The wrong guesses of three codes are no typing errors. From then on new codes are rare, because a patient attacker
 * would find one in the end: five guesses a minute open one address in 140 a day, this limit one in 2,000.
 */
const MANY_FAILURES = 15;
const NEW_CODE_AFTER_MANY_MS = 15 * MINUTE;
const FAILURES_FORGOTTEN_MS = DAY;
const REMOVED_AT_ONCE = 1_000;

export type CodeVerdict =
  /** Used up now. */
  | 'right'
  | 'wrong'
  /** The address has no live code. */
  | 'none';

export interface SignInCodes {
  /** The new code of the address; null if its present one is too young to be replaced. */
  request(db: PlatformDb, emailKey: string, now: number): string | null;
  /** A new code in any case, for who is not asked for proof of the address. */
  issue(db: PlatformDb, emailKey: string, now: number): string;
  /** Counts the attempt, then judges it. The transaction must not throw for a wrong code, or the count is undone. */
  judge(db: PlatformDb, emailKey: string, code: string, now: number): CodeVerdict;
  /** Removes a bounded number of old codes; false after the last one. */
  removeOld(db: PlatformDb, now: number): boolean;
}

/** After a clock was set back a row may be from the future: it counts as old. */
const isYoungerThan = ({ created_at }: SignInCodeRow, age: number, now: number): boolean =>
  now >= created_at && now - created_at < age;

/** Wrong guesses since the last right one; 0 if the last code is long ago. */
const failuresAt = (row: SignInCodeRow, now: number): number =>
  isYoungerThan(row, FAILURES_FORGOTTEN_MS, now) ? row.failures + row.attempts : 0;

/** `key` is derived for codes alone. */
export const createSignInCodes = (key: Buffer): SignInCodes => {
  const mac = (...parts: readonly (string | number)[]): Buffer =>
    createHmac('sha256', key).update(JSON.stringify(parts)).digest();
  const emailMac = (emailKey: string): Buffer => mac('address', emailKey);
  const codeMac = (emailKey: string, createdAt: number, code: string): Buffer =>
    mac('code', emailKey, createdAt, code);

  const put = (db: PlatformDb, emailKey: string, failures: number, now: number): string => {
    const code = String(randomInt(10 ** CODE_DIGITS)).padStart(CODE_DIGITS, '0');
    signInCodeStore(db).put({
      email_mac: emailMac(emailKey),
      code_mac: codeMac(emailKey, now, code),
      attempts: 0,
      failures,
      created_at: now,
      forget_at: now + (failures > 0 ? FAILURES_FORGOTTEN_MS : CODE_VALID_MS),
    });
    return code;
  };
  const presentOf = (db: PlatformDb, emailKey: string, now: number) => {
    const present = signInCodeStore(db).get(emailMac(emailKey));
    return { present, failures: present ? failuresAt(present, now) : 0 };
  };

  return {
    request: (db, emailKey, now) => {
      const { present, failures } = presentOf(db, emailKey, now);
      const wait = failures >= MANY_FAILURES ? NEW_CODE_AFTER_MANY_MS : NEW_CODE_AFTER_MS;
      return present && isYoungerThan(present, wait, now) ? null : put(db, emailKey, failures, now);
    },
    issue: (db, emailKey, now) => put(db, emailKey, presentOf(db, emailKey, now).failures, now),
    judge: (db, emailKey, code, now) => {
      const email_mac = emailMac(emailKey);
      const row = signInCodeStore(db).get(email_mac);
      if (!row || row.attempts >= MAX_ATTEMPTS || !isYoungerThan(row, CODE_VALID_MS, now)) return 'none';
      signInCodeStore(db).countAttempt(email_mac, row.created_at + FAILURES_FORGOTTEN_MS);
      if (!timingSafeEqual(row.code_mac, codeMac(emailKey, row.created_at, code))) return 'wrong';
      signInCodeStore(db).remove(email_mac);
      return 'right';
    },
    removeOld: (db, now) => signInCodeStore(db).removeOld(now, REMOVED_AT_ONCE) === REMOVED_AT_ONCE,
  };
};
