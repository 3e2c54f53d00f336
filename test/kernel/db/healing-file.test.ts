import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Disk } from '#src/kernel/db/disk.ts';
import { type DurableFile, openDurableFile } from '#src/kernel/db/durable-file.ts';
import { createMaintenance, type Maintenance } from '#src/kernel/db/maintenance.ts';
import { migrationsOf } from '#src/kernel/db/migrate.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { createHealingFile } from '#src/kernel/db/storage.ts';
import { until } from '#test/support/process.ts';
import { temporaryDirectory } from '#test/support/storage.ts';
import { createTestDisk, type TestDisk } from './test-disk.ts';

const MIGRATIONS = migrationsOf('CREATE TABLE t (n INTEGER) STRICT;', []);
const UNAVAILABLE = { code: 'unavailable' };

let path: string;
let disk: TestDisk;
let maintenance: Maintenance;
let faults: string[];
/** What each opening waits for. */
let beforeOpen: () => Promise<void>;

beforeEach(async () => {
  path = join(await temporaryDirectory(), 'tenant.db');
  disk = createTestDisk();
  maintenance = createMaintenance({ platform: [], tenant: MIGRATIONS });
  onTestFinished(() => maintenance.stop());
  faults = [];
  beforeOpen = async () => undefined;
});

const onFault = (_error: unknown, what: string) => {
  faults.push(what);
};

const openHealing = (usedDisk: Disk = disk): Promise<DurableFile<TenantDb>> =>
  createHealingFile(async () => {
    await beforeOpen();
    const checkpointBytes = 1_024 * 1_024;
    return openDurableFile({
      path,
      kind: 'tenant',
      isWhole: () => true,
      create: true,
      disk: usedDisk,
      maintenance,
      checkpointBytes,
      onFault,
      onWal: () => undefined,
    });
  }, onFault);

const insert = (n: number) => (db: TenantDb) => {
  db.prepare('INSERT INTO t (n) VALUES (?)').run(n);
};
const numbers = (db: TenantDb): unknown[] => db.prepare('SELECT n FROM t ORDER BY n').pluck().all();

const breakIt = async (file: DurableFile<TenantDb>): Promise<void> => {
  disk.failNextSync(new Error('EIO'));
  await expect(file.write(insert(2))).rejects.toMatchObject(UNAVAILABLE);
};

const isOpen = async (): Promise<boolean> =>
  stat(`${path}-wal`).then(
    () => true,
    () => false,
  );

describe('after a failed sync', () => {
  test('it opens again by itself, with all that was answered', async () => {
    const file = await openHealing();
    await file.write(insert(1));
    await breakIt(file);
    await until('it has been opened again', () => !file.broken());
    await file.write(insert(3));
    expect(await file.read(numbers)).toEqual(expect.arrayContaining([1, 3]));
    await file.close();
    expect(await isOpen()).toBe(false);
  });

  test('it refuses until it has been opened again', async () => {
    const file = await openHealing();
    const opening = Promise.withResolvers<void>();
    beforeOpen = () => opening.promise;
    await breakIt(file);
    await expect(file.write(insert(3))).rejects.toMatchObject(UNAVAILABLE);
    await expect(file.read(numbers)).rejects.toMatchObject(UNAVAILABLE);
    expect(() => file.peek(numbers)).toThrow('The disk failed');
    expect(file.broken()).toBe(true);
    opening.resolve();
    await until('it has been opened again', () => !file.broken());
    await file.close();
  });

  test('it tries until it can be opened', async () => {
    const file = await openHealing();
    let tries = 0;
    beforeOpen = async () => {
      tries += 1;
      if (tries === 1) throw new Error('no descriptors left');
    };
    await breakIt(file);
    await until('it has been opened again', () => !file.broken());
    expect(tries).toBe(2);
    expect(faults).toEqual(['sync failed']);
    await file.close();
  });
});

describe('closing while it heals', () => {
  test('closes what has just been opened again', async () => {
    const file = await openHealing();
    const begun = Promise.withResolvers<void>();
    const opening = Promise.withResolvers<void>();
    beforeOpen = () => {
      begun.resolve();
      return opening.promise;
    };
    await breakIt(file);
    await begun.promise;
    const closed = file.close();
    opening.resolve();
    await closed;
    expect(await isOpen()).toBe(false);
    await expect(file.write(insert(3))).rejects.toMatchObject(UNAVAILABLE);
  });

  test('ends, also where it can never be opened again', async () => {
    const file = await openHealing();
    const begun = Promise.withResolvers<void>();
    beforeOpen = () => {
      begun.resolve();
      return Promise.reject(new Error('no descriptors left'));
    };
    await breakIt(file);
    await begun.promise;
    await file.close();
    expect(file.broken()).toBe(true);
  });
});

test('where it cannot be opened the first time, it rejects', async () => {
  disk.failNextSync(new Error('EIO'));
  await expect(openHealing()).rejects.toThrow('EIO');
});
