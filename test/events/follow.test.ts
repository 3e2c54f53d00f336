// @module-tag slow
import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { createFollowing, type Follower, type Following } from '#src/events/follow.ts';
import type { FollowerName } from '#src/events/follow-store.ts';
import { followerRegistryStore } from '#src/events/follower-registry-store.ts';
import { createWritten } from '#src/events/written.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { newId } from '#src/kernel/id.ts';
import { MINUTE, SECOND } from '#src/kernel/time.ts';
import { createWorkEngine } from '#src/kernel/work/engine.ts';
import type { WorkItem } from '#src/kernel/work/in-flight.ts';
import { createTestDisk, type TestDisk } from '#test/kernel/db/test-disk.ts';
import { openTestStorage, temporaryDirectory } from '#test/support/storage.ts';

type Result = number | null | 'unfollowed';
interface Turn {
  readonly follower: FollowerName;
  readonly tenantId: string;
  readonly end: (result: Result | Error) => void;
}

let storage: Storage;
let disk: TestDisk;
let now: number;
let logged: { tenant?: string; at: number }[];

beforeEach(async () => {
  disk = createTestDisk();
  storage = await openTestStorage(await temporaryDirectory(), { disk, maxOpenTenants: 4 });
  now = 1_000_000;
  logged = [];
});

const tenant = async (): Promise<string> => {
  const id = newId();
  await storage.platform.write((db) => {
    registryStore(db).reserve(id, `praxis-${id}`, 0);
    registryStore(db).activate(id);
  });
  await storage.tenants.create(id, () => undefined);
  return id;
};
const tenants = (count: number): Promise<string[]> => Promise.all(Array.from({ length: count }, tenant));
const follow = (tenantId: string, follower: FollowerName = 'webhooks'): Promise<void> =>
  storage.platform.write((db) => followerRegistryStore(db).add(tenantId, follower));
const write = (tenantId: string): Promise<unknown> =>
  storage.tenants.write(tenantId, (db) => tenantStore(db).practice);
const registered = (): string[] =>
  storage.platform.peek((db) => followerRegistryStore(db).all()).map((row) => row.tenant_id);

/** What follows from a claim is shown in test/kernel/work: these claim nothing. */
const idle: Omit<Follower<WorkItem, null>, 'name' | 'claimDue'> = {
  limits: {
    total: { running: 1, claimed: 1 },
    tenant: { running: 1, claimed: 1 },
    target: () => ({ running: 1, claimed: 1 }),
  },
  isFollowed: () => true,
  attempt: async () => null,
  resultOf: () => ({ isSuccess: true }),
  settle: async () => undefined,
  giveBack: async () => undefined,
};

/** Turns wait until the test ends them, each as it says. */
const play = () => {
  const turns: Turn[] = [];
  const arrived: (() => void)[] = [];
  let current = 0;
  let most = 0;
  const follower = (name: FollowerName): Follower<WorkItem, null> => ({
    ...idle,
    name,
    claimDue: (tenantId) =>
      new Promise((resolve, reject) => {
        current += 1;
        most = Math.max(most, current);
        turns.push({
          follower: name,
          tenantId,
          end: (result) => {
            current -= 1;
            if (result instanceof Error) reject(result);
            else resolve(result);
          },
        });
        for (const wake of arrived.splice(0)) wake();
      }),
  });
  const count = async (wanted: number): Promise<void> => {
    while (turns.length < wanted) await new Promise<void>((resolve) => arrived.push(resolve));
  };
  return {
    followers: [follower('webhooks'), follower('alerts')],
    turns,
    most: () => most,
    current: () => current,
    count,
    /** The turn with that number, from 0, once it has begun. */
    turn: async (index: number): Promise<Turn> => {
      await count(index + 1);
      return turns[index] as Turn;
    },
  };
};
type Played = ReturnType<typeof play>;

const following = (played: Pick<Played, 'followers'>): Following => {
  const log = pino(
    { level: 'error' },
    {
      write: (line: string) => {
        logged.push({ ...JSON.parse(line), at: now });
      },
    },
  );
  const made = createFollowing(
    storage.platform,
    storage.tenants,
    createWorkEngine({ clock: { now: () => now }, log }),
    createWritten(storage.platform, { now: () => now }),
    { now: () => now },
  );
  for (const follower of played.followers) made.open(follower);
  return made;
};

