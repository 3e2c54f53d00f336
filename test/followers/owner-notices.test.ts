// When owners are notified that a webhook or alert was disabled: crashes and failures in between. The words of the mail are
// tested in test/accounts/mails/texts.test.ts, its arrival in test/flows/webhooks.test.ts.
import { Writable } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  createFollowerNotices,
  type FollowerNotices,
  type UnnotifiedDisabling,
} from '#src/followers/owner-notices.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { createLog } from '#src/kernel/log.ts';
import { DAY } from '#src/kernel/time.ts';
import { enqueuedIn, testOutbox } from '#test/support/outbox.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  temporaryDirectory,
} from '#test/support/storage.ts';

const clock = createTestClock();
const disabling = (id: string, at = clock.now()): UnnotifiedDisabling => ({
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
let ownerNotices: FollowerNotices;
/** The disablings in the practice's file. */
let waiting: UnnotifiedDisabling[];
/** How many mails were in the outbox each time the postman was woken. */
let woken: number[];
let warnings: string[];
let beforeOwners: () => Promise<void>;

beforeEach(async () => {
  storage = await openTestStorage(await temporaryDirectory());
  tenant = await createSampleTenant(storage);
  waiting = [];
  woken = [];
  warnings = [];
  beforeOwners = async () => undefined;
  ownerNotices = createFollowerNotices(
    {
      files: storage.tenants,
      platform: storage.platform,
      notices: {
        enqueue: testOutbox.enqueue,
        wake: () => woken.push(ids().length),
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
    },
    {
      find: () => [...waiting],
      mark: (_, { id, at }) => {
        waiting = waiting.filter((one) => one.id !== id || one.at !== at);
      },
    },
  );
});

const notify = async () => {
  ownerNotices.wake(tenant);
  await ownerNotices.stop();
};
const BOTH = ['a@example.org', 'b@example.org'];
const ids = () => enqueuedIn(storage).map(({ id }) => id);
const to = () => enqueuedIn(storage).map(({ notice }) => notice.to);

describe('a disabling', () => {
  test('is notified to every owner once', async () => {
    waiting = [disabling('one')];
    await notify();
    await notify();
    expect([to(), waiting]).toEqual([BOTH, []]);
    // The postman looks only when it is woken, so it must find the mails then.
    expect(woken).toEqual([2]);
  });

  test('that could not be notified is notified at the next occasion', async () => {
    waiting = [disabling('one')];
    beforeOwners = async () => {
      throw new Error('no disk');
    };
    await notify();
    expect([to(), waiting.length, warnings]).toEqual([
      [],
      1,
      ['owners could not be notified that a webhook or alert was disabled'],
    ]);
    beforeOwners = async () => undefined;
    await notify();
    expect([to(), waiting]).toEqual([BOTH, []]);
  });

  test('notified before a crash is handed in under the same ids after it', async () => {
    const one = disabling('one');
    waiting = [one];
    await notify();
    const before = ids();
    waiting = [one];
    await notify();
    expect([ids(), to(), waiting]).toEqual([before, BOTH, []]);
  });

  test('the second one of the same webhook is notified like the first', async () => {
    waiting = [disabling('one')];
    await notify();
    waiting = [disabling('one', clock.now() + 1)];
    await notify();
    expect(to()).toEqual([...BOTH, ...BOTH]);
  });

  test('comes to owners twenty times a day at most, and what is left is notified later unless it is over', async () => {
    for (let count = 0; count < 30; count++) {
      waiting = [disabling('one', clock.now() + count)];
      await notify();
    }
    expect([ids().length, waiting.length]).toEqual([20 * BOTH.length, 1]);
    clock.set(clock.now() + DAY);
    await ownerNotices.look(tenant);
    await ownerNotices.stop();
    expect([ids().length, waiting]).toEqual([21 * BOTH.length, []]);
  });

  test('of an alert is notified though the webhooks have used up their share of the day', async () => {
    waiting = Array.from({ length: 30 }, (_, count) => disabling(`webhook ${count}`));
    waiting.push({ ...disabling('alert'), follower: 'alert' });
    await notify();
    expect([ids().length, waiting.length]).toEqual([21 * BOTH.length, 10]);
    expect(waiting.map(({ follower }) => follower)).not.toContain('alert');
  });

  test('of another webhook at the same moment is a mail of its own', async () => {
    waiting = [disabling('one'), disabling('two')];
    await notify();
    expect([to(), waiting]).toEqual([[...BOTH, ...BOTH], []]);
  });

  test('that comes while another is being notified is notified as well', async () => {
    waiting = [disabling('one')];
    beforeOwners = async () => {
      beforeOwners = async () => undefined;
      waiting.push(disabling('two'));
      ownerNotices.wake(tenant);
    };
    await notify();
    expect([to(), waiting]).toEqual([[...BOTH, ...BOTH], []]);
  });
});

test('for a practice where nothing was disabled no mail is enqueued, and nothing is written', async () => {
  let commits = 0;
  storage.tenants.watch(() => {
    commits += 1;
  });
  await notify();
  await ownerNotices.look(tenant);
  expect([to(), commits]).toEqual([[], 0]);
});

test('a look of the nightly round notifies what a crash left', async () => {
  waiting = [disabling('one')];
  await ownerNotices.look(tenant);
  await ownerNotices.stop();
  expect([to(), waiting]).toEqual([BOTH, []]);
});
