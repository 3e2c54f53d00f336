import { beforeEach, describe, expect, test } from 'vitest';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { MINUTE, SECOND } from '#src/kernel/time.ts';
import { type CodeVerdict, createSignInCodes } from '#src/people/sign-in-codes.ts';
import { signInCodeStore } from '#src/people/sign-in-store.ts';
import { openTestStorage, temporaryDirectory } from '#test/support/storage.ts';

const KEY = Buffer.alloc(32, 7);
const ERIKA = 'erika@example.org';
const NOW = 1_700_000_000_000;
const codes = createSignInCodes(KEY);

let storage: Storage;
beforeEach(async () => {
  storage = await openTestStorage(await temporaryDirectory());
});

const write = <T>(work: (db: PlatformDb) => T): Promise<T> => storage.platform.write(work);
const request = (email = ERIKA, now = NOW) => write((db) => codes.request(db, email, now));
const judge = (code: string, now = NOW, email = ERIKA) => write((db) => codes.judge(db, email, code, now));
const newCode = async (email = ERIKA, now = NOW): Promise<string> => {
  const code = await request(email, now);
  if (code === null) throw new Error('no new code');
  return code;
};
/** Another code. */
const wrong = (code: string, by = 1): string => String((Number(code) + by) % 1_000_000).padStart(6, '0');
const rows = () =>
  storage.platform.peek((db) => db.prepare('SELECT * FROM sign_in_codes').all()) as {
    code_mac: Buffer;
    email_mac: Buffer;
  }[];

describe('a code', () => {
  test('has six digits, also where it begins with zeros', async () => {
    const seen = await write((db) =>
      Array.from({ length: 300 }, (_, index) => codes.request(db, `${index}@example.org`, NOW) ?? ''),
    );
    expect(seen.filter((code) => !/^\d{6}$/.test(code))).toEqual([]);
    expect(new Set(seen).size).toBeGreaterThan(290);
    // One in ten begins with a zero.
    expect(seen.some((code) => code.startsWith('0'))).toBe(true);
  });

  test('is right once', async () => {
    const code = await newCode();
    expect(await judge(code)).toBe('right');
    expect(await judge(code)).toBe('none');
  });

  test('is nowhere in the file, nor is its address', async () => {
    const code = await newCode();
    const [row] = rows();
    // Times are numbers, which may contain any digits.
    const columns = Object.values(row ?? {}).filter((value) => typeof value !== 'number');
    const stored = JSON.stringify(columns.map(String));
    expect(stored).not.toContain(code);
    expect(stored).not.toContain('erika');
    expect(row?.code_mac).toHaveLength(32);
    // Without the key it cannot be found by trying all codes.
    const other = createSignInCodes(Buffer.alloc(32, 8));
    expect(await write((db) => other.judge(db, ERIKA, code, NOW))).toBe('none');
  });

  test.each<{ name: string; after: number; is: CodeVerdict }>([
    { name: 'is right just before ten minutes', after: 10 * MINUTE - 1, is: 'right' },
    { name: 'is dead at ten minutes', after: 10 * MINUTE, is: 'none' },
    { name: 'is dead where the clock was set back before it', after: -1, is: 'none' },
  ])('$name', async ({ after, is }) => {
    expect(await judge(await newCode(), NOW + after)).toBe(is);
  });

  test('is dead after five wrong attempts, the right one included', async () => {
    const code = await newCode();
    for (let attempt = 1; attempt <= 5; attempt++) expect(await judge(wrong(code, attempt))).toBe('wrong');
    expect(await judge(code)).toBe('none');
  });

  test('is right at the fifth attempt', async () => {
    const code = await newCode();
    for (let attempt = 1; attempt <= 4; attempt++) expect(await judge(wrong(code, attempt))).toBe('wrong');
    expect(await judge(code)).toBe('right');
  });

  test('is not used up by those who try at the same time', async () => {
    const code = await newCode();
    const verdicts = await Promise.all(
      [code, code, ...Array<string>(20).fill(wrong(code))].map((c) => judge(c)),
    );
    expect(verdicts.filter((verdict) => verdict === 'right')).toHaveLength(1);
    expect(verdicts.filter((verdict) => verdict === 'wrong').length).toBeLessThanOrEqual(4);
  });

  test('twenty guesses at the same time are five attempts', async () => {
    const code = await newCode();
    const guesses = Array.from({ length: 20 }, (_, index) => wrong(code, index + 1));
    const verdicts = await Promise.all(guesses.map((guess) => judge(guess)));
    expect(verdicts.filter((verdict) => verdict === 'wrong')).toHaveLength(5);
    expect(verdicts.filter((verdict) => verdict === 'none')).toHaveLength(15);
  });

  test('serves its own address only', async () => {
    const code = await newCode();
    await newCode('max@example.org');
    // Even where someone who can write the file moves it to another address or time.
    const [erika, max] = [0, 1].map((index) => rows()[index]);
    await write((db) => {
      for (const row of [erika, max])
        signInCodeStore(db).put({
          email_mac: row?.email_mac ?? Buffer.alloc(0),
          code_mac: (row === erika ? max : erika)?.code_mac ?? Buffer.alloc(0),
          attempts: 0,
          failures: 0,
          created_at: NOW,
          forget_at: NOW + MINUTE,
        });
    });
    expect(await judge(code)).toBe('wrong');
    expect(await judge(code, NOW, 'max@example.org')).toBe('wrong');
  });

  test('cannot be made younger', async () => {
    const code = await newCode();
    await write((db) => db.prepare('UPDATE sign_in_codes SET created_at = created_at + 1').run());
    expect(await judge(code, NOW + 1)).toBe('wrong');
  });
});