/** Whatever was to begin at this point has begun. */
const quiet = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** Has one turn for each follower that follows already, and ends it. */
const started = async (played: Played, follows: number): Promise<Following> => {
  const started = following(played);
  await started.start();
  for (let index = 0; index < follows; index++) (await played.turn(index)).end(null);
  await quiet();
  return started;
};

/** Has it look at the clock, by another's turn. */
const nudge = async (running: Following, played: Played): Promise<void> => {
  running.wake('alerts', await tenant());
  await quiet();
  for (const { follower, end } of played.turns) if (follower === 'alerts') end(null);
  await quiet();
};

describe('what wakes a follower', () => {
  test('a commit wakes the followers of that tenant and no others', async () => {
    const [first, second, stranger] = (await tenants(3)) as [string, string, string];
    await follow(first);
    await follow(first, 'alerts');
    await follow(second);
    const played = play();
    await started(played, 3);
    await write(stranger);
    await write(first);
    await played.count(5);
    await quiet();
    const woken = played.turns.slice(3).map(({ follower, tenantId }) => `${follower} ${tenantId}`);
    expect(woken.sort()).toEqual([`alerts ${first}`, `webhooks ${first}`]);
  });

  test('a new follower is woken from its registration on', async () => {
    const id = await tenant();
    const played = play();
    const running = await started(played, 0);
    await write(id);
    const release = await running.hold('webhooks', id);
    expect(registered()).toEqual([id]);
    await write(id);
    (await played.turn(0)).end(null);
    await quiet();
    release();
    (await played.turn(1)).end(null);
    await quiet();
    await write(id);
    (await played.turn(2)).end(null);
    await quiet();
    expect(played.turns).toHaveLength(3);
  });

  test('one turn at a time for each tenant and follower, and one more for all that was written meanwhile', async () => {
    const id = await tenant();
    await follow(id);
    const played = play();
    await started(played, 1);
    await write(id);
    const turn = await played.turn(1);
    for (let n = 0; n < 5; n++) await write(id);
    await quiet();
    expect(played.turns).toHaveLength(2);
    turn.end(null);
    (await played.turn(2)).end(null);
    await quiet();
    expect(played.turns).toHaveLength(3);
  });

  test('whose time has come', async () => {
    const id = await tenant();
    await follow(id);
    const played = play();
    const running = following(played);
    await running.start();
    (await played.turn(0)).end(now + 30);
    await quiet();
    expect(played.turns).toHaveLength(1);
    now += 30;
    (await played.turn(1)).end(null);
    await running.stop();
  });

  test('whose time was far ahead when the clock was set back', async () => {
    const [id, other] = [await tenant(), await tenant()];
    await follow(id);
    const played = play();
    const running = following(played);
    await running.start();
    (await played.turn(0)).end(now + 30);
    now -= 2 * MINUTE;
    running.wake('webhooks', other);
    await played.count(3);
    expect(new Set(played.turns.slice(1).map(({ tenantId }) => tenantId))).toEqual(new Set([id, other]));
    for (const turn of played.turns.slice(1)) turn.end(null);
    await running.stop();
  });

  test('tenants take turns: one with more to do comes after those that waited, and few turns run at a time', async () => {
    const ids = await tenants(40);
    for (const id of ids) await follow(id);
    const played = play();
    const running = following(played);
    await running.start();
    for (let index = 0; index < 40; index++) (await played.turn(index)).end(null);
    await quiet();
    expect(played.most()).toBeLessThanOrEqual(4);
    for (const id of ids) running.wake('webhooks', id);
    await played.count(56);
    await quiet();
    expect(played.turns).toHaveLength(56);
    played.turns[40]?.end(now);
    for (let index = 41; index < 80; index++) (await played.turn(index)).end(null);
    (await played.turn(80)).end(null);
    expect(played.most()).toBe(16);
    expect(new Set(played.turns.slice(40, 80).map(({ tenantId }) => tenantId)).size).toBe(40);
    expect(played.turns[80]?.tenantId).toBe(ids[0]);
  });
});

