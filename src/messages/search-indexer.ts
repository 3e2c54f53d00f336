// Brings the index that searches look into up to date, behind the acceptance of messages: a practice's turn comes when a
// portion waits. What waits until then is looked at without the index; so a practice that sends little costs nothing.
// Practices take turns, each transaction is short, and between two of them the others have the event loop to themselves.
// A crash loses nothing: how far the index has come stands in it.
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Log } from '#src/kernel/log.ts';
import { sleep } from '#src/kernel/time.ts';
import { searchIndexStore } from './search-index-store.ts';

export interface SearchIndexer {
  /** A message has been stored. */
  accepted(tenantId: string): void;
  /** Somebody has seen how many messages wait. */
  waiting(tenantId: string, messages: number): void;
  /** Looks how many wait. Rejects where the practice's file cannot be read. */
  look(tenantId: string): Promise<void>;
  /** Resolves when nothing is to be done, for now. */
  settled(): Promise<void>;
  /** Resolves when what is under way has ended. */
  stop(): Promise<void>;
}

type Step = 'take in' | 'merge';

export interface SearchIndexerDeps {
  readonly files: TenantFiles;
  readonly log: Log;
}

/** Messages that wait before an index is brought up to date: a search looks at so many in some 3 ms. */
const WORTH_A_TURN = 500;
/** Some 5 ms. */
const MESSAGES_PER_TRANSACTION = 250;
/** Pause after a transaction, in multiples of what it took, its sync included: a third of the time, at most. */
const REST = 2;

export const createSearchIndexer = (
  { files, log }: SearchIndexerDeps,
  worthATurn = WORTH_A_TURN,
): SearchIndexer => {
  /** Messages accepted since a practice's last turn, as far as this process has seen. */
  const accepted = new Map<string, number>();
  /** Whose turn is to come for what, in order. */
  const turns = new Map<string, Step>();
  const stopped = new AbortController();
  let working: Promise<void> | null = null;

  /**
   * One step, a short transaction: takes messages in or, where that has just been done, merges what was. The result is the
   * step to follow, null where nothing is left. Never rejects: where the file takes nothing, the next message or search
   * tries again.
   */
  const take = async (tenantId: string, step: Step): Promise<Step | null> => {
    try {
      return await files.write(tenantId, (db) => {
        const store = searchIndexStore(db);
        if (step === 'merge' && store.tidy()) return 'merge';
        if (step === 'merge') return store.behind() >= MESSAGES_PER_TRANSACTION ? 'take in' : null;
        return store.indexNext(MESSAGES_PER_TRANSACTION) > 0 ? 'merge' : null;
      });
    } catch (error) {
      log.warn({ err: error, tenant: tenantId }, 'the search index could not be brought up to date');
      return null;
    }
  };

  const work = async (): Promise<void> => {
    // What is added meanwhile comes last, and is come to.
    for (const [tenantId, step] of turns) {
      if (stopped.signal.aborted) break;
      turns.delete(tenantId);
      const started = performance.now();
      const next = await take(tenantId, step);
      if (next !== null) turns.set(tenantId, next);
      if (turns.size > 0) await sleep((performance.now() - started) * REST, stopped.signal);
    }
    working = null;
  };

  const waiting = (tenantId: string, messages: number): void => {
    if (messages < worthATurn || stopped.signal.aborted) return;
    accepted.delete(tenantId);
    if (!turns.has(tenantId)) turns.set(tenantId, 'take in');
    working ??= work();
  };

  return {
    accepted: (tenantId) => {
      const count = (accepted.get(tenantId) ?? 0) + 1;
      accepted.set(tenantId, count);
      waiting(tenantId, count);
    },
    waiting,
    look: async (tenantId) =>
      waiting(tenantId, await files.read(tenantId, (db) => searchIndexStore(db).behind())),
    settled: async () => {
      await working;
    },
    stop: async () => {
      stopped.abort();
      await working;
    },
  };
};
