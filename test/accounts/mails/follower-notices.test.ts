// When owners are told that a webhook or alert was disabled: crashes and failures in between. What the mail says is shown in
// test/service-mail/texts.test.ts, and that it comes in test/flows/webhooks.test.ts.
import { Writable } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  createFollowerNotices,
  type FollowerNotices,
  type UntoldDisabling,
} from '#src/accounts/mails/follower-notices.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { createLog } from '#src/kernel/log.ts';
import { DAY } from '#src/kernel/time.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  temporaryDirectory,
} from '#test/support/storage.ts';

const clock = createTestClock();
const disabling = (id: string, at = clock.now()): UntoldDisabling => ({
  id,
  practice: 'Praxis am Markt',
  follower: 'webhook',
  name: 'Warenwirtschaft',
  at,
  reason: 'failing',
  since: at - 1,
  error: 'answered 503',
});

let storage: Storage;
let tenant: string;
let told: FollowerNotices;
/** What stands in the practice's file. */
let waiting: UntoldDisabling[];
/** Ids of what was put into the outbox, and what it tells of. */
let enqueued: [id: string, to: string][];
let warnings: string[];
let beforeOwners: () => Promise<void>;

beforeEach(async () => {
  storage = await openTestStorage(await temporaryDirectory());
  tenant = await createSampleTenant(storage);
  waiting = [];
  enqueued = [];
  warnings = [];
  beforeOwners = async () => undefined;
  told = createFollowerNotices({
    files: storage.tenants,
    platform: storage.platform,
    notices: {
      enqueue: (_, notice, __, id = '') => enqueued.push([id, 'to' in notice ? notice.to : '']),
      tell: () => undefined,
    },
    ownersOf: async () => {
      await beforeOwners();
      return [
        { email: 'a@example.org', language: 'de' },
        { email: 'b@example.org', language: 'en' },
      ];
    },
    clock,
    log: createLog(
      'warn',
      new Writable({
        write: (line, _, done) => {
          warnings.push(JSON.parse(String(line)).msg);
          done();
        },
      }),
    ),
    origin: 'https://mail.example.com',
    untold: () => [...waiting],
    markTold: (_, { id, at }) => {
      waiting = waiting.filter((one) => one.id !== id || one.at !== at);
    },
  });
});

const tell = async () => {
  told.tell(tenant);
  await told.stop();
};
const BOTH = ['a@example.org', 'b@example.org'];
const to = () => enqueued.map(([, address]) => address);

describe('a disabling', () => {
  test('is told to every owner once', async () => {
    waiting = [disabling('one')];
    await tell();
    await tell();
    expect([to(), waiting]).toEqual([BOTH, []]);
  });

  test('that could not be told of is told at the next occasion', async () => {
    waiting = [disabling('one')];
    beforeOwners = async () => {
      throw new Error('no disk');
    };
    await tell();
    expect([to(), waiting.length, warnings]).toEqual([
      [],
      1,
      ['owners could not be told that a webhook or alert was disabled'],
    ]);
    beforeOwners = async () => undefined;
    await tell();
    expect([to(), waiting]).toEqual([BOTH, []]);
  });

  test('told before a crash is handed in under the same ids after it', async () => {
    const one = disabling('one');
    waiting = [one];
    await tell();
    waiting = [one];
    await tell();
    expect(enqueued.slice(2)).toEqual(enqueued.slice(0, 2));
    expect(new Set(enqueued.map(([id]) => id)).size).toBe(2);
  });

  test('the second one of the same webhook is told like the first', async () => {
    waiting = [disabling('one')];
    await tell();
    waiting = [disabling('one', clock.now() + 1)];
    await tell();
    expect(new Set(enqueued.map(([id]) => id)).size).toBe(4);
  });

  test('comes to owners twenty times a day at most, and what is left is told later unless it is over', async () => {
    for (let count = 0; count < 30; count++) {
      waiting = [disabling('one', clock.now() + count)];
      await tell();
    }
    expect([enqueued.length, waiting.length]).toEqual([20 * BOTH.length, 1]);
    clock.set(clock.now() + DAY);
    await told.look(tenant);
    await told.stop();
    expect([enqueued.length, waiting]).toEqual([21 * BOTH.length, []]);
  });

  test('of another webhook at the same moment is a mail of its own', async () => {
    waiting = [disabling('one'), disabling('two')];
    await tell();
    expect([to(), waiting]).toEqual([[...BOTH, ...BOTH], []]);
    expect(new Set(enqueued.map(([id]) => id)).size).toBe(4);
  });

  test('that comes while another is being told of is told as well', async () => {
    waiting = [disabling('one')];
    beforeOwners = async () => {
      beforeOwners = async () => undefined;
      waiting.push(disabling('two'));
      told.tell(tenant);
    };
    await tell();
    expect([to(), waiting]).toEqual([[...BOTH, ...BOTH], []]);
  });
});

test('of a practice where nothing was disabled nobody is told, and nothing is written', async () => {
  let commits = 0;
  storage.tenants.watch(() => {
    commits += 1;
  });
  await tell();
  await told.look(tenant);
  expect([to(), commits]).toEqual([[], 0]);
});

test('a look of the nightly round tells what a crash left', async () => {
  waiting = [disabling('one')];
  await told.look(tenant);
  await told.stop();
  expect([to(), waiting]).toEqual([BOTH, []]);
});
