// Loaded into a daemon by `NODE_OPTIONS=--import`, never by the service: counts the statements that its event loop runs, by file
// and text, BEGIN and COMMIT among them. SIGUSR2 writes the counts since the start to the file that STATEMENT_COUNTS names.
import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';
import Database from 'better-sqlite3';

/** `tenant.db SELECT 1` → how often it ran. */
export type StatementCounts = Readonly<Record<string, number>>;

/** The methods of better-sqlite3's statements that run them. One that iterates counts once. */
const RUNNING = ['run', 'get', 'all', 'iterate'] as const;

const countStatements = (): (() => StatementCounts) => {
  const counts: Record<string, number> = {};
  const keys = new WeakMap<Database.Statement, string>();
  const count = (key: string): void => {
    counts[key] = (counts[key] ?? 0) + 1;
  };
  const keyOf = (db: Database.Database, sql: string): string =>
    `${path.basename(db.name)} ${sql.replace(/\s+/g, ' ').trim()}`;

  const probe = new Database(':memory:');
  const prototype = Object.getPrototypeOf(probe.prepare('SELECT 1'));
  probe.close();
  for (const method of RUNNING) {
    const run = prototype[method];
    prototype[method] = function (this: Database.Statement, ...values: unknown[]) {
      let key = keys.get(this);
      if (key === undefined) {
        key = keyOf(this.database, this.source);
        keys.set(this, key);
      }
      count(key);
      return run.apply(this, values);
    };
  }
  const { exec } = Database.prototype;
  Database.prototype.exec = function (this: Database.Database, sql: string) {
    count(keyOf(this, sql));
    return exec.call(this, sql);
  };
  return () => counts;
};

const file = process.env.STATEMENT_COUNTS;
if (file !== undefined && isMainThread) {
  const counts = countStatements();
  process.on('SIGUSR2', () => {
    writeFileSync(`${file}.new`, JSON.stringify(counts()));
    renameSync(`${file}.new`, file);
  });
}
