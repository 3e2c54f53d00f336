// Brings the search index up to date after messages are accepted. A tenant is indexed once enough messages wait; until then
// a search reads these messages without the index, so a tenant that sends little costs nothing. Tenants take turns, each
// transaction is short, and between two of them the event loop is free for other work. A crash loses nothing, because the
// index itself shows its progress.
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Log } from '#src/kernel/log.ts';
import { sleep } from '#src/kernel/time.ts';
import { searchIndexStore } from './search-index-store.ts';

export interface SearchIndexer {
  /** Reports that a message has been stored. */
  accepted(tenantId: string): void;
  /** Reports how many messages wait to be indexed. */
  waiting(tenantId: string, messages: number): void;
  /** Counts the waiting messages. Rejects if the tenant's file cannot be read. */
  look(tenantId: string): Promise<void>;
  /** Resolves when no tenant is waiting for its turn. */
  settled(): Promise<void>;
  /** Resolves when the step in flight has ended. */
  stop(): Promise<void>;
}

type Step = 'index' | 'merge';

/** How many messages may wait before they are indexed: a search reads this many in about 3 ms. */
const WORTH_A_TURN = 500;
/** Indexing them takes about 5 ms. */
const MESSAGES_PER_TRANSACTION = 250;
/** Pause after a transaction, in multiples of its duration with its sync: so indexing uses a third of the time at most. */
const REST = 2;

export const createSearchIndexer = (
  files: TenantFiles,
  log: Log,
  worthATurn = WORTH_A_TURN,
): SearchIndexer => {
  /** Messages that this process has seen accepted since a tenant's last turn. */
  const accepted = new Map<string, number>();
  /** Tenants that wait for their turn, in order, with the step that is next. */
  const turns = new Map<string, Step>();
  const stopped = new AbortController();
  let working: Promise<void> | null = null;

  /**
   * Runs one step in a short transaction: indexes messages or, right after that, merges segments. Returns the next step,
   * null if nothing is left. Never rejects: if the file cannot be written, the next message or search tries again.
   */
  const runStep = async (tenantId: string, step: Step): Promise<Step | null> => {
    try {
      return await files.write(tenantId, (db) => {
        const store = searchIndexStore(db);
        if (step === 'merge' && store.tidy()) return 'merge';
        if (step === 'merge') return store.behind() >= MESSAGES_PER_TRANSACTION ? 'index' : null;
        return store.indexNext(MESSAGES_PER_TRANSACTION) > 0 ? 'merge' : null;
      });
    } catch (error) {
      log.warn({ err: error, tenant: tenantId }, 'the search index could not be brought up to date');
      return null;
    }
  };

  const work = async (): Promise<void> => {
    // A tenant that is added during the loop is visited at its end.
    for (const [tenantId, step] of turns) {
      if (stopped.signal.aborted) break;
      turns.delete(tenantId);
      const started = performance.now();
      const next = await runStep(tenantId, step);
      if (next !== null) turns.set(tenantId, next);
      if (turns.size > 0) await sleep((performance.now() - started) * REST, stopped.signal);
    }
    working = null;
  };

  const waiting = (tenantId: string, messages: number): void => {
    if (messages < worthATurn || stopped.signal.aborted) return;
    accepted.delete(tenantId);
    if (!turns.has(tenantId)) turns.set(tenantId, 'index');
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