describe('a turn that fails', () => {
  test('is tried again later and later, is not hastened by what is written, and fills no log', async () => {
    const id = await tenant();
    await follow(id);
    const played = play();
    const running = following(played);
    await running.start();
    const waits = [5, 10, 20, 40, 80, 160, 300, 300].map((seconds) => seconds * SECOND);
    const own = () => played.turns.filter(({ tenantId }) => tenantId === id);
    for (const [index, wait] of waits.entries()) {
      await expect.poll(own).toHaveLength(index + 1);
      own()[index]?.end(new Error('disk'));
      await write(id);
      await quiet();
      now += wait - 1;
      await nudge(running, played);
      running.wake('webhooks', id);
      await quiet();
      expect(own()).toHaveLength(index + 1);
      now += 1;
      await nudge(running, played);
    }
    await expect.poll(own).toHaveLength(waits.length + 1);
    own().at(-1)?.end(null);
    await quiet();
    expect(logged.length).toBeGreaterThan(2);
    for (const [index, { at }] of logged.slice(1).entries())
      expect(at - (logged[index]?.at ?? 0)).toBeGreaterThanOrEqual(MINUTE);
    expect(logged[0]?.tenant).toBe(id);
    await write(id);
    await expect.poll(own).toHaveLength(waits.length + 2);
  });

  test('and then succeeds is taken again for what was written during it', async () => {
    const played = play();
    const id = await tenant();
    await follow(id);
    const running = following(played);
    await running.start();
    const own = () => played.turns.filter(({ tenantId }) => tenantId === id);
    (await played.turn(0)).end(new Error('the disk is full'));
    await quiet();
    now += MINUTE;
    await nudge(running, played);
    await expect.poll(own).toHaveLength(2);
    await write(id);
    own()[1]?.end(null);
    await expect.poll(own).toHaveLength(3);
  });

  test('keeps no other tenant waiting', async () => {
    const [broken, fine] = (await tenants(2)) as [string, string];
    await follow(broken);
    await follow(fine);
    const played = play();
    await following(played).start();
    await played.count(2);
    for (const { tenantId, end } of played.turns) end(tenantId === broken ? new Error('disk') : null);
    await quiet();
    await write(fine);
    expect((await played.turn(2)).tenantId).toBe(fine);
  });
});

describe('a tenant without a follower', () => {
  test('is forgotten by the registry, and a commit wakes nothing', async () => {
    const id = await tenant();
    await follow(id);
    const played = play();
    const running = following(played);
    await running.start();
    (await played.turn(0)).end('unfollowed');
    await quiet();
    await expect.poll(registered).toEqual([]);
    await write(id);
    await quiet();
    expect(played.turns).toHaveLength(1);
    (await running.hold('webhooks', id))();
    expect(registered()).toEqual([id]);
    await played.count(2);
  });

  test.each([
    { when: 'before the turn and still now', holdsFirst: true, letsGoFirst: false },
    { when: 'while the turn looked', holdsFirst: false, letsGoFirst: true },
    { when: 'while the turn looked, and still now', holdsFirst: false, letsGoFirst: false },
    { when: 'before the turn, and until it had looked', holdsFirst: true, letsGoFirst: true },
  ])('stays registered where a follower came $when', async ({ holdsFirst, letsGoFirst }) => {
    const id = await tenant();
    await follow(id);
    const played = play();
    const running = following(played);
    const early = holdsFirst ? await running.hold('webhooks', id) : null;
    await running.start();
    const turn = await played.turn(0);
    const release = early ?? (await running.hold('webhooks', id));
    if (letsGoFirst) release();
    turn.end('unfollowed');
    await quiet();
    expect(registered()).toEqual([id]);
    release();
    (await played.turn(1)).end(null);
    await write(id);
    (await played.turn(2)).end('unfollowed');
    await expect.poll(registered).toEqual([]);
  });

  test('leaves the other tenants registered, after a restart too', async () => {
    const [first, second] = (await tenants(2)) as [string, string];
    await follow(first);
    await follow(second);
    const played = play();
    const running = following(played);
    await running.start();
    for (const index of [0, 1]) {
      const { tenantId, end } = await played.turn(index);
      end(tenantId === first ? 'unfollowed' : null);
    }
    await expect.poll(registered).toEqual([second]);
    await running.stop();
    const next = play();
    const restarted = following(next);
    await restarted.start();
    await write(second);
    expect((await next.turn(0)).tenantId).toBe(second);
    for (const { end } of next.turns) end(null);
    await restarted.stop();
  });

  test('that was only held is looked at, and forgotten', async () => {
    const id = await tenant();
    const played = play();
    const running = await started(played, 0);
    (await running.hold('webhooks', id))();
    (await played.turn(0)).end('unfollowed');
    await expect.poll(registered).toEqual([]);
  });
});

