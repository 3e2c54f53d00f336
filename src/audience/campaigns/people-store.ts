// The people of a campaign's lists, each once, in the order of their hashes.
import type { SubscriberRow } from '#src/audience/subscribers/store.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

/** The rows of one person, in the order of the campaign's lists. */
export type Person = readonly [SubscriberRow, ...SubscriberRow[]];

/** Before all hashes. */
const NONE = Buffer.alloc(0);

export const peopleStore = perConnection((db: TenantDb) => {
  const onList = db.prepare<[number, Buffer, number], SubscriberRow>(
    'SELECT * FROM subscribers WHERE list_seq = +? AND address_hash > +? ORDER BY address_hash LIMIT +?',
  );
  const newest = db.prepare<[number, number], SubscriberRow>(
    'SELECT * FROM subscribers WHERE list_seq = ? ORDER BY seq DESC LIMIT ?',
  );
  return {
    newest: (list: number, limit: number): SubscriberRow[] => newest.all(list, limit),
    /** At most `limit` people behind that hash (null: from the beginning); fewer only at the end. */
    after: (lists: readonly number[], hash: Buffer | null, limit: number): Person[] => {
      const rows = lists.flatMap((list) => onList.all(list, hash ?? NONE, limit));
      const people = new Map<string, [SubscriberRow, ...SubscriberRow[]]>();
      for (const row of rows) {
        const key = row.address_hash.toString('hex');
        const known = people.get(key);
        if (known) known.push(row);
        else people.set(key, [row]);
      }
      // A list that has more than was read is read beyond the first `limit` people of all.
      return [...people.entries()]
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .slice(0, limit)
        .map(([, person]) => person);
    },
  };
});
