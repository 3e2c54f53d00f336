// The durable work engine: whatever is stored as due, is tried, may fail, and is tried again. A queue brings the policy (what is
// due, how many at once and per target, how to try, what an outcome means, when again); its state is in its tenants' files.
//
// 1. Due. A turn of one queue for one tenant comes when someone wakes it, when the time has come that the turn before named, and
//    once after a start, or at the time that is known from before. It claims what is due and has room, in one transaction of the tenant's file, which also writes the
//    attempt and the time of the next one. Nothing is tried before that is on the disk.
// 2. Try. Claimed items wait in memory, within bounds for their number and bytes. Targets take turns. Each has few attempts at
//    a time, a tenant has a part of the places, and targets that are slow, or about which nothing is known yet, have a part.
// 3. Settle. The outcome is stored, with all that follows from it, in one transaction that is repeated until the disk takes it.
//    Meanwhile the place is given to others, and nothing more of that tenant is claimed.
// 4. Again. The end of an item wakes its tenant, and tenants that found no room. A target that fails has one attempt at a time,
//    then pauses, and what was claimed for it is given back: it is due at once, without the attempt.
//
// Crash: what was claimed is due at the time that was written with the claim; an attempt that was in flight happens again.
// Stop: no turn begins; what was not tried is given back; attempts in flight end and are settled, as long as the stop waits.
// A turn that fails is taken again after 5 s, then ever later. Faults of a tenant's disk are reported once a minute.

import type { Log } from '#src/kernel/log.ts';
import { type Clock, MINUTE, sleep } from '#src/kernel/time.ts';
import type { WorkItem } from './in-flight.ts';
import { type OpenQueue, openQueue, type WorkQueue } from './queue.ts';
import { createSchedule } from './schedule.ts';

const REPORT_EVERY_MS = MINUTE;

export interface WorkEngine {
  /** The queue's name is not taken. Nothing happens before `start`. */
  open<Item extends WorkItem, Outcome>(queue: WorkQueue<Item, Outcome>): OpenQueue;
  /** See `openQueue`; of all queues. */
  endWork(tenantId: string): boolean;
  start(): void;
  /** Resolves when all has ended and is stored, after `patience` ms at the latest where that is given. */
  stop(patience?: number): Promise<void>;
}

export const createWorkEngine = ({
  clock,
  log,
  lastRetry,
  mayBegin = () => true,
}: {
  readonly clock: Clock;
  readonly log: Log;
  /** Whether work of the tenant may begin; always where absent. */
  readonly mayBegin?: (tenantId: string) => boolean;
  /** See ScheduleDeps.lastRetry. */
  readonly lastRetry?: number;
}): WorkEngine => {
  const queues = new Map<string, ReturnType<typeof openQueue>>();
  const reported = new Map<string, number>();
  const stopping = new AbortController();
  let abandoned = false;

  const keyOf = (queue: string, tenantId: string): string => `${queue} ${tenantId}`;
  const partsOf = (key: string) => key.split(' ') as [queue: string, tenantId: string];

  const report = (queue: string, tenantId: string, error: unknown, message: string): void => {
    const now = clock.now();
    const last = reported.get(keyOf(queue, tenantId)) ?? Number.NEGATIVE_INFINITY;
    if (Math.abs(now - last) < REPORT_EVERY_MS) return;
    reported.set(keyOf(queue, tenantId), now);
    log.error({ err: error, tenant: tenantId, queue }, message);
  };

  const schedule = createSchedule({
    clock,
    turn: async (key, isFirst) => {
      const [queue, tenantId] = partsOf(key);
      return (await queues.get(queue)?.turn(tenantId, isFirst)) ?? null;
    },
    lastRetry,
    onFailed: (key, error) =>
      report(...partsOf(key), error, 'work of a practice cannot be done at the moment'),
  });

  return {
    open: (queue) => {
      const { name } = queue;
      const opened = openQueue(queue, {
        clock,
        wake: (tenantId) => schedule.wake(keyOf(name, tenantId)),
        mayBegin,
        report: (tenantId, error, message) => report(name, tenantId, error, message),
        stopping: stopping.signal,
        isAbandoned: () => abandoned,
      });
      queues.set(name, opened);
      return {
        ...opened,
        wake: (tenantId) => schedule.wake(keyOf(name, tenantId)),
        lookLater: (tenantId) => schedule.lookLater(keyOf(name, tenantId)),
        lookAt: (tenantId, at) => schedule.lookAt(keyOf(name, tenantId), at),
      };
    },
    // Each is asked: it gives back what waits.
    endWork: (tenantId) =>
      Array.from(queues.values(), ({ endWork }) => endWork(tenantId)).every((isIdle) => isIdle),
    start: schedule.start,
    stop: async (patience) => {
      const drained = (async () => {
        stopping.abort();
        await schedule.stop();
        await Promise.all(Array.from(queues.values(), ({ drain }) => drain()));
      })();
      const waited = new AbortController();
      const waits = patience === undefined ? [] : [sleep(patience, waited.signal)];
      await Promise.race([drained, ...waits]);
      waited.abort();
      abandoned = true;
    },
  };
};
