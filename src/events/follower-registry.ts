// Which tenants have followers, as the registry has it and this process remembers it, and when each follower has something to do
// of a tenant that rests (`written.ts`).
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import type { FollowerName } from './follow-store.ts';
import { type FollowedTenant, followerRegistryStore, NOT_LOOKED } from './follower-registry-store.ts';

type Followed = Pick<FollowedTenant, 'tenant_id' | 'follower'>;

/** When each follower has something to do; null: never. */
export type DueTimes = ReadonlyMap<FollowerName, number | null>;

export const createFollowerRegistry = (platform: DurableFile<PlatformDb>) => {
  const registered = new Map<string, Map<FollowerName, number | null>>();
  /** Additions in progress: a caller that relies on one waits for it. */
  const adding = new Map<string, Promise<void>>();
  const holds = new Map<string, number>();
  /** When each was let go of last, as a mark: what was seen of the file before may be outdated. */
  const letGo = new Map<string, number>();
  let marks = 0;

  const keyOf = (follower: FollowerName, tenantId: string): string => `${follower} ${tenantId}`;

  const remember = ({ tenant_id, follower, due_at }: FollowedTenant): void => {
    const present = registered.get(tenant_id);
    if (present) present.set(follower, due_at);
    else registered.set(tenant_id, new Map([[follower, due_at]]));
  };
  const forget = ({ tenant_id, follower }: Followed): void => {
    const present = registered.get(tenant_id);
    present?.delete(follower);
    if (present?.size === 0) registered.delete(tenant_id);
    letGo.delete(keyOf(follower, tenant_id));
  };

  const add = (row: Followed): Promise<void> => {
    const key = keyOf(row.follower, row.tenant_id);
    remember({ ...row, due_at: NOT_LOOKED });
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
    /** Asked at each commit. */
    registered: registered as ReadonlyMap<string, DueTimes>,
    /** Followers of the tenant are due at these times; returns what writes that. */
    setDue: (
      tenantId: string,
      times: readonly (readonly [FollowerName, number | null])[],
    ): ((db: PlatformDb) => void) => {
      for (const [follower, due_at] of times) remember({ tenant_id: tenantId, follower, due_at });
      return (db) => {
        for (const [follower, dueAt] of times) followerRegistryStore(db).setDue(tenantId, follower, dueAt);
      };
    },
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
