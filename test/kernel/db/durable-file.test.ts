import { copyFile, mkdtemp, readdir, readFile, readlink, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type DurableFile, openDurableFile } from '#src/kernel/db/durable-file.ts';
import { createMaintenance, type Maintenance } from '#src/kernel/db/maintenance.ts';
import { migrationsOf } from '#src/kernel/db/migrate.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { until } from '#test/support/process.ts';
import { createTestDisk, type TestDisk } from './test-disk.ts';

const MIGRATIONS = migrationsOf('CREATE TABLE t (n INTEGER PRIMARY KEY, pad TEXT) STRICT;', []);
const CHECKPOINT_BYTES = 64 * 1024;
/** Its salts change when the WAL is begun anew. */
const WAL_HEADER_BYTES = 32;
/** For writes that wait for others. */
const PATIENCE_MS = 60_000;
/** Longer than a write waits for another process that writes. */
const LOCK_PATIENCE_MS = 6_000;

let directory: string;
let disk: TestDisk;
let maintenance: Maintenance;
let faults: string[];
/** Bytes of the WAL after each try to empty it; 0 where nothing held it. */
let held: number[];
let open: DurableFile<TenantDb>[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'durable-file-'));
  disk = createTestDisk();
  maintenance = createMaintenance({ platform: [], tenant: MIGRATIONS });
  faults = [];
  held = [];
  open = [];
});

afterEach(async () => {
  await Promise.all(open.map((file) => file.close().catch(() => undefined)));
  await maintenance.stop();
  await rm(directory, { recursive: true });
});

const path = () => join(directory, 'tenant.db');

