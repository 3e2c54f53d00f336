// What a crash may leave of a WAL, and what only damage can.
import { copyFile, open, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeEach, describe, expect, test } from 'vitest';
import { checkWal } from '#src/kernel/db/wal-check.ts';
import { temporaryDirectory } from '#test/support/storage.ts';

const HEADER = 32;
const FRAME = 24 + 4_096;
const TRANSACTIONS = 6;

let wal: string;

/** A WAL with one frame for each transaction, as a process that was killed leaves it. */
beforeEach(async () => {
  const directory = await temporaryDirectory();
  const live = join(directory, 'live.db');
  wal = join(directory, 'left.db-wal');
  const db = new Database(live);
  db.pragma('journal_mode = WAL');
  db.pragma('wal_autocheckpoint = 0');
  db.exec('CREATE TABLE t (n INTEGER)');
  for (let round = 0; round < 2; round++) {
    // The second round begins the WAL again over the frames of the first.
    db.pragma('wal_checkpoint(RESTART)');
    for (let n = 0; n < TRANSACTIONS + 2 - 2 * round; n++) db.prepare('INSERT INTO t VALUES (?)').run(n);
  }
  await copyFile(`${live}-wal`, wal);
  db.close();
});

const damage = async (at: number, bytes = 100): Promise<void> => {
  const file = await open(wal, 'r+');
  await file.write(Buffer.alloc(bytes, 0x5a), 0, bytes, at);
  await file.close();
};
const frame = (index: number): number => HEADER + index * FRAME;

describe('is accepted', () => {
  test('whole, with frames of an earlier round behind', async () => {
    expect((await readFile(wal)).length).toBe(frame(TRANSACTIONS + 2));
    expect(() => checkWal(wal)).not.toThrow();
  });

  test.each([
    ['absent', async () => writeFile(wal, '')],
    ['cut off within the last transaction', () => truncate(wal, frame(TRANSACTIONS) - 1_000)],
    ['cut off after its header', () => truncate(wal, HEADER)],
    ['cut off within its header', () => truncate(wal, HEADER - 8)],
    ['with a last transaction that was not synced', () => damage(frame(TRANSACTIONS - 1) + 500)],
  ])('%s', async (_, change) => {
    await change();
    expect(() => checkWal(wal)).not.toThrow();
  });

  test('where there is none', () => expect(() => checkWal(`${wal}-none`)).not.toThrow());
});

describe('is damaged', () => {
  test.each([
    ['in its first frame', () => damage(frame(0) + 500), 0, TRANSACTIONS],
    ['in the middle of a page', () => damage(frame(2) + 500), 2, TRANSACTIONS - 2],
    ['in the header of a frame', () => damage(frame(2), 24), 2, TRANSACTIONS - 3],
    ['before its last two', () => damage(frame(TRANSACTIONS - 2) + 500), TRANSACTIONS - 2, 2],
  ])('%s', async (_, change, read, lost) => {
    await change();
    expect(() => checkWal(wal)).toThrow(`behind its frame ${read}: ${lost} later transactions`);
  });

  test('in its header', async () => {
    await truncate(wal, frame(TRANSACTIONS));
    await damage(0, HEADER);
    expect(() => checkWal(wal)).toThrow(`behind its frame 0: ${TRANSACTIONS} later transactions`);
  });
});
