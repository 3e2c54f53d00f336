// When owners are notified of the use of their plan: failures and calls that overlap. What the mails say and when they come
// is shown by real sends in test/flows/plan-cap.test.ts.
import { Writable } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import { monthOf, reachedShare } from '#src/accounts/counters/rules.ts';
import { counterStore } from '#src/accounts/counters/store.ts';
import { createUsageNotices, type UsageNotices } from '#src/intake/usage-notices.ts';
import { forgetMemory } from '#src/kernel/db/memory.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { defaultLimits } from '#src/kernel/limits.ts';
import { createLog } from '#src/kernel/log.ts';
import { enqueuedIn, testOutbox } from '#test/support/outbox.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  temporaryDirectory,
} from '#test/support/storage.ts';

const CAP = 100;
const clock = createTestClock();
const month = monthOf(clock.now()).name;

let storage: Storage;
let tenant: string;
let usage: UsageNotices;
let warnings: string[];
/** Runs before the owners are looked up. */
let beforeOwners: () => Promise<void>;

beforeEach(async () => {
  storage = await openTestStorage(await temporaryDirectory());
  tenant = await createSampleTenant(storage);
  warnings = [];
  beforeOwners = async () => undefined;
  usage = createUsageNotices(
    {
      files: storage.tenants,
      platform: storage.platform,
      notices: { enqueue: testOutbox.enqueue, wake: () => undefined },
      ownersOf: async () => {
        await beforeOwners();
        return [{ email: 'a@example.org', language: 'de' }];
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
    () => ({ ...defaultLimits, managed_host_mails: CAP }),
  );
});

const use = (mails: number) =>
  storage.tenants.write(tenant, (db) => counterStore(db).addUsage(month, mails, false));
const notified = () => storage.tenants.read(tenant, (db) => counterStore(db).usage(month).notified);
const notify = async () => {
  usage.wake(tenant);
  await usage.stop();
};
const ids = () => enqueuedIn(storage).map(({ id }) => id);
const shares = () =>
  enqueuedIn(storage).map(({ notice }) => (notice.kind === 'plan_usage' ? notice.share : null));

describe('shares', () => {
  test.each([
    [0, 100, 0],
    [69, 100, 0],
    [70, 100, 70],
    [89, 100, 70],
    [90, 100, 90],
    [99, 100, 90],
    [100, 100, 100],
    [101, 100, 100],
    [139, 200, 0],
    [2, 3, 0],
    [0, 0, 100],
  ] as const)('%i of %i reach %i', (used, cap, share) => {
    expect(reachedShare(used, cap)).toBe(share);
  });
});

describe('the notice', () => {
  test('is recorded, and not sent again', async () => {
    await use(70);
    await notify();
    await notify();
    expect([shares(), await notified()]).toEqual([[70], 70]);
  });

  test('is not sent below the first share', async () => {
    await use(69);
    await notify();
    expect([shares(), await notified()]).toEqual([[], 0]);
  });

  test('is one for calls that overlap, and a last look finds what was reached meanwhile', async () => {
    await use(70);
    let looks = 0;
    beforeOwners = async () => {
      looks += 1;
      if (looks > 1) return;
      await use(30);
      for (let call = 0; call < 5; call++) usage.wake(tenant);
    };
    await notify();
    expect([shares(), await notified(), looks]).toEqual([[70, 100], 100, 2]);
  });

  test('that fails does not fail the message, and the next message sends it', async () => {
    await use(90);
    beforeOwners = async () => {
      throw new Error('no disk');
    };
    await notify();
    expect([shares(), await notified(), warnings]).toEqual([
      [],
      0,
      ['the owners could not be notified of the use of their plan'],
    ]);
    beforeOwners = async () => undefined;
    await notify();
    expect([shares(), await notified()]).toEqual([[90], 90]);
  });

  test('has the same ids after a crash between outbox and file', async () => {
    await use(90);
    await notify();
    const before = ids();
    await storage.tenants.write(tenant, (db) => {
      db.prepare('UPDATE monthly_usage SET told = 0').run();
      forgetMemory(db);
    });
    await notify();
    expect([ids(), await notified()]).toEqual([before, 90]);
    expect(before).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
  });

  test('for a cap of zero is recorded too', async () => {
    const none = createUsageNotices(
      {
        ...{ files: storage.tenants, platform: storage.platform, clock, origin: '' },
        notices: { enqueue: testOutbox.enqueue, wake: () => undefined },
        ownersOf: async () => [{ email: 'a@example.org', language: 'de' }],
        log: createLog('fatal', new Writable()),
      },
      () => ({ ...defaultLimits, managed_host_mails: 0 }),
    );
    for (let time = 0; time < 2; time++) {
      none.wake(tenant);
      await none.stop();
    }
    expect(shares()).toEqual([100]);
  });
});
