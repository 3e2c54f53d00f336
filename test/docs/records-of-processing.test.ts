// The records of processing in docs/law say what is stored, where, and for how long: the tables are those that rooms hand in as
// personal data, and the periods those of the configuration.
import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { configSchema } from '#src/kernel/config/schema.ts';
import { DAY } from '#src/kernel/time.ts';
import { startApp } from '#test/support/app.ts';

const app = await startApp();
afterAll(() => app.remove());
const rooms = Object.values(app.personalData).map(({ personalData }) => personalData);
const retention: Readonly<Record<string, number>> = configSchema.shape.retention.parse(undefined);

const namesIn = (cell = ''): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
const rowsOf = (file: string) =>
  (readFileSync(file, 'utf8').split(/^## /m).at(-1) ?? '')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) => line.split('|'))
    .map(([, , tables, keys, period = '']) => ({
      tables: namesIn(tables),
      keys: namesIn(keys),
      days: Number(/\d+/.exec(period.replaceAll(/[.,](?=\d)/g, ''))?.[0]),
    }));

test.each(['docs/law/records.md', 'docs/law/records.de.md'])('%s', (file) => {
  const rows = rowsOf(file);
  const listed = new Set(rows.flatMap(({ tables }) => tables));

  const places = rooms.flatMap((room) => room.places ?? []).map(({ table }) => table);
  expect(places.filter((table) => !listed.has(table))).toEqual([]);
  const known = new Set([
    ...places,
    ...rooms.flatMap((room) => [
      ...Object.keys(room.otherTables ?? {}),
      ...Object.keys(room.platformTables ?? {}),
    ]),
  ]);
  expect([...listed].filter((table) => !known.has(table))).toEqual([]);

  const periods = rows.flatMap(({ keys, days }) =>
    keys.map((key) => [key.replace('retention.', ''), days * DAY] as const),
  );
  expect(Object.fromEntries(periods)).toEqual(retention);
});
