import { describe, expect, test } from 'vitest';
import {
  HOST_KEPT_MS,
  type HostUse,
  isReplaced,
  type KeyFacts,
  type KeySettings,
  keepOldOf,
  planKeys,
  REVOKED_MS,
  rotateAfterOf,
  rotationOf,
  SETTLE_MS,
} from '#src/domains/keys/key-rules.ts';
import { DAY, HOUR, MINUTE } from '#src/kernel/time.ts';

/** The host was made at 0; times are counted from there. */
const settings: KeySettings = { keepOld: 14 * DAY, rotateAfter: 180 * DAY };
const IN_USE: HostUse = { kind: 'in_use' };

type Fields = Partial<KeyFacts> & Pick<KeyFacts, 'role' | 'position'>;

const key = (fields: Fields): KeyFacts => ({
  token: `token${fields.position}`,
  domain: 'praxis.example',
  algorithm: fields.position === 3 ? 'ed25519-sha256' : 'rsa-sha256',
  created_at: 0,
  published_at: 0,
  activated_at: fields.role === 'next' ? null : 0,
  retired_at: null,
  ...fields,
});

const fresh = [
  key({ role: 'active', position: 1 }),
  key({ role: 'next', position: 2 }),
  key({ role: 'active', position: 3 }),
];
const T = 200 * DAY;
const rotated = [
  key({ role: 'retiring', position: 1, retired_at: T }),
  key({ role: 'active', position: 2, activated_at: T }),
  key({ role: 'retiring', position: 3, retired_at: T }),
];
const renewed = (published_at: number | null): KeyFacts[] => [
  key({ role: 'next', position: 1, created_at: T + 14 * DAY, published_at }),
  key({ role: 'active', position: 2, activated_at: T }),
  key({ role: 'next', position: 3, created_at: T + 14 * DAY, published_at }),
];
const imported = key({ role: 'active', position: 0, token: 'old', activated_at: 10 * DAY });

const steps = (rows: readonly KeyFacts[], use: HostUse = IN_USE): string[] =>
  planKeys(rows, use, settings).map(({ step, at }, index) => {
    const { token, role } = rows[index] ?? { token: '', role: '' };
    return `${token} ${role}: ${step === null ? 'nothing' : `${step} ${at === null ? 'sometime' : at / HOUR}`}`;
  });

const hours = (...parts: number[]): number => parts.reduce((sum, part) => sum + part, 0) / HOUR;

