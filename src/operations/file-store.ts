// What can be said of any database file without knowing its tables.
import type { AnyDb } from '#src/kernel/db/sqlite.ts';

const MOST_FAULTS = 5;

const tablesOf = (db: AnyDb): string[] =>
  db
    .prepare<[], string>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow') AND name NOT LIKE 'sqlite@_%' ESCAPE '@' ORDER BY name",
    )
    .pluck()
    .all();

const countOf = (db: AnyDb, table: string): number =>
  db.prepare<[], number>(`SELECT count(*) FROM "${table}"`).pluck().get() ?? 0;

const withRows = (counted: readonly [string, number][]): Record<string, number> =>
  Object.fromEntries(counted.filter(([, rows]) => rows > 0));

/** How many rows each table has, by its name; those without rows are left out. */
export const rowsOf = (db: AnyDb): Record<string, number> =>
  withRows(tablesOf(db).map((name) => [name, countOf(db, name)]));

/** The same, with a turn for others after each table: a daemon that counts goes on answering. Nobody writes the file meanwhile. */
export const rowsInTurns = async (db: AnyDb): Promise<Record<string, number>> => {
  const counted: [string, number][] = [];
  for (const name of tablesOf(db)) {
    counted.push([name, countOf(db, name)]);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return withRows(counted);
};

/** What SQLite finds wrong with the pages of the file, without comparing indexes with their tables; null: nothing. */
export const quickFaultOf = (db: AnyDb): string | null => {
  const [first] = db.pragma('quick_check(1)') as { quick_check: string }[];
  return first === undefined || first.quick_check === 'ok' ? null : first.quick_check;
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
