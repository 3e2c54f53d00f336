import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { eachRow, openSqlite } from '#src/kernel/db/sqlite.ts';

let home: string;
let db: Database.Database;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'sqlite-'));
  db = openSqlite(join(home, 'test.db'), { create: true, busyTimeoutMs: 0 });
  db.exec('CREATE TABLE t (n INTEGER) STRICT; INSERT INTO t VALUES (1), (2), (3)');
});
afterEach(async () => {
  db.close();
  await rm(home, { recursive: true });
});

test('a statement costs nothing before it first runs', () => {
  const ofLater = db.prepare('INSERT INTO later VALUES (?)');
  const count = db.prepare('SELECT count(*) FROM later').pluck();
  expect(() => count.get()).toThrow('no such table: later');
  db.exec('CREATE TABLE later (n INTEGER) STRICT');
  expect(ofLater.run(1).changes).toBe(1);
  expect(count.get()).toBe(1);
});

test('each way to run it gives what it gives when prepared at once', () => {
  const sql = 'SELECT n FROM t WHERE n > :n ORDER BY n';
  expect(db.prepare(sql).get({ n: 1 })).toEqual({ n: 2 });
  expect(db.prepare(sql).all({ n: 1 })).toEqual([{ n: 2 }, { n: 3 }]);
  expect([...db.prepare(sql).iterate({ n: 1 })]).toEqual([{ n: 2 }, { n: 3 }]);
  expect(db.prepare(sql).pluck().all({ n: 1 })).toEqual([2, 3]);
  expect([...db.prepare('SELECT n FROM t').pluck().iterate()]).toEqual([1, 2, 3]);
});

test('a statement keeps its plan whatever is bound: SQLite does not compile it again', () => {
  db.exec('CREATE TABLE p (n INTEGER, c INTEGER) STRICT; CREATE INDEX of_zero ON p (n) WHERE c = 0');
  const plan = db.prepare<[number, number], { detail: string }>(
    'EXPLAIN QUERY PLAN SELECT n FROM p WHERE n = ? AND c = ?',
  );
  const seen = [1, 0, 2, 0].map((c) => plan.all(1, c).map(({ detail }) => detail));
  expect(seen).toEqual([1, 2, 3, 4].map(() => ['SCAN p']));
});

test('what looks like a parameter in a text, a name or a comment is none', () => {
  const sql = `SELECT '? it''s :n' AS text, 1 AS "a?", /* ? :n */ :first AS first, :n AS last -- ?
    WHERE :first LIKE '%?' AND :n IN (-5)`;
  expect(db.prepare(sql).get({ first: 'x?', n: -5 })).toEqual({
    text: "? it's :n",
    'a?': 1,
    first: 'x?',
    last: -5,
  });
});

test('a statement may first run within a transaction, and while another gives its rows', () => {
  const seen = db.transaction(() => {
    const sums: unknown[] = [];
    const sum = db.prepare('SELECT sum(n) FROM t WHERE n <= ?').pluck();
    for (const n of db.prepare('SELECT n FROM t ORDER BY n').pluck().iterate()) sums.push(sum.get(n));
    db.prepare('DELETE FROM t').run();
    return sums;
  })();
  expect(seen).toEqual([1, 3, 6]);
  expect(db.prepare('SELECT count(*) FROM t').pluck().get()).toBe(0);
});

test('rows that are read one by one end with the last, at a false and at a throw, and leave the connection free', () => {
  const statement = db.prepare<[number], number>('SELECT n FROM t WHERE n >= ? ORDER BY n').pluck();
  const readTo = (last: number, from = 1): number[] => {
    const read: number[] = [];
    eachRow(
      statement,
      from,
    )((n) => {
      read.push(n);
      if (n > last) throw new Error('not this one');
      return n < last;
    });
    return read;
  };
  expect(readTo(4)).toEqual([1, 2, 3]);
  expect(readTo(2)).toEqual([1, 2]);
  expect(() => readTo(1, 2)).toThrow('not this one');
  db.exec('BEGIN; INSERT INTO t VALUES (4); COMMIT; VACUUM');
  expect(readTo(5)).toEqual([1, 2, 3, 4]);
});
