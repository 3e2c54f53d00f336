// Whose each table is: that of `<room>/schema.*.sql`, or where a migration brought it, the room that is named here.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileKind } from '#src/kernel/db/sqlite.ts';

const SRC = join(import.meta.dirname, '../../src');
const BY_MIGRATION: Readonly<Record<string, string>> = {
  images: 'messages',
  image_uses: 'messages',
  letterheads: 'intake',
  inbound_notes: 'inbound',
  inbound_threads: 'inbound',
  saved_replies: 'inbound',
  website_form_posts: 'inbound',
  website_forms: 'inbound',
  segments: 'audience',
  slowed_messages: 'feedback',
  token_brakes: 'feedback',
  token_days: 'feedback',
  practice_summaries: 'accounts',
  written_tenants: 'events',
};

interface Table {
  readonly table: string;
  readonly isVirtual: boolean;
}

const tablesIn = (path: string): Table[] =>
  [...readFileSync(join(SRC, path), 'utf8').matchAll(/^CREATE (VIRTUAL )?TABLE (\w+)/gm)].map(
    ([, virtual, table = '']) => ({ table, isVirtual: virtual !== undefined }),
  );

export interface OwnedTable extends Table {
  readonly room: string;
}

/** Throws where a migration brings a table that no room is named for. */
export const tableRooms = (kind: FileKind): OwnedTable[] => [
  ...globSync(`*/schema.${kind}.sql`, { cwd: SRC }).flatMap((path) =>
    tablesIn(path).map((one) => ({ ...one, room: path.split('/')[0] ?? path })),
  ),
  ...globSync(`app/migrations/${kind}/*.sql`, { cwd: SRC })
    .flatMap(tablesIn)
    .map((one) => {
      const room = BY_MIGRATION[one.table];
      if (room === undefined)
        throw new Error(`${one.table} is of no room: name it in ${import.meta.filename}`);
      return { ...one, room };
    }),
];
