// Statements of the truths, prepared once for each connection of the simulation's own.
import type Database from 'better-sqlite3';

const prepared = new WeakMap<Database.Database, Map<string, Database.Statement<unknown[]>>>();

const statement = (db: Database.Database, sql: string): Database.Statement<unknown[]> => {
  let known = prepared.get(db);
  if (known === undefined) {
    known = new Map();
    prepared.set(db, known);
  }
  let found = known.get(sql);
  if (found === undefined) {
    found = db.prepare(sql);
    known.set(sql, found);
  }
  return found;
};

export const rows = <Row>(db: Database.Database, sql: string, ...values: readonly unknown[]): Row[] =>
  statement(db, sql).all(...values) as Row[];

export const row = <Row>(
  db: Database.Database,
  sql: string,
  ...values: readonly unknown[]
): Row | undefined => statement(db, sql).get(...values) as Row | undefined;

/** The only column of the only row; undefined where there is none. */
export const value = <T>(
  db: Database.Database,
  sql: string,
  ...values: readonly unknown[]
): T | undefined => {
  const found = statement(db, sql).get(...values) as Readonly<Record<string, T>> | undefined;
  return found && Object.values(found)[0];
};

/** Several readings of one state of the file, which cost one lock. */
export const together = <T>(db: Database.Database, read: () => T): T => {
  statement(db, 'BEGIN').run();
  try {
    return read();
  } finally {
    statement(db, 'COMMIT').run();
  }
};
