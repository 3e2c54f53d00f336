import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import { keepBeside, remembered, rememberedBy } from '#src/kernel/db/memory.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { createSampleTenant, openTestStorage, temporaryDirectory } from '#test/support/storage.ts';

/** A store of one number that remembers it, and one that writes what was added only at the end of the transaction. */
const numberStore = perConnection((db: TenantDb) => {
  const read = db.prepare<[string], number>('SELECT n FROM numbers WHERE name = ?').pluck();
  const put = db.prepare<[string, number]>(
    'INSERT INTO numbers VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET n = excluded.n',
  );
  let reads = 0;
  const one = remembered(db, () => {
    reads += 1;
    return read.get('one') ?? 0;
  });
  const byName = rememberedBy(db, (name: string) => {
    reads += 1;
    return read.get(name);
  });
  let added = 0;
  const forget = (): void => {
    added = 0;
  };
  keepBeside(db, {
    write: () => {
      if (added > 0) put.run('sum', (read.get('sum') ?? 0) + added);
      added = 0;
    },
    forget,
  });
  return {
    one,
    byName,
    sum: () => read.get('sum') ?? 0,
    set: (n: number) => {
      put.run('one', n);
      one.forget();
      byName.forget();
    },
    add: (n: number) => {
      added += n;
    },
    reads: () => reads,
  };
});

const open = async () => {
  const directory = await temporaryDirectory();
  const storage = await openTestStorage(directory);
  const tenantId = await createSampleTenant(storage);
  const { tenants } = storage;
  const write: DurableFile<TenantDb>['write'] = (work) => tenants.write(tenantId, work);
  await write((db) => db.exec('CREATE TABLE numbers (name TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT'));
  const path = join(directory, 'tenants', tenantId, 'tenant.db');
  return { path, write, read: <T>(work: (db: TenantDb) => T) => tenants.read(tenantId, work) };
};

const refuse = (): never => {
  throw new Error('refused');
};

test('what a store has read is not read again until it is written', async () => {
  const { write, read } = await open();
  await write((db) => numberStore(db).set(1));
  const values = await read((db) => [
    numberStore(db).one(),
    numberStore(db).one(),
    numberStore(db).byName('one'),
  ]);
  expect(values).toEqual([1, 1, 1]);
  expect(await read((db) => numberStore(db).reads())).toBe(2);
  await write((db) => numberStore(db).set(2));
  expect(await read((db) => [numberStore(db).one(), numberStore(db).byName('one')])).toEqual([2, 2]);
});

test('what does not exist is asked for each time', async () => {
  const { read } = await open();
  await read((db) => [numberStore(db).byName('a'), numberStore(db).byName('a')]);
  expect(await read((db) => numberStore(db).reads())).toBe(2);
});

test('a transaction sees what it has written, and a caller that fails leaves nothing of it', async () => {
  const { write, read } = await open();
  await write((db) => numberStore(db).set(1));
  const failing = write((db) => {
    numberStore(db).set(2);
    numberStore(db).add(100);
    expect(numberStore(db).one()).toBe(2);
    refuse();
  });
  const seen = write((db) => numberStore(db).one());
  await expect(failing).rejects.toThrow('refused');
  expect(await seen).toBe(1);
  expect(await read((db) => [numberStore(db).one(), numberStore(db).sum()])).toEqual([1, 0]);
});

test('what is added is written once, also by those who ran twice because another failed', async () => {
  const { write, read } = await open();
  await Promise.allSettled([
    write((db) => numberStore(db).add(1)),
    write((db) => {
      numberStore(db).add(10);
      refuse();
    }),
    write((db) => numberStore(db).add(100)),
  ]);
  expect(await read((db) => numberStore(db).sum())).toBe(101);
});

test('a transaction that cannot be committed leaves nothing in memory', async () => {
  const { write, read } = await open();
  await write((db) => numberStore(db).set(1));
  const failing = write((db) => {
    numberStore(db).set(2);
    numberStore(db).one();
    // What a full disk does.
    db.exec('ROLLBACK');
  });
  await expect(failing).rejects.toThrow();
  expect(await read((db) => numberStore(db).one())).toBe(1);
});

test('a change by another connection is seen by the next transaction, and a millisecond later by reads', async () => {
  const { write, read, path } = await open();
  await write((db) => numberStore(db).set(1));
  expect(await read((db) => numberStore(db).one())).toBe(1);
  const other = new Database(path);
  onTestFinished(() => void other.close());
  other.exec('UPDATE numbers SET n = 2');
  await pause(2);
  expect(await read((db) => numberStore(db).one())).toBe(2);
  other.exec('UPDATE numbers SET n = 3');
  expect(await write((db) => numberStore(db).one())).toBe(3);
});
