// Statements of the truths, prepared once for each connection of the simulation's own.
import type Database from 'better-sqlite3';

const prepared = new WeakMap<Database.Database, Map<string, Database.Statement<unknown[]>>>();

/** Connections that read one state of their file, until the look ends; null: each statement stands for itself. */
let reading: Set<Database.Database> | null = null;

const statement = (db: Database.Database, sql: string): Database.Statement<unknown[]> => {
  if (reading !== null && !reading.has(db)) {
    reading.add(db);
    known(db, 'BEGIN').run();
  }
  return known(db, sql);
};

const known = (db: Database.Database, sql: string): Database.Statement<unknown[]> => {
  let all = prepared.get(db);
  if (all === undefined) {
    all = new Map();
    prepared.set(db, all);
  }
  let found = all.get(sql);
  if (found === undefined) {
    found = db.prepare(sql);
    all.set(sql, found);
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

/** What is read meanwhile is of one state of each file, which costs one lock instead of one a statement. */
export const inOneState = (look: () => void): void => {
  reading = new Set();
  try {
    look();
  } finally {
    for (const db of reading) if (db.open) known(db, 'COMMIT').run();
    reading = null;
  }
};
