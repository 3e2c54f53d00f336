// The followers of tenants' events: webhooks and alerts, each a queue of the work engine with a cursor of its own in the log.
// They are woken when something has been written to a tenant's file. What is to be sent is stored in the files alone.
//
// The registry keeps which tenants are followed: a tenant is there before its file has a follower, and for as long as it has
// one. It also keeps whose files were written since their followers looked (`written.ts`), and when each follower has something
// to do of the others. So a start opens the files of tenants that were written or are due, and none is forgotten.
//
// first follower: registry → tenant's file; a crash in between leaves a tenant that is looked at once for nothing
// last one gone:  tenant's file → registry; the same

import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Registers } from '#src/kernel/registers.ts';
import type { Clock } from '#src/kernel/time.ts';
import type { WorkEngine } from '#src/kernel/work/engine.ts';
import type { WorkItem } from '#src/kernel/work/in-flight.ts';
import type { Claim, OpenQueue, WorkQueue } from '#src/kernel/work/queue.ts';
import type { FollowerName } from './follow-store.ts';
import { createFollowerRegistry, type DueTimes } from './follower-registry.ts';
import { followerRegistryStore } from './follower-registry-store.ts';
import { type Looker, type Written, wakeFollowers } from './written.ts';

export interface Follower<Item extends WorkItem, Outcome>
  extends Omit<WorkQueue<Item, Outcome>, 'name' | 'claimDue'> {
  readonly name: FollowerName;
  /** See WorkQueue.claimDue; `unfollowed` where the tenant has no follower of that name any more. */
  claimDue(tenantId: string, claim: Claim<Item>): Promise<number | null | 'unfollowed'>;
  /** Whether the tenant's file has such a follower. */
  isFollowed(db: TenantDb): boolean;
  /** The tenant's file is another one than before: what is remembered of its log holds no more. Absent where nothing is. */
  readonly forget?: (tenantId: string) => void;
}

export interface Following {
  /** Once for each follower, before `start`. */
  open<Item extends WorkItem, Outcome>(follower: Follower<Item, Outcome>): OpenQueue;
  /**
   * Resolves when the registry durably knows that the tenant has such a follower, and keeps it there until the function it
   * resolves with is called: by then the follower is in the tenant's file, or will not be.
   */
  hold(follower: FollowerName, tenantId: string): Promise<() => void>;
  /** Something is to be done for a tenant. Harmless at any time. */
  wake(follower: FollowerName, tenantId: string): void;
  /**
   * The nightly round calls it: a registry that was restored from an older backup than the files learns what it lacks. Writes
   * nothing where it knows the tenant. Rejects as a read of the file and as `hold`.
   */
  registerAgain(tenantId: string): Promise<void>;
  /** The tenant's file is another one than before. Rejects as `registerAgain`. */
  reopened(tenantId: string): Promise<void>;
  readonly registers: Registers;
  /** Brings to the registry when tenants are due that have not been written since they rested. */
  noteTimes(): Promise<void>;
  /** See WorkEngine. */
  endWork(tenantId: string): boolean;
  start(): Promise<void>;
  /** See WorkEngine.stop. */
  stop(patience?: number): Promise<void>;
}

interface Look {
  readonly mark: number;
  readonly next: number | null;
}

const TENANTS_AT_ONCE = 100;
const NONE: DueTimes = new Map();

const keyOf = (follower: FollowerName, tenantId: string): string => `${follower} ${tenantId}`;

