// The tenants' files: `<data>/tenants/<id>/tenant.db`, at most a configured number of them open. The one used longest
// ago is closed for the next; one in use is never closed, so a caller that needs one more waits until one becomes idle.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import type { Disk } from './disk.ts';
import type { DurableFile } from './durable-file.ts';
import type { FaultKind } from './file-states.ts';
import { inspectFile } from './inspect-file.ts';
import type { Migration } from './migrate.ts';
import type { TenantDb } from './sqlite.ts';
import { unavailable } from './unavailable.ts';

export interface TenantFiles {
  /** See DurableFile.read. Rejects with `unavailable` where the file cannot be opened. */
  read<T>(tenantId: string, work: (db: TenantDb) => T): Promise<T>;
  /** See DurableFile.write. */
  write<T>(tenantId: string, work: (db: TenantDb) => T, within?: number): Promise<T>;
  /**
   * Holds the file open while `action` reads and writes it. A file that had to be opened for that is closed again, so that a round
   * through all tenants does not push out the files in use. Rejects as `read`.
   */
  visit<T>(tenantId: string, action: () => Promise<T>): Promise<T>;
  /**
   * `listener` is called with the tenant's id each time something written to its file is on the disk. It must not throw. It
   * does not say what was written: a follower reads for itself. Returns the function that ends it.
   */
  watch(listener: (tenantId: string) => void): () => void;
  /** Once, before anything is written. */
  noteWrites(notes: WriteNotes): void;
  /** The file will be written once something is written to the registry that comes first: what has to be known goes along. */
  expectWrite(tenantId: string): void;
  /**
   * Makes directory and file of a new tenant with what `fill` writes; all of it is in the database file, and on the disk, when it
   * resolves.
   */
  create<T>(tenantId: string, fill: (db: TenantDb) => T): Promise<T>;
  /** See DurableFile.checkpoint. */
  checkpoint(tenantId: string): Promise<void>;
  /**
   * Like `checkpoint`, but it also writes the file again with its rows alone. False for a file larger than `maxBytes`, which is
   * not rewritten.
   */
  rewrite(tenantId: string, maxBytes: number): Promise<boolean>;
  /**
   * Calls `swap` with the file closed: it puts another in its place. Who uses it meanwhile waits, and gets the new one. A faulty swap
   * rejects, and leaves what it has left.
   */
  replace(tenantId: string, swap: () => Promise<void>): Promise<void>;
  /** Closes and removes all files of a tenant. */
  remove(tenantId: string): Promise<void>;
  /** Lets no work of the tenant begin (`mayBegin`) until `release`; its file is read and written as before. */
  hold(tenantId: string): void;
  mayBegin(tenantId: string): boolean;
  /**
   * Like `hold`, and all that would use the file is refused with `refusal`, until `release`. Resolves once what was written
   * before is answered and the file is closed.
   */
  withhold(tenantId: string, refusal: AppError): Promise<void>;
  release(tenantId: string): void;
  /**
   * Looks, without opening it, whether the file of a tenant is there and begins as it must. What is wrong is reported as a fault;
   * that nothing is wrong ends none.
   */
  inspect(tenantId: string): Promise<void>;
  /** Names of the directories that lie where those of tenants do, with an owner or without. */
  directories(): Promise<string[]>;
  /** Which file the tenant's is on the disk, at once: a copy of it is another. Throws where there is none. */
  identify(tenantId: string): string;
  stats(): { open: number; limit: number };
  close(): Promise<void>;
}

/** What must be known elsewhere before something is written to a tenant's file: see `events/written.ts`. */
export interface WriteNotes {
  /** A write will follow soon. */
  expect(tenantId: string): void;
  /** Called before each write. Undefined: it is known already. Where it rejects, nothing is written. */
  begin(tenantId: string): Promise<void> | undefined;
  /** Called after each write, also after one that failed, and before what was awaited of it goes on. */
  end(tenantId: string): void;
}

interface Entry {
  readonly file: Promise<DurableFile<TenantDb>>;
  /** Set once `file` has resolved, so that the usual call need not wait for a promise. */
  opened: DurableFile<TenantDb> | null;
  users: number;
}

export interface TenantFilesOptions {
  /** `<data>/tenants` */
  readonly directory: string;
  readonly maxOpen: number;
  readonly migrations: readonly Migration[];
  readonly disk: Disk;
  /** Reports for itself what opening and using the file answer. */
  readonly openFile: (
    tenantId: string,
    path: string,
    create: boolean,
    onCommitted: () => void,
  ) => Promise<DurableFile<TenantDb>>;
  readonly onFault: (tenantId: string, error: unknown, what: FaultKind) => void;
  /** The file of the tenant is gone, and with it what is known of it. */
  readonly onRemoved: (tenantId: string) => void;
}

