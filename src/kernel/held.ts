// What the file of a tenant that was restored or imported was about to send. It may have been sent after the backup was made, so it
// waits until a person sends or discards it; what comes later goes at once. A room with such a queue hands in `Held` for its counts
// and their end, and `HoldRestored`, which the commands that restore and import call before anyone else opens the file.
import type { TenantDb } from './db/sqlite.ts';

export interface Held {
  /** Its name in counts. */
  readonly name: 'mails' | 'forwards';
  readonly count: (db: TenantDb) => number;
  /** Makes at most `limit` of them due at once; returns how many. */
  readonly release: (db: TenantDb, now: number, limit: number) => number;
  /** Ends at most `limit` of them without sending them; returns how many. */
  readonly discard: (db: TenantDb, now: number, limit: number) => number;
  /** Resolves once the registry knows that the tenant has something due; the result is called after it is. */
  readonly expect: (tenantId: string, now: number) => Promise<() => void>;
}

/** Holds what is due at `now` or was being sent, in the file of a tenant that has just been restored. Returns how much. */
export type HoldRestored = (db: TenantDb, now: number) => number;
