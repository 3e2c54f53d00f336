// Whose turn it is. Tenants are looked at when they are woken, when a time of theirs has come, and once after a start; they
// take turns in the order in which they asked, some at once. What a turn itself writes wakes its tenant again: a turn begins
// with a look that finds nothing then, and writes nothing.

import type { FollowerName } from '#src/events/follow-store.ts';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import { createDueTimes } from '#src/kernel/due-times.ts';
import type { Log } from '#src/kernel/log.ts';
import { type Clock, MINUTE, SECOND } from '#src/kernel/time.ts';
import { createFollowerRegistry } from './follower-registry.ts';
import type { Follower, Following } from './following.ts';

export interface FollowingDeps {
  readonly platform: DurableFile<PlatformDb>;
  readonly files: Pick<TenantFiles, 'visit' | 'watch'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly followers: readonly Follower[];
}

/** Enough that a disk which syncs slowly keeps none waiting, few enough that their short work leaves the others room. */
const MAX_TURNS = 16;
/** Looks after a start, each of which may open a file: the others come first. */
const MAX_FIRST_LOOKS = 4;
/** It looks again at least so often: a clock that is set, or a machine that slept, must not hold events back. */
const MAX_TIMER_MS = MINUTE;
/** After a turn that failed; doubled with each failure that follows. */
const FIRST_RETRY_MS = 5 * SECOND;
const LAST_RETRY_MS = 5 * MINUTE;
const LOG_INTERVAL_MS = MINUTE;

interface Failing {
  failures: number;
  loggedAt: number;
}

interface Place {
  readonly follower: FollowerName;
  readonly tenantId: string;
}

const keyOf = (follower: FollowerName, tenantId: string): string => `${follower} ${tenantId}`;
const placeOf = (key: string): Place => {
  const [follower, tenantId] = key.split(' ') as [FollowerName, string];
  return { follower, tenantId };
};

export const createFollowing = ({ platform, files, clock, log, followers }: FollowingDeps): Following => {
  const registry = createFollowerRegistry(platform);
  const followerOf = new Map(followers.map((follower) => [follower.name, follower]));
  const times = createDueTimes();
  /** Whose turn is to come, in the order in which they asked. */
  const ready = new Set<string>();
  /** Not looked at since the start. */
  const unseen = new Set<string>();
  const turns = new Map<string, Promise<void>>();
  /** Woken while their turn was under way. */
  const again = new Set<string>();
  const failing = new Map<string, Failing>();
  let firstLooks = 0;
  let running = false;
  let pumpScheduled = false;
  let lastPumpAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let unwatch = (): void => undefined;

  /**
   * One that fails waits for its time: whatever is written meanwhile would make it fail once more. While it is tried again it may
   * have looked already, and succeed.
   */
  const wakeKey = (key: string): void => {
    if (turns.has(key)) again.add(key);
    else if (failing.has(key)) return;
    else ready.add(key);
    schedulePump();
  };
  const wake = (follower: FollowerName, tenantId: string): void => wakeKey(keyOf(follower, tenantId));

  const wakeAllOf = (tenantId: string): void => {
    const names = registry.of(tenantId);
    if (names !== undefined) for (const name of names) wake(name, tenantId);
  };

  const schedulePump = (): void => {
    if (pumpScheduled || !running) return;
    pumpScheduled = true;
    setImmediate(pump);
  };

  const pump = (): void => {
    pumpScheduled = false;
    if (!running) return;
    const now = clock.now();
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
    setTimer(now);
  };

  const setTimer = (now: number): void => {
    clearTimeout(timer);
    const next = times.nextAt();
    if (next === null || ready.size > 0) return;
    timer = setTimeout(schedulePump, Math.min(Math.max(next - now, 1), MAX_TIMER_MS));
  };

  const begin = (key: string, isFirst: boolean): void => {
    times.set(key, null);
    if (isFirst) firstLooks += 1;
    const turn = takeTurn(key, isFirst).finally(() => {
      if (isFirst) firstLooks -= 1;
      turns.delete(key);
      if (again.delete(key)) wakeKey(key);
      schedulePump();
    });
    turns.set(key, turn);
  };

  /** Never rejects. */
  const takeTurn = async (key: string, isFirst: boolean): Promise<void> => {
    const { follower, tenantId } = placeOf(key);
    const turn = (): Promise<number | null | 'nobody'> =>
      followerOf.get(follower)?.turn(tenantId) ?? Promise.resolve(null);
    const mark = registry.mark();
    try {
      // After a start all are looked at, and most have nothing to do: files in use keep their places.
      const next = await (isFirst ? files.visit(tenantId, turn) : turn());
      failing.delete(key);
      if (next === 'nobody') await registry.remove(follower, tenantId, mark);
      else if (next !== null && next <= clock.now()) again.add(key);
      else times.set(key, next);
    } catch (error) {
      times.set(key, clock.now() + failed(key, error));
    }
  };

  /** ms until it is tried again. */
  const failed = (key: string, error: unknown): number => {
    const { follower, tenantId } = placeOf(key);
    const now = clock.now();
    const state = failing.get(key) ?? { failures: 0, loggedAt: Number.NEGATIVE_INFINITY };
    failing.set(key, state);
    if (now - state.loggedAt >= LOG_INTERVAL_MS) {
      state.loggedAt = now;
      log.error(
        { err: error, tenant: tenantId, follower },
        'events of a practice cannot be told at the moment',
      );
    }
    const wait = Math.min(FIRST_RETRY_MS * 2 ** state.failures, LAST_RETRY_MS);
    state.failures += 1;
    return wait;
  };

  return {
    hold: async (follower, tenantId) => {
      const release = await registry.hold(follower, tenantId);
      return () => {
        release();
        // Where nobody came to follow after all, the turn says so.
        wake(follower, tenantId);
      };
    },
    wake,
    start: async () => {
      running = true;
      unwatch = files.watch(wakeAllOf);
      for (const { follower, tenant_id } of await registry.load()) unseen.add(keyOf(follower, tenant_id));
      schedulePump();
    },
    stop: async () => {
      running = false;
      unwatch();
      clearTimeout(timer);
      await Promise.all(turns.values());
    },
  };
};
