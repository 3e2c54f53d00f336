import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { foreignTables, migrate, migrationsOf, schemaFault, statementsOf } from '#src/kernel/db/migrate.ts';
import { openSqlite } from '#src/kernel/db/sqlite.ts';
import { temporaryDirectory } from '#test/support/storage.ts';

const TABLES = `-- What is counted.
CREATE TABLE t (
  n INTEGER -- a number
) STRICT;
CREATE TRIGGER counted AFTER INSERT ON t BEGIN
  UPDATE t SET n = n + 1 WHERE n = 0;
END;
CREATE INDEX t_n ON t (n);
`;
const SECOND_SQL = 'ALTER TABLE t ADD COLUMN m TEXT;';
const FAILING_SQL =
  "INSERT INTO t (n) VALUES (2); CREATE TABLE u (n INTEGER); INSERT INTO t (n) VALUES ('no number');";
const ONE = migrationsOf(TABLES, []);
const TWO = migrationsOf(TABLES, [SECOND_SQL]);
const FAILING = migrationsOf(TABLES, [FAILING_SQL]);

const openEmpty = async (): Promise<Database.Database> => {
  const db = openSqlite(join(await temporaryDirectory(), 'x.db'), { create: true, busyTimeoutMs: 0 });
  onTestFinished(() => {
    db.close();
  });
  return db;
};

const version = (db: Database.Database): unknown => db.pragma('user_version', { simple: true });
const schema = (db: Database.Database): unknown[] => db.prepare('SELECT name, sql FROM sqlite_schema').all();

describe('a file from elsewhere', () => {
  test('has what an older or the newest version makes, and what Litestream adds', async () => {
    for (const made of [ONE, TWO]) {
      const db = await openEmpty();
      migrate(db, made);
      db.exec('CREATE TABLE IF NOT EXISTS _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);');
      db.exec('CREATE TABLE IF NOT EXISTS _litestream_lock (id INTEGER); ANALYZE');
      expect(foreignTables(db, TWO)).toBeUndefined();
    }
  });

  const asSystem = (sql: string): string =>
    `PRAGMA writable_schema = ON; INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES (${sql})`;
  test.each([
    ['a trigger', 'CREATE TRIGGER hostile AFTER INSERT ON t BEGIN SELECT 1; END', /trigger hostile/],
    ['a view', 'CREATE VIEW hostile AS SELECT 1 AS n', /view hostile/],
    ['a view in the place of a table', 'DROP TABLE t; CREATE VIEW t AS SELECT 1 AS n', /table t, .*view t/],
    ['a table that lacks a rule', 'DROP TABLE t; CREATE TABLE t (n INTEGER)', /table t/],
    [
      'a table of another form',
      'CREATE TABLE _litestream_lock (id INTEGER CHECK (id > abs(0)))',
      /_litestream_lock/,
    ],
    [
      'a trigger named as if it were of SQLite',
      asSystem(
        "'trigger', 'sqlite_x', 't', 0, 'CREATE TRIGGER sqlite_x AFTER INSERT ON t BEGIN SELECT 1; END'",
      ),
      /trigger sqlite_x/,
    ],
    [
      'two objects of one name',
      asSystem("'table', 't', 't', 0, 'CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END'"),
      /table t/,
    ],
  ])('is refused with %s', async (_, sql, says) => {
    const db = await openEmpty();
    migrate(db, TWO);
    db.unsafeMode();
    db.exec(sql);
    expect(foreignTables(db, TWO)?.message).toMatch(says);
  });

  test('is refused with other numbers, and without tables', async () => {
    const db = await openEmpty();
    expect(foreignTables(db, ONE)?.message).toContain('under the same number');
    migrate(db, TWO);
    expect(foreignTables(db, ONE)?.message).toContain('start the newer program');
  });
});

