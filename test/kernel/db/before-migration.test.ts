import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, expect, test } from 'vitest';
import { createMaintenance } from '#src/kernel/db/maintenance.ts';
import { type Migration, migrate, migrationsOf } from '#src/kernel/db/migrate.ts';
import { openSqlite } from '#src/kernel/db/sqlite.ts';
import { mountSmall } from '#test/support/failing-disk.ts';
import { temporaryDirectory } from '#test/support/storage.ts';

const TABLES = 'CREATE TABLE t (n INTEGER, filler BLOB) STRICT;\n';
const SQL = ['ALTER TABLE t ADD COLUMN second TEXT;', 'ALTER TABLE t ADD COLUMN third TEXT;'];
const knowing = (count: number): readonly Migration[] => migrationsOf(TABLES, SQL.slice(0, count - 1));
const DAY = 86_400_000;

let home: string;
let path: string;
beforeEach(async () => {
  home = await temporaryDirectory();
  path = join(home, 'tenant.db');
});

const make = (bytes = 0): void => {
  const db = openSqlite(path, { create: true, busyTimeoutMs: 0 });
  migrate(db, knowing(1));
  db.prepare('INSERT INTO t VALUES (1, zeroblob(?))').run(bytes);
  db.close();
};
/** As a version of the program that knows so many does. */
const openWith = async (count: number): Promise<void> => {
  const maintenance = createMaintenance({ platform: [], tenant: knowing(count) });
  try {
    await maintenance.run({ verb: 'open', path, kind: 'tenant', create: false });
    await maintenance.run({ verb: 'opened', path });
  } finally {
    await maintenance.stop();
  }
};
const versionOf = (name: string): unknown => {
  const db = new Database(join(home, name));
  try {
    return [db.pragma('user_version', { simple: true }), db.prepare('SELECT n FROM t').pluck().all()];
  } finally {
    db.close();
  }
};
const names = async (): Promise<string[]> =>
  (await readdir(home)).filter((name) => !/-(?:wal|shm)$/.test(name));

test('what the file was is kept beside it, also while it goes on to the next schema', async () => {
  make();
  await openWith(1);
  expect(await names()).toEqual(['tenant.db']);
  await openWith(2);
  expect(await names()).toEqual(['tenant.db', 'tenant.db.schema-1']);
  expect([versionOf('tenant.db'), versionOf('tenant.db.schema-1')]).toEqual([
    [2, [1]],
    [1, [1]],
  ]);
  await openWith(3);
  expect(await names()).toEqual(['tenant.db', 'tenant.db.schema-1', 'tenant.db.schema-2']);
  expect(versionOf('tenant.db.schema-1')).toEqual([1, [1]]);
  // The version before can use it again.
  path = join(home, 'tenant.db.schema-2');
  await openWith(2);
});

test('it is removed after a month, and at once where a crash has left half of it', async () => {
  make();
  await openWith(2);
  await writeFile(join(home, 'tenant.db.schema-2.new'), '');
  const [young, old] = [29, 31].map((days) => new Date(Date.now() - days * DAY));
  await utimes(join(home, 'tenant.db.schema-1'), young ?? 0, young ?? 0);
  await openWith(2);
  expect(await names()).toEqual(['tenant.db', 'tenant.db.schema-1']);
  await utimes(join(home, 'tenant.db.schema-1'), old ?? 0, old ?? 0);
  await openWith(2);
  expect(await names()).toEqual(['tenant.db']);
});

test('where there is no room for it the file stays as it was', async ({ skip }) => {
  await using started = new AsyncDisposableStack();
  home = join(home, 'small');
  if (!(await mountSmall(started, home, 4))) skip('this machine allows no mount');
  path = join(home, 'tenant.db');
  make(1_500_000);
  await expect(openWith(2)).rejects.toMatchObject({
    code: 'ENOSPC',
    message: expect.stringMatching(/for which a copy is made before: 5 MiB are needed, 2 MiB are free/),
  });
  expect(await names()).toEqual(['tenant.db']);
  expect(versionOf('tenant.db')).toEqual([1, [1]]);
});
