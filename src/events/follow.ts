// The followers of tenants' events: webhooks and alerts, each a queue of the work engine with a cursor of its own in the log.
// They are woken when something has been written to a tenant's file. What is to be sent is stored in the files alone.
//
// The registry keeps which tenants are followed: a tenant is there before its file has a follower, and for as long as it has
// one. So a start opens the files of these tenants and of no others, and none is forgotten.
//
// first follower: registry → tenant's file; a crash in between leaves a tenant that is looked at once for nothing
// last one gone:  tenant's file → registry; the same

import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb, TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Registers } from '#src/kernel/registers.ts';
import type { WorkEngine } from '#src/kernel/work/engine.ts';
import type { WorkItem } from '#src/kernel/work/in-flight.ts';
import type { Claim, OpenQueue, WorkQueue } from '#src/kernel/work/queue.ts';
import type { FollowerName } from './follow-store.ts';
import { type FollowedTenant, followerRegistryStore } from './follower-registry-store.ts';

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
  /** See WorkEngine. */
  endWork(tenantId: string): boolean;
  start(): Promise<void>;
  /** See WorkEngine.stop. */
  stop(patience?: number): Promise<void>;
}

export const createFollowing = (
  platform: DurableFile<PlatformDb>,
  files: Pick<TenantFiles, 'read' | 'visit' | 'watch'>,
  work: WorkEngine,
): Following => {
  const queues = new Map<FollowerName, OpenQueue & Pick<Follower<never, never>, 'isFollowed' | 'forget'>>();
  const registry = createRegistry(platform);
  let unwatch = (): void => undefined;

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
      const claimDue = async (tenantId: string, claim: Parameters<typeof follower.claimDue>[1]) => {
        const mark = registry.mark();
        const turn = () => follower.claimDue(tenantId, claim);
        // After a start all are looked at, and most have nothing to do: files in use keep their places.
        const next = await (claim.isFirst ? files.visit(tenantId, turn) : turn());
        if (next !== 'unfollowed') return next;
        await registry.remove(name, tenantId, mark);
        return null;
      };
      const queue = work.open({ ...follower, claimDue });
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
      await registerAgain(tenantId);
    },
    endWork: work.endWork,
    start: async () => {
      unwatch = files.watch((tenantId) => {
        for (const name of registry.of(tenantId)) wake(name, tenantId);
      });
      for (const { follower, tenant_id } of await registry.load()) queues.get(follower)?.lookLater(tenant_id);
      work.start();
    },
    stop: async (patience) => {
      unwatch();
      await work.stop(patience);
    },
  };
};

const NONE: ReadonlySet<FollowerName> = new Set();

const createRegistry = (platform: DurableFile<PlatformDb>) => {
  const registered = new Map<string, Set<FollowerName>>();
  /** Additions in progress: a caller that relies on one waits for it. */
  const adding = new Map<string, Promise<void>>();
  const holds = new Map<string, number>();
  /** When each was let go of last, as a mark: what was seen of the file before may be outdated. */
  const letGo = new Map<string, number>();
  let marks = 0;

  const keyOf = (follower: FollowerName, tenantId: string): string => `${follower} ${tenantId}`;

  const remember = ({ tenant_id, follower }: FollowedTenant): void => {
    const present = registered.get(tenant_id);
    if (present) present.add(follower);
    else registered.set(tenant_id, new Set([follower]));
  };
  const forget = ({ tenant_id, follower }: FollowedTenant): void => {
    const present = registered.get(tenant_id);
    present?.delete(follower);
    if (present?.size === 0) registered.delete(tenant_id);
    letGo.delete(keyOf(follower, tenant_id));
  };

  const add = (row: FollowedTenant): Promise<void> => {
    const key = keyOf(row.follower, row.tenant_id);
    remember(row);
    const written = platform
      .write((db) => followerRegistryStore(db).add(row.tenant_id, row.follower))
      .catch((error) => {
        forget(row);
        throw error;
      })
      .finally(() => {
        if (adding.get(key) === written) adding.delete(key);
      });
    adding.set(key, written);
    return written;
  };

  const release = (key: string): void => {
    const count = (holds.get(key) ?? 0) - 1;
    if (count > 0) holds.set(key, count);
    else holds.delete(key);
    letGo.set(key, ++marks);
  };

  return {
    /** What the last process left, read at start. */
    load: async (): Promise<readonly FollowedTenant[]> => {
      const rows = await platform.read((db) => followerRegistryStore(db).all());
      for (const row of rows) remember(row);
      return rows;
    },
    of: (tenantId: string): ReadonlySet<FollowerName> => registered.get(tenantId) ?? NONE,
    /** See Following.hold. */
    hold: async (follower: FollowerName, tenantId: string): Promise<() => void> => {
      const key = keyOf(follower, tenantId);
      holds.set(key, (holds.get(key) ?? 0) + 1);
      try {
        await (registered.get(tenantId)?.has(follower)
          ? adding.get(key)
          : add({ tenant_id: tenantId, follower }));
      } catch (error) {
        release(key);
        throw error;
      }
      let held = true;
      return () => {
        if (held) release(key);
        held = false;
      };
    },
    /** The present, to be handed to `remove`: taken before the tenant's file is looked at. */
    mark: (): number => marks,
    /** The file has no follower, as seen after `mark`. The tenant stays where a hold is, or was since. */
    remove: async (follower: FollowerName, tenantId: string, mark: number): Promise<void> => {
      const key = keyOf(follower, tenantId);
      if (holds.has(key) || (letGo.get(key) ?? 0) > mark) return;
      // This is done before anything is awaited, so that a follower that comes from now on is written after the removal, also
      // where it fails and the row may be there or not.
      forget({ tenant_id: tenantId, follower });
      await platform.write((db) => followerRegistryStore(db).remove(tenantId, follower));
    },
  };
};
