// A daemon whose platform.db cannot be used does not start, and says which file it is and what to do, without a stack.
import { cpSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '#src/app/cli/commands.ts';
import { startApp, type TestApp } from '#test/support/app.ts';

const PAGE_BYTES = 4_096;
let app: TestApp;
let file: string;
let backup: string;

beforeAll(async () => {
  app = await startApp({ config: { log: { level: 'silent' } } });
  await app.createPractice();
  await app.stop();
  file = join(app.home, 'data/platform.db');
  backup = join(app.home, 'platform.backup');
  cpSync(file, backup);
});
afterAll(() => app.remove());

const serve = async (): Promise<{ exitCode: number; said: string }> => {
  let said = '';
  const print = (text: string): void => {
    said += text;
  };
  const exitCode = await runCommandLine(['serve', '--config', join(app.home, 'service.yaml')], {
    environment: {},
    signals: { onEnd: () => undefined, onReload: () => undefined },
    print,
    printAll: async () => undefined,
    printError: print,
    isTerminal: false,
  });
  return { exitCode, said };
};

/** The first pages of a table and its indexes. */
const damagePages =
  (table: string) =>
  (path: string): void => {
    const db = new Database(path);
    const pages = db.prepare('SELECT rootpage FROM sqlite_schema WHERE tbl_name = ?').pluck().all(table);
    db.close();
    const bytes = readFileSync(path);
    for (const page of pages as number[]) bytes.fill(0xff, (page - 1) * PAGE_BYTES, page * PAGE_BYTES);
    writeFileSync(path, bytes);
  };

/** In these no content is known to be lost. */
const IS_NO_DAMAGE = new Set([
  'is a directory',
  'is of a newer version',
  'has other tables under the same number',
]);

test.each<[string, (path: string) => void]>([
  ['is no database', (path) => writeFileSync(path, 'no database\n'.repeat(1_000))],
  ['was cut off', (path) => truncateSync(path, 8_192)],
  ['has a damaged page that the start reads first', damagePages('master_key_check')],
  ['has a damaged page that it reads later', damagePages('tenants')],
  ['is empty', (path) => truncateSync(path, 0)],
  ['is missing', (path) => rmSync(path)],
  [
    'is a directory',
    (path) => {
      rmSync(path);
      mkdirSync(path);
    },
  ],
  [
    'is of a newer version',
    (path) => {
      const db = new Database(path);
      db.pragma('user_version = 99');
      db.close();
    },
  ],
  [
    'has other tables under the same number',
    (path) => {
      const db = new Database(path);
      db.exec('ALTER TABLE waitlist ADD COLUMN phone TEXT');
      db.pragma('application_id = 7');
      db.close();
    },
  ],
])('that %s', async (what, damage) => {
  rmSync(file, { recursive: true, force: true });
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
  cpSync(backup, file);
  damage(file);
  const { exitCode, said } = await serve();
  expect(exitCode).toBe(1);
  expect(said).toContain(`${file} cannot be used: `);
  expect(said.includes('put a backup of it in its place')).toBe(!IS_NO_DAMAGE.has(what));
  expect(said).not.toMatch(/^\s+at /m);
});

test('where the lock cannot be made', async () => {
  const lock = join(app.home, 'data/lock');
  rmSync(lock);
  mkdirSync(lock);
  const { exitCode, said } = await serve();
  rmSync(lock, { recursive: true });
  expect(exitCode).toBe(1);
  expect(said).toMatch(/data\/lock cannot be used \(.*\): it has to belong to the user that runs this\n$/);
});

test('with another master key', async () => {
  rmSync(file, { recursive: true, force: true });
  cpSync(backup, file);
  writeFileSync(join(app.home, 'master.key'), Buffer.alloc(32, 7).toString('base64'));
  const { exitCode, said } = await serve();
  expect(exitCode).toBe(1);
  expect(said).toMatch(
    /^the master key is not the one .*: restore the former key; .* in secrets\.former_master_key_file\n$/,
  );
});
