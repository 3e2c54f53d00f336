// Numbered migrations: `migrations/<kind>/0001-name.sql`, run at open, each in a transaction of its own together with
// the version it brings the file to (PRAGMA user_version). A file of a newer version is refused: an older program
// would misread it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import type { FileKind } from './sqlite.ts';

export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

export type Migrations = Readonly<Record<FileKind, readonly Migration[]>>;

const FILE_NAME = /^(\d{4})-[a-z0-9-]+\.sql$/;

const loadKind = (root: string, kind: FileKind): Migration[] => {
  const directory = join(root, kind);
  const migrations = readdirSync(directory)
    .sort()
    .map((name) => {
      const number = FILE_NAME.exec(name)?.[1];
      if (number === undefined)
        throw new Error(`migration ${kind}/${name}: expected a name like 0001-name.sql`);
      return { version: Number(number), name, sql: readFileSync(join(directory, name), 'utf8') };
    });
  const gap = migrations.find((migration, index) => migration.version !== index + 1);
  if (gap) throw new Error(`migration ${kind}/${gap.name}: the numbers must run 1, 2, 3, ... without a gap`);
  return migrations;
};

/** `root` holds a directory for each kind of file. Throws where a name or a number is not as it should be. */
export const loadMigrations = (root = join(import.meta.dirname, 'migrations')): Migrations => ({
  platform: loadKind(root, 'platform'),
  tenant: loadKind(root, 'tenant'),
});

/** Brings the file to the newest version. Throws where the file is newer than this program. */
export const migrate = (db: Database.Database, migrations: readonly Migration[]): void => {
  const current = Number(db.pragma('user_version', { simple: true }));
  const newest = migrations.length;
  if (current > newest) {
    throw new Error(
      `${db.name} has schema ${current}, this version of the program knows up to ${newest}: start the newer program`,
    );
  }
  for (const { version, sql } of migrations.slice(current)) {
    db.transaction(() => {
      db.exec(sql);
      db.pragma(`user_version = ${version}`);
    }).immediate();
  }
};
