// What becomes of one row that quotes the address of a person who is erased, in the caller's transaction: its room does what comes
// first (see Place), and then a pseudonym takes the place of the address, so that counts and outcomes stay.
import { overwriting, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Erasing, FoundRow, Person, Place, Values } from '#src/kernel/personal-data.ts';
import { type Key, walkStore } from './walk-store.ts';

type RowResult = 'erased' | 'waits' | 'unconcerned';

/** The columns that quote the address, without it. */
const withoutAddress = (
  { searched, opaque = [] }: Place,
  row: Values = {},
  person: Person,
  columns = searched,
): Values =>
  Object.fromEntries(
    columns.flatMap((column) => {
      const text = row[column];
      if (typeof text !== 'string') return [];
      const rest = person.removedFrom(text, opaque.includes(column));
      return rest === text ? [] : [[column, rest]];
    }),
  );

const foundRow = (db: TenantDb, place: Place, key: Key, person: Person): FoundRow => {
  const store = walkStore(db);
  const values = () => store.row(place, key);
  return {
    key,
    values,
    isQuoted: (columns) => Object.keys(withoutAddress(place, values(), person, columns)).length > 0,
    update: (changed) => store.update(place, key, changed),
    remove: () => store.remove(place, key),
    replace: (more = {}) => {
      const rest = withoutAddress(place, values(), person);
      if (Object.keys(rest).length > 0) store.update(place, key, { ...rest, ...more });
    },
  };
};

export const eraseRow = (db: TenantDb, place: Place, key: Key, erasing: Erasing): RowResult => {
  const row = foundRow(db, place, key, erasing.person);
  if (!row.isQuoted()) return 'unconcerned';
  return overwriting(db, () => {
    if (place.erase?.(db, row, erasing) === 'waits') return 'waits';
    row.replace();
    return 'erased';
  });
};
