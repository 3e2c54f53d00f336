// SQLite as the service opens it, and the types that say which of the two kinds of file a connection belongs to.
// Everything is STRICT, in WAL mode, with foreign keys; who syncs what and when is written in durable-file.ts.
import Database from 'better-sqlite3';
import { haveWords } from '#src/kernel/typed-words.ts';

declare const fileKind: unique symbol;

export type FileKind = 'platform' | 'tenant';
/** A connection to `platform.db`: the registry of the whole installation. */
export type PlatformDb = Database.Database & { readonly [fileKind]: 'platform' };
/** A connection to one tenant's `tenant.db`: all that is this tenant's, and nothing of any other. */
export type TenantDb = Database.Database & { readonly [fileKind]: 'tenant' };
export type AnyDb = PlatformDb | TenantDb;

/** The page cache of a file: the kernel keeps what is read often, and a send reads nothing again. */
const CACHE_KIB = 1_024;
/** Sends need no more; a pass over a whole table takes a fifth longer with it. */
const SMALL_CACHE_KIB = 256;
/** What a transaction changes stays in memory up to here (2 MiB): a page that is written before its end may be written twice. */
const SPILL_PAGES = 512;

/**
 * Prepares a statement when it first runs. The stores of a tenant have 110, of which a message needs 31 from request to
 * settlement: the others would take 5 ms and 700 KB of each open file. The stores use no other methods than these.
 */
class LateStatement implements Pick<Database.Statement, 'run' | 'get' | 'all' | 'iterate' | 'pluck'> {
  readonly #prepare: () => Database.Statement;
  #prepared: Database.Statement | undefined;

  constructor(prepare: () => Database.Statement) {
    this.#prepare = prepare;
  }

  get #ready(): Database.Statement {
    this.#prepared ??= this.#prepare();
    return this.#prepared;
  }

  run(...values: unknown[]) {
    return this.#ready.run(...values);
  }

  get(...values: unknown[]) {
    return this.#ready.get(...values);
  }

  all(...values: unknown[]) {
    return this.#ready.all(...values);
  }

  iterate(...values: unknown[]) {
    return this.#ready.iterate(...values);
  }

  pluck() {
    return new LateStatement(() => this.#ready.pluck()) as unknown as Database.Statement;
  }
}

/** Text, names and comments, in which no parameter is, and parameters. */
const PARAMETER_OR_QUOTED = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--.*|\/\*[\s\S]*?\*\/|\?\d*|:\w+/g;

/**
 * The same statement, planned once. This build of SQLite (with STAT4) takes into account what is bound to a bare parameter where that may
 * matter to the plan (of `a = ?` with ORDER BY or a join, of `LIMIT ?`, of a partial index): it compiles the statement again for
 * each value, which takes ten times as long as running it. Behind a `+`, which changes no value, it does not look.
 */
const plannedOnce = (sql: string): string =>
  sql.replace(PARAMETER_OR_QUOTED, (token) => (/^[?:]/.test(token) ? `+${token}` : token));

const prepareLate = (db: Database.Database): void => {
  const prepare = db.prepare.bind(db);
  db.prepare = ((sql: string) =>
    new LateStatement(() => prepare(plannedOnce(sql)))) as unknown as typeof db.prepare;
};

/**
 * Opens an existing or, with `create`, a new file. A statement waits `busyTimeoutMs` for another's lock, blocking its
 * thread. Throws better-sqlite3's SqliteError.
 */
export const openSqlite = (
  path: string,
  options: {
    readonly create: boolean;
    readonly busyTimeoutMs: number;
    /** Called with the file open and nothing read: where it throws, the WAL beside it is not touched. */
    readonly check?: () => void;
  },
): Database.Database => {
  const db = new Database(path, { fileMustExist: !options.create, timeout: options.busyTimeoutMs });
  try {
    options.check?.();
    db.pragma('journal_mode = WAL');
    // NORMAL writes the WAL without syncing it; durable-file.ts syncs it before anyone is answered.
    db.pragma('synchronous = NORMAL');
    // A checkpoint syncs on the thread that runs it: the maintenance thread does, never the event loop.
    db.pragma('wal_autocheckpoint = 0');
    db.pragma('foreign_keys = ON');
    db.pragma(`cache_size = -${CACHE_KIB}`);
    db.pragma(`cache_spill = ${SPILL_PAGES}`);
    db.pragma('trusted_schema = OFF');
    // Else each savepoint writes what it would have to undo into a temporary file: two thirds of all write calls.
    db.pragma('temp_store = MEMORY');
    db.pragma(`secure_delete = ${ALWAYS}`);
    db.function('have_words', { deterministic: true, varargs: true }, haveWords);
    prepareLate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
};

export const useSmallCache = (db: AnyDb): void => {
  db.pragma(`cache_size = -${SMALL_CACHE_KIB}`);
};

/** Calls `visit` with each row, until it answers false. */
export type Each<R> = (visit: (row: R) => unknown) => void;

/**
 * Rows that are read one by one. The statement runs when the result is called, and has ended when that returns or throws: one that
 * was left in the middle would keep the connection from everything else. Nothing else may be asked of the connection by `visit`.
 */
export const eachRow =
  <P extends unknown[], R>(statement: Database.Statement<P, R>, ...values: P): Each<R> =>
  (visit) => {
    for (const row of statement.iterate(...values)) if (visit(row) === false) return;
  };

/** Opens a file for commands that run beside the daemon and write nothing. Throws better-sqlite3's SqliteError. */
export const openReadOnly = <D extends AnyDb>(path: string): D =>
  new Database(path, { readonly: true, fileMustExist: true }) as unknown as D;

/** Overwrites what is removed or replaced in a page that is written anyway: each change of a row would leave the former one there. */
const ALWAYS = 'FAST';

/** What `work` removes or replaces is overwritten also where it fills pages that become free. */
export const overwriting = <T>(db: AnyDb, work: () => T): T => {
  db.pragma('secure_delete = ON');
  try {
    return work();
  } finally {
    db.pragma(`secure_delete = ${ALWAYS}`);
  }
};

/**
 * Statements of a store, made once per connection: `const store = perConnection((db: TenantDb) => ({...}))`,
 * then `store(db).insert(...)`.
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
