// What is known of the database files, and of the disk that they are on, by what opening, reading, writing and syncing have
// answered. A fault begins with an error and ends when a file has been opened or written again. Health, the operator's list, the
// log and the mail to the operator all show what is here.
import type { Clock } from '#src/kernel/time.ts';

export const faultStates = ['full', 'failing', 'unreadable', 'replaced', 'empty', 'other_schema'] as const;
export type FaultState = (typeof faultStates)[number];

/** The operator sees these words. */
export const fileStates = ['ok', ...faultStates] as const;
export type FileState = (typeof fileStates)[number];

export interface FileFault {
  readonly state: FaultState;
  readonly since: number;
  /** The operator reads it. */
  readonly reason: string;
}

/** What a fault is kept under beside the ids of tenants. */
export const PLATFORM_FILE = 'platform';
export const DISK = 'disk';

/** The first five are answers to callers; the others delay only the tidying. */
export type FaultKind =
  | 'opening failed'
  | 'read failed'
  | 'transaction failed'
  | 'sync failed'
  | 'replaced'
  | 'checkpoint failed'
  | 'size of the WAL unknown'
  | 'closing failed';

/** An error of the file itself, by the code that node and SQLite give theirs. */
export const fileError = (code: 'REPLACED' | 'EMPTY' | 'DAMAGED' | 'SCHEMA', message: string): Error =>
  Object.assign(new Error(message), { code });

const codesOf: Readonly<Record<FaultState, RegExp>> = {
  full: /^(SQLITE_FULL|ENOSPC|EDQUOT|EFBIG)/,
  failing:
    /^(SQLITE_(IOERR|BUSY|LOCKED|READONLY|CANTOPEN|NOMEM|PROTOCOL)|EIO|EROFS|EACCES|EPERM|E[MN]FILE|ENOMEM)/,
  unreadable: /^(SQLITE_(CORRUPT|NOTADB)|ENOENT|DAMAGED)/,
  replaced: /^REPLACED$/,
  empty: /^EMPTY$/,
  other_schema: /^SCHEMA$/,
};

/** What SQLite answers where another process holds a lock on the file. */
const LOCK = /^SQLITE_(BUSY|LOCKED)/;

export const isLock = (error: unknown): boolean =>
  LOCK.test(String((error as { code?: unknown } | null)?.code ?? ''));

const reasonOf = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  return isLock(error)
    ? `${message}: another process holds a lock on the file. Nothing is damaged; end that process, or its transaction (fuser names it)`
    : message;
};

/** Undefined where the error is none of the file. */
export const faultOf = (error: unknown): FaultState | undefined => {
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  return faultStates.find((state) => codesOf[state].test(code));
};

/** `fault` is undefined where the former one has ended. */
export type FaultListener = (id: string, fault: FileFault | undefined, former: FileFault | undefined) => void;

export interface FileStates {
  /** Undefined: nothing is wrong. */
  of(id: string): FileFault | undefined;
  all(): ReadonlyMap<string, FileFault>;
  /** Tenants' files in each state but `ok`. */
  counts(): Readonly<Record<FaultState, number>>;
  fail(id: string, state: FaultState, error: unknown): void;
  /** The file has been opened or written, or it is gone: its state ends. */
  end(id: string): void;
  /** `listener` is called at each change of a state, and must not throw. */
  watch(listener: FaultListener): void;
}

export const createFileStates = (clock: Clock): FileStates => {
  const faults = new Map<string, FileFault>();
  const listeners: FaultListener[] = [];
  const change = (id: string, fault: FileFault | undefined): void => {
    const former = faults.get(id);
    if (former?.state === fault?.state) return;
    if (fault) faults.set(id, fault);
    else faults.delete(id);
    for (const listener of listeners) listener(id, fault, former);
  };
  return {
    of: (id) => faults.get(id),
    all: () => faults,
    counts: () => {
      const counts = { full: 0, failing: 0, unreadable: 0, replaced: 0, empty: 0, other_schema: 0 };
      for (const [id, { state }] of faults) if (id !== PLATFORM_FILE && id !== DISK) counts[state] += 1;
      return counts;
    },
    fail: (id, state, error) =>
      change(id, {
        state,
        since: clock.now(),
        reason: reasonOf(error),
      }),
    // Called for each commit.
    end: (id) => {
      if (faults.size > 0) change(id, undefined);
    },
    watch: (listener) => {
      listeners.push(listener);
    },
  };
};
