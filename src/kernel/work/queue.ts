// One queue of the engine (see `engine.ts`): what it claimed is tried in turns by target, settled, and given back.
import { type Clock, SECOND } from '#src/kernel/time.ts';
import { type AttemptResult, healthAfter, isFailing, isHeld, unknownHealth } from './health.ts';
import { createInFlight, type Target, type WorkItem, type WorkLimits } from './in-flight.ts';
import { settleUntilStored } from './settle.ts';

/** What a turn may claim. */
export interface Claim<Item> {
  /** This process has not looked at the tenant before. */
  readonly isFirst: boolean;
  /** How many more items may be taken for a target; where others hold the places, the tenant is woken when there is room. */
  room(target: string): number;
  /** Whether this process works on an item already: it is left alone, whatever its time. */
  isInFlight(key: WorkItem['key']): boolean;
  /** First in a transaction that takes, because it may run twice: what its undone run took is let go of. */
  startOver(): void;
  /**
   * Called in the transaction that writes the item's attempt and the time of the next one. It is tried once `claimDue`
   * resolves.
   */
  take(item: Item): void;
}

/** The policy of a queue. Neither tenants nor targets mean more to the engine than their names. */
export interface WorkQueue<Item extends WorkItem, Outcome> {
  readonly name: string;
  readonly limits: WorkLimits;
  /** A target pauses from this failure in a row on; see `healthAfter`. Absent: it never pauses. */
  readonly pausesFrom?: number;
  /**
   * Claims what is due for a tenant: short work on its file, which waits for no network and writes nothing where nothing is to
   * be done. Resolves with when the tenant is to be looked at again without being woken (ms since the epoch; null: never).
   * Rejects where the file cannot be read or written: what it took is dropped, and it is called again later.
   */
  claimDue(tenantId: string, claim: Claim<Item>): Promise<number | null>;
  /**
   * Called at the end of each turn that did not fail. `rests`: nothing is in flight or waits for room, so that nothing is to be done
   * before `next` unless the file is written. A turn that a stop has cut short does not rest.
   */
  looked?(tenantId: string, look: { readonly rests: boolean; readonly next: number | null }): void;
  /** One attempt. Rejects by a defect only: the item is then due at the time that its claim wrote. */
  attempt(tenantId: string, item: Item): Promise<Outcome>;
  resultOf(outcome: Outcome, item: Item): AttemptResult;
  /** Stores the outcome; called again until it resolves. `failures` of the target, in a row. */
  settle(tenantId: string, item: Item, outcome: Outcome, failures: number): Promise<void>;
  /** Claimed items that were not tried are due at once, without the attempt. They go out at their time where it rejects. */
  giveBack(tenantId: string, items: readonly Item[]): Promise<void>;
}

/** What the owner of an open queue may do with it. */
export interface OpenQueue {
  /** Something of the tenant may be due. Harmless at any time. */
  wake(tenantId: string): void;
  /** Like `wake`, but after all that is woken, and few at a time: this is for a start. */
  lookLater(tenantId: string): void;
  /** The tenant has its turn at that time where nothing wakes it before: for a start. */
  lookAt(tenantId: string, at: number): void;
  /** Another part of the process works on an item until it calls the function that is returned; a stop waits for it. */
  keep(tenantId: string, key: WorkItem['key']): () => void;
  /** A target is held no longer: someone has seen it work, or expects it to. */
  endBackoff(tenantId: string, target: string): void;
  /** A target has become another, or is gone: what waits for it is given back, and nothing is known about it any more. */
  restart(tenantId: string, target: string): void;
  /** `in_flight`: attempts; `waiting`: claimed items that wait for a place; `unsettled`: outcomes that the disk did not take. */
  facts(): { in_flight: number; waiting: number; unsettled: number; waiting_tenants: number };
}

export interface QueueDeps {
  readonly clock: Clock;
  readonly wake: (tenantId: string) => void;
  /** See TenantFiles. */
  readonly mayBegin: (tenantId: string) => boolean;
  readonly report: (tenantId: string, error: unknown, message: string) => void;
  /** Aborts at a stop. */
  readonly stopping: AbortSignal;
  /** Whether the stop did not wait any longer: the files are closed. */
  readonly isAbandoned: () => boolean;
}

