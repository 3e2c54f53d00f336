// Numbers of restored files: none that any copy of the file has given is given again.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { leaveGap, numbersGivenIn } from '#src/kernel/db/leave-gap.ts';
import { openSqlite, type TenantDb } from '#src/kernel/db/sqlite.ts';
import { temporaryDirectory } from '#test/support/storage.ts';

const open = (path: string): TenantDb => {
  const db = openSqlite(path, { create: true, busyTimeoutMs: 100 }) as TenantDb;
  db.exec('CREATE TABLE IF NOT EXISTS mails (id INTEGER PRIMARY KEY AUTOINCREMENT)');
  return db;
};
const give = (db: TenantDb): number =>
  Number(db.prepare('INSERT INTO mails DEFAULT VALUES').run().lastInsertRowid);

test('two restores of one backup give no number twice', async () => {
  const directory = await temporaryDirectory();
  const present = join(directory, 'present.db');
  const given: number[] = [];
  for (let restore = 0; restore < 3; restore += 1) {
    const backup = open(join(directory, `backup-${restore}.db`));
    if (restore === 0) give(backup);
    leaveGap(backup, numbersGivenIn(present));
    const next = give(backup);
    backup.close();
    const inPlace = open(present);
    inPlace.prepare('INSERT INTO mails (id) VALUES (?)').run(next);
    given.push(next, give(inPlace));
    inPlace.close();
  }
  expect(new Set(given).size).toBe(given.length);
  expect(given).toEqual(given.toSorted((a, b) => a - b));
});

test('a file that is absent or no database has given no number', async () => {
  const directory = await temporaryDirectory();
  expect(numbersGivenIn(join(directory, 'none.db')).size).toBe(0);
  expect(numbersGivenIn(directory).size).toBe(0);
});
