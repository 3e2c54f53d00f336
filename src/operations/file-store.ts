// What can be said of any database file without knowing its tables.
import type { AnyDb } from '#src/kernel/db/sqlite.ts';

const MOST_FAULTS = 5;

/** How many rows each table has, by its name; those without rows are left out. */
export const rowsOf = (db: AnyDb): Record<string, number> => {
  const tables = db
    .prepare<[], string>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow') AND name NOT LIKE 'sqlite@_%' ESCAPE '@' ORDER BY name",
    )
    .pluck()
    .all();
  const counted = tables.map((name): [string, number] => [
    name,
    db.prepare<[], number>(`SELECT count(*) FROM "${name}"`).pluck().get() ?? 0,
  ]);
  return Object.fromEntries(counted.filter(([, rows]) => rows > 0));
};

/** What SQLite finds wrong with the file, and rows that refer to others that are not there. */
export const faultsOf = (db: AnyDb): string[] => {
  const found = db.pragma(`integrity_check(${MOST_FAULTS})`) as { integrity_check: string }[];
  const orphans = db.pragma('foreign_key_check') as { table: string; rowid: number; parent: string }[];
  return [
    ...found.map(({ integrity_check }) => integrity_check).filter((text) => text !== 'ok'),
    ...orphans
      .slice(0, MOST_FAULTS)
      .map(
        ({ table, rowid, parent }) =>
          `row ${rowid} of ${table} refers to a row of ${parent} that is not there`,
      ),
  ];
};
