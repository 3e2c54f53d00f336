// The greylist in the registry: addresses of servers, and digests of mails that wait.
import { type PlatformDb, perConnection } from '#src/kernel/db/sqlite.ts';
import type { Storage } from '#src/kernel/db/storage.ts';
import type { GreylistChange, GreylistRow, GreylistStorage } from './greylist.ts';

export const greylistStore = perConnection((db: PlatformDb) => {
  const all = db.prepare<[number, number], GreylistRow>(
    `SELECT * FROM greylist WHERE seen_at >= iif(block IS NULL, ?, ?) ORDER BY seen_at`,
  );
  const removeOld = db.prepare<[number, number]>(
    'DELETE FROM greylist WHERE seen_at < iif(block IS NULL, ?, ?)',
  );
  const put = db.prepare<GreylistRow>(
    `INSERT INTO greylist (name, block, seen_at) VALUES (:name, :block, :seen_at)
     ON CONFLICT (name) DO UPDATE SET block = excluded.block, seen_at = excluded.seen_at`,
  );
  const remove = db.prepare<[string]>('DELETE FROM greylist WHERE name = ?');
  return {
    all: (waitingFrom: number, knownFrom: number): GreylistRow[] => all.all(knownFrom, waitingFrom),
    removeOld: (waitingFrom: number, knownFrom: number): void => {
      removeOld.run(knownFrom, waitingFrom);
    },
    apply: ({ name, block, seen_at }: GreylistChange): void => {
      if (seen_at === null) remove.run(name);
      else put.run({ name, block, seen_at });
    },
  };
});

export const greylistIn = ({ platform }: Storage): GreylistStorage => {
  /** What is too old goes with the first rows that are stored. */
  let old: readonly [number, number] | null = null;
  return {
    load: (waitingFrom, knownFrom) => {
      old = [waitingFrom, knownFrom];
      return platform.peek((db) => greylistStore(db).all(waitingFrom, knownFrom));
    },
    save: async (rows) => {
      await platform.write((db) => {
        if (old !== null) greylistStore(db).removeOld(...old);
        for (const row of rows) greylistStore(db).apply(row);
      });
      old = null;
    },
  };
};
