import { stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { inspectFile } from '#src/kernel/db/inspect-file.ts';
import { migrate, migrationsOf } from '#src/kernel/db/migrate.ts';
import { temporaryDirectory } from '#test/support/storage.ts';

const MIGRATIONS = migrationsOf('CREATE TABLE t (n INTEGER) STRICT;', []);

test('a file shorter than it says is cut off, but not where a crash has left the rest in the write-ahead log', async () => {
  const path = join(await temporaryDirectory(), 'tenant.db');
  const db = new Database(path);
  migrate(db, MIGRATIONS);
  db.close();
  const { ctimeMs, size } = await stat(path);
  expect(await inspectFile(path, undefined, MIGRATIONS)).toBe(ctimeMs);

  await truncate(path, size / 2);
  await expect(inspectFile(path, undefined, MIGRATIONS)).rejects.toThrow('is cut off');
  await writeFile(`${path}-wal`, '');
  await expect(inspectFile(path, undefined, MIGRATIONS)).rejects.toThrow('is cut off');
  await writeFile(`${path}-wal`, 'frames');
  expect(await inspectFile(path, undefined, MIGRATIONS)).toBe((await stat(path)).ctimeMs);
});
