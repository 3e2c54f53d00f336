// Each room owns its tables (`<room>/schema.*.sql`): what it stores of another room goes through that room's store, and its SQL
// reads the tables of rooms below it at most. The statements are found by their words in the text of the stores.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOMS } from '#test/support/rooms.ts';
import { mask, type Source } from '#test/support/source-rules.ts';
import { tableRooms } from '#test/support/table-rooms.ts';

const SRC = join(import.meta.dirname, '..', 'src');
const read = (path: string): Source => ({ path, text: readFileSync(join(SRC, path), 'utf8') });
const roomOf = (path: string): string => path.split('/')[0] ?? path;
const isBelow = (room: string, other: string): boolean => ROOMS.indexOf(room) > ROOMS.indexOf(other);

const owners = new Map(
  [...tableRooms('tenant'), ...tableRooms('platform')].map(({ table, room }) => [table, room] as const),
);

const VERBS = 'DELETE FROM|FROM|JOIN|INTO|UPDATE(?: OR \\w+)?';
/** A table, or several between commas, each with an alias or without; what follows may begin the next find. */
const TABLES = new RegExp(
  `\\b(${VERBS})\\s+(?:(\\$\\{)|(?=(\\w+(?:\\s+\\w+)?(?:\\s*,\\s*\\w+(?:\\s+\\w+)?)*)))`,
  'g',
);

/** What a store does with tables that are not its room's, as `<path> reads <table>`; without what it reads of rooms below. */
const strayTables = ({ path, text }: Source): string[] => {
  const room = roomOf(path);
  const found = [...mask(text).withStrings.matchAll(TABLES)].flatMap(([, verb = '', unnamed, names = '']) => {
    const does = /FROM$|JOIN/.test(verb) && !verb.startsWith('DELETE') ? 'reads' : 'writes';
    if (unnamed) return [`${path} ${does} a table that it does not name`];
    return names.split(',').flatMap((name) => {
      const table = /\w+/.exec(name)?.[0] ?? '';
      const owner = owners.get(table) ?? room;
      const isAllowed = owner === room || (does === 'reads' && isBelow(owner, room));
      return isAllowed ? [] : [`${path} ${does} ${table}`];
    });
  });
  return [...new Set(found)];
};

const OF_EVENT =
  'the log is read with what each event is about: events name rows by number, and another statement for each event costs more';
const HANDED_IN = 'rooms hand in their tables, with the columns that are looked at';
/** What is left, and why. The list only gets shorter. */
const LEFT: Readonly<Record<string, string>> = {
  'audience/people/walk-store.ts reads a table that it does not name': HANDED_IN,
  'audience/people/walk-store.ts writes a table that it does not name': HANDED_IN,
  'events/follow-store.ts reads inbound_messages': OF_EVENT,
  'events/follow-store.ts reads messages': OF_EVENT,
  'events/follow-store.ts reads projects': OF_EVENT,
  'events/follow-store.ts reads recipients': OF_EVENT,
  'events/follow-store.ts reads routes': OF_EVENT,
  'events/follower-registry-store.ts reads tenants':
    'a start asks in one statement who follows the log of tenants that are here',
  'events/store.ts reads inbound_messages': OF_EVENT,
  'events/store.ts reads recipients': OF_EVENT,
  'events/written-store.ts reads tenants':
    'only a tenant that is registered is marked, and a start asks in one statement for those that are here',
  'kernel/db/numbers.ts reads a table that it does not name': HANDED_IN,
  'kernel/db/sealed-rows.ts reads a table that it does not name': HANDED_IN,
  'kernel/db/sealed-rows.ts writes a table that it does not name': HANDED_IN,
  'messages/order-store.ts reads a table that it does not name': HANDED_IN,
  'messages/store.ts reads campaigns':
    'a message has the number of its campaign, and whoever shows it, in three rooms, shows the id',
};

test('the SQL of a room keeps to its own tables, and reads those of rooms below it', () => {
  const stores = globSync(['**/store.ts', '**/*-store.ts', 'kernel/db/**/*.ts'], { cwd: SRC }).map(read);
  expect(stores.length).toBeGreaterThan(50);
  expect(owners.size).toBeGreaterThan(50);
  expect(stores.flatMap(strayTables).toSorted()).toEqual(Object.keys(LEFT).toSorted());
});

test.each([
  ['an update', "db.prepare('UPDATE webhooks SET name = ?')", ['messages/store.ts writes webhooks']],
  ['a removal below', "db.prepare('DELETE FROM events WHERE seq = ?')", ['messages/store.ts writes events']],
  [
    'an insertion',
    'db.prepare(`INSERT OR IGNORE INTO captures SELECT 1`)',
    ['messages/store.ts writes captures'],
  ],
  ['a reading above', 'db.prepare(`SELECT 1 FROM lists`)', ['messages/store.ts reads lists']],
  ['a second table', 'db.prepare(`SELECT 1 FROM messages m, lists`)', ['messages/store.ts reads lists']],
  ['a joined one', 'db.prepare(`SELECT 1 FROM messages\n JOIN lists`)', ['messages/store.ts reads lists']],
  [
    'any table',
    `db.prepare(\`SELECT 1 FROM $\{table}\`)`,
    ['messages/store.ts reads a table that it does not name'],
  ],
  ['a reading below', 'db.prepare(`SELECT 1 FROM events`)', []],
  ['its own', 'db.prepare(`UPDATE messages SET status = 1 WHERE EXISTS (SELECT 1 FROM queue)`)', []],
  ['a comment', '// FROM lists', []],
])('finds %s', (_, text, found) => {
  expect(strayTables({ path: 'messages/store.ts', text })).toEqual(found);
});