describe('migrating', () => {
  test('brings a new file to the newest version, and does nothing the second time', async () => {
    const db = await openEmpty();
    migrate(db, TWO);
    expect(version(db)).toBe(2);
    const before = schema(db);
    migrate(db, TWO);
    expect(schema(db)).toEqual(before);
  });

  test('runs only what a file lacks, and keeps its rows', async () => {
    const db = await openEmpty();
    migrate(db, ONE);
    db.exec('INSERT INTO t (n) VALUES (1)');
    migrate(db, TWO);
    expect(db.prepare('SELECT * FROM t').all()).toEqual([{ n: 1, m: null }]);
  });

  test('leaves the file as it was where a migration fails, and can be tried again', async () => {
    const db = await openEmpty();
    migrate(db, ONE);
    const before = schema(db);
    expect(() => migrate(db, FAILING)).toThrow(/cannot store TEXT/);
    expect({ version: version(db), schema: schema(db), rows: db.prepare('SELECT * FROM t').all() }).toEqual({
      version: 1,
      schema: before,
      rows: [],
    });
    expect(db.inTransaction).toBe(false);
    migrate(db, TWO);
    expect(version(db)).toBe(2);
  });

  test('keeps what earlier migrations of the same run have done', async () => {
    const db = await openEmpty();
    expect(() => migrate(db, FAILING)).toThrow();
    expect(version(db)).toBe(1);
  });

  test('refuses a file of a newer program and touches nothing', async () => {
    const db = await openEmpty();
    migrate(db, TWO);
    const before = schema(db);
    expect(() => migrate(db, ONE)).toThrow(/has schema 2, .* knows up to 1: start the newer program/);
    expect({ version: version(db), schema: schema(db) }).toEqual({ version: 2, schema: before });
  });
});

describe('the hash of the tables', () => {
  const hashOf = (tables: string, ...following: string[]) => migrationsOf(tables, following).at(-1)?.hash;
  const moved = TABLES.split(/(?=^CREATE)/m)
    .toReversed()
    .join('');

  test.each([
    ['other comments and blanks', TABLES.replace(' -- a number', '').replace('-- What is counted.\n', '\n')],
    ['another order of the statements', `${moved}\n`],
  ])('is the same with %s', (_what, tables) => {
    expect(tables).not.toBe(TABLES);
    expect(hashOf(tables)).toBe(ONE[0]?.hash);
  });

  test.each([
    ['another type', TABLES.replace('INTEGER', 'TEXT'), []],
    ['what a trigger does', TABLES.replace('n + 1', 'n + 2'), []],
    ['a further table', `${TABLES}CREATE TABLE u (n INTEGER) STRICT;\n`, []],
    ['a blank within quotes', TABLES.replace('n = 0', "n = 'a  b'"), []],
    ['a migration', TABLES, [SECOND_SQL]],
  ])('changes with %s', (_what, tables, following) => {
    expect(hashOf(tables, ...following)).not.toBe(hashOf(TABLES));
    expect(hashOf("SELECT 'a b'")).not.toBe(hashOf("SELECT 'a  b'"));
  });

  test('changes with each of the migrations', () => {
    const third = 'DROP INDEX t_n;';
    const hashes = [
      hashOf(TABLES, SECOND_SQL, third),
      hashOf(TABLES, third, SECOND_SQL),
      hashOf(TABLES, SECOND_SQL),
    ];
    expect(new Set(hashes).size).toBe(3);
  });

  test('a trigger is one statement', () => {
    expect(statementsOf(TABLES)).toEqual([
      'CREATE TABLE t ( n INTEGER ) STRICT',
      'CREATE TRIGGER counted AFTER INSERT ON t BEGIN UPDATE t SET n = n + 1 WHERE n = 0; END',
      'CREATE INDEX t_n ON t (n)',
    ]);
  });

  test('a file with other tables under the same number is refused and not written, and the error names what differs', async () => {
    const db = await openEmpty();
    const others = TABLES.replace('n INTEGER', 'n INTEGER NOT NULL').replace('t_n', 't_by_n');
    migrate(db, migrationsOf(others, []));
    // SQLite's own tables are no difference.
    db.exec('ANALYZE');
    const before = { version: version(db), schema: schema(db) };
    for (const program of [ONE, TWO])
      expect(() => migrate(db, program)).toThrow(
        /x\.db was made by .* with other tables under the same number \(these differ: table t, index t_n, index t_by_n\): start that version/,
      );
    expect({ version: version(db), schema: schema(db) }).toEqual(before);
    migrate(db, migrationsOf(others, [SECOND_SQL]));
    expect(version(db)).toBe(2);
  });

  test('a file without a hash is refused', async () => {
    const db = await openEmpty();
    db.exec(`${TABLES} PRAGMA user_version = 1;`);
    expect(() => migrate(db, ONE)).toThrow(/other tables under the same number: start that version/);
    expect(schemaFault('x.db', { version: 1, hash: 0 }, ONE)).toMatchObject({ code: 'SCHEMA' });
  });
});
