// Whose turn it is. A key (a queue and a tenant) has its turn when it was woken, when its time has come, and once after a start.
// Turns are given in the order in which they were asked for, some at a time and never two of one key at once. What a turn
// itself writes wakes its key again: a turn begins with a look that finds nothing then, and writes nothing.

import { type Clock, MINUTE, SECOND } from '#src/kernel/time.ts';
import { createDueTimes, createPump, MAX_TIMER_MS } from './pump.ts';

/** Enough that a disk which syncs slowly keeps none waiting, few enough that their short work leaves the others room. */
const MAX_TURNS = 16;
/** First looks after a start may each open a file: the other turns come before them. */
const MAX_FIRST_LOOKS = 4;
/** The wait after a turn that failed; it doubles with each failure that follows. */
const FIRST_RETRY_MS = 5 * SECOND;
const LAST_RETRY_MS = 5 * MINUTE;

export interface ScheduleDeps {
  readonly clock: Clock;
  /** Resolves with when the key is to be looked at again without being woken, ms since the epoch; null: never. */
  readonly turn: (key: string, isFirst: boolean) => Promise<number | null>;
  readonly onFailed: (key: string, error: unknown) => void;
  /** The longest time until a turn that failed is taken again, ms; 5 min where absent. */
  readonly lastRetry?: number | undefined;
}

export interface Schedule {
  wake(key: string): void;
  lookLater(key: string): void;
  /** The key has its turn at that time, ms since the epoch, where nothing wakes it before. */
  lookAt(key: string, at: number): void;
  start(): void;
  /** No turn begins any more; resolves when those in progress have ended. */
  stop(): Promise<void>;
}

export const createSchedule = ({
  clock,
  turn,
  onFailed,
  lastRetry = LAST_RETRY_MS,
}: ScheduleDeps): Schedule => {
  const times = createDueTimes();
  /** Tenants whose turn is to come, in the order in which they asked. */
  const ready = new Set<string>();
  /** Tenants that were not looked at since the start. */
  const unseen = new Set<string>();
  const turns = new Map<string, Promise<void>>();
  /** Tenants that were woken during their turn. */
  const again = new Set<string>();
  /** Failures in a row. */
  const failing = new Map<string, number>();
  let firstLooks = 0;
  let lastPumpAt = Number.NEGATIVE_INFINITY;

  /**
   * A key that fails waits for its time: whatever is written meanwhile would make it fail again. While it is tried again it may
   * have looked already, and succeed.
   */
  const wake = (key: string): void => {
    if (turns.has(key)) again.add(key);
    else if (!failing.has(key)) ready.add(key);
    pump.ask();
  };

  const pump = createPump(clock, (now) => {
    // The clock has been set back: what was to be looked at then may be due now.
    if (now < lastPumpAt - MAX_TIMER_MS) for (const key of times.keys()) ready.add(key);
    lastPumpAt = now;
    for (let due = times.takeDue(now); due !== null; due = times.takeDue(now)) ready.add(due.key);
    for (const key of ready) {
      if (turns.size >= MAX_TURNS) break;
      ready.delete(key);
      begin(key, unseen.delete(key));
    }
    for (const key of unseen) {
      if (turns.size >= MAX_TURNS || firstLooks >= MAX_FIRST_LOOKS) break;
      unseen.delete(key);
      begin(key, true);
    }
    // Those that are ready wait for the end of a turn, which asks.
    return ready.size > 0 ? null : times.nextAt();
  });

  const begin = (key: string, isFirst: boolean): void => {
    times.set(key, null);
    if (isFirst) firstLooks += 1;
    const ended = takeTurn(key, isFirst).finally(() => {
      if (isFirst) firstLooks -= 1;
      turns.delete(key);
      if (again.delete(key)) wake(key);
      pump.ask();
    });
    turns.set(key, ended);
  };

  /** Never rejects. */
  const takeTurn = async (key: string, isFirst: boolean): Promise<void> => {
    try {
      const next = await turn(key, isFirst);
      failing.delete(key);
      if (next !== null && next <= clock.now()) again.add(key);
      else times.set(key, next);
    } catch (error) {
      onFailed(key, error);
      const failures = failing.get(key) ?? 0;
      failing.set(key, failures + 1);
      times.set(key, clock.now() + Math.min(FIRST_RETRY_MS * 2 ** failures, lastRetry));
    }
  };

  return {
    wake,
    lookLater: (key) => {
      unseen.add(key);
      pump.ask();
    },
    lookAt: (key, at) => {
      times.lower(key, at);
      pump.ask();
    },
    start: pump.start,
    stop: async () => {
      pump.stop();
      await Promise.all(turns.values());
    },
  };
};
