// What durability needs of the disk. It is an interface so that tests can hold a sync back, make it fail, or forget what was not
// synced.

import { close, fdatasync, fstatSync, fsync, open, renameSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import type Database from 'better-sqlite3';

export interface Disk {
  open(path: string): Promise<number>;
  close(descriptor: number): Promise<void>;
  /** Data of a file, and its size where that changed (fdatasync). */
  syncData(descriptor: number): Promise<void>;
  /** The entries of a directory: files that were created or removed in it. */
  syncDirectory(path: string): Promise<void>;
  /** Answers at once: the kernel has it in memory, and asking on a thread of the pool takes ten times as long. Throws. */
  size(descriptor: number): number;
  /** Says at once which file the path leads to; null where there is none, or it cannot be found out. */
  identify(path: string): string | null;
  /** Which file it is, also after a reboot, which may give devices other numbers. Throws. */
  identifyForGood(path: string): string;
}

const openFile = promisify(open);
const closeFile = promisify(close);
const syncFile = promisify(fsync);
const syncFileData = promisify(fdatasync);

export const disk: Disk = {
  open: (path) => openFile(path, 'r+'),
  close: (descriptor) => closeFile(descriptor),
  syncData: (descriptor) => syncFileData(descriptor),
  syncDirectory: async (path) => {
    const descriptor = await openFile(path, 'r');
    try {
      await syncFile(descriptor);
    } finally {
      await closeFile(descriptor);
    }
  },
  size: (descriptor) => fstatSync(descriptor).size,
  identify: (path) => {
    try {
      const { dev, ino } = statSync(path);
      return `${dev}:${ino}`;
    } catch {
      return null;
    }
  },
  identifyForGood: (path) => {
    const { ino, birthtimeMs, ctimeMs } = statSync(path);
    // Node gives the time of the last change where it cannot ask for this one.
    return `${ino}:${birthtimeMs === ctimeMs ? 0 : birthtimeMs}`;
  },
};

// Whether the paths of an open database still lead to what was opened. A directory that is moved, removed or restored under the
// running service leaves SQLite with files that no path leads to: what is written there is gone with the process.

/** Says which files the paths of the database at `path` lead to. Costs two calls of `stat`. */
export const leadsTo = (disk: Disk, path: string): string =>
  [path, `${path}-wal`].map((one) => disk.identify(one)).join(' ');

export interface FilePlace {
  /** Where its paths led when it was opened. */
  readonly files: string;
  /** Costs two calls of `stat`. */
  isOurs(): boolean;
  /** Closes a connection whose paths lead elsewhere. Throws as SQLite does. */
  close(db: Database.Database): void;
}

/** Right after the database at `path` and its WAL have been opened. */
export const placeOf = (disk: Disk, path: string): FilePlace => {
  const wal = `${path}-wal`;
  const [database, log] = [disk.identify(path), disk.identify(wal)];
  return {
    files: `${database} ${log}`,
    isOurs: () => database !== null && leadsTo(disk, path) === `${database} ${log}`,
    close: (db) => {
      // Where only the WAL was taken away, this brings what the connection still holds of it into the database; where the
      // database was, it leaves both as they are.
      db.close();
      // Beside another database, SQLite would take it for that one's.
      if (disk.identify(path) !== database && disk.identify(wal) === log) renameSync(wal, `${wal}.replaced`);
    },
  };
};
