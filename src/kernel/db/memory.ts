// What stores keep in memory beside one connection, so that rows that seldom change are not read again for each message.
//
// The rule that makes it safe: only the store that writes a table remembers its rows, and it forgets them with each write.
// Whatever undoes a write (a rollback, of the transaction or of one caller's savepoint) makes all stores of the connection
// forget everything, and so does a change of the file by another connection; a connection that is closed takes its memory with
// it. So what is remembered is what the same connection would read, at every moment, inside of a transaction too.
import type { AnyDb } from './sqlite.ts';

interface Keeper {
  /** Writes what is only in memory, in the transaction that is about to end. */
  readonly write?: () => void;
  /** Forgets what was read, and what `write` has not written. */
  readonly forget: () => void;
}

const keepers = new WeakMap<AnyDb, Keeper[]>();

/** Lets `keeper` take part in the transactions of the connection from now on. */
export const keepBeside = (db: AnyDb, keeper: Keeper): void => {
  const present = keepers.get(db);
  if (present) present.push(keeper);
  else keepers.set(db, [keeper]);
};

/** Called before each COMMIT and before the release of a caller's savepoint. Throws as SQLite does. */
export const writeMemory = (db: AnyDb): void => {
  for (const { write } of keepers.get(db) ?? []) write?.();
};

/** After each rollback and each change of the file by another connection, and when the connection is closed. */
export const forgetMemory = (db: AnyDb): void => {
  for (const { forget } of keepers.get(db) ?? []) forget();
};

export interface Remembered<T> {
  (): T;
  forget(): void;
}

/** Calls `read` once, and again only after `forget`. Its callers share the result, so an object must not be changed. */
export const remembered = <T>(db: AnyDb, read: () => T): Remembered<T> => {
  let known: { readonly value: T } | null = null;
  const forget = (): void => {
    known = null;
  };
  keepBeside(db, { forget });
  return Object.assign(
    () => {
      known ??= { value: read() };
      return known.value;
    },
    { forget },
  );
};

/** Keys that are remembered of one table: a caller may ask for any number of them. */
const MAX_KEYS = 1_000;

export interface RememberedBy<K, T> {
  (key: K): T;
  /** Remembers what was just written. */
  know(key: K, value: T): void;
  forget(): void;
}

/** The same for each key. Beyond `MAX_KEYS` it begins again with none. */
export const rememberedBy = <K extends string | number, T>(
  db: AnyDb,
  read: (key: K) => T,
): RememberedBy<K, T> => {
  const known = new Map<K, T>();
  const forget = (): void => known.clear();
  keepBeside(db, { forget });
  const know = (key: K, value: T): void => {
    if (known.size >= MAX_KEYS) known.clear();
    known.set(key, value);
  };
  return Object.assign(
    (key: K) => {
      const present = known.get(key);
      if (present !== undefined) return present;
      const value = read(key);
      // What does not exist may be asked for without end.
      if (value !== undefined) know(key, value);
      return value;
    },
    { forget, know },
  );
};
