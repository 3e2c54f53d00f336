// One process at a time may work in a data directory: a second daemon would claim and send what the first is sending.
// The lock is SQLite's own (fcntl) on a file beside the databases, so that it ends with the process, however that dies.
import { join } from 'node:path';
import Database from 'better-sqlite3';

/** Held here: a connection that nobody refers to any more is collected, and its lock with it. */
const locks = new Set<Database.Database>();

/** Returns what gives the lock back. Throws where another process holds it. */
export const lockDirectory = (directory: string): (() => void) => {
  const db = new Database(join(directory, 'lock'), { timeout: 0 });
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    throw new Error(`${directory} is in use by another process: stop that one first`, { cause: error });
  }
  locks.add(db);
  return () => {
    locks.delete(db);
    db.close();
  };
};
