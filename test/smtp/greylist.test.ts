import { expect, test } from 'vitest';
import { DAY, MINUTE } from '#src/kernel/time.ts';
import { createGreylist } from '#src/smtp/greylist.ts';

const WAIT = 5 * MINUTE;
/** A letter is a mail: its client, sender and recipient; `at` in ms. */
const played = (
  mails: readonly (readonly [at: number, client: string, from?: string, to?: string])[],
): boolean[] => {
  let now = 0;
  const greylist = createGreylist(WAIT, { now: () => now });
  return mails.map(([at, client, from = 'eve@example.org', to = 'erika@in.praxis.example']) => {
    now = at;
    return greylist.passes(client, from, to);
  });
};

test.each<[name: string, mails: Parameters<typeof played>[0], passes: boolean[]]>([
  ['the first waits', [[0, '192.0.2.1']], [false]],
  [
    'too early is too early',
    [
      [0, '192.0.2.1'],
      [WAIT - 1, '192.0.2.1'],
    ],
    [false, false],
  ],
  [
    'in time passes',
    [
      [0, '192.0.2.1'],
      [WAIT, '192.0.2.1'],
    ],
    [false, true],
  ],
  [
    'trying early does not start the wait again',
    [
      [0, '192.0.2.1'],
      [1, '192.0.2.1'],
      [WAIT, '192.0.2.1'],
    ],
    [false, false, true],
  ],
  [
    'a neighbour may come again',
    [
      [0, '192.0.2.1'],
      [WAIT, '192.0.2.200'],
    ],
    [false, true],
  ],
  [
    'another network may not',
    [
      [0, '192.0.2.1'],
      [WAIT, '192.0.3.1'],
    ],
    [false, false],
  ],
  [
    'an IPv6 neighbour may',
    [
      [0, '2001:db8::1'],
      [WAIT, '2001:db8:0:0:9::1'],
    ],
    [false, true],
  ],
  [
    'another /64 may not',
    [
      [0, '2001:db8::1'],
      [WAIT, '2001:db8:0:1::1'],
    ],
    [false, false],
  ],
  [
    'another sender waits for itself',
    [
      [0, '192.0.2.1'],
      [WAIT, '192.0.2.1', 'max@example.org'],
    ],
    [false, false],
  ],
  [
    'another recipient too',
    [
      [0, '192.0.2.1'],
      [WAIT, '192.0.2.1', 'eve@example.org', 'max@in.praxis.example'],
    ],
    [false, false],
  ],
  [
    'two days later it starts again',
    [
      [0, '192.0.2.1'],
      [2 * DAY + 1, '192.0.2.1'],
      [2 * DAY + 1 + WAIT, '192.0.2.1'],
    ],
    [false, false, true],
  ],
  [
    'who has passed is known for 36 days from its last mail',
    [
      [0, '192.0.2.1'],
      [WAIT, '192.0.2.1'],
      [36 * DAY, '192.0.2.9', 'max@example.org'],
      [72 * DAY, '192.0.2.1'],
      [108 * DAY + 1, '192.0.2.1'],
    ],
    [false, true, true, true, false],
  ],
])('%s', (_, mails, passes) => {
  expect(played(mails)).toEqual(passes);
});

test('a flood of networks takes bounded memory, and forgets the oldest', () => {
  let now = 0;
  const greylist = createGreylist(WAIT, { now: () => now });
  greylist.passes('192.0.2.1', '', 'a@b.example');
  for (let index = 0; index < 50_000; index += 1)
    greylist.passes(
      `2001:db8:${(index >> 8).toString(16)}:${(index & 255).toString(16)}::1`,
      '',
      'a@b.example',
    );
  now = WAIT;
  expect(greylist.passes('192.0.2.1', '', 'a@b.example')).toBe(false);
  expect(greylist.passes('2001:db8:c3:4f::1', '', 'a@b.example')).toBe(true);
});

test.each([
  ['network', () => '192.0.2.1'],
  ['IPv6 block', (index: number) => `2001:db8:1:${index.toString(16)}::1`],
])('a flood of one %s pushes out its own mails, and no others', (_, client) => {
  let now = 0;
  const greylist = createGreylist(WAIT, { now: () => now });
  greylist.passes('198.51.100.1', '', 'a@b.example');
  for (let index = 0; index < 50_000; index += 1) greylist.passes(client(index), '', `${index}@b.example`);
  now = WAIT;
  expect(greylist.passes('198.51.100.1', '', 'a@b.example')).toBe(true);
  expect(greylist.passes(client(49_000), '', '49000@b.example')).toBe(false);
  expect(greylist.passes(client(49_999), '', '49999@b.example')).toBe(true);
});
