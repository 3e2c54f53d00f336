// What is to be done for a tenant's audience beside answering requests, as one follower of its log and queue of the work engine:
// what follows from events, confirmation mails that left, imports, erasures, campaigns. Each is a task; what a task has
// due is an item, of which each is worked on for a short while and then looked at again, so that all take turns.
//
// An item is worked on in short transactions, each of which also writes how far it has come. So a crash repeats nothing that is
// stored, and what was due then is due after the start: the registry knows which tenants have such work.

import type { Following } from '#src/events/follow.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Log } from '#src/kernel/log.ts';
import type { Clock } from '#src/kernel/time.ts';
import type { WorkItem } from '#src/kernel/work/in-flight.ts';

export interface Due {
  /** Items that are to be worked on now, the most urgent first. */
  readonly items: readonly number[];
  /** When to look again without being woken, ms; null: never. */
  readonly next: number | null;
}

export interface Task {
  readonly name: string;
  /** Reads only, and little: it is called after each commit of a tenant that has an audience. */
  due(db: TenantDb, tenantId: string, now: number): Due;
  /** Works on an item for a short while, until `signal` aborts at the latest. A rejection is reported, and tried again later. */
  run(tenantId: string, item: number, signal: AbortSignal): Promise<void>;
  /** Whether the file has something for which the tenant must be looked at, also after a restart. */
  isNeeded(db: TenantDb): boolean;
  /** See Follower. */
  readonly forget?: (tenantId: string) => void;
}

interface TaskItem extends WorkItem {
  readonly task: Task;
  readonly item: number;
}

/** An error; null where the work went well. */
type Failure = { readonly error: unknown } | null;

export const openAudienceWork = (
  { files, clock, log }: { readonly files: TenantFiles; readonly clock: Clock; readonly log: Log },
  following: Pick<Following, 'open'>,
  tasks: readonly Task[],
): { readonly stop: () => void } => {
  const stopping = new AbortController();
  const isFollowed = (db: TenantDb): boolean => tasks.some((task) => task.isNeeded(db));
  following.open<TaskItem, Failure>({
    name: 'audience',
    limits: {
      total: { running: 8, claimed: 8 },
      tenant: { running: 4, claimed: 4 },
      target: () => ({ running: 1, claimed: 1 }),
    },
    pausesFrom: 1,
    isFollowed,
    forget: (tenantId) => {
      for (const task of tasks) task.forget?.(tenantId);
    },
    claimDue: async (tenantId, { room, isInFlight, take }) => {
      const found = await files.read(tenantId, (db) =>
        isFollowed(db) ? tasks.map((task) => ({ task, due: task.due(db, tenantId, clock.now()) })) : null,
      );
      if (found === null) return 'unfollowed';
      for (const { task, due } of found)
        for (const item of due.items) {
          const key = `${task.name} ${item}`;
          if (!isInFlight(key) && room(key) > 0) take({ key, target: key, bytes: 0, task, item });
        }
      const times = found.flatMap(({ due: { next } }) => (next === null ? [] : [next]));
      return times.length === 0 ? null : Math.min(...times);
    },
    attempt: async (tenantId, { task, item }) => {
      try {
        await task.run(tenantId, item, stopping.signal);
        return null;
      } catch (error) {
        return { error };
      }
    },
    resultOf: (failure) => ({ isSuccess: failure === null }),
    settle: async (tenantId, { key }, failure, failures) => {
      if (failure !== null)
        log.error(
          { tenant: tenantId, work: key, failures, err: failure.error },
          'work for an audience failed',
        );
    },
    giveBack: async () => undefined,
  });
  return { stop: () => stopping.abort() };
};
