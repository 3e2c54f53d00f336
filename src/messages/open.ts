// Opens the room of messages: their rows, the search index, the queue's due times, and retention.
import { createSecretKey } from 'node:crypto';
import type { Base, Room } from '#src/kernel/base.ts';
import type { Lane } from '#src/kernel/stream.ts';
import { createDueRegistry } from './queue/due-registry.ts';
import { removeOld } from './retention/remove-old.ts';
import { retentionRoutes } from './retention/routes.ts';
import { messageRoutes } from './routes.ts';
import { createSearchIndexer } from './search-indexer.ts';
import { searchRoutes } from './search-routes.ts';

export type Messages = ReturnType<typeof openMessages>;

type WakeRelay = (tenantId: string, lane: Lane, dueAt: number) => void;

export const openMessages = (base: Base) => {
  const { config, storage, clock, log } = base;
  const { platform, tenants: files } = storage;
  const key = createSecretKey(base.key('suppressions'));
  const indexer = createSearchIndexer({ files, log });
  let wakeRelay: WakeRelay = () => undefined;
  return {
    indexer,
    queue: {
      ...createDueRegistry(platform),
      /** Reports that mail of that tenant and lane is due at `dueAt`. */
      wake: (tenantId: string, lane: Lane, dueAt: number) => wakeRelay(tenantId, lane, dueAt),
      /** Set later, because the relay is opened after the rooms that enqueue. */
      onWake: (listener: WakeRelay) => {
        wakeRelay = listener;
      },
    },
    routes: [
      ...searchRoutes({ files, clock, indexer }),
      ...messageRoutes(files),
      ...retentionRoutes({ files, clock, installation: () => config().retention }),
    ],
    nightly: [
      {
        what: 'content and events',
        run: (id, signal, pace) =>
          removeOld(id, { files, installation: config().retention, key, now: clock.now(), pace }, signal),
      },
      { what: 'search index', run: (id) => indexer.look(id) },
    ],
    stop: () => indexer.stop(),
  } satisfies Room & Record<string, unknown>;
};
