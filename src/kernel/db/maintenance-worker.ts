// The thread on which database files wait for the disk: opening (recovery, migrations), checkpoints, closing. The
// event loop's own connection never syncs, because every sync SQLite would make on it is made here first:
//
// - `open`: looks for damage before SQLite does (`wal-check.ts`), recovers, migrates (`before-migration.ts` keeps a copy), and brings all of an old WAL into the database
//   file and syncs it (after a failed sync only this makes it known what is on the disk), then writes one small transaction, which
//   makes SQLite write and sync the header of the new WAL. The connection stays until `opened`, so that the WAL is not removed before the event loop has opened it.
// - `checkpoint`: copies what it can while writers go on (PASSIVE). A reader of its own stays until `restart`: without one the
//   event loop's next commit after everything has been copied would start the WAL again, and sync its header.
// - `restart`: no one writes meanwhile; it copies the rest, and writes the WAL's new header as above. What was in it is written over
//   by and by, or cut off where it `truncates`. Where it `rewrites`, the file is made of its rows alone before: pages that were split keep copies of what was moved.
// - `close` holds a connection so that the event loop's is not the last; `closed` checkpoints and removes the WAL.
//
// A transaction of another process that reads, as a backup's, keeps a WAL from being emptied, and from being copied beyond what it
// sees. That harms nothing: the WAL stays, whole and synced, and is read as before. No command fails for it or waits for it; its
// answer says how much of the WAL was held.
//
// Where a replica is made of the WAL (`keepsWal`), it is never emptied here. Litestream begins it again itself, between copying its
// last transactions and reading on, and lets go of its lock for that: a WAL emptied in between would take them with it. Only SQLite
// begins it again at its first frame where no one reads it, which leaves the former frames behind that until they are overwritten.
//
// `checkpoint`, `restart` and `close` open by its path what the event loop has open, perhaps after a long wait for this thread:
// `files` is where the path led then.
import { closeSync, fdatasyncSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type Database from 'better-sqlite3';
import { copyBeforeMigration, removeOldCopies } from './before-migration.ts';
import { disk, leadsTo } from './disk.ts';
import { fileError } from './file-states.ts';
import { type Migrations, migrate } from './migrate.ts';
import { type FileKind, openSqlite } from './sqlite.ts';
import { checkWal } from './wal-check.ts';

export type MaintenanceCommand =
  | { readonly verb: 'open'; readonly path: string; readonly kind: FileKind; readonly create: boolean }
  | { readonly verb: 'opened'; readonly path: string }
  | { readonly verb: 'checkpoint'; readonly path: string; readonly files: string }
  | {
      readonly verb: 'restart';
      readonly path: string;
      readonly files: string;
      readonly rewrites: boolean;
      readonly truncates: boolean;
    }
  | { readonly verb: 'close'; readonly path: string; readonly files: string }
  | { readonly verb: 'closed'; readonly path: string };

export type MaintenanceRequest = MaintenanceCommand & { readonly id: number };

export interface MaintenanceAnswer {
  readonly id: number;
  /** Bytes of the WAL where another process kept it from being emptied; else 0. */
  readonly held: number;
  readonly error: { readonly message: string; readonly code: string | undefined } | null;
}

export interface MaintenanceData {
  readonly migrations: Migrations;
  /** See `createMaintenance`. */
  readonly keepsWal: boolean;
}

/** All files of this thread wait meanwhile, and for a restart all writers of the file: who needs the lock tries again. */
const BUSY_TIMEOUT_MS = 100;
const PASSES = 3;
const COPY_BYTES = 1_024 * 1_024;
/** A page and its header: https://www.sqlite.org/fileformat2.html#walformat */
const FRAME_BYTES = 4_096 + 24;

/** Beside another database, SQLite would take the WAL for that one's. */
const requireSame = (path: string, files: string) => (): void => {
  if (leadsTo(disk, path) !== files) throw fileError('REPLACED', `${path} was replaced while it was in use`);
};

const withConnection = <T>(path: string, files: string, work: (db: Database.Database) => T): T => {
  const check = requireSame(path, files);
  const db = openSqlite(path, { create: false, busyTimeoutMs: BUSY_TIMEOUT_MS, check });
  try {
    return work(db);
  } finally {
    db.close();
  }
};

/** Another value after each commit of others. */
const changes = (db: Database.Database): unknown => db.pragma('data_version', { simple: true });

/** While it reads what is not in the database yet, no writer begins the WAL again. */
const pin = (db: Database.Database): void => {
  db.exec('BEGIN');
  db.pragma('user_version');
};

/** The first transaction of a WAL writes its header and syncs it (SQLite: at NORMAL, against reordered writes). */
const writeWalHeader = (db: Database.Database): void => {
  db.pragma(`user_version = ${db.pragma('user_version', { simple: true })}`);
};

const rewrite = (db: Database.Database): void => {
  // Else the whole of it would be in memory.
  db.pragma('temp_store = FILE');
  db.exec('VACUUM');
};

interface Checkpointed {
  readonly busy: number;
  readonly log: number;
  readonly checkpointed: number;
}

/** Copies what others let it; the bytes of the WAL where that is not all. */
const copyWal = (db: Database.Database): number => {
  const [row] = db.pragma('wal_checkpoint(PASSIVE)') as Checkpointed[];
  return row?.busy === 0 && row.checkpointed === row.log ? 0 : heldBytes(row);
};

/** While another process copies the WAL, SQLite reports no number of frames: then one frame counts. */
const heldBytes = (row: Checkpointed | undefined): number => Math.max(1, row?.log ?? 0) * FRAME_BYTES;

/** Copies everything, so that the WAL begins again, where it may. Where others read or write, it copies what it can; its bytes then. */
const emptyWal = (
  db: Database.Database,
  keepsWal: boolean,
  { timeoutMs = 0, truncates = true } = {},
): number => {
  if (keepsWal) return copyWal(db);
  db.pragma(`busy_timeout = ${timeoutMs}`);
  const [row] = db.pragma(`wal_checkpoint(${truncates ? 'TRUNCATE' : 'RESTART'})`) as Checkpointed[];
  db.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  return row?.busy === 0 ? 0 : heldBytes(row);
};

/**
 * Writes the WAL over itself and syncs it. After a failed sync the kernel counts its pages as written though they may not be, so
 * that the next sync would say nothing: written again, they are known to be on the disk. To be called by who may write alone.
 */
const writeAgain = (wal: string): void => {
  const file = openSync(wal, 'r+');
  try {
    const buffer = Buffer.alloc(COPY_BYTES);
    for (let at = 0; ; ) {
      const length = readSync(file, buffer, 0, COPY_BYTES, at);
      if (length === 0) break;
      for (let done = 0; done < length; ) done += writeSync(file, buffer, done, length - done, at + done);
      at += length;
    }
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
};

/** After it, all that was ever committed is known to be on the disk, in the database file or in the WAL. */
const settle = (db: Database.Database, path: string, keepsWal: boolean): number => {
  const held = emptyWal(db, keepsWal);
  db.exec('BEGIN IMMEDIATE');
  if (held > 0 || keepsWal) writeAgain(`${path}-wal`);
  writeWalHeader(db);
  db.exec('COMMIT');
  return held;
};

type Handlers = {
  readonly [V in MaintenanceCommand['verb']]: (
    command: Extract<MaintenanceCommand, { verb: V }>,
  ) => number | undefined;
};

/** Runs commands, one after the other; returns the bytes of a WAL that is held. Throws as SQLite and the file system do. */
export const createMaintenanceWork = ({
  migrations,
  keepsWal,
}: MaintenanceData): ((command: MaintenanceCommand) => number) => {
  const held = new Map<string, Database.Database>();

  const hold = (path: string, create: boolean, check?: () => void): Database.Database => {
    release(path);
    const db = openSqlite(path, { create, busyTimeoutMs: BUSY_TIMEOUT_MS, ...(check ? { check } : {}) });
    held.set(path, db);
    return db;
  };

  const release = (path: string): void => {
    held.get(path)?.close();
    held.delete(path);
  };

  const handlers: Handlers = {
    open: ({ path, kind, create }) => {
      if (!create) statSync(path);
      checkWal(`${path}-wal`);
      const db = hold(path, create);
      try {
        if (!create && db.pragma('user_version', { simple: true }) === 0)
          throw fileError('EMPTY', `${path} holds no tables`);
        removeOldCopies(path, Date.now());
        migrate(db, migrations[kind], (version) => copyBeforeMigration(db, path, version));
        return settle(db, path, keepsWal);
      } catch (error) {
        release(path);
        throw error;
      }
    },
    opened: ({ path }) => {
      release(path);
    },
    checkpoint: ({ path, files }) => {
      const reader = hold(path, false, requireSame(path, files));
      try {
        withConnection(path, files, (other) => {
          let seen = changes(other);
          pin(reader);
          withConnection(path, files, (db) => {
            // SQLite syncs the database only where it has copied all that is committed. What comes meanwhile is ever less, so after a few
            // passes the longest part of all is over, before writers are kept waiting.
            for (let pass = 0; pass < PASSES; pass += 1) {
              db.pragma('wal_checkpoint(PASSIVE)');
              const now = changes(other);
              if (now === seen) return;
              seen = now;
              pin(other);
              reader.exec('COMMIT');
              pin(reader);
              other.exec('COMMIT');
            }
          });
        });
      } catch (error) {
        release(path);
        throw error;
      }
    },
    restart: ({ path, files, rewrites, truncates }) => {
      requireSame(path, files)();
      const db = held.get(path) ?? hold(path, false, requireSame(path, files));
      try {
        if (db.inTransaction) db.exec('COMMIT');
        if (rewrites) rewrite(db);
        // A reader that ends within a moment is waited for only where no other keeps the WAL from being copied.
        const left = copyWal(db) || emptyWal(db, keepsWal, { timeoutMs: BUSY_TIMEOUT_MS, truncates });
        if (left === 0) writeWalHeader(db);
        return left;
      } finally {
        release(path);
      }
    },
    // Reading makes the connection take part in the WAL; one that has not would not count as the last.
    close: ({ path, files }) => {
      hold(path, false, requireSame(path, files)).pragma('user_version');
    },
    closed: ({ path }) => {
      const db = held.get(path);
      try {
        return db ? emptyWal(db, keepsWal) : 0;
      } finally {
        release(path);
      }
    },
  };
  // The table has the handler of each verb; TypeScript cannot see that both come from one command.
  return (command) =>
    (handlers[command.verb] as (command: MaintenanceCommand) => number | undefined)(command) ?? 0;
};

if (parentPort !== null) {
  const port = parentPort;
  const run = createMaintenanceWork(workerData as MaintenanceData);
  port.on('message', ({ id, ...command }: MaintenanceRequest) => {
    let error: MaintenanceAnswer['error'] = null;
    let held = 0;
    try {
      held = run(command);
    } catch (thrown) {
      const { message = String(thrown), code } = thrown as { message?: string; code?: string };
      error = { message, code };
    }
    port.postMessage({ id, held, error } satisfies MaintenanceAnswer);
  });
}
