// Sends what is queued. It sleeps until something is due, or until someone reports that something is.
//
// 1. Places. Of each path (upstreams.ts) the upstream that works says how many messages it takes at once; their bytes are bounded
//    as well. Free places go to the tenant of that path whose turn it is (due-heap.ts), a share to each that waits, so that a large mailing does not keep others waiting.
//    Transactional mail goes first, and marketing mail leaves a quarter of the places free.
// 2. Claim (claim.ts). One transaction of the tenant's file takes due recipients out of its queue and writes the attempt and the
//    time of the next one, before the network is touched. It also puts back what is claimed and not worked on: what an earlier process had
//    claimed (once, at the first claim of a tenant), and claims whose answer was lost (`orphans`).
// 3. Attempt (attempt.ts). Compose, sign, transmit. An outcome that means another attempt names its time, and the tenant is due
//    again then. No upstream to try: the recipient goes back into the queue without the attempt.
// 4. Settle. The outcome is written until the tenant's disk takes it. While it does not, the place is given to others, and
//    nothing more of that tenant is claimed, because it would only wait for the same file.
//
// A claim that fails is tried again after 5 s. A stop claims nothing more and waits for the attempts in flight; an outcome that
// could not be stored by then is attempted again after the next start, at the time that its claim wrote.
import { limitConcurrency } from '#src/kernel/concurrency.ts';
import { freeNow } from '#src/kernel/large-octets.ts';
import { type Lane, lanes, streams } from '#src/kernel/stream.ts';
import { SECOND, sleep } from '#src/kernel/time.ts';
import { createPump } from '#src/kernel/work/pump.ts';
import { type QueueRow, queueStore } from '#src/messages/queue/store.ts';
import { type AttemptDeps, storeOutcome, transmit } from './attempt.ts';
import { type ClaimDeps, type Claimed, claimDue } from './claim.ts';
import { createDueHeap, type DueHeap, type TenantLane } from './due-heap.ts';
import type { deliveryDuration } from './metrics.ts';
import type { Path } from './upstreams.ts';

/**
 * Recipients of one claim. A commit may take as long as 30 acceptances do, and no tenant claims twice in one: with fewer, more is
 * accepted than leaves, and the signatures have nothing to do. Where other tenants wait each gets its share of the places.
 */
const CLAIM_SIZE = 64;
/** A claim may wait so long for a commit that others begin, where other messages are on their way: none waits alone. */
const CLAIM_WITHIN_MS = 3;
/** Bytes of messages in flight, as stored; composing needs about three times as much. */
const MAX_BYTES_IN_FLIGHT = 32 * 1_024 * 1_024;
/** A copy of this size takes several times as much while it is composed, so one is composed after the other. */
const LARGE_FROM_BYTES = 1_048_576;
/** Share of the capacity that marketing mail leaves free, so that a transactional message never waits for it. */
const TRANSACTIONAL_RESERVE = 0.25;
/** The pause after a tenant's file could not be read or written. */
const FILE_RETRY_MS = 5 * SECOND;

export interface DispatcherDeps extends ClaimDeps, AttemptDeps {
  readonly deliveries: ReturnType<typeof deliveryDuration>;
}

export interface Dispatcher {
  /** Something of this tenant and lane is due at `dueAt`. */
  wake(of: TenantLane, dueAt: number): void;
  /**
   * Transactional mail of the tenant that is due at once has just been handed to its file. Where it has no claim under way, and all
   * who wait get a place, the claim goes into the same transaction: one commit less for a tenant that sends now and then.
   * False where there is no such claim, and the caller wakes as usual. `isWritten`: the claim is behind the mail in the file.
   */
  claimAlong(tenantId: string, isWritten: () => boolean): boolean;
  /** The next time of this tenant; 0 while something of it is in flight; null where nothing is queued. */
  nextDue(tenantId: string): number | null;
  /** Nothing of this tenant is being claimed or sent. */
  isIdle(tenantId: string): boolean;
  /** The tenant is gone: nothing of it is due any more. Called while no work of it may begin and none is in flight. */
  forget(tenantId: string): void;
  /** All tenants and lanes of which something is queued and nothing is being claimed, with the next time of each, in no order. */
  queued(): (TenantLane & { readonly dueAt: number })[];
  /** Looks at once for what may be sent: an upstream may be tried again. */
  resume(): void;
  describe(): { waiting_tenants: number; in_flight: number; next_due_at: number | null };
  /** Recipients being sent, and places kept for claims in progress. */
  inFlight(): Readonly<Record<Lane, number>>;
  start(): void;
  /** Claims nothing more; resolves when what is in flight has ended, or after `patienceMs`. */
  stop(patienceMs: number): Promise<void>;
}

