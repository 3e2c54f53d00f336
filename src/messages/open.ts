// Opens the room of messages: their rows, the search index, the queue's due times, and retention.

import type { Base, Room } from '#src/kernel/base.ts';
import { type Lane, lanes } from '#src/kernel/stream.ts';
import { personalData } from './personal-data.ts';
import { createDueRegistry } from './queue/due-registry.ts';
import { dueStore } from './queue/due-store.ts';
import { heldMail } from './queue/held.ts';
import { queueStore } from './queue/store.ts';
import { removeOld } from './retention/remove-old.ts';
import { retentionRoutes } from './retention/routes.ts';
import { oldContent } from './retention/store.ts';
import { messageRoutes } from './routes.ts';
import { sealedBodies } from './sealed-content.ts';
import { createSearchIndexer } from './search-indexer.ts';
import { searchRoutes } from './search-routes.ts';

export type Messages = ReturnType<typeof openMessages>;

/** What the relay is told of a practice's mail; it is opened later. */
export interface RelaySignals {
  /** Mail of that tenant and lane is due at `dueAt`. */
  readonly wake: (tenantId: string, lane: Lane, dueAt: number) => void;
  /**
   * Transactional mail that is due at once has just been handed to its file: it may be claimed by the same commit. True: it will
   * be, or is due where the claim finds that `isWritten` is false.
   */
  readonly claimAlong: (tenantId: string, isWritten: () => boolean) => boolean;
}

export const openMessages = (base: Base, relay: () => RelaySignals) => {
  const { config, storage, clock, log } = base;
  const { platform, tenants: files } = storage;
  const key = base.key('suppressions');
  const indexer = createSearchIndexer(files, log);
  const due = createDueRegistry(platform, files.expectWrite);
  const claimAlong: RelaySignals['claimAlong'] = (tenantId, isWritten) =>
    relay().claimAlong(tenantId, isWritten);
  const wake: RelaySignals['wake'] = (tenantId, lane, dueAt) => relay().wake(tenantId, lane, dueAt);
  return {
    indexer,
    queue: { ...due, wake, claimAlong },
    personalData,
    oldRows: oldContent,
    sealed: { tenant: [sealedBodies] },
    held: {
      ...heldMail,
      expect: async (tenantId, now) => {
        const release = await due.hold(tenantId, now);
        return () => {
          for (const lane of lanes) wake(tenantId, lane, now);
          release();
        };
      },
    },
    reopened: async (tenantId) => {
      // The registry's row of it was written anew, or taken away with the practice.
      due.forget(tenantId);
      const next = await files.read(tenantId, (db) => queueStore(db).nextDue());
      for (const lane of lanes) {
        const dueAt = next[lane];
        if (dueAt === null) continue;
        const release = await due.hold(tenantId, dueAt);
        wake(tenantId, lane, dueAt);
        release();
      }
    },
    registers: (tenant, { tenantId }) => {
      const next = queueStore(tenant).earliest();
      return (db) => {
        if (next !== null) dueStore(db).lower(tenantId, next);
      };
    },
    routes: [
      ...searchRoutes(files, clock, indexer),
      ...messageRoutes(files),
      ...retentionRoutes(files, clock, () => config().retention),
    ],
    nightly: [
      {
        what: 'content and events',
        run: (id, signal, pace, oldRows) => {
          const installation = config().retention;
          return removeOld(id, { files, installation, oldRows, key, now: clock.now(), pace }, signal);
        },
      },
      { what: 'search index', run: (id) => indexer.look(id) },
    ],
    stop: () => indexer.stop(),
  } satisfies Room & Record<string, unknown>;
};