export const createFollowing = (
  platform: DurableFile<PlatformDb>,
  files: Pick<TenantFiles, 'read' | 'visit' | 'watch'>,
  work: WorkEngine,
  written: Written,
  clock: Pick<Clock, 'now'>,
): Following => {
  const queues = new Map<FollowerName, OpenQueue & Pick<Follower<never, never>, 'isFollowed' | 'forget'>>();
  const registry = createFollowerRegistry(platform);
  const followersOf = (tenantId: string): DueTimes => registry.registered.get(tenantId) ?? NONE;
  /** The last look of each follower at a tenant that rested then: when it had begun, and what it found to be due. */
  const looks = new Map<string, Look>();
  /** Tenants that are due at another time than the registry may know. */
  const moved = new Set<string>();
  let unwatch = (): void => undefined;

  const looker = {
    hasLooked: (tenantId: string, mark: number) =>
      followersOf(tenantId)
        .keys()
        .every((name) => (looks.get(keyOf(name, tenantId))?.mark ?? 0) > mark),
    note: (tenantId: string) => {
      const times = followersOf(tenantId)
        .keys()
        .flatMap((name) => {
          const look = looks.get(keyOf(name, tenantId));
          return look === undefined ? [] : [[name, look.next] as const];
        });
      return registry.setDue(tenantId, [...times]);
    },
  } satisfies Looker;
  written.join(looker);

  const wake: Following['wake'] = (follower, tenantId) => queues.get(follower)?.wake(tenantId);
  const hold: Following['hold'] = async (follower, tenantId) => {
    const release = await registry.hold(follower, tenantId);
    return () => {
      release();
      // Where the follower was not made after all, the turn removes the tenant.
      wake(follower, tenantId);
    };
  };

  const registerAgain: Following['registerAgain'] = async (tenantId) => {
    const found = await files.read(tenantId, (db) => [...queues].filter(([, queue]) => queue.isFollowed(db)));
    for (const [name] of found) (await hold(name, tenantId))();
  };

  return {
    open: (follower) => {
      const { name } = follower;
      /** The mark of each turn in progress. */
      const begun = new Map<string, number>();
      const claimDue = async (tenantId: string, claim: Parameters<typeof follower.claimDue>[1]) => {
        const mark = registry.mark();
        begun.set(tenantId, written.mark());
        const turn = () => follower.claimDue(tenantId, claim);
        // After a start all are looked at, and most have nothing to do: files in use keep their places.
        const next = await (claim.isFirst ? files.visit(tenantId, turn) : turn());
        if (next !== 'unfollowed') return next;
        await registry.remove(name, tenantId, mark);
        return null;
      };
      const looked: WorkQueue<never, never>['looked'] = (tenantId, { rests, next }) => {
        const mark = begun.get(tenantId);
        begun.delete(tenantId);
        const isKnown = followersOf(tenantId).has(name);
        if (rests && mark !== undefined && isKnown) looks.set(keyOf(name, tenantId), { mark, next });
        else looks.delete(keyOf(name, tenantId));
        if (rests && isKnown && followersOf(tenantId).get(name) !== next) moved.add(tenantId);
      };
      const queue = work.open({ ...follower, claimDue, looked });
      const { isFollowed, forget } = follower;
      queues.set(name, { ...queue, isFollowed, ...(forget ? { forget } : {}) });
      return queue;
    },
    hold,
    wake,
    registers: (tenant, { tenantId }) => {
      const found = [...queues].filter(([, queue]) => queue.isFollowed(tenant));
      return (db) => {
        for (const [name] of found) followerRegistryStore(db).add(tenantId, name);
      };
    },
    registerAgain,
    reopened: async (tenantId) => {
      for (const queue of queues.values()) queue.forget?.(tenantId);
      await written.replaced(tenantId);
      await registerAgain(tenantId);
    },
    noteTimes: async () => {
      // One that was written rests first: its times are noted with that.
      const resting = [...moved].filter((tenantId) => !written.isMarked(tenantId));
      moved.clear();
      while (resting.length > 0) {
        const some = resting.splice(0, TENANTS_AT_ONCE).filter((tenantId) => !written.isMarked(tenantId));
        const notes = some.map(looker.note);
        await platform.write((db) => {
          for (const note of notes) note(db);
        });
      }
    },
    endWork: work.endWork,
    start: async () => {
      unwatch = files.watch(wakeFollowers(registry.registered, wake));
      await written.load();
      for (const { follower, tenant_id, due_at } of await registry.load()) {
        const isDue = due_at !== null && due_at <= clock.now();
        if (isDue || written.isMarked(tenant_id)) queues.get(follower)?.lookLater(tenant_id);
        else if (due_at !== null) queues.get(follower)?.lookAt(tenant_id, due_at);
      }
      work.start();
    },
    stop: async (patience) => {
      unwatch();
      await work.stop(patience);
    },
  };
};
