import { globSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadSchema } from '#src/app/schema.ts';
import { migrate, statementsOf } from '#src/kernel/db/migrate.ts';
import { temporaryDirectory } from '#test/support/storage.ts';

const SRC = join(import.meta.dirname, '../../src');

describe.each(['platform', 'tenant'] as const)('schema 1 of a %s file', (kind) => {
  const { sql } = loadSchema()[kind][0] ?? { sql: '' };

  test('has the tables of every room', () => {
    const files = globSync(`*/schema.${kind}.sql`, { cwd: SRC });
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => !sql.includes(readFileSync(join(SRC, file), 'utf8')))).toEqual([]);
    expect(
      globSync('**/*.sql', { cwd: SRC }).filter(
        (file) =>
          !/^[a-z]+\/schema\.(platform|tenant)\.sql$|^app\/migrations\/(platform|tenant)\//.test(file),
      ),
    ).toEqual([]);
  });

  test('is cut into whole statements', () => {
    const statements = statementsOf(sql);
    expect(statements.filter((statement) => !/^(CREATE|INSERT) /.test(statement))).toEqual([]);
    const db = new Database(':memory:');
    onTestFinished(() => {
      db.close();
    });
    for (const statement of statements) db.prepare(statement).run();
  });

  test('makes a sound file', () => {
    const db = new Database(':memory:');
    onTestFinished(() => {
      db.close();
    });
    const migrations = loadSchema()[kind];
    migrate(db, migrations);
    expect(db.pragma('user_version', { simple: true })).toBe(migrations.length);
    expect(db.pragma('application_id', { simple: true })).toBe(migrations.at(-1)?.hash);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(db.pragma('foreign_key_check')).toEqual([]);
    const loose = db
      .prepare(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'",
      )
      .pluck()
      .all();
    expect(loose).toEqual([]);
  });
});

/** Files of them are in use. */
const FROZEN = { platform: -1908554941, tenant: -2000374551 } as const;

test.each(['platform', 'tenant'] as const)('schema 1 of a %s file is frozen', (kind) => {
  const change = `src/<room>/schema.${kind}.sql must stay as it is, since files of it are in use: write the change as src/app/migrations/${kind}/0002-name.sql`;
  expect(loadSchema()[kind][0]?.hash, change).toBe(FROZEN[kind]);
});

describe('migrations', () => {
  const directoryWith = async (...names: string[]): Promise<string> => {
    const src = await temporaryDirectory();
    const directory = join(src, 'app/migrations/tenant');
    await mkdir(directory, { recursive: true });
    await mkdir(join(src, 'events'));
    await writeFile(join(src, 'events/schema.tenant.sql'), 'CREATE TABLE t (n INTEGER) STRICT;');
    for (const name of names) await writeFile(join(directory, name), `-- ${name}`);
    return src;
  };

  test('follow the tables in the order of their numbers', async () => {
    const { tenant } = loadSchema(await directoryWith('0003-c.sql', '0002-b.sql'));
    expect(tenant.map(({ version, sql }) => `${version} ${sql}`)).toEqual([
      '1 CREATE TABLE t (n INTEGER) STRICT;',
      '2 -- 0002-b.sql',
      '3 -- 0003-c.sql',
    ]);
  });

  test.each([
    { name: 'a gap', files: ['0002-b.sql', '0004-d.sql'], says: /0004-d\.sql: expected 0003-name\.sql/ },
    { name: 'a number given twice', files: ['0002-a.sql', '0002-b.sql'], says: /0002-b\.sql: expected 0003/ },
    { name: 'a first', files: ['0001-a.sql'], says: /0001-a\.sql: expected 0002/ },
    { name: 'a file of another name', files: ['0002-a.sql', 'notes.txt'], says: /notes\.txt: expected 0003/ },
    { name: 'upper case', files: ['0002-A.sql'], says: /0002-A\.sql: expected 0002-name/ },
  ])('with $name are refused, and the file is named', async ({ files, says }) => {
    const src = await directoryWith(...files);
    expect(() => loadSchema(src)).toThrow(says);
  });
});
