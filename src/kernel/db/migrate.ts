// The tables of a file come by numbered migrations, each in a transaction of its own together with the number it brings the
// file to (PRAGMA user_version) and a hash of all SQL up to there (PRAGMA application_id). Both are in the first page of the
// file. A file of a newer program, or one whose tables came by other SQL under the same number, is refused: the statements of
// this program would misread it.
import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { fileError } from './file-states.ts';
import type { FileKind } from './sqlite.ts';

export interface Migration {
  readonly version: number;
  readonly sql: string;
  /** 32 bits, never 0: a file in which none is stored has 0. */
  readonly hash: number;
}

export type Migrations = Readonly<Record<FileKind, readonly Migration[]>>;

const QUOTED_OR_BLANK = /'(?:[^']|'')*'|"[^"]*"|(?:--[^\n]*|\s)+/g;

/** The statements without comments, and with one blank where there are several. */
export const normalSql = (sql: string): string =>
  sql.replace(QUOTED_OR_BLANK, (found) => (/^['"]/.test(found) ? found : ' ')).trim();

/** Each begins at the beginning of a line, and no line within one does but `) …` and the END of a trigger. */
export const statementsOf = (sql: string): string[] =>
  sql
    .replace(/^--.*\n/gm, '')
    .split(/;\s*\n(?=[A-DF-Z])/)
    .map((statement) => normalSql(statement).replace(/;$/, ''))
    .filter((statement) => statement !== '');

const hashAfter = (former: number, sql: string): number =>
  createHash('sha256').update(`${former}\n${sql}`).digest().readInt32BE(0) || 1;

/**
 * `tables` is schema 1, of which the order counts for nothing: a table may move from one part of it to another. What follows
 * brings a file from each number to the next.
 */
export const migrationsOf = (tables: string, following: readonly string[]): readonly Migration[] => {
  const first = { version: 1, sql: tables, hash: hashAfter(0, statementsOf(tables).sort().join(';\n')) };
  const migrations = [first];
  let { hash } = first;
  for (const sql of following) {
    hash = hashAfter(hash, normalSql(sql));
    migrations.push({ version: migrations.length + 1, sql, hash });
  }
  return migrations;
};

const DIFFERENCES = 5;

/** Tables of SQLite's own, https://www.sqlite.org/fileformat2.html#internal_schema_objects, and those that Litestream adds. */
const ANYWHERE: ReadonlySet<string> = new Set([
  'CREATE TABLE sqlite_sequence(name,seq)',
  'CREATE TABLE sqlite_stat1(tbl,idx,stat)',
  'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)',
  'CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)',
  'CREATE TABLE _litestream_lock (id INTEGER)',
]);

/** All statements under one name: a file that was written past SQLite can have several. */
const objectsOf = (db: Database.Database): Map<string, string> => {
  const objects = db
    .prepare<[], { name: string; sql: string }>(
      "SELECT type || ' ' || name AS name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid",
    )
    .all();
  const found = new Map<string, string>();
  for (const { name, sql } of objects) {
    const statement = normalSql(sql);
    if (!ANYWHERE.has(statement)) found.set(name, [found.get(name) ?? '', statement].join('\n'));
  }
  return found;
};

/** Names of tables, indexes and triggers, but for those of `ANYWHERE`, that are in one of the two only, or not the same in both. */
const differences = (db: Database.Database, migrations: readonly Migration[]): string => {
  const own = new Database(':memory:');
  for (const { sql } of migrations) own.exec(sql);
  const [here, expected] = [objectsOf(db), objectsOf(own)];
  own.close();
  const names = [...new Set([...expected.keys(), ...here.keys()])].filter(
    (name) => here.get(name) !== expected.get(name),
  );
  const more = names.length > DIFFERENCES ? ` and ${names.length - DIFFERENCES} more` : '';
  return names.length === 0 ? '' : ` (these differ: ${names.slice(0, DIFFERENCES).join(', ')}${more})`;
};

/** What is wrong with a file that has these two numbers in its first page; undefined: nothing. */
export const schemaFault = (
  path: string,
  { version, hash }: { readonly version: number; readonly hash: number },
  migrations: readonly Migration[],
  differing: () => string = () => '',
): Error | undefined => {
  const newest = migrations.length;
  if (version > newest)
    return fileError(
      'SCHEMA',
      `${path} has schema ${version}, this version of the program knows up to ${newest}: start the newer program (sendwerk update), or put a backup of before in its place (sendwerk restore)`,
    );
  if (hash === migrations[version - 1]?.hash) return undefined;
  return fileError(
    'SCHEMA',
    `${path} was made by a version of the program with other tables under the same number${differing()}: ` +
      'start that version, or put a file that this one made in its place',
  );
};

/**
 * What is wrong with a file from elsewhere, which anyone may have made: the two numbers in its first page say what its tables should be,
 * and nothing of what is in it. A trigger of a stranger, or a view in the place of a table, would run in this process. Nothing but the
 * list of tables is read. Undefined: it has what these migrations make, and nothing else.
 */
export const foreignTables = (db: Database.Database, migrations: readonly Migration[]): Error | undefined => {
  const version = Number(db.pragma('user_version', { simple: true }));
  const hash = Number(db.pragma('application_id', { simple: true }));
  const known = migrations.slice(0, version);
  const fault = schemaFault(db.name, { version, hash }, migrations, () => differences(db, known));
  if (fault) return fault;
  const found = differences(db, known);
  return found === ''
    ? undefined
    : fileError('SCHEMA', `${db.name} has other tables, indexes or triggers than this program makes${found}`);
};

/**
 * Brings the file to the newest version, after a call of `before` with its present one where it has tables. Throws where it has tables
 * that this program does not know, and what `before` throws; then nothing is written.
 */
export const migrate = (
  db: Database.Database,
  migrations: readonly Migration[],
  before: (version: number) => void = () => undefined,
): void => {
  const version = Number(db.pragma('user_version', { simple: true }));
  if (version > 0) {
    const hash = Number(db.pragma('application_id', { simple: true }));
    const known = migrations.slice(0, version);
    const fault = schemaFault(db.name, { version, hash }, migrations, () => differences(db, known));
    if (fault) throw fault;
    if (version < migrations.length) before(version);
  }
  for (const { version: next, sql, hash } of migrations.slice(version)) {
    db.transaction(() => {
      db.exec(sql);
      db.pragma(`user_version = ${next}`);
      db.pragma(`application_id = ${hash}`);
    }).immediate();
  }
};
