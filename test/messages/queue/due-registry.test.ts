import { beforeEach, describe, expect, test } from 'vitest';
import { registryStore } from '#src/accounts/tenants/registry-store.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import { newId } from '#src/kernel/id.ts';
import { createDueRegistry, type DueRegistry } from '#src/messages/queue/due-registry.ts';
import { dueStore } from '#src/messages/queue/due-store.ts';
import { createTestDisk, type TestDisk } from '#test/kernel/db/test-disk.ts';
import { openTestStorage, temporaryDirectory } from '#test/support/storage.ts';

let storage: Storage;
let disk: TestDisk;
let registry: DueRegistry;
let tenant: string;

beforeEach(async () => {
  disk = createTestDisk();
  storage = await openTestStorage(await temporaryDirectory(), { disk });
  registry = createDueRegistry(storage.platform);
  tenant = newId();
  await storage.platform.write((db) => {
    registryStore(db).reserve(tenant, 'praxis', 0);
    registryStore(db).activate(tenant);
  });
});

/** Held for no longer than it takes to store it. */
const hold = async (tenantId: string, dueAt: number): Promise<void> =>
  (await registry.hold(tenantId, dueAt))();

const onDisk = (): number | null =>
  storage.platform.peek((db) => dueStore(db).all()).find((row) => row.tenant_id === tenant)?.due_at ?? null;

/** True where the promise has been kept after every turn of the event loop that could keep it. */
const isSettled = async (promise: Promise<void>): Promise<boolean> => {
  let settled = false;
  const done = () => {
    settled = true;
  };
  promise.then(done, done);
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  return settled;
};

describe('lowering', () => {
  test('resolves when the time is on the disk, and not before', async () => {
    disk.hold();
    const ensured = hold(tenant, 100);
    expect(await isSettled(ensured)).toBe(false);
    disk.release();
    await ensured;
    expect(onDisk()).toBe(100);
  });

  test('a caller that relies on a lowering in progress waits for it', async () => {
    disk.hold();
    const first = hold(tenant, 100);
    const second = hold(tenant, 200);
    expect(await isSettled(second)).toBe(false);
    disk.release();
    await Promise.all([first, second]);
    expect(onDisk()).toBe(100);
  });

  test('a later time costs no write', async () => {
    await hold(tenant, 100);
    const before = disk.syncs();
    await hold(tenant, 100);
    await hold(tenant, 5_000);
    expect(disk.syncs()).toBe(before);
    expect(onDisk()).toBe(100);
  });

  test('an earlier time is written', async () => {
    await hold(tenant, 100);
    await hold(tenant, 50);
    expect(onDisk()).toBe(50);
  });

  test('a lowering that failed rejects for all callers that relied on it, and is tried again by the next', async () => {
    const stranger = newId();
    const failed = hold(stranger, 100);
    const relying = hold(stranger, 200);
    await expect(failed).rejects.toThrow();
    await expect(relying).rejects.toThrow();
    await storage.platform.write((db) => {
      registryStore(db).reserve(stranger, 'later', 0);
      registryStore(db).activate(stranger);
    });
    await hold(stranger, 300);
    expect(storage.platform.peek((db) => dueStore(db).all())).toEqual([{ tenant_id: stranger, due_at: 300 }]);
  });
});

describe('settling', () => {
  beforeEach(() => hold(tenant, 100));

  test.each([
    { name: 'raises to what is really next', next: 900, disk: 900 },
    { name: 'clears where nothing is queued', next: null, disk: null },
    { name: 'leaves alone what is due', next: 100, disk: 100 },
    { name: 'never lowers: that is what the answer waits for', next: 50, disk: 100 },
  ])('$name', async ({ next, disk: expected }) => {
    await registry.settle(() => next);
    expect(onDisk()).toBe(expected);
  });

  test('costs no write where nothing changed', async () => {
    const before = disk.syncs();
    await registry.settle(() => 100);
    expect(disk.syncs()).toBe(before);
  });

  test('a message accepted while it raises or clears is not forgotten', async () => {
    for (const next of [900, null]) {
      disk.hold();
      const settled = registry.settle(() => next);
      const held = hold(tenant, 200);
      disk.release();
      await Promise.all([settled, held]);
      expect(onDisk()).toBe(200);
    }
  });

  test('a time that is held stays until all holders have released it', async () => {
    const first = await registry.hold(tenant, 150);
    const second = await registry.hold(tenant, 160);
    for (const release of [first, second]) {
      await registry.settle(() => null);
      expect(onDisk()).toBe(100);
      release();
    }
    await registry.settle(() => null);
    expect(onDisk()).toBeNull();
  });

  test('a hold that failed holds nothing', async () => {
    const stranger = newId();
    await expect(registry.hold(stranger, 100)).rejects.toThrow();
    await storage.platform.write((db) => {
      registryStore(db).reserve(stranger, 'later', 0);
      registryStore(db).activate(stranger);
    });
    await hold(stranger, 100);
    await registry.settle(() => null);
    expect(storage.platform.peek((db) => dueStore(db).all())).toEqual([]);
  });
});

test('a new process reads what the last one left', async () => {
  await hold(tenant, 100);
  const next = createDueRegistry(storage.platform);
  expect([...(await next.load())]).toEqual([[tenant, 100]]);
  const before = disk.syncs();
  await next.hold(tenant, 100);
  expect(disk.syncs()).toBe(before);
});
