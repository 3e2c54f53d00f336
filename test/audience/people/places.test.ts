// What the rooms say of personal data knows every table and column in which something of a person can be: who adds one must say
// in its room what an erasure does with it.
import Database from 'better-sqlite3';
import { afterAll, describe, expect, test } from 'vitest';
import { loadSchema } from '#src/app/schema.ts';
import { migrate } from '#src/kernel/db/migrate.ts';
import type { FileKind } from '#src/kernel/db/sqlite.ts';
import { startApp } from '#test/support/app.ts';
import { tableRooms } from '#test/support/table-rooms.ts';

const app = await startApp();
const rooms = Object.entries(app.personalData).map(([room, { personalData }]) => ({ room, ...personalData }));
await app.remove();
const places = rooms.flatMap((room) => room.places ?? []);
const tablesOf = (room: string, kind: FileKind): string[] =>
  tableRooms(kind)
    .filter((one) => one.room === room && !one.isVirtual)
    .map(({ table }) => table)
    .toSorted();

const tenant = new Database(':memory:');
migrate(tenant, loadSchema().tenant);
afterAll(() => tenant.close());

const columnsOf = (table: string) =>
  tenant.pragma(`table_info(${table})`) as readonly { name: string; type: string; pk: number }[];

describe('the places of a person', () => {
  test.each(rooms)('in $room are in each of its tables, or it says why not', (room) => {
    const known = [...(room.places ?? []).map(({ table }) => table), ...Object.keys(room.otherTables ?? {})];
    expect(known.toSorted()).toEqual(tablesOf(room.room, 'tenant'));
    expect(Object.keys(room.platformTables ?? {}).toSorted()).toEqual(tablesOf(room.room, 'platform'));
  });

  test('are asked of every room that has a table', () => {
    const joined = new Set([...tableRooms('tenant'), ...tableRooms('platform')].map(({ room }) => room));
    expect(rooms.map(({ room }) => room)).toEqual(expect.arrayContaining([...joined]));
  });

  test.each(places)(
    'of $table are all its columns of text and bytes',
    ({ table, keys, searched, others = [] }) => {
      const columns = columnsOf(table);
      const texts = columns.filter(({ type }) => type !== 'INTEGER').map(({ name }) => name);
      const named = [...new Set([...searched, ...others])];
      expect(named.toSorted()).toEqual(texts.toSorted());
      expect(keys).toEqual(
        columns
          .filter(({ pk }) => pk > 0)
          .toSorted((one, other) => one.pk - other.pk)
          .map(({ name }) => name),
      );
    },
  );

  test('have words for the certificate', () => {
    const kinds = rooms.flatMap(({ words }) => Object.keys(words?.('de').erased ?? {}));
    for (const { kind } of places) expect(kinds).toContain(kind);
  });
});
