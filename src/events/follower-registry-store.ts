// Which tenants have followers, in the registry, so that a start opens no other files.

import { type PlatformDb, perConnection } from '#src/kernel/db/sqlite.ts';
import type { FollowerName } from './follow-store.ts';

export interface FollowedTenant {
  tenant_id: string;
  follower: FollowerName;
  /** When it has something to do, unless the file was written since it looked last; null: never. */
  due_at: number | null;
}

/** It has not looked yet. */
export const NOT_LOOKED = 0;

export const followerRegistryStore = perConnection((db: PlatformDb) => {
  const insert = db.prepare<[string, FollowerName]>(
    `INSERT INTO event_followers (tenant_id, follower, due_at) VALUES (?, ?, ${NOT_LOOKED})
     ON CONFLICT DO UPDATE SET due_at = excluded.due_at`,
  );
  const remove = db.prepare<[string, FollowerName]>(
    'DELETE FROM event_followers WHERE tenant_id = ? AND follower = ?',
  );
  const setDue = db.prepare<[number | null, string, FollowerName]>(
    'UPDATE event_followers SET due_at = ? WHERE tenant_id = ? AND follower = ?',
  );
  const all = db.prepare<[], FollowedTenant>(
    "SELECT tenant_id, follower, due_at FROM event_followers JOIN tenants ON id = tenant_id AND state = 'active'",
  );
  return {
    /** Where it is known already, it is looked at again. */
    add: (tenantId: string, follower: FollowerName): void => {
      insert.run(tenantId, follower);
    },
    remove: (tenantId: string, follower: FollowerName): void => {
      remove.run(tenantId, follower);
    },
    setDue: (tenantId: string, follower: FollowerName, dueAt: number | null): void => {
      setDue.run(dueAt, tenantId, follower);
    },
    all: (): FollowedTenant[] => all.all(),
  };
});