describe('holding', () => {
  test('resolves when the registry has it on the disk, for each caller', async () => {
    const id = await tenant();
    const played = play();
    const running = await started(played, 0);
    let held = 0;
    disk.hold();
    const holds = [running.hold('webhooks', id), running.hold('webhooks', id)];
    for (const hold of holds) void hold.then(() => held++);
    await quiet();
    expect(held).toBe(0);
    disk.release();
    await Promise.all(holds);
    expect(registered()).toEqual([id]);
  });

  test('that failed rejects, and the next call tries again', async () => {
    const stranger = newId();
    const running = await started(play(), 0);
    await expect(running.hold('webhooks', stranger)).rejects.toThrow();
    await storage.platform.write((db) => {
      registryStore(db).reserve(stranger, 'later', 0);
      registryStore(db).activate(stranger);
    });
    await running.hold('webhooks', stranger);
    expect(registered()).toEqual([stranger]);
  });
});

test('a start looks at all followed tenants, a few at a time, and leaves no file open that was closed', async () => {
  const directory = await temporaryDirectory();
  storage = await openTestStorage(directory, { maxOpenTenants: 100 });
  const ids = await tenants(60);
  for (const id of ids) await follow(id);
  await storage.close();
  storage = await openTestStorage(directory, { maxOpenTenants: 100 });
  await write(ids[7] as string);
  const seen: string[] = [];
  let current = 0;
  let most = 0;
  const { promise: all, resolve: done } = Promise.withResolvers<void>();
  const { promise: gate, resolve: letGo } = Promise.withResolvers<void>();
  const turn = async (tenantId: string): Promise<null> => {
    current += 1;
    most = Math.max(most, current);
    await gate;
    await storage.tenants.read(tenantId, () => undefined);
    current -= 1;
    seen.push(tenantId);
    if (seen.length === ids.length) done();
    return null;
  };
  const running = following({ followers: [{ ...idle, name: 'webhooks', claimDue: turn }] });
  await running.start();
  await expect.poll(() => current).toBe(4);
  letGo();
  await all;
  await running.stop();
  expect(seen.toSorted()).toEqual(ids.toSorted());
  expect(most).toBe(4);
  expect(storage.tenants.stats().open).toBe(1);
});

test('a stop begins no turn and waits for those in progress', async () => {
  const [first, second] = (await tenants(2)) as [string, string];
  await follow(first);
  const played = play();
  const running = following(played);
  await running.start();
  const turn = await played.turn(0);
  let stopped = false;
  const stopping = running.stop().then(() => {
    stopped = true;
  });
  await write(first);
  (await running.hold('webhooks', second))();
  await quiet();
  expect(stopped).toBe(false);
  turn.end(now);
  await stopping;
  await quiet();
  expect(played.turns).toHaveLength(1);
});

test('what followers remember of a log ends where another file takes the place of the tenant’s', async () => {
  const id = await tenant();
  const forgotten: string[] = [];
  const followers = play().followers.map((one) => ({
    ...one,
    forget: (tenantId: string) => void forgotten.push(`${one.name} ${tenantId}`),
  }));
  await following({ followers }).reopened(id);
  expect(forgotten).toEqual([`webhooks ${id}`, `alerts ${id}`]);
  expect(registered()).toEqual([id, id]);
});