const openFile = async (
  options: { readonly runsTwice?: boolean; readonly onCommitted?: () => void } = {},
): Promise<DurableFile<TenantDb>> => {
  const file = await openDurableFile({
    path: path(),
    kind: 'tenant',
    isWhole: () => true,
    create: true,
    disk,
    maintenance,
    checkpointBytes: CHECKPOINT_BYTES,
    onWal: (bytes) => held.push(bytes),
    onFault: (error, what) => faults.push(`${what}: ${error}`),
    ...options,
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

/** A transaction takes no more callers after some milliseconds: here no time passes, so those that came together share one. */
const stopTime = (): void => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
};

/** What this process has open of the test's directory. */
const descriptors = async (): Promise<string[]> => {
  const open = await readdir('/proc/self/fd');
  const targets = await Promise.all(
    open.map((descriptor) => readlink(`/proc/self/fd/${descriptor}`).catch(() => '')),
  );
  return targets.filter((target) => target.startsWith(directory));
};

describe('durable at the answer', () => {
  beforeEach(stopTime);

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

  test('the WAL is checkpointed and written over when it has grown, and cut off when it is twice as large', async () => {
    const runs = { checkpoint: 0, restart: 0 };
    const real = maintenance;
    maintenance = {
      ...real,
      run: async (command) => {
        if (command.verb === 'checkpoint') runs.checkpoint += 1;
        const left = await real.run(command);
        if (command.verb === 'restart') runs.restart += 1;
        return left;
      },
    };
    const file = await openFile();
    const sizes: number[] = [];
    const count = 40;
    for (let n = 1; n <= count; n++) {
      await file.write(insert(n, 'x'.repeat(CHECKPOINT_BYTES / 4)));
      await until('the WAL is restarted', () => runs.restart === runs.checkpoint);
      sizes.push((await stat(`${path()}-wal`)).size);
    }
    expect(runs.restart).toBeGreaterThan(2);
    expect(Math.max(...sizes)).toBeLessThan(2.5 * CHECKPOINT_BYTES);
    expect(sizes.some((size, n) => size === sizes[n - 1])).toBe(true);
    expect(sizes.some((size, n) => size < (sizes[n - 1] ?? 0))).toBe(true);
    await file.checkpoint();
    expect((await stat(`${path()}-wal`)).size).toBeLessThan(CHECKPOINT_BYTES / 4);
    expect(faults).toEqual([]);
    expect(await file.read(numbers)).toEqual(Array.from({ length: count }, (_, n) => n + 1));
  });

  test('what asks for an empty WAL while it is written over gets one', async () => {
    const restarting = Promise.withResolvers<void>();
    const mayGoOn = Promise.withResolvers<void>();
    const real = maintenance;
    maintenance = {
      ...real,
      run: async (command) => {
        const left = await real.run(command);
        if (command.verb !== 'restart') return left;
        restarting.resolve();
        await mayGoOn.promise;
        return left;
      },
    };
    const file = await openFile();
    await file.write(insert(1, 'x'.repeat(CHECKPOINT_BYTES)));
    await restarting.promise;
    expect((await stat(`${path()}-wal`)).size).toBeGreaterThan(CHECKPOINT_BYTES);
    const emptied = file.checkpoint();
    mayGoOn.resolve();
    await emptied;
    expect((await stat(`${path()}-wal`)).size).toBeLessThan(CHECKPOINT_BYTES);
  });
});

describe('failures', () => {
  beforeEach(stopTime);

  test('a commit between a checkpoint and its restart goes behind what is there: no new WAL, no sync', async () => {
    const told = Promise.withResolvers<void>();
    const copied = Promise.withResolvers<void>();
    const real = maintenance;
    maintenance = {
      ...real,
      run: async (command) => {
        const left = await real.run(command);
        if (command.verb !== 'checkpoint') return left;
        copied.resolve();
        await told.promise;
        return left;
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

  test('where one caller throws, those before it run again, and all others keep their answers', async () => {
    const file = await openFile();
    const before = disk.syncs();
    const runs: string[] = [];
    const noted = (name: string, work: (db: TenantDb) => unknown) => (db: TenantDb) => {
      runs.push(name);
      return work(db);
    };
    const refuse = () => {
      throw new Error('refused');
    };
    const answers = await Promise.allSettled([
      file.write(noted('a', insert(1))),
      file.write(noted('b', refuse)),
      file.write(noted('c', insert(3))),
    ]);
    expect(answers.map((answer) => ('value' in answer ? answer.value : answer.reason.message))).toEqual([
      1,
      'refused',
      3,
    ]);
    expect(runs).toEqual(['a', 'b', 'a', 'b', 'c']);
    expect(disk.syncs() - before).toBe(2);
    expect(await file.read(numbers)).toEqual([1, 3]);
  });

  test('where a test asks for it, each transaction is undone once and runs again', async () => {
    const file = await openFile({ runsTwice: true });
    const runs: number[] = [];
    const noted = (n: number) => (db: TenantDb) => {
      runs.push(n);
      return insert(n)(db);
    };
    expect(await Promise.all([file.write(noted(1)), file.write(noted(2))])).toEqual([1, 2]);
    expect(runs).toEqual([1, 2, 1, 2]);
    expect([await file.read(numbers), faults]).toEqual([[1, 2], []]);
  });

  test('where the disk ends a transaction and a caller hides that, its batch fails and does not run again', async () => {
    const file = await openFile();
    let runs = 0;
    const answers = await Promise.allSettled([
      file.write(insert(1)),
      file.write((db) => {
        runs += 1;
        // What SQLite does at an I/O error, also of a read.
        db.exec('ROLLBACK');
        insert(2)(db);
      }),
      file.write(insert(3)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(runs).toBe(1);
    expect(await file.read(numbers)).toEqual([2, 3]);
    expect(faults).toHaveLength(1);
  });

  test('a patient write waits for others, and goes with the next of them', async () => {
    const file = await openFile();
    const before = disk.syncs();
    const patient = file.write(insert(1), PATIENCE_MS);
    await turns(20);
    expect(disk.syncs()).toBe(before);
    await file.write(insert(2));
    expect(await patient).toBe(1);
    expect(disk.syncs()).toBe(before + 1);
  });

  test('a patient write waits no longer than it said, and not for the close', async () => {
    const file = await openFile();
    expect(await file.write(insert(1), 1)).toBe(1);
    const waiting = file.write(insert(2), PATIENCE_MS);
    await file.close();
    expect(await waiting).toBe(2);
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

  test('a sync that fails during a checkpoint leaves a file that can be closed', async () => {
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

  test('a read of what is being synced is refused where that sync fails', async () => {
    const file = await openFile();
    disk.hold();
    disk.failNextSync(new Error('EIO'));
    const write = file.write(insert(1));
    const before = disk.syncs();
    while (disk.syncs() === before) await turns(1);
    const read = file.read(numbers);
    disk.release();
    const refused = { status: 'rejected', reason: expect.objectContaining({ code: 'unavailable' }) };
    expect(await Promise.allSettled([write, read])).toEqual([refused, refused]);
  });

  test('opening on a disk that fails leaves no descriptor behind', async () => {
    for (let time = 0; time < 5; time++) {
      disk.failNextSync(new Error('EIO'));
      await expect(openFile()).rejects.toThrow('EIO');
    }
    expect(await descriptors()).toEqual([]);
    const file = await openFile();
    await file.write(insert(1));
  });

  test('where the size of the WAL is unknown, callers get their answer nevertheless', async () => {
    let fails = false;
    const real = disk;
    const size = (descriptor: number) => {
      if (fails) throw new Error('EIO');
      return real.size(descriptor);
    };
    disk = { ...real, size };
    const file = await openFile();
    fails = true;
    expect(await file.write(insert(1))).toBe(1);
    expect(await file.write(insert(2))).toBe(2);
    await until('that has been told', () => faults.length === 2);
    expect(faults).toEqual(Array(2).fill('size of the WAL unknown: Error: EIO'));
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

describe('a file that is replaced by a backup', () => {
  /** Longer than a replacement stays unnoticed by reads. */
  const NOTICED_MS = 150;
  const backup = () => join(directory, 'backup.db');
  const restore = () => rename(backup(), path());
  let verbs: string[];
  let ended: number;

  /** Whose backup has 1. */
  const openBackedUp = async (): Promise<DurableFile<TenantDb>> => {
    const file = await openFile();
    await file.write(insert(1));
    await file.close();
    await copyFile(path(), backup());
    ended = 0;
    return openFile({ onCommitted: () => ended++ });
  };

  const expectBackup = () => {
    const db = new Database(path());
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(numbers(db)).toEqual([1]);
    db.close();
  };

  /** What the maintenance thread does after the file has been opened; `after` is called at the end of each. */
  const listVerbs = (after: (verb: string) => unknown = () => undefined): void => {
    const real = maintenance;
    verbs = [];
    maintenance = {
      ...real,
      run: async (command) => {
        verbs.push(command.verb);
        const left = await real.run(command);
        await after(command.verb);
        return left;
      },
    };
  };

  test('is closed without a word of the former one, though no one has used it since', async () => {
    const file = await openBackedUp();
    await file.write(insert(2, 'x'.repeat(10_000)));
    await restore();
    await file.close();
    expectBackup();
    expect(faults).toEqual([expect.stringContaining('replaced')]);
  });

  test('is closed so where its disk has failed before', async () => {
    const file = await openBackedUp();
    await file.write(insert(2, 'x'.repeat(10_000)));
    disk.failNextSync(new Error('EIO'));
    await expect(file.write(insert(10))).rejects.toThrow('The disk failed');
    await restore();
    await file.close();
    expectBackup();
  });

  test('is not checkpointed into', async () => {
    listVerbs();
    const file = await openBackedUp();
    await file.write(insert(2));
    verbs.length = 0;
    await restore();
    await file.checkpoint();
    expect(verbs).toEqual([]);
    expect(file.broken()).toBe(true);
    await file.close();
    expectBackup();
  });

  test('in the middle of a checkpoint gets nothing of its second half', async () => {
    listVerbs((verb) => verb === 'checkpoint' && restore());
    const file = await openBackedUp();
    verbs.length = 0;
    await file.write(insert(2, 'x'.repeat(CHECKPOINT_BYTES)));
    await until('it has been noticed', file.broken);
    await file.close();
    expect(verbs).toEqual(['checkpoint', 'opened', 'closed']);
    expectBackup();
  });

  test.each(['checkpoint', 'restart', 'close'])(
    'while the maintenance thread is busy gets nothing by its turn to %s',
    async (late) => {
      let isLate = false;
      const real = maintenance;
      maintenance = {
        ...real,
        run: async (command) => {
          if (command.verb === late && isLate) await restore().catch(() => undefined);
          return real.run(command);
        },
      };
      const file = await openBackedUp();
      isLate = true;
      await file.write(insert(2, 'x'.repeat(10_000)));
      if (late !== 'close') await file.checkpoint();
      await file.close().catch(() => undefined);
      expectBackup();
      expect(faults.join()).toContain('replaced');
    },
  );

  test.each([
    ['no one notices', 0],
    ['a read notices', NOTICED_MS],
  ])('during a sync leaves the answer unknown, also where %s', async (_who, wait) => {
    const file = await openBackedUp();
    disk.hold();
    const before = disk.syncs();
    const written = file.write(insert(2));
    while (disk.syncs() === before) await turns(1);
    // As a request that comes again and finds what the first one stores.
    const read = file.read(numbers);
    await restore();
    await new Promise((resolve) => setTimeout(resolve, wait));
    if (wait > 0) expect(() => file.peek(numbers)).toThrow('The data were replaced');
    disk.release();
    const refused = (message: RegExp) => ({
      status: 'rejected',
      reason: expect.objectContaining({ code: 'unavailable', message: expect.stringMatching(message) }),
    });
    expect(await Promise.allSettled([written, read])).toEqual([
      refused(/^The data were replaced while saving: whether it was stored is unknown/),
      refused(/^The data were replaced; they are being opened again/),
    ]);
    expect(ended).toBe(0);
    await file.close();
    expectBackup();
  });
});

describe('a foreign process', () => {
  const openForeign = (): Database.Database => {
    const foreign = new Database(path());
    onTestFinished(() => {
      foreign.close();
    });
    return foreign;
  };

  test('that reads for long makes no write wait, and checkpoints are not tried with each', async () => {
    const tried: string[] = [];
    const real = maintenance;
    maintenance = {
      ...real,
      run: (command) => {
        tried.push(command.verb);
        return real.run(command);
      },
    };
    const file = await openFile();
    await file.write(insert(0));
    const reader = openForeign();
    reader.exec('BEGIN');
    numbers(reader);
    await file.write(insert(1, 'x'.repeat(CHECKPOINT_BYTES)));
    // The first is that of the opening.
    await until('the WAL is found held', () => held.length > 1);
    for (let n = 2; n < 10; n++) await file.write(insert(n, 'x'.repeat(CHECKPOINT_BYTES)));
    expect(faults).toEqual([]);
    expect(held[1]).toBeGreaterThanOrEqual(CHECKPOINT_BYTES);
    expect(tried.filter((verb) => verb === 'checkpoint' || verb === 'restart')).toEqual([
      'checkpoint',
      'restart',
    ]);
    reader.close();
    await file.checkpoint();
    expect(held.at(-1)).toBe(0);
    expect((await stat(`${path()}-wal`)).size).toBeLessThan(CHECKPOINT_BYTES);
  });

  test('that writes when the file is opened is waited for', async () => {
    await (await openFile()).close();
    const writer = openForeign();
    writer.exec('BEGIN IMMEDIATE');
    const opening = openFile();
    const isOpen = opening.then(() => true);
    const tooShort = new Promise((resolve) => setTimeout(resolve, 300, false));
    expect(await Promise.race([isOpen, tooShort])).toBe(false);
    writer.exec('COMMIT');
    expect(await (await opening).write(insert(1))).toBe(1);
    expect(faults).toEqual([]);
  });

  test('that writes for a moment is waited for', async () => {
    const file = await openFile();
    const writer = openForeign();
    writer.exec('BEGIN IMMEDIATE');
    let isStored = false;
    const written = file.write(insert(1)).then(() => {
      isStored = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isStored).toBe(false);
    writer.exec('COMMIT');
    await written;
    expect(faults).toEqual([]);
  });

  test('that writes for long makes all waiting writes fail, and each later one at once', async () => {
    const file = await openFile();
    stopTime();
    const writer = openForeign();
    writer.exec('BEGIN IMMEDIATE');
    const written = Array.from({ length: 20 }, (_, n) => file.write(insert(n)));
    await turns(20);
    vi.advanceTimersByTime(LOCK_PATIENCE_MS);
    const results = await Promise.allSettled(written);
    const refused = { status: 'rejected', reason: expect.objectContaining({ code: 'unavailable' }) };
    expect(results).toEqual(Array(20).fill(refused));
    expect(faults).toEqual([expect.stringContaining('transaction failed')]);
    await expect(file.write(insert(20))).rejects.toMatchObject({ code: 'unavailable' });
    writer.close();
    expect(await file.write(insert(1))).toBe(1);
  });
});
