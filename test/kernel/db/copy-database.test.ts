import { existsSync } from 'node:fs';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { copyDatabase } from '#src/kernel/db/copy-database.ts';
import { openReadOnly, openSqlite } from '#src/kernel/db/sqlite.ts';
import { temporaryDirectory } from '#test/support/storage.ts';

const ROWS = 2_000;
/** Two thousand rows of a page each: as the daemon has it open, with the last of them in the WAL alone. */
const openLarge = async () => {
  const home = await temporaryDirectory();
  const [from, to] = [join(home, 'from.db'), join(home, 'to.db')];
  const db = openSqlite(from, { create: true, busyTimeoutMs: 0 });
  onTestFinished(() => {
    db.close();
  });
  db.exec(
    'CREATE TABLE t (n INTEGER, filler BLOB) STRICT; PRAGMA user_version = 1; PRAGMA application_id = 7',
  );
  const insert = db.prepare('INSERT INTO t VALUES (?, randomblob(4000))');
  db.transaction(() => {
    for (let n = 0; n < ROWS; n++) insert.run(n);
  })();
  return { home, from, to, db, insert };
};

const countIn = (path: string): unknown => {
  const db = openReadOnly(path);
  try {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    return db.prepare('SELECT count(*) FROM t').pluck().get();
  } finally {
    db.close();
  }
};

test('the copy is what was there when it began, in one file, while a writer goes on beside it', async () => {
  const { home, from, to, db, insert } = await openLarge();
  const seen: number[] = [];
  const copied = await copyDatabase(from, to, {
    onProgress: ({ bytes, totalBytes }) => {
      expect(bytes).toBeLessThanOrEqual(totalBytes);
      seen.push(bytes);
      // Were the copy to begin again with each of them, it would not end before the writer does.
      insert.run(-1);
    },
  });
  expect(seen.length).toBeGreaterThan(5);
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
  expect(countIn(to)).toBe(ROWS);
  expect(countIn(from)).toBe(ROWS + seen.length);
  expect(copied).toEqual({ bytes: (await stat(to)).size, schema: { version: 1, hash: 7 } });
  expect((await readdir(home)).filter((name) => name.startsWith('to.'))).toEqual(['to.db']);
  expect((await stat(to)).mode & 0o777).toBe(0o600);
  expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
});

test('a database that no one has open is left without a WAL, and one with a WAL keeps it', async () => {
  const { home, from, to, db } = await openLarge();
  const [wal, shm] = [await readFile(`${from}-wal`), await readFile(`${from}-shm`)];
  db.close();
  expect(existsSync(`${from}-wal`)).toBe(false);
  await copyDatabase(from, to);
  expect(await readdir(home)).toEqual(['from.db', 'to.db']);
  // As after a crash: what the WAL holds is for the daemon to judge.
  await writeFile(`${to}-wal`, wal);
  await writeFile(`${to}-shm`, shm);
  await copyDatabase(to, join(home, 'second.db'));
  expect(await readFile(`${to}-wal`)).toEqual(wal);
});

test('a copy can be read where nothing can be written', async () => {
  const { home, from, to } = await openLarge();
  await copyDatabase(from, to);
  await chmod(to, 0o400);
  expect(countIn(to)).toBe(ROWS);
  expect((await readdir(home)).filter((name) => name.startsWith('to.'))).toEqual(['to.db']);
});

test('one that is stopped in the middle leaves nothing', async () => {
  const { home, from, to } = await openLarge();
  const end = new AbortController();
  const copy = copyDatabase(from, to, {
    signal: end.signal,
    onProgress: () => end.abort(new Error('enough')),
  });
  await expect(copy).rejects.toThrow('enough');
  expect((await readdir(home)).filter((name) => name.startsWith('to.'))).toEqual([]);
});

test('it takes the place of no file, and copies none that is not ours', async () => {
  const { home, from, to } = await openLarge();
  await writeFile(to, 'kept');
  await expect(copyDatabase(from, to)).rejects.toThrow(/EEXIST/);
  expect(await readFile(to, 'utf8')).toBe('kept');

  const other = join(home, 'other.db');
  const foreign = new Database(other);
  foreign.exec('CREATE TABLE t (n INTEGER)');
  foreign.close();
  await expect(copyDatabase(other, join(home, 'x.db'))).rejects.toThrow('is no database of this service');
  await writeFile(other, 'x'.repeat(8_192));
  await expect(copyDatabase(other, join(home, 'x.db'))).rejects.toThrow('is no database of this service');
  expect(existsSync(join(home, 'x.db'))).toBe(false);
});
