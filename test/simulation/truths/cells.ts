// All texts and bytes of a tenant's file, to look for words in. Sealed values are opened.
import { dirname } from 'node:path';
import type Database from 'better-sqlite3';
import type { KeyFor, SealingPurpose } from '#src/kernel/keys.ts';
import { unseal } from '#src/kernel/seal.ts';
import { keysIn } from '#test/support/keys.ts';
import type { Service } from '../scene.ts';
import { rows } from './sql.ts';

/** By their columns: the purpose of the key, and the column with what they are bound to. */
const SEALED: Readonly<Record<string, readonly [purpose: SealingPurpose, context: string]>> = {
  'captures.source': ['captured mail', 'id'],
  'erasures.sealed_address': ['erasures', 'id'],
};
/** Trigrams of texts that are in another table, in a form of SQLite's own. */
const NOT_READ = /^(sqlite_|search_trigrams)/;

interface Column {
  readonly name: string;
  readonly type: string;
}

export const keysAt = ({ dataDir }: Service): KeyFor => keysIn(dirname(dataDir));

const tablesOf = (db: Database.Database): string[] =>
  rows<{ name: string }>(db, "SELECT name FROM sqlite_schema WHERE type = 'table'")
    .map(({ name }) => name)
    .filter((name) => !NOT_READ.test(name));

const opened = (
  keys: KeyFor,
  place: string,
  value: Buffer,
  record: Readonly<Record<string, unknown>>,
): Buffer => {
  const [purpose, context = ''] = SEALED[place] ?? [];
  return purpose ? unseal(keys(purpose), value, String(record[context])) : value;
};

const textOf = (
  keys: KeyFor,
  place: string,
  value: unknown,
  record: Readonly<Record<string, unknown>>,
): string => {
  if (typeof value === 'string') return value;
  return Buffer.isBuffer(value) ? opened(keys, place, value, record).toString() : '';
};

/** Called with the place of each text, `table.column`, and the text in lower case. */
export const eachCell = (
  db: Database.Database,
  keys: KeyFor,
  visit: (place: string, text: string) => void,
): void => {
  for (const table of tablesOf(db)) {
    const columns = rows<Column>(db, `SELECT name, type FROM pragma_table_info('${table}')`)
      .filter(({ type }) => type === 'TEXT' || type === 'BLOB')
      .map(({ name }) => name);
    if (columns.length === 0) continue;
    for (const record of rows<Readonly<Record<string, unknown>>>(
      db,
      `SELECT ${columns.join(', ')} FROM ${table}`,
    ))
      for (const column of columns) {
        const place = `${table}.${column}`;
        const text = textOf(keys, place, record[column], record);
        if (text !== '') visit(place, text.toLowerCase());
      }
  }
};
