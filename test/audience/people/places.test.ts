// The list of places knows every table and column in which something of a person can be: who adds one must say there what an
// erasure does with it.
import Database from 'better-sqlite3';
import { afterAll, describe, expect, test } from 'vitest';
import { otherTables, places, platformTables } from '#src/audience/people/places.ts';
import { erasedWords } from '#src/audience/people/words.ts';
import { loadMigrations, migrate } from '#src/kernel/db/migrate.ts';

const open = (kind: 'tenant' | 'platform'): Database.Database => {
  const db = new Database(':memory:');
  migrate(db, loadMigrations()[kind]);
  return db;
};
const [tenant, platform] = [open('tenant'), open('platform')];
afterAll(() => {
  tenant.close();
  platform.close();
});

/** Tables, without those of SQLite and the search index itself. */
const tablesOf = (db: Database.Database): string[] =>
  db
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE TABLE %' ORDER BY name",
    )
    .pluck()
    .all()
    .filter((name) => !/^sqlite_|^search_trigrams/.test(name));

const columnsOf = (table: string) =>
  tenant.pragma(`table_info(${table})`) as readonly { name: string; type: string; pk: number }[];

describe('the places of a person', () => {
  test('are all tables of a tenant, each once', () => {
    const known = [...places.map(({ table }) => table), ...Object.keys(otherTables)];
    expect(known.toSorted()).toEqual(tablesOf(tenant));
  });

  test.each(places)(
    'of $table are all its columns of text and bytes',
    ({ table, keys, searched, others = [] }) => {
      const columns = columnsOf(table);
      const texts = columns.filter(({ type }) => type !== 'INTEGER').map(({ name }) => name);
      const named = [...new Set([...searched, ...others])];
      expect(named.toSorted()).toEqual(texts.toSorted());
      expect(keys).toEqual(
        columns
          .filter(({ pk }) => pk > 0)
          .toSorted((one, other) => one.pk - other.pk)
          .map(({ name }) => name),
      );
    },
  );

  test('leave no table of the registry unexplained', () => {
    expect(Object.keys(platformTables).toSorted()).toEqual(tablesOf(platform));
  });

  test('have words for the certificate', () => {
    for (const { kind } of places) expect(Object.keys(erasedWords)).toContain(kind);
  });
});
