// SQLite as the service opens it, and the types that say which of the two kinds of file a connection belongs to.
// Everything is STRICT, in WAL mode, with foreign keys; who syncs what and when is written in durable-file.ts.
import Database from 'better-sqlite3';

declare const fileKind: unique symbol;

export type FileKind = 'platform' | 'tenant';
/** A connection to `platform.db`: the registry of the whole installation. */
export type PlatformDb = Database.Database & { readonly [fileKind]: 'platform' };
/** A connection to one tenant's `tenant.db`: all that is this tenant's, and nothing of any other. */
export type TenantDb = Database.Database & { readonly [fileKind]: 'tenant' };
export type AnyDb = PlatformDb | TenantDb;

/** 8 MiB of page cache a file: with 256 open files the caches stay bounded, and they fill only where used. */
const CACHE_KIB = 8_192;

/**
 * Opens an existing or, with `create`, a new file. A statement waits `busyTimeoutMs` for another's lock, blocking its
 * thread. Throws better-sqlite3's SqliteError.
 */
export const openSqlite = (
  path: string,
  options: { readonly create: boolean; readonly busyTimeoutMs: number },
): Database.Database => {
  const db = new Database(path, { fileMustExist: !options.create, timeout: options.busyTimeoutMs });
  try {
    db.pragma('journal_mode = WAL');
    // NORMAL writes the WAL without syncing it; durable-file.ts syncs it before anyone is answered.
    db.pragma('synchronous = NORMAL');
    // A checkpoint syncs on the thread that runs it: the maintenance thread does, never the event loop.
    db.pragma('wal_autocheckpoint = 0');
    db.pragma('foreign_keys = ON');
    db.pragma(`cache_size = -${CACHE_KIB}`);
    db.pragma('trusted_schema = OFF');
    // Else each savepoint writes what it would have to undo into a temporary file: two thirds of all write calls.
    db.pragma('temp_store = MEMORY');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};

/**
 * Statements of a store, prepared once per connection: `const store = perConnection((db: TenantDb) => ({...}))`,
 * then `store(db).insert(...)`.
 *
 * Where a bare `?` meets an ORDER BY, a LIMIT or a partial index, this build of SQLite (with STAT4) makes a new plan each time
 * the statement runs, which takes ten times as long as running it. `+?` keeps the plan: for statements that run for each message.
 */
export const perConnection = <D extends AnyDb, S extends object>(prepare: (db: D) => S): ((db: D) => S) => {
  const prepared = new WeakMap<D, S>();
  return (db) => {
    let store = prepared.get(db);
    if (store === undefined) {
      store = prepare(db);
      prepared.set(db, store);
    }
    return store;
  };
};