/** Counts by key; a key without any has no entry. */
const createCounts = () => {
  const counts = new Map<string, number>();
  return {
    has: (key: string): boolean => counts.has(key),
    add: (key: string, change: number): void => {
      const count = (counts.get(key) ?? 0) + change;
      if (count === 0) counts.delete(key);
      else counts.set(key, count);
    },
  };
};

const earliest = (times: readonly (number | null)[]): number | null => {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
};

const keyOf = ({ tenantId, lane }: TenantLane): string => `${lane}${tenantId}`;

export const createDispatcher = (deps: DispatcherDeps): Dispatcher => {
  const { files, upstreams, clock, log } = deps;
  /** What is due on each path, so that one whose upstreams fail holds up no other. */
  const heaps = new Map<Path, DueHeap>();
  /** Tenants and lanes being claimed for, with the earliest time for which they were woken meanwhile. */
  const claiming = new Map<string, number | null>();
  /** Tenants for which the claims of an earlier process have been put back. */
  const recovered = new Set<string>();
  /** The places that each tenant has taken. */
  const inFlightOf = createCounts();
  /** The claimed rows that this process works on, counted by tenant. */
  const working = createCounts();
  /** Each tenant's outcomes that could not be stored yet. They take no place. */
  const unsettled = createCounts();
  /** Rows of claims that were not answered: they may be claimed in the file although nothing works on them. */
  const orphans = new Map<string, Map<number, QueueRow>>();
  const composeLarge = limitConcurrency(1);
  const tasks = new Set<Promise<void>>();
  const stopped = new AbortController();
  /** Recipients being sent, and places kept for claims in progress, of all paths. */
  let inFlight = 0;
  const marketingInFlight = new Map<Path, number>();
  let bytesInFlight = 0;

  const heapOf = (of: TenantLane): DueHeap => {
    const path = upstreams.pathOf(of);
    const heap = heaps.get(path) ?? createDueHeap();
    heaps.set(path, heap);
    return heap;
  };

  const occupy = (of: TenantLane, path: Path, places: number): void => {
    path.occupy(places);
    inFlight += places;
    if (of.lane === 1) marketingInFlight.set(path, (marketingInFlight.get(path) ?? 0) + places);
    inFlightOf.add(of.tenantId, places);
  };

  const wake = (of: TenantLane, dueAt: number): void => {
    const key = keyOf(of);
    const woken = claiming.get(key);
    if (woken === undefined) heapOf(of).lower(of, dueAt);
    else claiming.set(key, Math.min(woken ?? dueAt, dueAt));
    pump.ask();
  };

  /** Gives free places to those whose time has come. */
  const pump = createPump(clock, (now) => {
    for (const [path, heap] of heaps) fill(path, heap, now);
    // What waits for a place is looked at when one becomes free; another lane may have places when its time comes.
    return earliest(
      [...heaps].flatMap(([path, heap]) => [heap.waiting(now) > 0 ? path.retryAt(now) : null, heap.nextAt()]),
    );
  });

  const fill = (path: Path, heap: DueHeap, now: number): void => {
    for (;;) {
      const free = bytesInFlight < MAX_BYTES_IN_FLIGHT ? path.capacity(now) : 0;
      if (free === 0) break;
      const marketing = marketingInFlight.get(path) ?? 0;
      const reserve = path.sharesWithTransactional(now) ? TRANSACTIONAL_RESERVE : 0;
      const marketingFree = Math.floor((free + path.inFlight) * (1 - reserve)) - marketing;
      const next = heap.take(now, (lane) => lane === 0 || marketingFree > 0 || path.inFlight === 0);
      if (next === null) break;
      const share = Math.floor(free / (heap.waiting(now) + 1));
      const limit = next.lane === 0 ? free : Math.max(1, Math.min(free, marketingFree));
      track(claimFor(next, Math.max(1, Math.min(CLAIM_SIZE, share, limit))));
    }
  };

  const claimAlong: Dispatcher['claimAlong'] = (tenantId, isWritten) => {
    const of: TenantLane = { tenantId, lane: 0 };
    const path = upstreams.pathOf(of);
    const now = clock.now();
    if (!pump.isRunning() || claiming.has(keyOf(of)) || bytesInFlight >= MAX_BYTES_IN_FLIGHT) return false;
    const heap = heapOf(of);
    const share = Math.floor(path.capacity(now) / (heap.waiting(now) + 1));
    if (share === 0) return false;
    // The claim knows the next time of all that waits.
    heap.set(of, null);
    track(claimFor(of, Math.min(CLAIM_SIZE, share), isWritten));
    return true;
  };

  const track = (task: Promise<void>): void => {
    tasks.add(task);
    task.finally(() => {
      tasks.delete(task);
      pump.ask();
    });
  };

  /**
   * One claim, and the attempts that follow from it. `seesAll`: whether the mail that began it is in the file; else it is due again.
   * Never rejects.
   */
  const claimFor = async (of: TenantLane, places: number, seesAll = () => true): Promise<void> => {
    const { tenantId, lane } = of;
    const key = keyOf(of);
    if (unsettled.has(tenantId) || !files.mayBegin(tenantId))
      return heapOf(of).set(of, clock.now() + FILE_RETRY_MS);
    const patience = inFlight > 0 ? CLAIM_WITHIN_MS : 0;
    const path = upstreams.pathOf(of);
    occupy(of, path, places);
    claiming.set(key, null);
    let nextDue: number | null;
    let taken: readonly QueueRow[] = [];
    let recovers = false;
    let sawAll = true;
    const take = (rows: readonly QueueRow[]): void => {
      const bytes = (of: readonly QueueRow[]): number => of.reduce((sum, row) => sum + row.size_bytes, 0);
      bytesInFlight += bytes(rows) - bytes(taken);
      taken = rows;
    };
    /** Undoes what the claim has counted. Returns the rows it had taken. */
    const undo = (): readonly QueueRow[] => {
      const rows = taken;
      take([]);
      if (recovers) recovered.delete(tenantId);
      recovers = false;
      return rows;
    };
    try {
      const { claimed, next } = await files.write(
        tenantId,
        (db) => {
          // The function may run twice.
          undo();
          sawAll = seesAll();
          const queue = queueStore(db);
          // Before the others, which are due only when their claims said.
          for (const other of lanes)
            for (const row of orphans.get(keyOf({ tenantId, lane: other }))?.values() ?? [])
              queue.giveBack(row, row.attempts - 1, clock.now());
          // Claims that nothing works on: of a process that died, or left behind by a sync that failed.
          if (!recovered.has(tenantId) && !working.has(tenantId)) {
            queue.releaseAll();
            recovered.add(tenantId);
            recovers = true;
          }
          const byteBudget = MAX_BYTES_IN_FLIGHT - bytesInFlight;
          // Others may have claimed since the places were given.
          if (byteBudget <= 0) return { claimed: [], next: queue.nextDue() };
          const request = {
            tenantId,
            lane,
            limit: places,
            byteBudget,
            now: clock.now(),
            policy: deps.policy(),
          };
          const result = claimDue(db, request, deps);
          // The rows are taken at once: others claim before this is answered.
          take(result.claimed.map(({ row }) => row));
          return result;
        },
        patience,
      );
      // The taken rows count only now: what an undone run of the other lane had counted would keep this one from putting back
      // old claims.
      working.add(tenantId, taken.length);
      orphans.delete(key);
      nextDue = sawAll ? next[lane] : clock.now();
      const other: TenantLane = { tenantId, lane: lane === 0 ? 1 : 0 };
      const otherDue = next[other.lane];
      if (otherDue !== null) wake(other, otherDue);
      occupy(of, path, claimed.length);
      for (const one of claimed) track(deliver(of, path, one));
    } catch (error) {
      log.error({ err: error, tenant: tenantId }, 'queue of a practice could not be read');
      const lost = undo();
      if (lost.length > 0) {
        const kept = orphans.get(key) ?? new Map<number, QueueRow>();
        for (const row of lost) kept.set(row.recipient_id, row);
        orphans.set(key, kept);
      }
      nextDue = clock.now() + FILE_RETRY_MS;
    }
    occupy(of, path, -places);
    const woken = claiming.get(key) ?? null;
    claiming.delete(key);
    heapOf(of).set(of, nextDue === null ? woken : Math.min(nextDue, woken ?? nextDue));
  };

  /** One attempt and its outcome. Never rejects. */
  const deliver = async (of: TenantLane, path: Path, claimed: Claimed): Promise<void> => {
    const { tenantId } = of;
    const { row } = claimed;
    const compose = row.size_bytes > LARGE_FROM_BYTES ? () => composeLarge(claimed.prepare) : claimed.prepare;
    let message: Buffer = Buffer.alloc(0);
    const prepare = async (): Promise<Buffer> => {
      message = await compose();
      return message;
    };
    let failedToStore = false;
    let placeGivenBack = false;
    const giveBackPlace = (): void => {
      if (placeGivenBack) return;
      placeGivenBack = true;
      bytesInFlight -= row.size_bytes;
      occupy(of, path, -1);
      pump.ask();
    };
    try {
      const result = await transmit(deps, tenantId, path, { ...claimed, prepare });
      // After another reply a part of it may still be on its way into the socket; what is captured keeps it.
      if (result.outcome?.kind === 'accepted' && result.choice?.upstream.kind === 'smtp') freeNow(message);
      if (result.outcome?.kind === 'accepted')
        deps.deliveries.note?.({ stream: streams[of.lane] }, (clock.now() - claimed.waitsSince) / SECOND);
      const dueAt = await storeOutcome(deps, tenantId, row, result, stopped.signal, () => {
        if (!failedToStore) unsettled.add(tenantId, 1);
        failedToStore = true;
        giveBackPlace();
      });
      if (dueAt !== null) wake(of, dueAt);
    } finally {
      giveBackPlace();
      if (failedToStore) unsettled.add(tenantId, -1);
      working.add(tenantId, -1);
      // The last one of a tenant whose earlier claims could not be put back before: now they can.
      if (!working.has(tenantId) && !recovered.has(tenantId)) wake(of, clock.now());
    }
  };

  const isIdle = (tenantId: string): boolean => !inFlightOf.has(tenantId) && !working.has(tenantId);

  return {
    wake,
    claimAlong,
    isIdle,
    nextDue: (tenantId) =>
      !isIdle(tenantId) ? 0 : earliest([...heaps.values()].map((heap) => heap.dueOf(tenantId))),
    forget: (tenantId) => {
      recovered.delete(tenantId);
      for (const lane of lanes) {
        orphans.delete(keyOf({ tenantId, lane }));
        for (const heap of heaps.values()) heap.set({ tenantId, lane }, null);
      }
    },
    queued: () => [...heaps.values()].flatMap((heap) => heap.entries()),
    resume: pump.ask,
    describe: () => ({
      waiting_tenants: [...heaps.values()].reduce((sum, heap) => sum + heap.size(), 0),
      in_flight: inFlight,
      next_due_at: earliest([...heaps.values()].map((heap) => heap.nextAt())),
    }),
    inFlight: () => {
      const marketing = [...marketingInFlight.values()].reduce((sum, count) => sum + count, 0);
      return { 0: inFlight - marketing, 1: marketing };
    },
    start: pump.start,
    stop: async (patienceMs) => {
      pump.stop();
      const patience = new AbortController();
      await Promise.race([allEnded(tasks), sleep(patienceMs, patience.signal)]);
      patience.abort();
      stopped.abort();
    },
  };
};

/** Resolves when the set is empty, whatever is added meanwhile. */
const allEnded = async (tasks: ReadonlySet<Promise<void>>): Promise<void> => {
  while (tasks.size > 0) await Promise.all(tasks);
};
