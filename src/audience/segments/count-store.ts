// The people of lists in a fixed number of reads, whatever their number: hashes are keyed and therefore evenly spread, so each read
// takes one range of them from the index of lists and hashes. All rows of a person are in one range.
import { NEVER_TRACKED, type SubscriberRow } from '#src/audience/subscribers/store.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';

/** With 100,000 people on a list a read takes some 3 ms. */
export const RANGES = 256;
/** Sorts behind all hashes. */
const BEHIND = Buffer.alloc(64, 0xff);

const COLUMNS = ['address_hash', 'address', 'name', 'data_json', 'status', 'confirmed_at'] as const;

/** What the conditions ask about. */
export type CountedRow = Pick<SubscriberRow, (typeof COLUMNS)[number] | keyof typeof NEVER_TRACKED>;

const startOf = (range: number): Buffer => (range === RANGES ? BEHIND : Buffer.from([range]));

export const countStore = perConnection((db: TenantDb) => {
  const inRange = db.prepare<[string, Buffer, Buffer], CountedRow>(
    `SELECT ${[...COLUMNS, ...Object.keys(NEVER_TRACKED)].join(', ')} FROM subscribers INDEXED BY subscribers_once
     WHERE list_seq IN (SELECT value FROM json_each(?)) AND address_hash >= ? AND address_hash < ?`,
  );
  return {
    /** The rows of the people whose hashes are in that range, from 0 on. */
    rows: (lists: readonly number[], range: number): CountedRow[] =>
      inRange.all(JSON.stringify(lists), startOf(range), startOf(range + 1)),
  };
});