/** The directory holds what its tenant wrote: only the service's user may read it. */
const DIRECTORY_MODE = 0o700;
const TENANT_ID = /^[0-9a-f-]{36}$/;
/** A disk of its own (ext4) has them, and snapshots do. */
const OF_THE_FILE_SYSTEM = /^(?:lost\+found|\..*)$/;

export const createTenantFiles = ({
  directory,
  maxOpen,
  migrations,
  disk,
  openFile,
  onFault,
  onRemoved,
}: TenantFilesOptions): TenantFiles => {
  /** The entries in the order of their last use, the oldest first. */
  const entries = new Map<string, Entry>();
  /** When each file that was found in order had been changed. */
  const inspectedAt = new Map<string, number>();
  const watchers = new Set<(tenantId: string) => void>();
  let notes: WriteNotes = { expect: () => undefined, begin: () => undefined, end: () => undefined };
  /** Tenants whose work waits, and why their files are refused; null: they are not. */
  const held = new Map<string, AppError | null>();
  /** Files that are being closed: opening one again waits for that. */
  const closing = new Map<string, Promise<void>>();
  let freeSlots = maxOpen;
  const waitingForSlot: (() => void)[] = [];
  /** How many files are being closed, each of which will free a slot. */
  let leaving = 0;

  const directoryOf = (tenantId: string): string => {
    if (!TENANT_ID.test(tenantId)) throw new Error('a tenant id is a UUID');
    return join(directory, tenantId);
  };

  const fileOf = (tenantId: string): string => join(directoryOf(tenantId), 'tenant.db');

  /** Gives the slot to the caller that waits longest. */
  const freeSlot = (): void => {
    const next = waitingForSlot.shift();
    if (next) next();
    else freeSlots += 1;
  };

  const makeRoom = (): void => {
    while (leaving < waitingForSlot.length) {
      const idle = oldestIdle();
      if (!idle) return;
      void closeEntry(...idle);
    }
  };

  const closeEntry = (tenantId: string, entry: Entry): Promise<void> => {
    entries.delete(tenantId);
    leaving += 1;
    const closed = entry.file
      .then(
        // The data are in the WAL or the file; opening it again makes up for a checkpoint that failed.
        (file) =>
          file
            .close()
            .catch((error) => onFault(tenantId, error, 'closing failed'))
            .finally(freeSlot),
        // The file was never open, and has given its slot back.
        () => undefined,
      )
      .finally(() => {
        leaving -= 1;
        if (closing.get(tenantId) === closed) closing.delete(tenantId);
        makeRoom();
      });
    closing.set(tenantId, closed);
    return closed;
  };

  const oldestIdle = (): [string, Entry] | undefined => {
    for (const candidate of entries) if (candidate[1].users === 0) return candidate;
    return undefined;
  };

  const takeSlot = async (): Promise<void> => {
    if (freeSlots > 0) {
      freeSlots -= 1;
      return;
    }
    const granted = new Promise<void>((resolve) => waitingForSlot.push(resolve));
    makeRoom();
    await granted;
  };

  const open = async (tenantId: string, create: boolean): Promise<DurableFile<TenantDb>> => {
    await closing.get(tenantId);
    await takeSlot();
    try {
      return await openFile(tenantId, fileOf(tenantId), create, () => {
        for (const listener of watchers) listener(tenantId);
      });
    } catch (error) {
      freeSlot();
      throw error;
    }
  };

  const acquire = (tenantId: string, create: boolean): Entry => {
    const present = entries.get(tenantId);
    if (present) {
      entries.delete(tenantId);
      entries.set(tenantId, present);
      present.users += 1;
      return present;
    }
    const entry: Entry = { file: open(tenantId, create), opened: null, users: 1 };
    entries.set(tenantId, entry);
    entry.file.then(
      (file) => {
        entry.opened = file;
      },
      () => {
        if (entries.get(tenantId) === entry) entries.delete(tenantId);
      },
    );
    return entry;
  };

  const release = (tenantId: string, entry: Entry): void => {
    entry.users -= 1;
    if (entry.users > 0) return;
    // Opened again on the next use: the close writes everything to the database file and syncs it.
    if (entry.opened?.broken() && entries.get(tenantId) === entry) void closeEntry(tenantId, entry);
    else makeRoom();
  };

  const use = async <T>(
    tenantId: string,
    create: boolean,
    action: (file: DurableFile<TenantDb>) => Promise<T>,
  ): Promise<T> => {
    const refusal = held.get(tenantId);
    if (refusal) throw refusal;
    const entry = acquire(tenantId, create);
    try {
      return await action(entry.opened ?? (await openedOrUnavailable(entry)));
    } finally {
      release(tenantId, entry);
    }
  };

  const write: TenantFiles['write'] = async (tenantId, work, within) => {
    const noted = notes.begin(tenantId);
    try {
      if (noted) await noted;
      return await use(tenantId, false, (file) => file.write(work, within));
    } finally {
      notes.end(tenantId);
    }
  };

  const visit = async <T>(tenantId: string, action: () => Promise<T>): Promise<T> => {
    const wasOpen = entries.has(tenantId);
    try {
      return await use(tenantId, false, () => action());
    } finally {
      const entry = entries.get(tenantId);
      if (!wasOpen && entry?.users === 0) await closeEntry(tenantId, entry);
    }
  };

  const close = async (tenantId: string): Promise<void> => {
    const entry = entries.get(tenantId);
    await (entry ? closeEntry(tenantId, entry) : closing.get(tenantId));
  };

  const inspect = async (tenantId: string): Promise<void> => {
    if (entries.has(tenantId))
      // What is wrong has been reported by then.
      return use(tenantId, false, async (file) => file.peek(() => undefined)).catch(() => undefined);
    if (closing.has(tenantId)) return;
    // An opening waits: closing a descriptor gives up the locks that SQLite holds on the same file.
    const inspected = inspectFile(fileOf(tenantId), inspectedAt.get(tenantId), migrations)
      .then((changedAt) => {
        inspectedAt.set(tenantId, changedAt);
      })
      .catch((error) => onFault(tenantId, error, 'opening failed'))
      .finally(() => {
        if (closing.get(tenantId) === inspected) closing.delete(tenantId);
      });
    closing.set(tenantId, inspected);
    await inspected;
  };

  return {
    read: (tenantId, work) => use(tenantId, false, (file) => file.read(work)),
    write,
    visit,
    watch: (listener) => {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
    noteWrites: (given) => {
      notes = given;
    },
    expectWrite: (tenantId) => notes.expect(tenantId),
    create: async (tenantId, fill) => {
      await mkdir(directoryOf(tenantId), { mode: DIRECTORY_MODE });
      await disk.syncDirectory(directory);
      return use(tenantId, true, async (file) => {
        const filled = await file.write(fill);
        await file.checkpoint();
        return filled;
      });
    },
    inspect,
    checkpoint: (tenantId) => use(tenantId, false, (file) => file.checkpoint()),
    rewrite: (tenantId, maxBytes) =>
      use(tenantId, false, async (file) => {
        const isSmall = file.peek((db) => bytesOf(db) <= maxBytes);
        // One in progress does not rewrite.
        await file.checkpoint();
        if (isSmall) await file.checkpoint(true);
        return isSmall;
      }),
    replace: async (tenantId, swap) => {
      directoryOf(tenantId);
      const entry = entries.get(tenantId);
      const closed = entry ? closeEntry(tenantId, entry) : closing.get(tenantId);
      const swapped = Promise.resolve(closed).then(swap);
      // An opening waits for it, whether it succeeds or not.
      const over = swapped
        .catch(() => undefined)
        .finally(() => {
          if (closing.get(tenantId) === over) closing.delete(tenantId);
        });
      closing.set(tenantId, over);
      await swapped;
      inspectedAt.delete(tenantId);
      onRemoved(tenantId);
    },
    remove: async (tenantId) => {
      await close(tenantId);
      await rm(directoryOf(tenantId), { recursive: true, force: true });
      await disk.syncDirectory(directory);
      inspectedAt.delete(tenantId);
      onRemoved(tenantId);
    },
    hold: (tenantId) => held.set(tenantId, held.get(tenantId) ?? null),
    mayBegin: (tenantId) => !held.has(tenantId),
    withhold: async (tenantId, refusal) => {
      held.set(tenantId, refusal);
      await close(tenantId);
    },
    release: (tenantId) => held.delete(tenantId),
    directories: async () =>
      (await readdir(directory, { withFileTypes: true }))
        .filter((entry) => entry.isDirectory() && !OF_THE_FILE_SYSTEM.test(entry.name))
        .map(({ name }) => name),
    // A number is used again for the next file once its file is gone.
    identify: (tenantId) => disk.identifyForGood(fileOf(tenantId)),
    stats: () => ({ open: maxOpen - freeSlots, limit: maxOpen }),
    close: async () => {
      await Promise.all([...entries].map(([tenantId, entry]) => closeEntry(tenantId, entry)));
      await Promise.all(closing.values());
    },
  };
};

const bytesOf = (db: TenantDb): number =>
  Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));

const openedOrUnavailable = async (entry: Entry): Promise<DurableFile<TenantDb>> => {
  try {
    return await entry.file;
  } catch (error) {
    throw unavailable(say`The practice's data cannot be opened at the moment.`, error);
  }
};
