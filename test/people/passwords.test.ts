// @module-tag slow
import { describe, expect, test } from 'vitest';
import { inEnglish } from '#src/kernel/say.ts';
import { createPasswords, passwordProblem } from '#src/people/passwords.ts';

const PASSWORD = 'Drei Köche, ein Brei';
const passwords = createPasswords();

describe('a password', () => {
  test('is kept as argon2id in PHC form, with a salt of its own', async () => {
    const [first, second] = await Promise.all([passwords.hash(PASSWORD), passwords.hash(PASSWORD)]);
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(first).not.toBe(second);
    expect(await passwords.verify(PASSWORD, first)).toBe(true);
    expect(await passwords.verify(`${PASSWORD} `, first)).toBe(false);
    expect(await passwords.verify(PASSWORD.toLowerCase(), first)).toBe(false);
    expect(passwords.isOutdated(first)).toBe(false);
  });

  test('of the reference implementation is understood', async () => {
    // phc-winner-argon2, src/test.c: argon2id, t=2, m=2^16, p=1, "password", "somesalt"
    const stored = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    expect(await passwords.verify('password', stored)).toBe(true);
    expect(await passwords.verify('Password', stored)).toBe(false);
    expect(passwords.isOutdated(stored)).toBe(true);
  });

  test('is the same however its characters are put together', async () => {
    const composed = 'Zwölf Boxkämpfer ﬁnden';
    const stored = await passwords.hash(composed);
    expect(await passwords.verify(composed.normalize('NFD').replace('ﬁ', 'fi'), stored)).toBe(true);
  });

  test('of an unknown address matches nothing, whatever is tried', async () => {
    expect(await passwords.verify(PASSWORD, null)).toBe(false);
    expect(await passwords.verify('', null)).toBe(false);
  });

  test.each([
    '$argon2id$v=19$m=16384,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=19$m=19456,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=19$m=19456,t=2,p=2$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA',
  ])('kept as %s is to be kept anew', (stored) => {
    expect(passwords.isOutdated(stored)).toBe(true);
  });

  test('kept in another form is a defect, not a password', async () => {
    await expect(passwords.verify(PASSWORD, PASSWORD)).rejects.toThrow('PHC');
  });
});

describe('what it costs', () => {
  /** The median of some runs, ms. */
  const median = (times: number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const started = performance.now();
    await work();
    return performance.now() - started;
  };

  test('as much for an address without a password as for one with', async () => {
    const stored = await passwords.hash(PASSWORD);
    const known: number[] = [];
    const unknown: number[] = [];
    for (let run = 0; run < 15; run++) {
      known.push(await timed(() => passwords.verify('ein anderes Wort', stored)));
      unknown.push(await timed(() => passwords.verify('ein anderes Wort', null)));
    }
    const ratio = median(unknown) / median(known);
    expect(ratio).toBeGreaterThan(0.3);
    expect(ratio).toBeLessThan(3);
  });

  test('two at once, 32 waiting, and the next is refused for now; afterwards all places are free', async () => {
    const crowded = createPasswords();
    const all = await Promise.allSettled(Array.from({ length: 40 }, () => crowded.verify(PASSWORD, null)));
    const refused = all.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(40 - 2 - 32);
    expect(refused[0]).toMatchObject({ reason: { code: 'unavailable', extra: { retry_after: 2 } } });
    expect(await crowded.verify(PASSWORD, null)).toBe(false);
  });
});

describe('a new password', () => {
  test.each<{ name: string; password: string; says: RegExp | null }>([
    { name: 'with twelve characters is taken', password: 'äöüäöüäöüäöü', says: null },
    { name: 'with eleven is too short', password: 'äöüäöüäöüäö', says: /fewer than 12/ },
    {
      name: 'with twelve code units but six characters is too short',
      password: '😀'.repeat(6),
      says: /fewer/,
    },
    {
      name: 'with letters and marks apart is counted as one has it',
      password: 'e\u0301'.repeat(11),
      says: /fewer/,
    },
    { name: 'of 1,024 bytes is taken', password: 'x'.repeat(1_024), says: null },
    { name: 'of more bytes is too long', password: 'x'.repeat(1_025), says: /longer than 1024 bytes/ },
    { name: 'that grows beyond them is too long', password: '\ufdfa'.repeat(100), says: /longer/ },
    { name: 'that is the address is refused', password: 'ERIKA@example.org', says: /e-mail address/ },
  ])('$name', ({ password, says }) => {
    const text = passwordProblem(password, 'erika@example.org');
    const problem = text && inEnglish(text);
    if (says === null) expect(problem).toBeNull();
    else expect(problem).toMatch(says);
  });
});
