// All texts and bytes of a tenant's file, to look for words in. Sealed values are opened.
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import type { KeyFor, SealingPurpose } from '#src/kernel/keys.ts';
import { unseal } from '#src/kernel/seal.ts';
import { keysIn } from '#test/support/keys.ts';
import type { Service } from '../scene.ts';
import { rows, value } from './sql.ts';

/** By their tables: the column, the purpose of the key, and the column with what they are bound to. */
const SEALED: Readonly<Record<string, readonly [column: string, purpose: SealingPurpose, context: string]>> =
  {
    captures: ['source', 'captured mail', 'id'],
    erasures: ['sealed_address', 'erasures', 'id'],
  };
/** Trigrams of texts that are in another table, in a form of SQLite's own. */
const NOT_READ = /^(sqlite_|search_trigrams)/;

export const keysAt = ({ dataDir }: Service): KeyFor => keysIn(dirname(dataDir));

const TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table'";
const columnsOf = (db: Database.Database, table: string): string[] =>
  rows<{ name: string; type: string }>(db, `SELECT name, type FROM pragma_table_info('${table}')`).flatMap(
    ({ name, type }) => (type === 'TEXT' || type === 'BLOB' ? [name] : []),
  );

const openedIn = (db: Database.Database, table: string, keys: KeyFor): string => {
  const [column, purpose, context] = SEALED[table] ?? [];
  if (column === undefined || purpose === undefined) return '';
  return rows<{ sealed: Buffer | null; bound: string }>(
    db,
    `SELECT ${column} AS sealed, ${context} AS bound FROM ${table}`,
  )
    .map(({ sealed, bound }) =>
      sealed === null ? '' : unseal(keys(purpose), sealed, String(bound)).toString(),
    )
    .join('\n');
};

const textOf = (db: Database.Database, table: string, columns: readonly string[]): string => {
  const all = columns.map((column) => `coalesce(CAST(${column} AS TEXT), '')`).join(' || char(10) || ');
  return value<string | null>(db, `SELECT group_concat(${all}, char(10)) FROM ${table}`) ?? '';
};

/** Calls `visit` with the name of each table and all its texts, in lower case. */
export const eachTable = (
  db: Database.Database,
  keys: KeyFor,
  visit: (table: string, text: string) => void,
): void => {
  for (const { name } of rows<{ name: string }>(db, TABLES)) {
    if (NOT_READ.test(name)) continue;
    const columns = columnsOf(db, name);
    if (columns.length === 0) continue;
    visit(name, `${textOf(db, name, columns)}\n${openedIn(db, name, keys)}`.toLowerCase());
  }
};

/** The columns of a table that have the word, by their names. */
export const columnsWith = (db: Database.Database, table: string, word: string): string[] =>
  columnsOf(db, table).filter((column) => textOf(db, table, [column]).toLowerCase().includes(word));
