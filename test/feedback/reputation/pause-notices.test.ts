// When owners are notified of a pause: crashes, failures and calls from within the transaction. What the mails say and that they
// come is shown in test/flows/guardrail.test.ts and pause.test.ts.
import { Writable } from 'node:stream';
import { beforeEach, describe, expect, test } from 'vitest';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { isUnnotified, pausePractice, resumePractice } from '#src/feedback/reputation/pause.ts';
import { createPauseNotices, type PauseNotices } from '#src/feedback/reputation/pause-notices.ts';
import { anonymous, type Caller } from '#src/kernel/access.ts';
import { systemChange } from '#src/kernel/change.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { createLog } from '#src/kernel/log.ts';
import { enqueuedIn, testOutbox } from '#test/support/outbox.ts';
import {
  createSampleTenant,
  createTestClock,
  openTestStorage,
  temporaryDirectory,
} from '#test/support/storage.ts';

const owner: Caller = { ...anonymous, kind: 'member', name: 'chefin@example.org', isOwner: true };
const clock = createTestClock();

let storage: Storage;
let tenant: string;
let pauses: PauseNotices;
let warnings: string[];
let beforeOwners: () => Promise<void>;

beforeEach(async () => {
  storage = await openTestStorage(await temporaryDirectory());
  tenant = await createSampleTenant(storage);
  warnings = [];
  beforeOwners = async () => undefined;
  pauses = createPauseNotices({
    files: storage.tenants,
    platform: storage.platform,
    notices: { enqueue: testOutbox.enqueue, wake: () => undefined },
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
  });
});

const pause = (notify = false) =>
  storage.tenants.write(tenant, (db) => {
    pausePractice(db, 'Neue Liste', owner, systemChange('practice.pause'), clock.now());
    if (notify) pauses.notify(tenant);
  });
const resume = () =>
  storage.tenants.write(tenant, (db) =>
    resumePractice(db, owner, systemChange('practice.resume'), clock.now()),
  );
const notify = async () => {
  pauses.notify(tenant);
  await pauses.stop();
};
const isWaiting = () => storage.tenants.read(tenant, isUnnotified);
const ids = () => enqueuedIn(storage).map(({ id }) => id);
const kinds = () => enqueuedIn(storage).map(({ notice }) => `${notice.kind} ${notice.to}`);
const BOTH = ['practice_paused a@example.org', 'practice_paused b@example.org'];

describe('a pause', () => {
  test('is notified to every owner once', async () => {
    await pause();
    expect(await isWaiting()).toBe(true);
    await notify();
    await notify();
    expect([kinds(), await isWaiting()]).toEqual([BOTH, false]);
  });

  test('is notified from within the transaction that makes it', async () => {
    await pause(true);
    await pauses.stop();
    expect([kinds(), await isWaiting()]).toEqual([BOTH, false]);
  });

  test('that is rolled back is not notified', async () => {
    const failed = storage.tenants.write(tenant, (db) => {
      pausePractice(db, 'Neue Liste', owner, systemChange('practice.pause'), clock.now());
      pauses.notify(tenant);
      throw new Error('no room');
    });
    await expect(failed).rejects.toThrow('no room');
    await pauses.stop();
    expect([kinds(), warnings]).toEqual([[], []]);
  });

  test('whose notice failed is notified at the next occasion', async () => {
    await pause();
    beforeOwners = async () => {
      throw new Error('no disk');
    };
    await notify();
    expect([kinds(), await isWaiting(), warnings]).toEqual([
      [],
      true,
      ['owners could not be notified of a pause or resumption'],
    ]);
    beforeOwners = async () => undefined;
    await notify();
    expect([kinds(), await isWaiting()]).toEqual([BOTH, false]);
  });

  test('whose notice was sent before a crash gets the same ids after it', async () => {
    await pause();
    await notify();
    const before = ids();
    await storage.tenants.write(tenant, (db) => {
      tenantStore(db).updatePause({ ...tenantStore(db).practice(), pause_told: 0 });
    });
    await notify();
    expect([ids(), kinds(), await isWaiting()]).toEqual([before, BOTH, false]);
  });

  test('that is lifted while its notice is sent causes a notice of the resumption too', async () => {
    await pause();
    beforeOwners = async () => {
      beforeOwners = async () => undefined;
      clock.set(clock.now() + 1);
      await resume();
      pauses.notify(tenant);
    };
    await notify();
    expect(kinds()).toEqual([...BOTH, 'practice_resumed a@example.org', 'practice_resumed b@example.org']);
    expect(await isWaiting()).toBe(false);
  });

  test('a second pause is notified like the first', async () => {
    await pause();
    await notify();
    clock.set(clock.now() + 1);
    await resume();
    await notify();
    clock.set(clock.now() + 1);
    await pause();
    await notify();
    expect(kinds().filter((kind) => kind.startsWith('practice_paused'))).toEqual([...BOTH, ...BOTH]);
  });
});

test('a practice that was never paused gets no notice', async () => {
  await notify();
  expect(kinds()).toEqual([]);
});
