// A copy of each file is kept before its tables are changed: `tenant.db.schema-1` beside `tenant.db` is what it was with schema 1. It
// is for the case that a new version of the program turns out to be unusable and no backup is near. After a month it is removed, because
// it holds what has been erased since. One of an older schema stays until then: where a run of several migrations is cut off, the next
// run begins in the middle, and the copy of before is the one that is wanted.
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type Database from 'better-sqlite3';
import { DAY } from '#src/kernel/time.ts';

const KEPT_MS = 30 * DAY;
/** What the migration itself may take, in sizes of the file: it goes through the WAL. */
const ROOM_IN_SIZES = 2;
const MIB = 1_024 * 1_024;

const sync = (path: string): void => {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

const copiesOf = (path: string): string[] =>
  readdirSync(dirname(path))
    .filter((name) => name.startsWith(`${basename(path)}.schema-`))
    .map((name) => join(dirname(path), name));

const requireRoom = (db: Database.Database, path: string): void => {
  const bytes =
    Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));
  const { bavail, bsize } = statfsSync(dirname(path));
  const needed = (1 + ROOM_IN_SIZES) * bytes;
  if (bavail * bsize >= needed) return;
  const message = `the tables of ${path} are to be changed, for which a copy is made before: ${Math.ceil(needed / MIB)} MiB are needed, ${Math.floor((bavail * bsize) / MIB)} MiB are free`;
  throw Object.assign(new Error(message), { code: 'ENOSPC' });
};

/** Throws where there is no room for it, or the disk fails; then the file must not be changed. */
export const copyBeforeMigration = (db: Database.Database, path: string, version: number): void => {
  const copy = `${path}.schema-${version}`;
  requireRoom(db, path);
  rmSync(`${copy}.new`, { force: true });
  db.prepare('VACUUM INTO ?').run(`${copy}.new`);
  sync(`${copy}.new`);
  renameSync(`${copy}.new`, copy);
  sync(dirname(path));
};

/** Also what a crash has left of one. */
export const removeOldCopies = (path: string, now: number): void => {
  for (const copy of copiesOf(path))
    if (copy.endsWith('.new') || now - statSync(copy).mtimeMs > KEPT_MS) rmSync(copy, { force: true });
};