describe('what happens next to the keys of a host', () => {
  test('a new one: those that sign are retired after their time, and the one that waits takes over', () => {
    expect(steps(fresh)).toEqual([
      `token1 active: retire ${hours(180 * DAY)}`,
      `token2 next: activate ${hours(180 * DAY)}`,
      `token3 active: retire ${hours(180 * DAY)}`,
    ]);
  });

  test('after a rotation the tokens that are free again get new keys once their mail is delivered', () => {
    expect(steps(rotated)).toEqual([
      `token1 retiring: renew ${hours(T, 14 * DAY)}`,
      `token2 active: retire ${hours(T, 180 * DAY)}`,
      `token3 retiring: renew ${hours(T, 14 * DAY)}`,
    ]);
  });

  test('a new key is not used before it has been published, and then not for an hour', () => {
    expect(steps(renewed(null))).toEqual([
      'token1 next: activate sometime',
      'token2 active: retire sometime',
      'token3 next: activate sometime',
    ]);
    expect(steps(renewed(T + 14 * DAY))).toEqual([
      `token1 next: activate ${hours(T, 180 * DAY)}`,
      `token2 active: retire ${hours(T, 180 * DAY)}`,
      `token3 next: activate ${hours(T, 14 * DAY, HOUR)}`,
    ]);
  });

  test('the rotation waits for a key that can take over', () => {
    const [, active, ed25519] = rotated;
    const late = key({ role: 'retiring', position: 1, retired_at: T + 175 * DAY });
    expect(steps([late, active ?? imported, ed25519 ?? imported])[1]).toBe(
      `token2 active: retire ${hours(T, 175 * DAY, 14 * DAY, SETTLE_MS)}`,
    );
  });

  test('a withdrawn key is replaced after a day', () => {
    const revoked = key({ role: 'revoked', position: 1, retired_at: T });
    const active = key({ role: 'active', position: 2, activated_at: T });
    expect(steps([revoked, active])[0]).toBe(`token1 revoked: renew ${hours(T, REVOKED_MS)}`);
  });

  test('an imported key is retired by the next rotation and then removed; a token never is', () => {
    const rows = [imported, key({ role: 'next', position: 1, activated_at: 0 }), ...fresh.slice(1)];
    expect(steps(rows)).toEqual([
      `old active: retire ${hours(190 * DAY)}`,
      'token1 next: nothing',
      `token2 next: activate ${hours(190 * DAY)}`,
      `token3 active: retire ${hours(190 * DAY)}`,
    ]);
    const over = { ...imported, role: 'retiring', retired_at: T } as const;
    expect(steps([over, ...fresh])[0]).toBe(`old retiring: remove ${hours(T, 14 * DAY)}`);
    expect(steps([{ ...over, role: 'revoked' }, ...fresh])[0]).toBe(
      `old revoked: remove ${hours(T, 14 * DAY)}`,
    );
  });

  test('the token of Ed25519 waits while an imported key of that kind signs', () => {
    const own = key({ role: 'active', position: 0, token: 'own', algorithm: 'ed25519-sha256' });
    expect(steps([own, key({ role: 'next', position: 3 })])[1]).toBe('token3 next: nothing');
  });

  test('a domain that was lost and claimed again: its former tokens go', () => {
    const former = key({ role: 'retiring', position: 1, token: 'former', retired_at: T });
    const rows = [former, key({ role: 'active', position: 1, created_at: T + DAY, activated_at: T + DAY })];
    expect(steps(rows)[0]).toBe(`former retiring: remove ${hours(T, 14 * DAY)}`);
    expect(rows.map((row) => isReplaced(row, rows))).toEqual([true, false]);
  });

  test.each([
    ['made at the same moment as one that signs', 'active', true],
    ['made at the same moment as one that is over too', 'retiring', false],
  ] as const)('a token %s', (_, role, expected) => {
    const former = key({ role: 'retiring', position: 1, token: 'former', retired_at: 0 });
    const rows = [former, key({ role, position: 1, retired_at: 0 })];
    expect(isReplaced(former, rows)).toBe(expected);
  });

  test('a pending domain: nothing rotates', () => {
    expect(steps(fresh, { kind: 'pending' })).toEqual([
      'token1 active: nothing',
      'token2 next: nothing',
      'token3 active: nothing',
    ]);
  });

  test('a host that is out of use: all of it goes after two months, and nothing is renewed before', () => {
    const all = steps(rotated, { kind: 'retired', since: T });
    expect(all.map((text) => text.replace(/^.*: /, ''))).toEqual(
      Array(3).fill(`remove ${hours(T, HOST_KEPT_MS)}`),
    );
  });

  test('a host whose keys all wait: one of each kind starts to sign once it is settled', () => {
    const rows = [key({ role: 'next', position: 1 }), key({ role: 'next', position: 3 })];
    expect(steps(rows)).toEqual([
      `token1 next: activate ${hours(SETTLE_MS)}`,
      `token3 next: activate ${hours(SETTLE_MS)}`,
    ]);
  });
});

