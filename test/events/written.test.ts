// Which tenants' files a start looks at: those that were written since their followers looked, and those that are due.
import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { createFollowing, type Follower } from '#src/events/follow.ts';
import { createWritten } from '#src/events/written.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { newId } from '#src/kernel/id.ts';
import { DAY, MINUTE, SECOND } from '#src/kernel/time.ts';
import { createWorkEngine } from '#src/kernel/work/engine.ts';
import type { WorkItem } from '#src/kernel/work/in-flight.ts';
import { createTestDisk, type TestDisk } from '#test/kernel/db/test-disk.ts';
import { openTestStorage, temporaryDirectory } from '#test/support/storage.ts';

let directory: string;
let disk: TestDisk;
let now: number;

beforeEach(async () => {
  directory = await temporaryDirectory();
  disk = createTestDisk();
  now = 1_000_000;
});

const quiet = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
};

type Look = (tenantId: string) => { readonly next: number | null; readonly takes?: boolean };

const nothing: Look = () => ({ next: null });

/** A process with one follower, which finds at each tenant what `look` says. */
const start = async (look: Look = nothing) => {
  const storage: Storage = await openTestStorage(directory, { disk, runsTwice: true });
  const clock = { now: () => now };
  const written = createWritten(storage.platform, clock);
  storage.tenants.noteWrites(written.notes);
  const seen: string[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<null>();
  const work = createWorkEngine({ clock, log: pino({ level: 'silent' }) });
  const following = createFollowing(storage.platform, storage.tenants, work, written, clock);
  const follower: Follower<WorkItem, null> = {
    name: 'webhooks',
    limits: {
      total: { running: 9, claimed: 9 },
      tenant: { running: 9, claimed: 9 },
      target: () => ({ running: 9, claimed: 9 }),
    },
    claimDue: async (tenantId, claim) => {
      const { next, takes = false } = await storage.tenants.read(tenantId, () => look(tenantId));
      seen.push(tenantId);
      if (takes && !claim.isInFlight('item')) claim.take({ key: 'item', target: 'x', bytes: 0 });
      return next;
    },
    isFollowed: () => true,
    attempt: () => ended,
    resultOf: () => ({ isSuccess: true }),
    settle: async () => undefined,
    giveBack: async () => undefined,
  };
  const queue = following.open(follower);
  await following.start();
  return {
    storage,
    written,
    seen,
    wake: queue.wake,
    /** The attempts in flight. */
    end: () => end(null),
    write: (id: string) => storage.tenants.write(id, (db) => tenantStore(db).practice),
    follow: async (count: number): Promise<string[]> => {
      const ids = Array.from({ length: count }, () => newId());
      for (const id of ids) {
        await storage.platform.write((db) => {
          registryStore(db).reserve(id, id, 0);
          registryStore(db).activate(id);
        });
        await storage.tenants.create(id, () => undefined);
        (await following.hold('webhooks', id))();
      }
      await expect.poll(() => new Set(seen)).toEqual(new Set(ids));
      await quiet();
      return ids;
    },
    marked: (): string[] =>
      storage.platform.peek((db) => db.prepare<[], string>('SELECT * FROM written_tenants').pluck().all()),
    /** Rows of the registry that were written. */
    changes: () => storage.platform.peek((db) => db.prepare('SELECT total_changes()').pluck().get()),
    rest: async (isLast = true) => {
      await written.settle(isLast);
      await following.noteTimes();
    },
    /** As a crash, where nothing has rested before. */
    leave: async () => {
      end(null);
      await following.stop();
      await storage.close();
    },
  };
};

describe('a start', () => {
  test('opens no file of tenants at rest, and looks at one again once it is written', async () => {
    const first = await start();
    const ids = await first.follow(3);
    for (const id of ids) await first.write(id);
    await quiet();
    await first.rest();
    expect(first.marked()).toEqual([]);
    await first.leave();
    const second = await start();
    await quiet();
    expect([second.seen, second.storage.tenants.stats().open]).toEqual([[], 0]);
    await second.write(ids[1] as string);
    await expect.poll(() => second.seen).toEqual([ids[1]]);
  });

  test('after a crash looks at the tenants that were written, and at no others', async () => {
    const first = await start();
    const ids = await first.follow(3);
    await quiet();
    await first.rest();
    await first.write(ids[2] as string);
    await first.leave();
    const second = await start();
    await expect.poll(() => second.seen).toEqual([ids[2]]);
    // The look counts once the file that it had to open is closed again.
    await expect
      .poll(async () => {
        await second.rest();
        return second.marked();
      })
      .toEqual([]);
    await second.leave();
    const third = await start();
    await quiet();
    expect(third.seen).toEqual([]);
  });

  test('looks at a tenant that rested when its time comes', async () => {
    const first = await start(() => ({ next: 1_000_000 + DAY }));
    const [id = ''] = await first.follow(1);
    await first.rest();
    await first.leave();
    const second = await start();
    await quiet();
    expect(second.seen).toEqual([]);
    now += DAY;
    second.wake(newId());
    await expect.poll(() => second.seen).toContain(id);
    await quiet();
    await second.rest();
    await second.leave();
    const third = await start();
    await quiet();
    expect(third.seen).toEqual([]);
  });

  test('looks at those that were due while it was down, and at followers that have never looked', async () => {
    const first = await start(() => ({ next: 1_000_000 + SECOND }));
    const [id = ''] = await first.follow(1);
    await first.rest();
    await first.leave();
    now += MINUTE;
    const second = await start();
    await expect.poll(() => second.seen).toEqual([id]);
  });
});

describe('a mark', () => {
  test('is on the disk before the file is written', async () => {
    const running = await start();
    const [id = ''] = await running.follow(1);
    await running.rest();
    let ran = false;
    disk.hold();
    const written = running.storage.tenants.write(id, () => {
      ran = true;
    });
    await quiet();
    expect(ran).toBe(false);
    disk.release();
    await written;
    expect(running.marked()).toEqual([id]);
  });

  test('stays for ten minutes after a write, and is written once for all that follow', async () => {
    const running = await start();
    const [id = ''] = await running.follow(1);
    await running.rest();
    await running.write(id);
    await quiet();
    now += 9 * MINUTE;
    await running.rest(false);
    const before = running.changes();
    await running.write(id);
    await quiet();
    now += 9 * MINUTE;
    await running.rest(false);
    expect(running.marked()).toEqual([id]);
    expect(running.changes()).toBe(before);
    now += MINUTE;
    await running.rest(false);
    expect(running.marked()).toEqual([]);
    await running.write(id);
    expect(running.marked()).toEqual([id]);
  });

  test('stays while an attempt is in flight, until a look after it', async () => {
    let takes = true;
    const running = await start(() => ({ next: null, takes }));
    const [id = ''] = await running.follow(1);
    await running.write(id);
    await quiet();
    await running.rest();
    expect(running.marked()).toEqual([id]);
    takes = false;
    running.end();
    await quiet();
    await running.rest();
    expect(running.marked()).toEqual([]);
  });

  test('stays where a look failed', async () => {
    let isBroken = false;
    const running = await start(() => {
      if (isBroken) throw new Error('the disk fails');
      return { next: null };
    });
    const [id = ''] = await running.follow(1);
    await running.rest();
    isBroken = true;
    await running.write(id);
    await quiet();
    await running.rest();
    expect(running.marked()).toEqual([id]);
  });
});
