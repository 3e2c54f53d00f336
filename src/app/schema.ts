// The tables of both kinds of file. Each room owns its own: `<room>/schema.platform.sql` has those in the registry,
// `<room>/schema.tenant.sql` those in the file of each tenant; joined they are schema 1. Times are milliseconds since the
// epoch; ids are UUIDv7 in text form; *_json columns hold JSON that no query looks into.
//
// What follows is one sequence for each kind of file: `app/migrations/<kind>/0002-name.sql` brings it from 1 to 2, and so on.
// Once files with a number are in use, nothing up to that number changes any more: a file in which it did is refused.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Migrations, migrationsOf } from '#src/kernel/db/migrate.ts';
import type { FileKind } from '#src/kernel/db/sqlite.ts';

const SRC = join(import.meta.dirname, '..');
/** From below to above: a trigger comes after the tables that it is on. */
const ROOMS =
  'events accounts people messages domains feedback relay followers intake inbound audience insight smtp'.split(
    ' ',
  );

const FILE_NAME = /^(\d{4})-[a-z0-9-]+\.sql$/;

const following = (directory: string): string[] =>
  (existsSync(directory) ? readdirSync(directory).sort() : []).map((name, index) => {
    if (Number(FILE_NAME.exec(name)?.[1]) !== index + 2)
      throw new Error(`${join(directory, name)}: expected ${String(index + 2).padStart(4, '0')}-name.sql`);
    return readFileSync(join(directory, name), 'utf8');
  });

const migrationsFrom = (src: string, kind: FileKind) => {
  const files = ROOMS.map((room) => join(src, room, `schema.${kind}.sql`)).filter((file) => existsSync(file));
  const tables = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  return migrationsOf(tables, following(join(src, 'app', 'migrations', kind)));
};

/** Throws where a name or a number is not as it should be. `src` holds the rooms. */
export const loadSchema = (src = SRC): Migrations => ({
  platform: migrationsFrom(src, 'platform'),
  tenant: migrationsFrom(src, 'tenant'),
});
