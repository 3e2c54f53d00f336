import { copyFile, mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type DurableFile, openDurableFile } from '#src/kernel/db/durable-file.ts';
import { createMaintenance } from '#src/kernel/db/maintenance.ts';
import { migrationsOf } from '#src/kernel/db/migrate.ts';
import { openSqlite, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { createTenantFiles, type TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { AppError } from '#src/kernel/errors.ts';
import { newId } from '#src/kernel/id.ts';
import { say } from '#src/kernel/say.ts';
import { until } from '#test/support/process.ts';
import { temporaryDirectory } from '#test/support/storage.ts';
import { createTestDisk, type TestDisk } from './test-disk.ts';

const MIGRATIONS = migrationsOf('CREATE TABLE t (n INTEGER) STRICT;', []);

interface Watched {
  readonly files: TenantFiles;
  readonly directory: string;
  readonly disk: TestDisk;
  /** `open <id>`, `closing <id>`, `closed <id>` in the order they happened. */
  readonly log: string[];
  readonly faults: string[];
  mostOpen(): number;
  /** What an opening waits for; it may reject. */
  beforeOpen: (tenantId: string) => Promise<void>;
}

const watch = async (maxOpen: number): Promise<Watched> => {
  const directory = join(await temporaryDirectory(), 'tenants');
  await mkdir(directory);
  const disk = createTestDisk();
  const maintenance = createMaintenance({ platform: [], tenant: MIGRATIONS });
  let open = 0;
  let most = 0;
  const watched: Omit<Watched, 'files'> = {
    directory,
    disk,
    log: [],
    faults: [],
    mostOpen: () => most,
    beforeOpen: async () => {},
  };
  const openFile = async (id: string, path: string, create: boolean): Promise<DurableFile<TenantDb>> => {
    open += 1;
    most = Math.max(most, open);
    watched.log.push(`open ${id}`);
    const file = await watched
      .beforeOpen(id)
      .then(() =>
        openDurableFile({
          path,
          kind: 'tenant',
          isWhole: () => true,
          create,
          disk,
          maintenance,
          checkpointBytes: 1_024 * 1_024,
          onWal: () => undefined,
          onFault: (error) => watched.faults.push(String(error)),
        }),
      )
      .catch((error) => {
        open -= 1;
        throw error;
      });
    return {
      ...file,
      close: async () => {
        watched.log.push(`closing ${id}`);
        await file.close();
        watched.log.push(`closed ${id}`);
        open -= 1;
      },
    };
  };
  const onFault = (_: string, error: unknown, what: string) => watched.faults.push(`${what}: ${error}`);
  const files = createTenantFiles({
    directory,
    maxOpen,
    migrations: MIGRATIONS,
    disk,
    openFile,
    onFault,
    onRemoved: () => undefined,
  });
  onTestFinished(async () => {
    await files.close();
    await maintenance.stop();
  });
  return Object.assign(watched, { files });
};

const insert = (n: number) => (db: TenantDb) => {
  db.prepare('INSERT INTO t (n) VALUES (?)').run(n);
};
const numbers = (db: TenantDb): unknown[] => db.prepare('SELECT n FROM t ORDER BY n').pluck().all();
const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

const createTenants = async (files: TenantFiles, count: number): Promise<string[]> => {
  const ids = Array.from({ length: count }, newId);
  for (const id of ids) await files.create(id, () => undefined);
  return ids;
};

describe('how many are open', () => {
  test('never more than allowed, however many are used at once, and every use is served', async () => {
    const MAX_OPEN = 4;
    const watched = await watch(MAX_OPEN);
    const ids = await createTenants(watched.files, 50);
    const uses = Array.from({ length: 200 }, (_, index) => ({ id: ids[(index * 7) % 50] ?? '', index }));
    await Promise.all(uses.map(({ id, index }) => watched.files.write(id, insert(index))));
    expect(watched.mostOpen()).toBe(MAX_OPEN);
    expect(watched.files.stats()).toMatchObject({ limit: MAX_OPEN });
    for (const id of ids) {
      const expected = uses.filter((use) => use.id === id).map(({ index }) => index);
      expect(await watched.files.read(id, numbers)).toEqual(expected.sort((a, b) => a - b));
    }
    expect(watched.faults).toEqual([]);
  });

  test('the one used longest ago makes room', async () => {
    const watched = await watch(2);
    const [first = '', second = '', third = ''] = await createTenants(watched.files, 3);
    await watched.files.read(second, numbers);
    await watched.files.read(first, numbers);
    await watched.files.read(second, numbers);
    watched.log.length = 0;
    await watched.files.read(third, numbers);
    expect(watched.log).toEqual([`closing ${first}`, `closed ${first}`, `open ${third}`]);
  });

  test('a file in use is not closed: a caller that needs its place waits', async () => {
    const watched = await watch(1);
    const [used = '', wanted = ''] = await createTenants(watched.files, 2);
    await watched.files.read(used, numbers);
    watched.log.length = 0;
    watched.disk.hold();
    const writing = watched.files.write(used, insert(1));
    const reading = watched.files.read(wanted, numbers);
    await turns(50);
    expect(watched.log).toEqual([]);
    watched.disk.release();
    await writing;
    expect(await reading).toEqual([]);
    expect(watched.log).toEqual([`closing ${used}`, `closed ${used}`, `open ${wanted}`]);
  });

  test('one that cannot be opened gives its place back and is tried again', async () => {
    const watched = await watch(1);
    const [good = ''] = await createTenants(watched.files, 1);
    await expect(watched.files.read(newId(), numbers)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await watched.files.read(good, numbers)).toEqual([]);
    watched.beforeOpen = () => Promise.reject(new Error('no descriptors left'));
    const [other = ''] = [newId()];
    await expect(watched.files.read(other, numbers)).rejects.toMatchObject({ code: 'unavailable' });
    watched.beforeOpen = async () => {};
    expect(await watched.files.read(good, numbers)).toEqual([]);
  });

  test('a place is given back once where a file that is being removed fails to open', async () => {
    const watched = await watch(1);
    const ids = await createTenants(watched.files, 4);
    const [removed = '', ...others] = ids;
    let fail = () => {};
    watched.beforeOpen = () =>
      new Promise((_, reject) => {
        fail = () => reject(new Error('no descriptors left'));
      });
    const reading = watched.files.read(removed, numbers);
    while (!watched.log.includes(`closed ${ids.at(-1)}`)) await turns(1);
    await turns(10);
    const removing = watched.files.remove(removed);
    watched.beforeOpen = async () => {};
    fail();
    await expect(reading).rejects.toMatchObject({ code: 'unavailable' });
    await removing;
    await Promise.all(others.map((id) => watched.files.read(id, numbers)));
    expect(watched.mostOpen()).toBe(1);
    expect(watched.files.stats().open).toBe(1);
  });
});

test('callers that wait for a place are served in turn', async () => {
  const db = openSqlite(':memory:', { create: true, busyTimeoutMs: 0 }) as TenantDb;
  onTestFinished(() => {
    db.close();
  });
  const file: DurableFile<TenantDb> = {
    read: async (work) => {
      await turns(1);
      return work(db);
    },
    write: async (work) => work(db),
    peek: (work) => work(db),
    broken: () => false,
    checkpoint: async () => undefined,
    close: () => turns(1),
  };
  const MAX_OPEN = 4;
  const WAITING = 400;
  const files = createTenantFiles({
    directory: await temporaryDirectory(),
    maxOpen: MAX_OPEN,
    migrations: MIGRATIONS,
    disk: createTestDisk(),
    openFile: async () => {
      await turns(1);
      return file;
    },
    onFault: () => undefined,
    onRemoved: () => undefined,
  });
  const served: number[] = [];
  const uses = Array.from({ length: WAITING }, (_, index) =>
    files.read(newId(), () => {
      served.push(index);
    }),
  );
  await Promise.all(uses);
  const late = served.map((index, position) => position - index);
  // Those of one round may overtake each other.
  expect(Math.max(...late)).toBeLessThan(2 * MAX_OPEN);
});

describe('a file whose disk failed', () => {
  let watched: Watched;
  let id: string;

  beforeEach(async () => {
    watched = await watch(2);
    [id = ''] = await createTenants(watched.files, 1);
    await watched.files.write(id, insert(1));
    watched.log.length = 0;
  });

  test('is closed and opened again by the next use, with all that was answered', async () => {
    watched.disk.failNextSync(new Error('I/O error'));
    await expect(watched.files.write(id, insert(2))).rejects.toMatchObject({ code: 'unavailable' });
    await watched.files.write(id, insert(3));
    expect(await watched.files.read(id, numbers)).toEqual(expect.arrayContaining([1, 3]));
    expect(watched.log).toEqual([`closing ${id}`, `closed ${id}`, `open ${id}`]);
  });

  test('stays for its users, refuses them, and reopens after the last one has left', async () => {
    watched.disk.hold();
    watched.disk.failNextSync(new Error('I/O error'));
    const writing = [2, 3].map((n) => watched.files.write(id, insert(n)));
    await turns(20);
    watched.disk.release();
    const results = await Promise.allSettled(writing);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await watched.files.write(id, insert(4));
    expect(watched.log).toEqual([`closing ${id}`, `closed ${id}`, `open ${id}`]);
  });
});

describe('a tenant that is being moved', () => {
  const refusal = new AppError('unavailable', say`It is being moved.`, { extra: { retry_after: 1 } });

  test('while it is held its file is used as before, and its work does not begin', async () => {
    const { files } = await watch(2);
    const [id = '', other = ''] = await createTenants(files, 2);
    files.hold(id);
    await files.write(id, insert(1));
    expect(await files.read(id, numbers)).toEqual([1]);
    expect([files.mayBegin(id), files.mayBegin(other)]).toEqual([false, true]);
    files.release(id);
    expect(files.mayBegin(id)).toBe(true);
  });

  test('withheld, everything is refused, what was written before is answered, and one file has it all', async () => {
    const watched = await watch(2);
    const { files } = watched;
    const [id = ''] = await createTenants(files, 1);
    const written = files.write(id, insert(1));
    watched.log.length = 0;
    await files.withhold(id, refusal);
    await written;
    expect(watched.log).toEqual([`closing ${id}`, `closed ${id}`]);
    expect(await readdir(join(watched.directory, id))).toEqual(['tenant.db']);
    for (const use of [
      files.read(id, numbers),
      files.write(id, insert(2)),
      files.visit(id, async () => undefined),
      files.rewrite(id, 1_000_000),
    ])
      await expect(use).rejects.toBe(refusal);
    await files.inspect(id);
    expect(watched.faults).toEqual([]);
    expect(watched.log).toEqual([`closing ${id}`, `closed ${id}`]);

    files.release(id);
    expect(await files.read(id, numbers)).toEqual([1]);
  });
});

describe('making and removing', () => {
  test('a removed tenant leaves nothing, and can be made again', async () => {
    const watched = await watch(2);
    const [id = ''] = await createTenants(watched.files, 1);
    await watched.files.write(id, insert(1));
    await watched.files.remove(id);
    expect(await readdir(watched.directory)).toEqual([]);
    await expect(watched.files.read(id, numbers)).rejects.toMatchObject({ code: 'unavailable' });
    await watched.files.create(id, () => undefined);
    expect(await watched.files.read(id, numbers)).toEqual([]);
  });

  test('what a new tenant is made with is in the database file alone', async () => {
    const watched = await watch(2);
    const id = newId();
    await watched.files.create(id, insert(7));
    const copy = join(watched.directory, 'copy.db');
    await copyFile(join(watched.directory, id, 'tenant.db'), copy);
    const db = openSqlite(copy, { create: false, busyTimeoutMs: 0 }) as TenantDb;
    expect(numbers(db)).toEqual([7]);
    db.close();
  });

  test('removing what is not there is no error', async () => {
    const watched = await watch(1);
    await watched.files.remove(newId());
  });

  test('a tenant is not made twice', async () => {
    const watched = await watch(1);
    const [id = ''] = await createTenants(watched.files, 1);
    await watched.files.write(id, insert(1));
    await expect(watched.files.create(id, () => undefined)).rejects.toThrow(/EEXIST/);
    expect(await watched.files.read(id, numbers)).toEqual([1]);
  });

  test.each(['..', '../other', '', 'a'.repeat(36).replace('a', '/'), `${newId()}/x`])(
    'the id %j names no path',
    async (id) => {
      const watched = await watch(1);
      await expect(watched.files.create(id, () => undefined)).rejects.toThrow('a tenant id is a UUID');
      await expect(watched.files.remove(id)).rejects.toThrow('a tenant id is a UUID');
      await expect(watched.files.read(id, numbers)).rejects.toThrow();
      expect(watched.log).toEqual([]);
    },
  );

  test('closing waits for what is under way', async () => {
    const watched = await watch(2);
    const [id = ''] = await createTenants(watched.files, 1);
    const writing = watched.files.write(id, insert(1));
    await watched.files.close();
    await writing;
    expect(watched.log.at(-1)).toBe(`closed ${id}`);
    expect(watched.files.stats().open).toBe(0);
  });
});

test('a look at a file that was replaced while open reports that, and is no error of who looks', async () => {
  const { files, directory, faults } = await watch(1);
  const [id = ''] = await createTenants(files, 1);
  await rename(join(directory, id), join(directory, 'aside'));
  await until('it is reported', async () => {
    await files.inspect(id);
    return faults.length > 0;
  });
  expect(faults).toEqual([expect.stringContaining('was moved, removed or replaced')]);
});

describe('a visit', () => {
  test('leaves every file that is in use open, and closes what it had to open', async () => {
    const { files, log } = await watch(3);
    const used = [newId(), newId(), newId()];
    const others = [newId(), newId(), newId(), newId()];
    for (const id of [...others, ...used]) await files.create(id, () => undefined);
    log.length = 0;
    for (const id of others)
      await files.visit(id, async () => {
        await files.write(id, (db) => db.prepare('INSERT INTO t VALUES (1)').run());
      });
    // One place is taken for all of them.
    expect(log.filter((line) => line.startsWith('closed') && used.some((id) => line.endsWith(id)))).toEqual([
      `closed ${used[0]}`,
    ]);
    expect(files.stats()).toMatchObject({ open: 2 });
    for (const id of used.slice(1)) await files.visit(id, () => files.read(id, () => undefined));
    expect(files.stats()).toMatchObject({ open: 2 });
  });

  test('leaves open what somebody uses by then', async () => {
    const { files, log } = await watch(2);
    const id = newId();
    for (const one of [id, newId(), newId()]) await files.create(one, () => undefined);
    let using: Promise<void> = Promise.resolve();
    let end = () => {};
    log.length = 0;
    await files.visit(id, async () => {
      using = files.visit(
        id,
        () =>
          new Promise<void>((resolve) => {
            end = resolve;
          }),
      );
    });
    expect(log.filter((line) => line.endsWith(id))).toEqual([`open ${id}`]);
    end();
    await using;
    expect(await files.read(id, (db) => db.prepare('SELECT count(*) FROM t').pluck().get())).toBe(0);
  });

  test('fails where the file cannot be opened, and leaves no place taken', async () => {
    const { files } = await watch(1);
    await expect(files.visit(newId(), async () => undefined)).rejects.toMatchObject({ code: 'unavailable' });
    expect(files.stats()).toMatchObject({ open: 0 });
  });
});
