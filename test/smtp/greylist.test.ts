import { expect, test } from 'vitest';
import { createLog } from '#src/kernel/log.ts';
import { DAY, MINUTE } from '#src/kernel/time.ts';
import { createGreylist, type GreylistStorage } from '#src/smtp/greylist.ts';
import { greylistIn } from '#src/smtp/greylist-store.ts';
import { until } from '#test/support/process.ts';
import { openTestStorage, temporaryDirectory } from '#test/support/storage.ts';

const WAIT = 5 * MINUTE;
const forgetful: GreylistStorage = { load: () => [], save: async () => undefined };
const log = createLog('warn', { write: () => undefined });
/** A letter is a mail: its client, sender and recipient; `at` in ms. */
const played = (
  mails: readonly (readonly [at: number, client: string, from?: string, to?: string])[],
): boolean[] => {
  let now = 0;
  const greylist = createGreylist({ wait: WAIT, clock: { now: () => now }, storage: forgetful, log });
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
    'two days later is in time',
    [
      [0, '192.0.2.1'],
      [2 * DAY, '192.0.2.1'],
    ],
    [false, true],
  ],
  [
    'after two days it starts again',
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
  const greylist = createGreylist({ wait: WAIT, clock: { now: () => now }, storage: forgetful, log });
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
  const greylist = createGreylist({ wait: WAIT, clock: { now: () => now }, storage: forgetful, log });
  greylist.passes('198.51.100.1', '', 'a@b.example');
  for (let index = 0; index < 50_000; index += 1) greylist.passes(client(index), '', `${index}@b.example`);
  now = WAIT;
  expect(greylist.passes('198.51.100.1', '', 'a@b.example')).toBe(true);
  expect(greylist.passes(client(49_000), '', '49000@b.example')).toBe(false);
  expect(greylist.passes(client(49_999), '', '49999@b.example')).toBe(true);
});

test('what is stored survives a process that dies: who is known, and what waits', async () => {
  const storage = await openTestStorage(await temporaryDirectory());
  let now = 1_000 * DAY;
  const opened = () =>
    createGreylist({ wait: WAIT, clock: { now: () => now }, storage: greylistIn(storage), log, saveMs: 1 });
  const rows = () =>
    storage.platform.read((db) => db.prepare('SELECT block, seen_at FROM greylist ORDER BY seen_at').all());
  const mail = ['eve@example.org', 'erika@in.praxis.example'] as const;
  const first = opened();
  expect(first.passes('192.0.2.1', ...mail)).toBe(false);
  await until('it is stored', async () => (await rows()).length === 1);

  now += WAIT;
  const second = opened();
  expect(second.passes('192.0.2.1', ...mail)).toBe(true);
  expect(second.passes('198.51.100.1', ...mail)).toBe(false);
  // The mail that waited is there no more: its client is known.
  await until('both are stored', async () => (await rows()).length === 2);
  expect(await rows()).toEqual([
    { block: null, seen_at: now },
    { block: '198.51.100.0', seen_at: now },
  ]);

  now += 2 * DAY + 1;
  const third = opened();
  expect(third.passes('192.0.2.1', 'another@example.org', mail[1])).toBe(true);
  expect(third.passes('198.51.100.1', ...mail)).toBe(false);
  await third.stop();
  expect(await rows()).toHaveLength(2);
});

test('what could not be stored is stored with what comes after it', async () => {
  const saved: string[] = [];
  let isBroken = true;
  const failing: GreylistStorage = {
    load: () => [],
    save: async (rows) => {
      if (isBroken) throw new Error('the disk is full');
      saved.push(...rows.map(({ name }) => name));
    },
  };
  const clock = { now: () => 0 };
  const greylist = createGreylist({ wait: WAIT, clock, storage: failing, log });
  greylist.passes('192.0.2.1', 'a@example.org', 'b@example.org');
  await greylist.stop();
  isBroken = false;
  greylist.passes('192.0.2.1', 'c@example.org', 'b@example.org');
  await greylist.stop();
  expect(new Set(saved).size).toBe(2);
});

test('while nothing can be stored, what is to be stored is bounded', async () => {
  const saved = new Set<string>();
  let isBroken = true;
  const failing: GreylistStorage = {
    load: () => [],
    save: async (rows) => {
      if (isBroken) throw new Error('the disk is full');
      for (const { name } of rows) saved.add(name);
    },
  };
  const greylist = createGreylist({ wait: WAIT, clock: { now: () => 0 }, storage: failing, log });
  for (let mail = 0; mail < 110_000; mail += 1)
    greylist.passes('192.0.2.1', `${mail}@example.org`, 'b@example.org');
  isBroken = false;
  await greylist.stop();
  expect(saved.size).toBe(100_000);
});
