import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadMigrations, type Migration, migrate } from '#src/kernel/db/migrate.ts';
import { openSqlite } from '#src/kernel/db/sqlite.ts';
import { temporaryDirectory } from '#test/support/storage.ts';

const FIRST: Migration = { version: 1, name: '0001-t.sql', sql: 'CREATE TABLE t (n INTEGER) STRICT;' };
const SECOND: Migration = { version: 2, name: '0002-m.sql', sql: 'ALTER TABLE t ADD COLUMN m TEXT;' };
const FAILING: Migration = {
  version: 2,
  name: '0002-broken.sql',
  sql: "INSERT INTO t (n) VALUES (2); CREATE TABLE u (n INTEGER); INSERT INTO t (n) VALUES ('no number');",
};

const openEmpty = async (): Promise<Database.Database> => {
  const db = openSqlite(join(await temporaryDirectory(), 'x.db'), { create: true, busyTimeoutMs: 0 });
  onTestFinished(() => {
    db.close();
  });
  return db;
};

const version = (db: Database.Database): unknown => db.pragma('user_version', { simple: true });
const schema = (db: Database.Database): unknown[] =>
  db.prepare('SELECT sql FROM sqlite_schema').pluck().all();

describe('migrating', () => {
  test('brings a new file to the newest version, and does nothing the second time', async () => {
    const db = await openEmpty();
    migrate(db, [FIRST, SECOND]);
    expect(version(db)).toBe(2);
    const before = schema(db);
    migrate(db, [FIRST, SECOND]);
    expect(schema(db)).toEqual(before);
  });

  test('runs only what a file lacks, and keeps its rows', async () => {
    const db = await openEmpty();
    migrate(db, [FIRST]);
    db.exec('INSERT INTO t (n) VALUES (1)');
    migrate(db, [FIRST, SECOND]);
    expect(db.prepare('SELECT * FROM t').all()).toEqual([{ n: 1, m: null }]);
  });

  test('leaves the file as it was where a migration fails, and can be tried again', async () => {
    const db = await openEmpty();
    migrate(db, [FIRST]);
    const before = schema(db);
    expect(() => migrate(db, [FIRST, FAILING])).toThrow(/cannot store TEXT/);
    expect({ version: version(db), schema: schema(db), rows: db.prepare('SELECT * FROM t').all() }).toEqual({
      version: 1,
      schema: before,
      rows: [],
    });
    expect(db.inTransaction).toBe(false);
    migrate(db, [FIRST, SECOND]);
    expect(version(db)).toBe(2);
  });

  test('keeps what earlier migrations of the same run have done', async () => {
    const db = await openEmpty();
    expect(() => migrate(db, [FIRST, FAILING])).toThrow();
    expect(version(db)).toBe(1);
  });

  test('refuses a file of a newer program and touches nothing', async () => {
    const db = await openEmpty();
    migrate(db, [FIRST, SECOND]);
    const before = schema(db);
    expect(() => migrate(db, [FIRST])).toThrow(/has schema 2, .* knows up to 1: start the newer program/);
    expect({ version: version(db), schema: schema(db) }).toEqual({ version: 2, schema: before });
  });
});

describe('loading', () => {
  const directoryWith = async (...names: string[]): Promise<string> => {
    const root = await temporaryDirectory();
    await mkdir(join(root, 'platform'));
    await mkdir(join(root, 'tenant'));
    for (const name of names) await writeFile(join(root, 'tenant', name), `-- ${name}`);
    return root;
  };

  test('reads the files in the order of their numbers', async () => {
    const root = await directoryWith('0002-b.sql', '0001-a.sql');
    expect(loadMigrations(root)).toEqual({
      platform: [],
      tenant: [
        { version: 1, name: '0001-a.sql', sql: '-- 0001-a.sql' },
        { version: 2, name: '0002-b.sql', sql: '-- 0002-b.sql' },
      ],
    });
  });

  test.each([
    { name: 'a gap', files: ['0001-a.sql', '0003-c.sql'], says: /tenant\/0003-c\.sql: the numbers must run/ },
    {
      name: 'a number given twice',
      files: ['0001-a.sql', '0001-b.sql'],
      says: /tenant\/0001-b\.sql: the numbers/,
    },
    { name: 'no first', files: ['0002-b.sql'], says: /tenant\/0002-b\.sql: the numbers/ },
    {
      name: 'a file of another name',
      files: ['0001-a.sql', 'notes.txt'],
      says: /tenant\/notes\.txt: expected a name/,
    },
    { name: 'upper case', files: ['0001-A.sql'], says: /tenant\/0001-A\.sql: expected a name/ },
  ])('refuses $name and names the file', async ({ files, says }) => {
    const root = await directoryWith(...files);
    expect(() => loadMigrations(root)).toThrow(says);
  });

  test.each(['platform', 'tenant'] as const)(
    'what the program brings makes a sound %s file',
    async (kind) => {
      const db = await openEmpty();
      const migrations = loadMigrations()[kind];
      migrate(db, migrations);
      expect(version(db)).toBe(migrations.length);
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
      expect(db.pragma('foreign_key_check')).toEqual([]);
      const loose = db
        .prepare(
          "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'",
        )
        .pluck()
        .all();
      expect(loose).toEqual([]);
    },
  );
});
