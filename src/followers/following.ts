// Those who follow the events of tenants with a place of their own in the log: wakes them when something has been written to
// a tenant's file and when a time of theirs has come, one turn at a time for each tenant. What is to be told stands in the
// files alone: who has anything to tell of a tenant is looked at once after a start, and a turn that fails is taken again.
import type { FollowerName } from '#src/events/follow-store.ts';

export interface Follower {
  readonly name: FollowerName;
  /**
   * Does what is to be done for a tenant now: short file work, never waiting for a network. Resolves with when it is to be
   * looked at next without being woken (ms since the epoch; null: never), or with `nobody` where the tenant has nobody to tell
   * any more. Rejects where the file cannot be read or written: it is tried again later. Never called twice at once for one
   * tenant.
   */
  turn(tenantId: string): Promise<number | null | 'nobody'>;
}

export interface Following {
  /**
   * Resolves when the registry durably knows that the tenant has such a follower, and keeps it there until the function it
   * resolves with is called: by then who follows stands in the tenant's file, or will not.
   */
  hold(follower: FollowerName, tenantId: string): Promise<() => void>;
  /** Something is to be done for a tenant. Harmless at any time. */
  wake(follower: FollowerName, tenantId: string): void;
  start(): Promise<void>;
  /** No turn begins any more; resolves when those under way have ended. */
  stop(): Promise<void>;
}
