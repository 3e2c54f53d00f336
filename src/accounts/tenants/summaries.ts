// Keeps the registry's summaries of practices as their files say. A practice that was written since its summary was taken is
// read again once a minute, and by each list before it answers: so the list opens the files of these practices alone, which are
// mostly open, and shows what was answered before it. A crash leaves their marks (`events/written.ts`), and they are read again:
// where it leaves thousands, a list waits for those that were written last, and the others follow within the minute.
import type { Written } from '#src/events/written.ts';
import type { Base } from '#src/kernel/base.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { readEach } from './read-each.ts';
import { type PracticeSummary, summaryIn } from './summary.ts';
import { summaryStore } from './summary-store.ts';

/** A transaction of some milliseconds. */
const AT_ONCE = 100;
/** A list waits for so many: a second or two where all have to be opened. */
const MAX_A_LIST = 200;
/** A list that comes meanwhile waits for so many that have to be opened. */
const MISSING_AT_ONCE = 8;
/** Files that are opened a minute for practices that have no summary yet: after an update to the version that has them. */
const MISSING_A_MINUTE = 500;

export interface Summaries {
  /** Resolves once the registry has what the files of the practices written last, and of `others`, say; those that cannot be read are left. */
  bringUpToDate(others?: readonly string[]): Promise<void>;
  /** Once a minute. */
  look(signal: AbortSignal): Promise<void>;
}

export const createSummaries = (
  { storage, clock, log }: Pick<Base, 'storage' | 'clock' | 'log'>,
  written: Written,
): Summaries => {
  const { platform, tenants } = storage;
  /** What has to be opened is closed again: files in use keep their places. */
  const files: Pick<TenantFiles, 'read'> = {
    read: (tenantId, work) => tenants.visit(tenantId, () => tenants.read(tenantId, work)),
  };
  /** When each was read last, as a mark. */
  const readAt = new Map<string, number>();

  written.join({ hasLooked: (tenantId, mark) => (readAt.get(tenantId) ?? 0) > mark });

  /** Those written last come first. */
  const stale = (): string[] =>
    written
      .marked()
      .filter(([tenantId, mark]) => (readAt.get(tenantId) ?? 0) <= mark)
      .toSorted(([, one], [, other]) => other - one)
      .map(([tenantId]) => tenantId);

  const take = async (ids: readonly string[]): Promise<void> => {
    const found: [id: string, mark: number, summary: PracticeSummary][] = [];
    await readEach(
      files,
      ids.map((id) => ({ id })),
      (db, { id }) => {
        const mark = written.mark();
        found.push([id, mark, summaryIn(db, clock.now())]);
      },
      // Faults of files are reported as such.
      (error, { id }) => log.debug({ err: error, practice_id: id }, 'the summary of a practice is not taken'),
    );
    if (found.length === 0) return;
    await platform.write((db) => {
      for (const [id, , summary] of found) summaryStore(db).put(id, summary);
    });
    for (const [id, mark] of found) readAt.set(id, Math.max(readAt.get(id) ?? 0, mark));
  };

  /** One after the other: an older summary must not come after a newer one. */
  let last = Promise.resolve();
  const inTurn = (idsNow: () => readonly string[]): Promise<void> => {
    const taken = last.then(async () => {
      const ids = [...idsNow()];
      while (ids.length > 0) await take(ids.splice(0, AT_ONCE));
    });
    last = taken.catch(() => undefined);
    return taken;
  };
  const bringUpToDate = (others: readonly string[] = []): Promise<void> =>
    inTurn(() => [...new Set([...stale().slice(0, MAX_A_LIST), ...others])]);
  /** Lists come in between. */
  const inPieces = async (ids: string[], atOnce: number, signal: AbortSignal): Promise<void> => {
    while (ids.length > 0 && !signal.aborted) {
      const piece = ids.splice(0, atOnce);
      await inTurn(() => piece);
    }
  };

  return {
    bringUpToDate,
    look: async (signal) => {
      await inPieces(stale(), AT_ONCE, signal);
      const missing = await platform.read((db) => summaryStore(db).missing(MISSING_A_MINUTE));
      await inPieces(missing, MISSING_AT_ONCE, signal);
    },
  };
};
