// Lists are read by ranges of the numbers of their rows, so that a call costs the same however few of them fit. A file that was put back
// goes on a thousand million further (`leave-gap.ts`): who reads on from the end of a range steps over such a gap.
import type { AnyDb } from './sqlite.ts';

/** For a table whose rows are numbered by `seq`. */
export const numbersOf = (db: AnyDb, table: string) => {
  const last = db.prepare<[number], number | null>(`SELECT max(seq) FROM ${table} WHERE seq < ?`).pluck();
  const first = db.prepare<[number], number | null>(`SELECT min(seq) FROM ${table} WHERE seq >= ?`).pluck();
  return {
    /** No row is between it and `seq`: one more than the number of the last one before `seq`; 1 where none is. */
    endBefore: (seq: number): number => (last.get(seq) ?? 0) + 1,
    /** The number of the first row from `seq` on; null where none is. */
    firstFrom: (seq: number): number | null => first.get(seq) ?? null,
  };
};
