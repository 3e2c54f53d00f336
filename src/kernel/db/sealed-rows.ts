// Reads and replaces sealed values of any table: see kernel/sealed-place.ts.
import type { SealedPlace } from '#src/kernel/sealed-place.ts';
import { type AnyDb, overwriting } from './sqlite.ts';

export interface SealedRow {
  readonly key: readonly (string | number)[];
  /** The keys, and what the place has beside them. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly sealed: Buffer;
}

/** Rows that are looked at in one turn, and how much of their values; a single one may be larger. */
const ROWS = 100;
const BYTES = 1_024 * 1_024;

type Raw = Record<string, string | number>;

/** The next rows after that key; null: from the start. */
export const sealedRowsAfter = (
  db: AnyDb,
  { table, keys, column, with: others = [] }: SealedPlace,
  after: SealedRow['key'] | null,
): SealedRow[] => {
  const names = keys.join(', ');
  const beyond = after === null ? '' : `AND (${names}) > (${keys.map(() => '?').join(', ')})`;
  const sizes = db
    .prepare<unknown[], Raw>(
      `SELECT ${names}, length(${column}) AS bytes FROM ${table}
       WHERE ${column} IS NOT NULL ${beyond} ORDER BY ${names} LIMIT ${ROWS}`,
    )
    .all(...(after ?? []));
  let bytes = 0;
  const some = sizes.filter((row, index) => {
    bytes += Number(row.bytes);
    return index === 0 || bytes <= BYTES;
  });
  const one = db.prepare<unknown[], Raw & { sealed_value: Buffer }>(
    `SELECT ${[...keys, ...others].join(', ')}, ${column} AS sealed_value FROM ${table}
     WHERE ${keys.map((key) => `${key} = ?`).join(' AND ')}`,
  );
  return some.flatMap((size) => {
    const key = keys.map((name) => size[name] ?? '');
    const row = one.get(...key);
    return row ? [{ key, values: row, sealed: row.sealed_value }] : [];
  });
};

/** Does nothing where the row is gone or has another value since. */
export const replaceSealed = (
  db: AnyDb,
  { table, keys, column }: SealedPlace,
  rows: readonly (SealedRow & { readonly again: Buffer })[],
): void => {
  const update = db.prepare<unknown[]>(
    `UPDATE ${table} SET ${column} = ? WHERE ${keys.map((key) => `${key} = ?`).join(' AND ')} AND ${column} = ?`,
  );
  // The former key may be known to others: what it opens is not to stay in free pages.
  overwriting(db, () => {
    for (const { key, sealed, again } of rows) update.run(again, ...key, sealed);
  });
};
