// The people of a campaign's lists, each once, in the order of their hashes.
import type { SubscriberRow } from '#src/audience/subscribers/store.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

/** The rows of one person, in the order of the campaign's lists. */
export type Person = readonly [SubscriberRow, ...SubscriberRow[]];

/** This value sorts before all hashes. */
const NONE = Buffer.alloc(0);

export const peopleStore = perConnection((db: TenantDb) => {
  // The index alone is read: with many lists, most of what is found on each is behind the people of this page.
  const hashes = db
    .prepare<[number, Buffer, number], Buffer>(
      'SELECT address_hash FROM subscribers WHERE list_seq = ? AND address_hash > ? ORDER BY address_hash LIMIT ?',
    )
    .pluck();
  const onList = db.prepare<[number, Buffer, Buffer], SubscriberRow>(
    'SELECT * FROM subscribers WHERE list_seq = ? AND address_hash > ? AND address_hash <= ?',
  );
  const newest = db.prepare<[number, number], SubscriberRow>(
    'SELECT * FROM subscribers WHERE list_seq = ? ORDER BY seq DESC LIMIT ?',
  );
  const after = (lists: readonly number[], hash: Buffer | null, limit: number): Person[] => {
    const behind = hash ?? NONE;
    const found = lists.flatMap((list) => hashes.all(list, behind, limit).map((one) => one.toString('hex')));
    const keys = [...new Set(found)].toSorted().slice(0, limit);
    const last = Buffer.from(keys.at(-1) ?? '', 'hex');
    const people = new Map<string, SubscriberRow[]>(keys.map((key) => [key, []]));
    for (const list of lists)
      for (const row of onList.all(list, behind, last))
        people.get(row.address_hash.toString('hex'))?.push(row);
    return [...people.values()] as unknown as Person[];
  };
  return {
    newest: (list: number, limit: number): SubscriberRow[] => newest.all(list, limit),
    /** Returns at most `limit` people behind that hash (null: from the beginning); fewer only at the end. */
    after,
    /** The people behind that hash, `limit` at most, read as they are asked for: `first` of them, then always twice as many. */
    *walk(
      lists: readonly number[],
      hash: Buffer | null,
      { first, limit }: { readonly first: number; readonly limit: number },
    ): Generator<Person, void, undefined> {
      let last = hash;
      let read = 0;
      for (let size = first; read < limit; size *= 2) {
        const page = after(lists, last, Math.min(size, limit - read));
        yield* page;
        last = page.at(-1)?.[0].address_hash ?? null;
        if (last === null) return;
        read += page.length;
      }
    },
  };
});
