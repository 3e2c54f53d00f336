// How SQLite would go about each statement of a store, without running it.
import type { AnyDb } from '#src/kernel/db/sqlite.ts';

export interface Plan {
  /** The statement, as the store has it. */
  readonly sql: string;
  /** SQLite's words: `SEARCH t USING INDEX i (a=?)`, `SCAN t`, `USE TEMP B-TREE FOR ORDER BY`. */
  readonly steps: readonly string[];
}

/** Of every statement that `store` prepares on the connection, in order. */
export const plansOf = <D extends AnyDb>(db: D, store: (db: D) => unknown): Plan[] => {
  const prepared: string[] = [];
  const recording = new Proxy(db, {
    get: (target, name) => {
      if (name !== 'prepare') return Reflect.get(target, name);
      return (sql: string) => {
        prepared.push(sql);
        return target.prepare(sql);
      };
    },
  });
  store(recording);
  return prepared.map((sql) => {
    // Values may not be missing; what they are makes no difference without statistics.
    const bound = sql.replace(/:[a-z]\w*|\?/gi, "+'5'");
    const rows = db.prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${bound}`).all();
    return { sql: sql.replace(/\s+/g, ' ').trim(), steps: rows.map(({ detail }) => detail) };
  });
};
