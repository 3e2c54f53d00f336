// The registry may know less than the files: where it was restored from a backup older than somebody's first webhook, no start
// and no commit would look at that tenant. The nightly round does, and puts it right.

import type { FollowerName } from '#src/events/follow-store.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Following } from './following.ts';

export interface RegisterAgainDeps {
  readonly files: Pick<TenantFiles, 'read'>;
  readonly following: () => Pick<Following, 'hold'>;
  readonly follower: FollowerName;
  /** Whether anybody in the tenant's file follows. */
  readonly isFollowed: (db: TenantDb) => boolean;
}

/** Writes nothing where the registry knows of the tenant. Rejects as a read of the file and as `hold`. */
export const createRegisterAgain =
  ({ files, following, follower, isFollowed }: RegisterAgainDeps) =>
  async (tenantId: string): Promise<void> => {
    if (!(await files.read(tenantId, isFollowed))) return;
    const release = await following().hold(follower, tenantId);
    release();
  };