describe('a new code', () => {
  test('is made for an address once a minute; until then the old one lives', async () => {
    const first = await newCode();
    expect(await request(ERIKA, NOW + 60 * SECOND - 1)).toBeNull();
    expect(await request('max@example.org', NOW + 1)).not.toBeNull();
    expect(await judge(first, NOW + 60 * SECOND - 1)).toBe('right');
  });

  test('takes the place of the old one', async () => {
    const first = await newCode();
    const second = await newCode(ERIKA, NOW + 60 * SECOND);
    // Else they are the same one in a million times.
    if (first !== second) expect(await judge(first, NOW + 60 * SECOND)).toBe('wrong');
    expect(await judge(second, NOW + 60 * SECOND)).toBe('right');
    expect(rows()).toHaveLength(0);
  });

  test('is not had earlier by using up the one before', async () => {
    const code = await newCode();
    for (let attempt = 1; attempt <= 5; attempt++) await judge(wrong(code, attempt));
    expect(await request(ERIKA, NOW + 59 * SECOND)).toBeNull();
    expect(await request(ERIKA, NOW + 60 * SECOND)).not.toBeNull();
  });

  test('is had every quarter of an hour only, once three have been used up by guessing', async () => {
    let now = NOW;
    for (let round = 1; round <= 3; round++) {
      const code = await newCode(ERIKA, now);
      for (let attempt = 1; attempt <= 5; attempt++) await judge(wrong(code, attempt), now);
      if (round < 3) now += MINUTE;
    }
    expect(await request(ERIKA, now + 15 * MINUTE - 1)).toBeNull();
    expect(await request('max@example.org', now + MINUTE)).not.toBeNull();
    now += 15 * MINUTE;
    const code = await newCode(ERIKA, now);
    expect(await request(ERIKA, now + 15 * MINUTE - 1)).toBeNull();
    expect(await judge(code, now)).toBe('right');
    await newCode(ERIKA, now);
    expect(await request(ERIKA, now + MINUTE)).not.toBeNull();
  });

  test('is had every minute again a day after the last guess, whatever was cleaned up between', async () => {
    for (const minute of [0, 1, 2]) {
      const code = await newCode(ERIKA, NOW + minute * MINUTE);
      for (let attempt = 1; attempt <= 5; attempt++) await judge(wrong(code, attempt), NOW + minute * MINUTE);
    }
    await write((db) => codes.removeOld(db, NOW + 12 * MINUTE));
    expect(await request(ERIKA, NOW + 16 * MINUTE)).toBeNull();
    const later = NOW + 24 * 60 * MINUTE + 2 * MINUTE;
    await write((db) => codes.removeOld(db, later + 1));
    expect(rows()).toHaveLength(0);
    await newCode(ERIKA, later);
    expect(await request(ERIKA, later + MINUTE)).not.toBeNull();
  });

  test('is had where the clock was set back', async () => {
    await newCode();
    expect(await request(ERIKA, NOW - MINUTE)).not.toBeNull();
  });
});

test('old codes are removed, some at a time, and live ones stay', async () => {
  await write((db) => {
    for (let index = 0; index < 1_200; index++) codes.request(db, `${index}@example.org`, NOW);
  });
  const live = await newCode(ERIKA, NOW + 5 * MINUTE);
  const later = NOW + 10 * MINUTE + 1;
  expect(await write((db) => codes.removeOld(db, later))).toBe(true);
  expect(rows()).toHaveLength(201);
  expect(await write((db) => codes.removeOld(db, later))).toBe(false);
  expect(rows()).toHaveLength(1);
  expect(await judge(live, later)).toBe('right');
});
