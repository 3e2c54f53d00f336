import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DurableFile, openDurableFile } from '#src/db/durable-file.ts';
import { createMaintenance, type Maintenance } from '#src/db/maintenance.ts';
import type { TenantDb } from '#src/db/sqlite.ts';
import { createTestDisk, type TestDisk } from './test-disk.ts';

const MIGRATION = {
  version: 1,
  name: '0001-t.sql',
  sql: 'CREATE TABLE t (n INTEGER PRIMARY KEY, pad TEXT) STRICT;',
};
const CHECKPOINT_BYTES = 64 * 1024;
/** Its salts change when the WAL is begun anew. */
const WAL_HEADER_BYTES = 32;

let directory: string;
let disk: TestDisk;
let maintenance: Maintenance;
let faults: string[];
let open: DurableFile<TenantDb>[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'durable-file-'));
  disk = createTestDisk();
  maintenance = createMaintenance({ platform: [], tenant: [MIGRATION] });
  faults = [];
  open = [];
});

afterEach(async () => {
  await Promise.all(open.map((file) => file.close().catch(() => undefined)));
  await maintenance.stop();
  await rm(directory, { recursive: true });
});

const path = () => join(directory, 'tenant.db');

const openFile = async (): Promise<DurableFile<TenantDb>> => {
  const file = await openDurableFile({
    path: path(),
    kind: 'tenant',
    create: true,
    disk,
    maintenance,
    checkpointBytes: CHECKPOINT_BYTES,
    onFault: (error, what) => faults.push(`${what}: ${error}`),
  });
  open.push(file);
  return file;
};

const insert =
  (n: number, pad = '') =>
  (db: TenantDb) => {
    db.prepare('INSERT INTO t (n, pad) VALUES (?, ?)').run(n, pad);
    return n;
  };

const numbers = (db: Database.Database): unknown[] => db.prepare('SELECT n FROM t ORDER BY n').pluck().all();

/** Every turn of the event loop that could let an early answer out. */
const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

describe('durable at the answer', () => {
  test('no answer precedes the end of the sync', async () => {
    const file = await openFile();
    disk.hold();
    const answered: number[] = [];
    const writes = [1, 2, 3].map((n) => file.write(insert(n)).then((value) => answered.push(value)));
    await turns(50);
    expect(answered).toEqual([]);
    disk.release();
    await Promise.all(writes);
    expect(answered).toEqual([1, 2, 3]);
  });

  test('a read of what is not yet synced waits for the sync too', async () => {
    const file = await openFile();
    disk.hold();
    const write = file.write(insert(1));
    await turns(20);
    let seen: unknown[] | null = null;
    const read = file.read(numbers).then((rows) => {
      seen = rows;
    });
    await turns(20);
    expect(seen).toBeNull();
    disk.release();
    await Promise.all([write, read]);
    expect(seen).toEqual([1]);
  });

  test('writes that arrive together share one transaction and one sync', async () => {
    const file = await openFile();
    const before = disk.syncs();
    await Promise.all(Array.from({ length: 100 }, (_, n) => file.write(insert(n))));
    expect(disk.syncs() - before).toBeLessThanOrEqual(2);
  });

  test('after a power cut that forgets what was not synced, nothing answered is missing', async () => {
    const file = await openFile();
    const safe = join(directory, 'safe');
    await disk.remember(directory, 'tenant.db', safe);
    const answered: number[] = [];
    const padding = 'x'.repeat(2_000);
    // Enough to pass several checkpoints and restarts of the WAL.
    for (let round = 0; round < 40; round++) {
      await Promise.all(
        Array.from({ length: 5 }, (_, k) =>
          file.write(insert(round * 10 + k, padding)).then((n) => answered.push(n)),
        ),
      );
    }
    disk.hold();
    const lost = file.write(insert(9_999)).catch(() => undefined);
    await turns(20);
    const survivor = new Database(join(safe, 'tenant.db'));
    const found = numbers(survivor);
    expect(survivor.pragma('integrity_check', { simple: true })).toBe('ok');
    survivor.close();
    expect(answered).toHaveLength(200);
    expect(found).toEqual(answered.toSorted((a, b) => a - b));
    disk.release();
    await lost;
    expect(faults).toEqual([]);
  });

  test('the WAL is checkpointed and restarted when it has grown', async () => {
    const file = await openFile();
    for (let n = 0; n < 200; n++) await file.write(insert(n, 'x'.repeat(4_000)));
    await turns(5);
    expect((await stat(`${path()}-wal`)).size).toBeLessThan(8 * CHECKPOINT_BYTES);
    expect(faults).toEqual([]);
    expect(await file.read(numbers)).toHaveLength(200);
  });
});

