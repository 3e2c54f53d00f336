import type { DurableFile } from '#src/db/durable-file.ts';
import type { PlatformDb } from '#src/db/sqlite.ts';
import type { TenantFiles } from '#src/db/tenant-files.ts';
import type { Log } from '#src/kernel/log.ts';
import type { Clock } from '#src/kernel/time.ts';
import type { Follower, Following } from './following.ts';

export interface FollowingDeps {
  readonly platform: DurableFile<PlatformDb>;
  readonly files: TenantFiles;
  readonly clock: Clock;
  readonly log: Log;
  readonly followers: readonly Follower[];
}

export const createFollowing = (_deps: FollowingDeps): Following => ({
  hold: async () => () => {},
  wake: () => {},
  start: async () => {},
  stop: async () => {},
});
