// Reads a table from a place on, for rows that may quote an address, and changes such rows. A call blocks the event
// loop, so it ends when its time is over, and the next one continues.
import { eachRow, perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Place, Values } from '#src/kernel/personal-data.ts';

/** Values of the primary key. */
export type Key = readonly (string | number)[];

export interface Slice {
  /** Rows that fit a pattern. */
  readonly hits: readonly Key[];
  /** The last row that was looked at. */
  readonly last: Key | null;
  readonly isEnd: boolean;
}

/** A piece of a file that is imported; an address may be in two. */
export interface ImportPiece {
  readonly import_seq: number;
  readonly position: number;
  readonly content: Buffer;
}

/** A large row takes longer. */
const SCAN_MS = 4;
/** Erasing one takes up to 8 ms: a message is indexed once more, and segments of the index are merged. */
const MAX_HITS = 3;

const named = (prefix: string, values: readonly (string | number)[]) =>
  Object.fromEntries(values.map((value, index) => [`${prefix}${index}`, value]));

export const walkStore = perConnection((db: TenantDb) => {
  const prepared = new Map<string, ReturnType<TenantDb['prepare']>>();
  const prepare = (sql: string) => {
    const statement = prepared.get(sql) ?? db.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };
  const isRow = ({ keys }: Place): string => keys.map((key, index) => `${key} = :k${index}`).join(' AND ');
  const pieceAfter = db.prepare<[number, number], ImportPiece>(
    `SELECT import_seq, position, content FROM import_pieces WHERE (import_seq, position) > (?, ?)
     ORDER BY import_seq, position LIMIT 1`,
  );
  return {
    /** The next one of all files that are imported. */
    pieceAfter: ({ import_seq, position }: Omit<ImportPiece, 'content'>): ImportPiece | undefined =>
      pieceAfter.get(import_seq, position),
    scan: (place: Place, patterns: readonly string[], after: Key | null): Slice => {
      const { table, keys, searched } = place;
      const fits = searched.flatMap((column) =>
        patterns.map((_, index) => String.raw`${column} LIKE :p${index} ESCAPE '\'`),
      );
      const columns = keys.join(', ');
      const from =
        after === null ? '1' : `(${columns}) > (${keys.map((_, index) => `:k${index}`).join(', ')})`;
      const statement = prepare(
        `SELECT ${columns}, (${fits.join(' OR ')}) AS fits FROM ${table} WHERE ${from} ORDER BY ${columns}`,
      );
      const rows = eachRow(statement, { ...named('p', patterns), ...named('k', after ?? []) });
      const end = performance.now() + SCAN_MS;
      const hits: Key[] = [];
      let last = after;
      let isEnd = true;
      rows((found) => {
        const row = found as Record<string, string | number>;
        last = keys.map((key) => row[key] ?? '');
        if (row.fits === 1) hits.push(last);
        isEnd = hits.length < MAX_HITS && performance.now() < end;
        return isEnd;
      });
      return { hits, last, isEnd };
    },
    row: (place: Place, key: Key): Values | undefined =>
      prepare(
        `SELECT ${[...place.keys, ...place.searched].join(', ')} FROM ${place.table} WHERE ${isRow(place)}`,
      ).get(named('k', key)) as Values | undefined,
    update: (place: Place, key: Key, values: Values): void => {
      const names = Object.keys(values);
      if (names.length === 0) return;
      // A link of two people may be the same one now.
      prepare(
        `UPDATE OR REPLACE ${place.table} SET ${names.map((name) => `${name} = :${name}`).join(', ')} WHERE ${isRow(place)}`,
      ).run({ ...values, ...named('k', key) });
    },
    remove: (place: Place, key: Key): void => {
      prepare(`DELETE FROM ${place.table} WHERE ${isRow(place)}`).run(named('k', key));
    },
  };
});
