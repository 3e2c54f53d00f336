// The thread on which database files wait for the disk: opening (recovery, migrations), checkpoints, closing. The
// event loop's own connection never syncs, because every sync SQLite would make on it is made here first:
//
// - `open`: looks for damage before SQLite does (`wal-check.ts`), recovers, migrates, and brings all of an old WAL into the database
//   file and syncs it (after a failed sync only this makes it known what is on the disk), then writes one small transaction, which
//   makes SQLite write and sync the header of the new WAL. The connection stays until `opened`, so that the WAL is not removed before the event loop has opened it.
// - `checkpoint`: copies what it can while writers go on (PASSIVE). A reader stays until `restart`: without one the event
//   loop's next commit after everything has been copied would start the WAL again, and sync its header.
// - `restart`: no one writes meanwhile; it copies the rest, truncates the WAL, and writes its new header as above. Where it
//   `rewrites`, the file is made of its rows alone before: pages that were split keep copies of what was moved.
// - `close` holds a connection so that the event loop's is not the last; `closed` checkpoints and removes the WAL.
//
// `checkpoint`, `restart` and `close` open by its path what the event loop has open, perhaps after a long wait for this thread:
// `files` is where the path led then.
import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type Database from 'better-sqlite3';
import { disk } from './disk.ts';
import { leadsTo } from './file-place.ts';
import { fileError } from './file-states.ts';
import { type Migrations, migrate } from './migrate.ts';
import { type FileKind, openSqlite } from './sqlite.ts';
import { checkWal } from './wal-check.ts';

export type MaintenanceCommand =
  | { readonly verb: 'open'; readonly path: string; readonly kind: FileKind; readonly create: boolean }
  | { readonly verb: 'opened'; readonly path: string }
  | { readonly verb: 'checkpoint'; readonly path: string; readonly files: string }
  | { readonly verb: 'restart'; readonly path: string; readonly files: string; readonly rewrites: boolean }
  | { readonly verb: 'close'; readonly path: string; readonly files: string }
  | { readonly verb: 'closed'; readonly path: string };

export type MaintenanceRequest = MaintenanceCommand & { readonly id: number };

export interface MaintenanceAnswer {
  readonly id: number;
  readonly error: { readonly message: string; readonly code: string | undefined } | null;
}

const { migrations } = workerData as { migrations: Migrations };
/** This thread may wait; at most for what the event loop or a foreign process does to the file. */
const BUSY_TIMEOUT_MS = 5_000;
/** All writers of the file wait for the restart, and all files of this thread. */
const RESTART_TIMEOUT_MS = 100;

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

/** Beside another database, SQLite would take the WAL for that one's. */
const requireSame = (path: string, files: string) => (): void => {
  if (leadsTo(disk, path) !== files) throw fileError('REPLACED', `${path} was replaced while it was in use`);
};

const withConnection = (path: string, files: string, work: (db: Database.Database) => void): void => {
  const check = requireSame(path, files);
  const db = openSqlite(path, { create: false, busyTimeoutMs: BUSY_TIMEOUT_MS, check });
  try {
    work(db);
  } finally {
    db.close();
  }
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

/** Copies everything and empties the WAL. Throws where a lock of a reader or writer prevents that. */
const truncateWal = (db: Database.Database): void => {
  const [row] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[];
  if (row?.busy !== 0) throw new Error('the checkpoint was kept from finishing by a lock');
};

type Handlers = {
  readonly [V in MaintenanceCommand['verb']]: (command: Extract<MaintenanceCommand, { verb: V }>) => void;
};

const handlers: Handlers = {
  open: ({ path, kind, create }) => {
    if (!create) statSync(path);
    checkWal(`${path}-wal`);
    const db = hold(path, create);
    try {
      if (!create && db.pragma('user_version', { simple: true }) === 0)
        throw fileError('EMPTY', `${path} holds no tables`);
      migrate(db, migrations[kind]);
      truncateWal(db);
      writeWalHeader(db);
    } catch (error) {
      release(path);
      throw error;
    }
  },
  opened: ({ path }) => release(path),
  checkpoint: ({ path, files }) => {
    const reader = hold(path, false, requireSame(path, files));
    try {
      reader.exec('BEGIN');
      reader.pragma('user_version');
      withConnection(path, files, (db) => db.pragma('wal_checkpoint(PASSIVE)'));
    } catch (error) {
      release(path);
      throw error;
    }
  },
  restart: ({ path, files, rewrites }) => {
    release(path);
    withConnection(path, files, (db) => {
      db.pragma(`busy_timeout = ${RESTART_TIMEOUT_MS}`);
      if (rewrites) rewrite(db);
      truncateWal(db);
      writeWalHeader(db);
    });
  },
  // Reading makes the connection take part in the WAL; one that has not would not count as the last.
  close: ({ path, files }) => {
    hold(path, false, requireSame(path, files)).pragma('user_version');
  },
  closed: ({ path }) => {
    const db = held.get(path);
    try {
      if (db) truncateWal(db);
    } finally {
      release(path);
    }
  },
};

parentPort?.on('message', (request: MaintenanceRequest) => {
  let error: MaintenanceAnswer['error'] = null;
  try {
    // The table has the handler of each verb; TypeScript cannot see that both come from one command.
    (handlers[request.verb] as (command: MaintenanceCommand) => void)(request);
  } catch (thrown) {
    const { message = String(thrown), code } = thrown as { message?: string; code?: string };
    error = { message, code };
  }
  parentPort?.postMessage({ id: request.id, error } satisfies MaintenanceAnswer);
});
