// Whether the paths of an open database still lead to what was opened. A directory that is moved, removed or restored under the
// running service leaves SQLite with files that no path leads to: what is written there is gone with the process.
import { linkSync, renameSync } from 'node:fs';
import type Database from 'better-sqlite3';
import type { Disk } from './disk.ts';

export interface FilePlace {
  /** Costs two calls of `stat`. */
  isOurs(): boolean;
  /** Closes a connection whose paths lead elsewhere. Throws as SQLite does. */
  close(db: Database.Database): void;
}

/** Right after the database at `path` and its WAL have been opened. */
export const placeOf = (disk: Disk, path: string): FilePlace => {
  const wal = `${path}-wal`;
  const [database, log] = [disk.identify(path), disk.identify(wal)];
  const isOurs = (): boolean =>
    database !== null && disk.identify(path) === database && disk.identify(wal) === log;
  const closeKeepingTheirs = (db: Database.Database): void => {
    const present = disk.identify(wal);
    if (present === null || present === log || disk.identify(path) === database) {
      db.close();
      return;
    }
    // SQLite removes the WAL by its name, which by now belongs to the database that was put there.
    linkSync(wal, `${wal}.kept`);
    try {
      db.close();
    } finally {
      renameSync(`${wal}.kept`, wal);
    }
  };
  return {
    isOurs,
    close: (db) => {
      try {
        // Where only the WAL was taken away, the database is whole again with what the connection still holds of it.
        db.pragma('wal_checkpoint(PASSIVE)');
      } finally {
        closeKeepingTheirs(db);
      }
    },
  };
};