describe('failures', () => {
  test('a commit between a checkpoint and its restart goes behind what is there: no new WAL, no sync', async () => {
    const told = Promise.withResolvers<void>();
    const copied = Promise.withResolvers<void>();
    const real = maintenance;
    maintenance = {
      ...real,
      run: async (command) => {
        await real.run(command);
        if (command.verb !== 'checkpoint') return;
        copied.resolve();
        await told.promise;
      },
    };
    const header = async () =>
      (await readFile(`${path()}-wal`)).subarray(0, WAL_HEADER_BYTES).toString('hex');
    const file = await openFile();
    await file.write(insert(1, 'x'.repeat(CHECKPOINT_BYTES)));
    await copied.promise;
    const before = await header();
    await file.write(insert(2));
    expect(await header()).toBe(before);
    told.resolve();
    await file.close();
    expect(faults).toEqual([]);
  });

  test('what one caller throws undoes only its own changes', async () => {
    const file = await openFile();
    const results = await Promise.allSettled([
      file.write(insert(1)),
      file.write((db) => {
        insert(2)(db);
        throw new Error('refused');
      }),
      file.write(insert(3)),
      file.write(insert(1)),
    ]);
    expect(results.map((result) => result.status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
    ]);
    expect(await file.read(numbers)).toEqual([1, 3]);
  });

  test('after a failed sync everything is refused until the file was closed and opened again', async () => {
    const file = await openFile();
    await file.write(insert(1));
    disk.failNextSync(new Error('EIO'));
    await expect(file.write(insert(2))).rejects.toMatchObject({ code: 'unavailable' });
    expect(file.broken()).toBe(true);
    await expect(file.write(insert(3))).rejects.toMatchObject({ code: 'unavailable' });
    await expect(file.read(numbers)).rejects.toMatchObject({ code: 'unavailable' });
    await file.close();
    const again = await openFile();
    await again.write(insert(4));
    expect(await again.read(numbers)).toEqual([1, 2, 4]);
  });

  test('a sync that fails while a checkpoint is under way leaves a file that can be closed', async () => {
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const real = maintenance;
    maintenance = {
      ...real,
      run: async (command) => {
        if (command.verb === 'checkpoint') {
          begun.resolve();
          await held.promise;
        }
        return real.run(command);
      },
    };
    const file = await openFile();
    await file.write(insert(1, 'x'.repeat(CHECKPOINT_BYTES)));
    await begun.promise;
    disk.failNextSync(new Error('EIO'));
    await expect(file.write(insert(2))).rejects.toThrow('The disk failed');
    const closed = file.close();
    held.resolve();
    await closed;
    const again = await openFile();
    expect(await again.read(numbers)).toContain(1);
  });

  test('a file of a newer version is refused with what to do', async () => {
    const db = new Database(path());
    db.pragma('user_version = 7');
    db.close();
    await expect(openFile()).rejects.toThrow(/has schema 7, .* knows up to 1: start the newer program/);
  });

  test('closing leaves one file without a WAL, and everything in it', async () => {
    const file = await openFile();
    await Promise.all([file.write(insert(1)), file.write(insert(2))]);
    await file.close();
    await expect(stat(`${path()}-wal`)).rejects.toThrow(/ENOENT/);
    const db = new Database(path());
    expect(numbers(db)).toEqual([1, 2]);
    db.close();
  });
});
