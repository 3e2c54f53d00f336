// Which tenants have followers, in the registry, so that a start opens no other files.

import { type PlatformDb, perConnection } from '#src/kernel/db/sqlite.ts';
import type { FollowerName } from './follow-store.ts';

export interface FollowedTenant {
  tenant_id: string;
  follower: FollowerName;
}

export const followerRegistryStore = perConnection((db: PlatformDb) => {
  const insert = db.prepare<[string, FollowerName]>(
    'INSERT INTO event_followers (tenant_id, follower) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const remove = db.prepare<[string, FollowerName]>(
    'DELETE FROM event_followers WHERE tenant_id = ? AND follower = ?',
  );
  const all = db.prepare<[], FollowedTenant>(
    "SELECT tenant_id, follower FROM event_followers JOIN tenants ON id = tenant_id AND state = 'active'",
  );
  return {
    add: (tenantId: string, follower: FollowerName): void => {
      insert.run(tenantId, follower);
    },
    remove: (tenantId: string, follower: FollowerName): void => {
      remove.run(tenantId, follower);
    },
    all: (): FollowedTenant[] => all.all(),
  };
});