describe('who takes over in a rotation', () => {
  const used = key({ role: 'next', position: 1, activated_at: 0 });
  const retired = (position: number) => key({ role: 'retiring', position, retired_at: T });
  const active = key({ role: 'active', position: 2, activated_at: T });
  const former = key({ role: 'retiring', position: 1, token: 'former', retired_at: T, created_at: -1 });
  const importedRetired = key({ role: 'retiring', position: 0, token: 'old', retired_at: T });

  const taken = (rows: readonly KeyFacts[], now: number, compromised = false): string => {
    const rotation = rotationOf(rows, settings, now, { compromised });
    switch (rotation.kind) {
      case 'rotation':
        return `${rotation.activate.token} from ${rotation.retire.map(({ token }) => token).join(' and ')}`;
      case 'no_successor':
        return rotation.readyAt === null ? 'none' : `none before ${hours(rotation.readyAt)}`;
      case 'nothing_signs':
        return 'nothing signs';
    }
  };

  test.each<[string, readonly KeyFacts[], number, boolean, string]>([
    ['the key that waits, from both that sign', fresh, SETTLE_MS, false, 'token2 from token1 and token3'],
    ['none within the hour after it was published', fresh, SETTLE_MS - 1, false, 'none before 1'],
    ['the same at once, where the keys are compromised', fresh, 0, true, 'token2 from token1 and token3'],
    ['none while the other token retires', rotated, T, false, `none before ${hours(T, 14 * DAY, HOUR)}`],
    ['the retiring key, where the other is compromised', rotated, T, true, 'token1 from token2'],
    ['never an Ed25519 key', [active, retired(3)], T, true, 'none'],
    ['none if the new key is not published', renewed(null), T + 15 * DAY, true, 'none'],
    [
      'a fresh key before one that has signed',
      [imported, used, fresh[1] ?? used],
      T,
      false,
      'token2 from old',
    ],
    ['one that has signed where there is no other', [imported, used], T, false, 'token1 from old'],
    [
      'a settled key before a retiring one',
      [retired(1), active, key({ role: 'next', position: 4 })],
      T,
      true,
      'token4 from token2',
    ],
    [
      'a retiring key before one just published',
      [retired(1), active, key({ role: 'next', position: 4, published_at: T })],
      T,
      true,
      'token1 from token2',
    ],
    ['a token before an imported key', [importedRetired, retired(1), active], T, true, 'token1 from token2'],
    ['an imported key where it is all there is', [importedRetired, active], T, true, 'old from token2'],
    [
      'no former token of a domain that was lost',
      [former, key({ role: 'active', position: 1 })],
      T,
      true,
      'none',
    ],
    [
      'no key that is withdrawn',
      [key({ role: 'revoked', position: 1, retired_at: T }), active],
      T,
      true,
      `none before ${hours(T, REVOKED_MS, HOUR)}`,
    ],
    ['none if nothing signs', [key({ role: 'next', position: 1 })], T, false, 'nothing signs'],
  ])('%s', (_, rows, now, compromised, expected) => {
    expect(taken(rows, now, compromised)).toBe(expected);
  });
});

describe('the times', () => {
  test.each([
    ['as configured', 14 * DAY, [72 * HOUR, 48 * HOUR], 14 * DAY],
    ['a day longer than the longest time in the queue', 3 * DAY, [72 * HOUR, 48 * HOUR], 4 * DAY],
    ['also where marketing mail has the longer one', 3 * DAY, [MINUTE, 30 * DAY], 31 * DAY],
  ])('an old key is kept %s', (_, keepOld, giveUps, expected) => {
    expect(keepOldOf(keepOld, giveUps)).toBe(expected);
  });

  test('the mail under a host that is out of use has been given up before its keys go', () => {
    expect(HOST_KEPT_MS).toBeGreaterThan(31 * DAY);
  });

  test('tenants rotate at different times, each always at its own, none later than configured', () => {
    const ids = Array.from({ length: 256 }, (_, n) => `0198-${(n * 256 + n).toString(16).padStart(4, '0')}`);
    const times = ids.map((id) => rotateAfterOf(180 * DAY, id));
    expect(Math.max(...times)).toBe(180 * DAY);
    expect(Math.min(...times)).toBeGreaterThan(160 * DAY);
    expect(new Set(times).size).toBe(256);
    expect(ids.map((id) => rotateAfterOf(180 * DAY, id))).toEqual(times);
  });
});
