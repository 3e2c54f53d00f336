// Keeps in the registry who follows which tenant's events: a tenant stands there before anybody in its file can follow, and
// for as long as anybody does. So a start opens the files of these tenants and of no others, and nobody is forgotten.
//
// first follower: registry → tenant's file; a crash in between leaves a tenant that is looked at once for nothing
// last one gone:  tenant's file → registry; the same

import type { FollowerName } from '#src/events/follow-store.ts';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { type FollowedTenant, followerRegistryStore } from './follower-registry-store.ts';

export interface FollowerRegistry {
  /** What the last process left, read at start. */
  load(): Promise<readonly FollowedTenant[]>;
  /** Who follows a tenant; undefined where nobody does. */
  of(tenantId: string): ReadonlySet<FollowerName> | undefined;
  /** See Following.hold. */
  hold(follower: FollowerName, tenantId: string): Promise<() => void>;
  /** The present, to be handed to `remove`: taken before the tenant's file is looked at. */
  mark(): number;
  /** The file has nobody to tell, as seen after `mark`. Whoever holds the tenant, or has held it since, keeps it there. */
  remove(follower: FollowerName, tenantId: string, mark: number): Promise<void>;
}

export const createFollowerRegistry = (platform: DurableFile<PlatformDb>): FollowerRegistry => {
  const registered = new Map<string, Set<FollowerName>>();
  /** Additions under way: whoever relies on one waits for it. */
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
    load: async () => {
      const rows = await platform.read((db) => followerRegistryStore(db).all());
      for (const row of rows) remember(row);
      return rows;
    },
    of: (tenantId) => registered.get(tenantId),
    hold: async (follower, tenantId) => {
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
    mark: () => marks,
    remove: async (follower, tenantId, mark) => {
      const key = keyOf(follower, tenantId);
      if (holds.has(key) || (letGo.get(key) ?? 0) > mark) return;
      // At once: whoever follows from now on is written after this, also where it fails and the row may stand or not.
      forget({ tenant_id: tenantId, follower });
      await platform.write((db) => followerRegistryStore(db).remove(tenantId, follower));
    },
  };
};
