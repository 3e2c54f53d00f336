// Which tenants' files were written since all who follow them have looked: a start opens the files of these tenants and of no
// others. The registry has a tenant's mark before its file is written, and loses it once nothing was written for a while and
// each looker has said that it has seen all. So a tenant that sends now and then costs no second write for each message.
//
// write:  registry: mark → tenant's file; a crash in between leaves a tenant that is looked at once for nothing
// rest:   lookers read the file → registry: what they found, and the mark is removed, in one transaction
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import type { WriteNotes } from '#src/kernel/db/tenant-files.ts';
import { type Clock, MINUTE } from '#src/kernel/time.ts';
import { writtenStore } from './written-store.ts';

/** Those that write more seldom cost a write to the registry each time, and those that write more often never again. */
const RESTS_AFTER_MS = 10 * MINUTE;
/** A transaction of some milliseconds. */
const TENANTS_AT_ONCE = 100;

/** Looks at what was written to the files of tenants. */
export interface Looker {
  /** Whether it has looked at all that was written before that mark, and nothing of it is in progress. */
  hasLooked(tenantId: string, mark: number): boolean;
  /** What the registry has to know of a tenant that rests: returns what writes it. */
  note?(tenantId: string): (db: PlatformDb) => void;
}

export interface Written {
  readonly notes: WriteNotes;
  /** Once for each, before anything is written. */
  join(looker: Looker): void;
  /** The present. What begins after it was taken sees all that was written before it. */
  mark(): number;
  /** Those that were written since they rested last, each with the mark of its last write; infinite during one. */
  marked(): (readonly [tenantId: string, mark: number])[];
  isMarked(tenantId: string): boolean;
  /** Adds those that the last process left. */
  load(): Promise<void>;
  /** The file is another one than before: it counts as written. */
  replaced(tenantId: string): Promise<void>;
  /** The tenant is gone, or works elsewhere. */
  forget(tenantId: string): void;
  /** Removes the marks of those that were not written for a while, or with `isLast` for however long. */
  settle(isLast?: boolean): Promise<void>;
}

/** Listens to commits: wakes the followers that are registered of the tenant. */
export const wakeFollowers =
  <Name>(
    registered: ReadonlyMap<string, ReadonlyMap<Name, unknown>>,
    wake: (follower: Name, tenantId: string) => void,
  ) =>
  (tenantId: string): void => {
    for (const name of registered.get(tenantId)?.keys() ?? []) wake(name, tenantId);
  };

interface Mark {
  /** The last write that has ended. */
  last: number;
  at: number;
  /** Writes in progress. */
  writing: number;
  /** The registry has it, or is being told. */
  isNoted: boolean;
}

export const createWritten = (platform: DurableFile<PlatformDb>, clock: Pick<Clock, 'now'>): Written => {
  const tenants = new Map<string, Mark>();
  /** Marks that are being written: what relies on one waits for it. */
  const marking = new Map<string, Promise<void>>();
  const lookers: Looker[] = [];
  let marks = 0;

  const known = (tenantId: string): Mark => {
    const present = tenants.get(tenantId);
    if (present) return present;
    const made = { last: 0, at: clock.now(), writing: 0, isNoted: false };
    tenants.set(tenantId, made);
    return made;
  };

  const add = (tenantId: string, mark: Mark): Promise<void> => {
    mark.isNoted = true;
    const written = platform
      .write((db) => writtenStore(db).add(tenantId))
      .catch((error) => {
        mark.isNoted = false;
        throw error;
      })
      .finally(() => {
        if (marking.get(tenantId) === written) marking.delete(tenantId);
      });
    marking.set(tenantId, written);
    return written;
  };

  const notes: WriteNotes = {
    expect: (tenantId) => {
      const mark = known(tenantId);
      // Who writes then waits for it, and is refused where it failed.
      if (!mark.isNoted) void add(tenantId, mark).catch(() => undefined);
    },
    begin: (tenantId) => {
      const mark = known(tenantId);
      mark.writing += 1;
      return mark.isNoted ? marking.get(tenantId) : add(tenantId, mark);
    },
    end: (tenantId) => {
      const mark = tenants.get(tenantId);
      if (mark === undefined) return;
      mark.writing = Math.max(0, mark.writing - 1);
      mark.last = ++marks;
      mark.at = clock.now();
      if (mark.writing === 0 && !mark.isNoted) tenants.delete(tenantId);
    },
  };

  const rests = (tenantId: string, { last, at, writing, isNoted }: Mark, isLast: boolean): boolean =>
    isNoted &&
    writing === 0 &&
    !marking.has(tenantId) &&
    (isLast || Math.abs(clock.now() - at) >= RESTS_AFTER_MS) &&
    lookers.every((looker) => looker.hasLooked(tenantId, last));

  return {
    notes,
    join: (looker) => {
      lookers.push(looker);
    },
    mark: () => ++marks,
    marked: () =>
      Array.from(
        tenants,
        ([tenantId, { last, writing }]) => [tenantId, writing > 0 ? Number.POSITIVE_INFINITY : last] as const,
      ),
    isMarked: (tenantId) => tenants.has(tenantId),
    load: async () => {
      for (const tenantId of await platform.read((db) => writtenStore(db).all()))
        known(tenantId).isNoted = true;
    },
    replaced: async (tenantId) => {
      await notes.begin(tenantId);
      notes.end(tenantId);
    },
    forget: (tenantId) => {
      tenants.delete(tenantId);
    },
    settle: async (isLast = false) => {
      const resting = [...tenants].filter(([tenantId, mark]) => rests(tenantId, mark, isLast));
      while (resting.length > 0) {
        const some = resting
          .splice(0, TENANTS_AT_ONCE)
          // Something may have been written while the transaction before ran.
          .filter(([tenantId, mark]) => tenants.get(tenantId) === mark && rests(tenantId, mark, isLast))
          .map(([tenantId]) => tenantId);
        // This is done before anything is awaited: a write that begins from now on marks the tenant again, after the removal.
        for (const tenantId of some) tenants.delete(tenantId);
        const notes = some.flatMap((tenantId) => lookers.map((looker) => looker.note?.(tenantId)));
        await platform.write((db) => {
          for (const note of notes) note?.(db);
          for (const tenantId of some) writtenStore(db).remove(tenantId);
        });
      }
    },
  };
};
