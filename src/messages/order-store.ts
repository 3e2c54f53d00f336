// Messages, sent or received, are numbered in the order of their acceptance, and events in that of the log, so those of a period
// are found by their key, without an index on time.
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

/** For a table whose rows are numbered in the order of `time`, ms. */
export const orderStore = (table: string, time: string) =>
  perConnection((db: TenantDb) => {
    const newest = db.prepare<[], number | null>(`SELECT max(seq) FROM ${table}`).pluck();
    const next = db.prepare<[number], { seq: number; time: number }>(
      `SELECT seq, ${time} AS time FROM ${table} WHERE seq >= ? ORDER BY seq LIMIT 1`,
    );
    return {
      /** Number of the newest one; 0 if there is none. */
      newest: (): number => newest.get() ?? 0,
      /** Number of the first one of `at` or later; one more than the newest if there is none. */
      firstSince: (at: number): number => {
        let older = 0;
        let found = (newest.get() ?? 0) + 1;
        while (older + 1 < found) {
          const middle = Math.floor((older + found) / 2);
          const row = next.get(middle);
          if (row === undefined || row.time >= at) found = middle;
          else older = row.seq;
        }
        return found;
      },
    };
  });

export const messageOrderStore = orderStore('messages', 'created_at');
export const eventOrderStore = orderStore('events', 'at');
