// When credentials were last used, with a minute's precision: noted in memory, written together by a job. A note
// stays in memory until it is written, so that reads in between see it.
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Job } from '#src/kernel/job.ts';
import type { Clock } from '#src/kernel/time.ts';
import { sessionStore } from './sign-in-store.ts';
import { tokenStore } from './token-store.ts';

export interface LastUsed {
  /** `place` names the file that keeps it: the tenant's id, or one fixed name for platform.db. */
  note(place: string, id: string): void;
  /** The latest use, if it is not written yet. */
  notedAt(id: string): number | undefined;
  /**
   * Rejects if some could not be written; the next call tries them again. It also stops early when `signal` aborts: each
   * write may have to open a file, and a stop must not wait for thousands.
   */
  flush(signal?: AbortSignal): Promise<void>;
}

type Uses = readonly (readonly [id: string, at: number])[];

/** `what` is used: for the log. */
export const createLastUsed = (
  what: string,
  clock: Clock,
  write: (place: string, uses: Uses) => Promise<void>,
): LastUsed => {
  const noted = new Map<string, { readonly place: string; at: number }>();

  const writePlace = async (place: string, uses: Uses): Promise<void> => {
    await write(place, uses);
    // One that was used again meanwhile still has to be written.
    for (const [id, at] of uses) if (noted.get(id)?.at === at) noted.delete(id);
  };

  return {
    note: (place, id) => {
      const present = noted.get(id);
      if (present) present.at = clock.now();
      else noted.set(id, { place, at: clock.now() });
    },
    notedAt: (id) => noted.get(id)?.at,
    flush: async (signal) => {
      const places = Map.groupBy(noted, ([, { place }]) => place);
      const failures: unknown[] = [];
      // One after the other: they share the places for open files with those who wait for an answer.
      for (const [place, uses] of places) {
        if (signal?.aborted) break;
        await writePlace(
          place,
          uses.map(([id, { at }]) => [id, at]),
        ).catch((error) => failures.push(error));
      }
      if (failures.length > 0)
        throw new AggregateError(failures, `the last use of some ${what} is not noted`);
    },
  };
};

/** The place of a token is its tenant. */
export const createTokensLastUsed = (files: TenantFiles, clock: Clock): LastUsed =>
  createLastUsed('tokens', clock, (tenantId, uses) =>
    files.write(tenantId, (db) => {
      for (const [id, at] of uses) tokenStore(db).touch(id, at);
    }),
  );

/** All sessions are in platform.db. */
export const createSessionsLastUsed = (platform: DurableFile<PlatformDb>, clock: Clock): LastUsed =>
  createLastUsed('sessions', clock, (_, uses) =>
    platform.write((db) => {
      for (const [id, at] of uses) sessionStore(db).touch(id, at);
    }),
  );

export const lastUsedJob = (name: string, lastUsed: LastUsed): Job => ({
  name,
  schedule: '* * * * *',
  run: (signal) => lastUsed.flush(signal),
});
