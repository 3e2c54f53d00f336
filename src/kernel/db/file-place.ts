// Whether the paths of an open database still lead to what was opened. A directory that is moved, removed or restored under the
// running service leaves SQLite with files that no path leads to: what is written there is gone with the process.
import { renameSync } from 'node:fs';
import type Database from 'better-sqlite3';
import type { Disk } from './disk.ts';

/** Which files the paths of the database at `path` lead to. Costs two calls of `stat`. */
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