/** A tenant whose work is held is looked at again after that. */
const HELD_AGAIN_MS = 2 * SECOND;

export const openQueue = <Item extends WorkItem, Outcome>(
  queue: WorkQueue<Item, Outcome>,
  { clock, wake, mayBegin, report, stopping, isAbandoned }: QueueDeps,
) => {
  const inFlight = createInFlight<Item>(queue.limits, clock);
  /** Targets with items to be tried, in the order of their turns. */
  const waiting = new Set<Target<Item>>();
  const tracked = new Set<Promise<void>>();
  /** Tenants whose turn is in progress. */
  const turning = new Set<string>();

  const track = (work: Promise<void>): void => {
    const ended = work.finally(() => tracked.delete(ended));
    tracked.add(ended);
  };
  const toTheEnd = (target: Target<Item>): void => {
    waiting.delete(target);
    if (target.queue.length > 0) waiting.add(target);
  };
  const wakeOne = (tenantId: string): void => {
    if (!stopping.aborted) wake(tenantId);
  };
  const wakeTurnedAway = (tenantId: string): void => {
    for (const one of inFlight.takeTurnedAway(tenantId)) wakeOne(one);
  };

  /** Tries what has a place. Targets take turns, so that none waits for another's. */
  const serve = (): void => {
    if (stopping.aborted) return;
    for (const target of waiting) {
      if (inFlight.isBusy()) return;
      if (!inFlight.hasPlace(target)) continue;
      const item = target.queue.shift();
      toTheEnd(target);
      if (item === undefined) continue;
      inFlight.count(target, 'running', 1);
      track(attempt(target, item));
    }
  };

  /** Never rejects. */
  const attempt = async (target: Target<Item>, item: Item): Promise<void> => {
    const { tenantId } = target;
    const started = performance.now();
    const tried = await Promise.try(() => queue.attempt(tenantId, item))
      .then((outcome) => ({ outcome, result: queue.resultOf(outcome, item) }))
      .catch((error) => {
        report(tenantId, error, 'an attempt ended by a defect');
        return { result: { isSuccess: false } };
      });
    inFlight.count(target, 'running', -1);
    const took = performance.now() - started;
    const { pausesFrom = Number.POSITIVE_INFINITY } = queue;
    inFlight.setHealth(target, healthAfter(target.health, tried.result, took, clock.now(), pausesFrom));
    if (hasTooMany(target)) track(takeBack(target));
    serve();
    if ('outcome' in tried) await settle(target, item, tried.outcome);
    else inFlight.free(target, item);
    end(target, [item]);
  };

  /** Its claim counts for the next one as soon as the disk fails: others do not wait for it. */
  const settle = async (target: Target<Item>, item: Item, outcome: Outcome): Promise<void> => {
    const { tenantId } = target;
    const { failures } = target.health;
    let isUnsettled = false;
    const write = async (): Promise<void> => {
      if (!isAbandoned()) await queue.settle(tenantId, item, outcome, failures);
    };
    await settleUntilStored(write, stopping, (error) => {
      report(tenantId, error, 'outcomes cannot be stored at the moment');
      if (isUnsettled) return;
      isUnsettled = true;
      inFlight.countUnsettled(tenantId, 1);
      inFlight.free(target, item);
      wakeTurnedAway(tenantId);
    });
    if (isUnsettled) inFlight.countUnsettled(tenantId, -1);
    else inFlight.free(target, item);
  };

  const end = (target: Target<Item>, items: readonly Item[]): void => {
    inFlight.end(
      target.tenantId,
      items.map(({ key }) => key),
    );
    inFlight.forgetIdle(target);
    wakeOne(target.tenantId);
    wakeTurnedAway(target.tenantId);
  };

  /** What waits behind a fault would only meet the same fault. */
  const hasTooMany = ({ health, claimed, queue: { length } }: Target<Item>): boolean =>
    length > 0 &&
    (stopping.aborted ||
      isHeld(health, clock.now()) ||
      (isFailing(health, clock.now()) && claimed > queue.limits.target(health).claimed));

  const takeBack = async (target: Target<Item>): Promise<void> => {
    const items = target.queue.splice(0);
    toTheEnd(target);
    await queue
      .giveBack(target.tenantId, items)
      .catch((error) => report(target.tenantId, error, 'what was claimed could not be given back'));
    for (const item of items) inFlight.free(target, item);
    end(target, items);
  };

  const begin = (tenantId: string, items: readonly Item[]): void => {
    const failing = new Set<Target<Item>>();
    for (const item of items) {
      const target = inFlight.targetOf(tenantId, item.target);
      target.queue.push(item);
      if (!waiting.has(target)) toTheEnd(target);
      // The target may have failed since the claim.
      if (hasTooMany(target)) failing.add(target);
    }
    for (const target of failing) track(takeBack(target));
    serve();
  };

  const drop = (tenantId: string, items: readonly Item[]): void => {
    for (const item of items) inFlight.free(inFlight.targetOf(tenantId, item.target), item);
    for (const item of items) inFlight.forgetIdle(inFlight.targetOf(tenantId, item.target));
    inFlight.end(
      tenantId,
      items.map(({ key }) => key),
    );
    wakeTurnedAway(tenantId);
  };

  return {
    /** Claims and begins. Resolves with when the tenant is to be looked at again; rejects as `claimDue`. */
    turn: async (tenantId: string, isFirst: boolean): Promise<number | null> => {
      if (stopping.aborted) return null;
      if (!mayBegin(tenantId)) return clock.now() + HELD_AGAIN_MS;
      inFlight.looks(tenantId);
      const taken: Item[] = [];
      const claim: Claim<Item> = {
        isFirst,
        room: (target) => (stopping.aborted ? 0 : inFlight.room(tenantId, target)),
        isInFlight: (key) => inFlight.has(tenantId, key),
        startOver: () => {
          if (taken.length > 0) drop(tenantId, taken.splice(0));
        },
        take: (item) => {
          // Counted at once: other tenants claim before this claim is on the disk.
          inFlight.begin(tenantId, item);
          taken.push(item);
        },
      };
      turning.add(tenantId);
      try {
        const next = await queue.claimDue(tenantId, claim);
        begin(tenantId, taken);
        const held = inFlight.heldUntil(tenantId);
        const again = next === null || held === null ? (next ?? held) : Math.min(next, held);
        queue.looked?.(tenantId, { rests: !stopping.aborted && inFlight.isAtRest(tenantId), next: again });
        return again;
      } catch (error) {
        drop(tenantId, taken);
        throw error;
      } finally {
        turning.delete(tenantId);
      }
    },
    /** Gives back what is not being tried yet of a tenant whose work is held. True once nothing is worked on. */
    endWork: (tenantId: string): boolean => {
      for (const target of [...waiting]) if (target.tenantId === tenantId) track(takeBack(target));
      return !turning.has(tenantId) && inFlight.isIdle(tenantId);
    },
    keep: (tenantId: string, key: WorkItem['key']): (() => void) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      inFlight.keep(tenantId, key);
      track(promise);
      return () => {
        inFlight.end(tenantId, [key]);
        resolve();
      };
    },
    endBackoff: (tenantId: string, key: string): void => {
      const target = inFlight.known(tenantId, key);
      if (target === undefined || target.health.good) return;
      inFlight.setHealth(target, { ...target.health, failures: 0, heldUntil: 0 });
      wakeOne(tenantId);
    },
    restart: (tenantId: string, key: string): void => {
      const target = inFlight.known(tenantId, key);
      if (target === undefined) return;
      inFlight.setHealth(target, unknownHealth);
      if (target.queue.length > 0) track(takeBack(target));
      inFlight.forgetIdle(target, 0);
      wakeOne(tenantId);
    },
    facts: () => ({
      ...inFlight.facts(),
      waiting: [...waiting].reduce((sum, { queue: { length } }) => sum + length, 0),
    }),
    /** Called after `stopping`: gives back what waits, and resolves when all that is in flight has ended. */
    drain: async (): Promise<void> => {
      for (const target of [...waiting]) track(takeBack(target));
      while (tracked.size > 0) await Promise.all(tracked);
    },
  };
};
